"""Costs in joules and instructions, and the electricity of a campaign."""

from dataclasses import replace

import numpy as np
import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.integrity import Origins
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0,))


@pytest.fixture
def runs(run, table):
    """Four runs of A, of which three reach the target after half of their second, and four of B."""
    reached = [(1, 0.1, 5.0), (10, 0.5, 0.5)]
    rows = [run(reached if k else reached[:1], run=k) for k in range(4)]
    return Runs.of(table(*rows, *(run(reached, run=k, algorithm="B") for k in range(4))))


def fact(algorithm="A", instance=1, **readings):
    place = {"suite": "bbob", "function": 1, "dimension": 2, "instance": instance, "round": 1}
    told = {name: list(values) for name, values in readings.items()}
    return {**place, "algorithm": algorithm, "runs": [0, 1, 2, 3], "readings": told}


def test_the_ert_in_joules_is_that_of_the_seconds_at_a_constant_power(runs):
    known = replace(runs, readings=[fact(joules=[8.0] * 4)])
    (row,) = TABLES["metered"](known, ANALYSIS).to_dict("records")
    assert (row["algorithm"], row["unit"], row["runs"], row["successes"]) == ("A", "joules", 4, 3)
    ert = TABLES["ert"](known, ANALYSIS).set_index("algorithm").loc["A"]
    for name in ("ert", "ert_low", "ert_high"):
        assert row[name] == pytest.approx(8.0 * ert[name.replace("ert", "ert_s", 1)])
    assert row["ert"] == pytest.approx((8 + 3 * 4) / 3)


def test_each_run_has_its_own_power_and_each_meter_a_unit(runs):
    known = replace(runs, readings=[fact(joules=[1, 2, 4, -1], instructions=[10, 20, 40, 60])])
    told = TABLES["metered"](known, ANALYSIS).set_index("unit")["ert"]
    assert told["joules"] == pytest.approx((1 + (2 + 4 + 0) / 2) / 3)
    assert told["instructions"] == pytest.approx((10 + (20 + 40 + 60) / 2) / 3)


@pytest.mark.parametrize(
    ("readings", "cost_s"),
    [([], 0.0), ([fact(joules=[1, None, 1, 1])], 0.0), ([fact(joules=[1, 1, 1, 1])], 0.01)],
    ids=["no meter", "a run without", "simulated cost"],
)
def test_where_a_reading_is_lacking_there_is_no_row(runs, readings, cost_s):
    known = replace(runs, readings=readings, frame=runs.frame.assign(evaluation_cost_s=cost_s))
    assert TABLES["metered"](known, ANALYSIS).empty


def test_the_electricity_of_a_campaign_and_what_a_stopping_rule_saved(runs):
    place = {"suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "round": 1}
    stopping = runs.stopping.from_records(
        [
            {**place, "algorithm": label, "runs": 4, "reason": reason, "path": []}
            for label, reason in (("A", "stable"), ("B", None))
        ]
    )
    readings = [fact(joules=[36.0] * 4, idle_joules=[54.0] * 4)]
    origins = {"A": Origins(campaign=[{"runs": 10}]), "B": Origins(campaign=[{"runs": 10}])}
    known = replace(runs, readings=readings, stopping=stopping, origins=origins)
    told = TABLES["electricity"](known, ANALYSIS).set_index("algorithm")
    assert list(told.index) == ["A", "B", "all"]
    assert list(told["metered"]) == [4, 0, 4]
    assert told["kwh"].to_list() == pytest.approx([1e-4, np.nan, 1e-4], nan_ok=True)
    assert list(told["runs_saved"]) == [6, 0, 6]
    assert told["kwh_saved"].to_list() == pytest.approx([1.5e-4, 0.0, 1.5e-4])
    unread = replace(known, readings=[])
    again = TABLES["electricity"](unread, ANALYSIS).set_index("algorithm")
    assert again.loc["A", ["kwh", "kwh_saved"]].isna().all()
    assert again.loc["A", "runs_saved"] == 6
