"""Where a job's time went is added up by name."""

import time

import pytest

from timefair.measure.job.spending import Spending


def fail(spending):
    with spending.on("journal"):
        time.sleep(0.02)
        raise ValueError("not saved")


def test_spending_adds_up_by_name_also_what_ends_in_an_exception():
    spending = Spending()
    spending.add("timed runs", 0.5)
    spending.add("timed runs", 0.25)
    with pytest.raises(ValueError, match="not saved"):
        fail(spending)
    assert list(spending.seconds) == ["timed runs", "journal"]
    assert spending.seconds["timed runs"] == 0.75
    assert spending.seconds["journal"] >= 0.02
    total = sum(spending.seconds.values())
    journal_s = spending.seconds["journal"]
    assert str(spending).startswith(f"{total:.3f} s: timed runs 0.750, journal {journal_s:.3f}")
