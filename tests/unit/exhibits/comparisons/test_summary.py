"""Each algorithm over all functions in a line."""

import numpy as np
import pandas as pd
import pytest

from timefair.exhibits import latex
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0, 0.1), resamples=50)


@pytest.fixture
def lines(run, table):
    """A reaches everything on f1 and one target on f2; B is slower there, and wins f3."""
    reached = {
        ("A", 1): [(1, 0.1, 0.5), (2, 0.2, 0.05)],
        ("B", 1): [(3, 0.3, 0.5), (4, 0.4, 0.05)],
        ("A", 2): [(1, 0.1, 0.5)],
        ("B", 2): [(9, 0.05, 5.0)],
        ("A", 3): [(1, 0.1, 5.0)],
        ("B", 3): [(4, 0.4, 0.05)],
    }
    rows = [
        run(events, algorithm=name, function=function, run=k, best_precision=events[-1][2])
        for (name, function), events in reached.items()
        for k in range(2)
    ]
    frame = TABLES["summary"](Runs.of(table(*rows)), ANALYSIS)
    return frame.set_index("algorithm")


def test_by_hand(lines):
    assert lines["functions"].to_dict() == {"A": 3, "B": 3}
    assert lines["reached"].to_dict() == {"A": pytest.approx(0.5), "B": pytest.approx(2 / 3)}
    # A is ahead on f1 and f2 to the targets that are reached, and B on f3
    assert lines["rank_evaluations"].to_dict() == {
        "A": pytest.approx((1 + 1 + 2) / 3),
        "B": pytest.approx((2 + 2 + 1) / 3),
    }
    assert lines["best_on_evaluations"].to_dict() == {"A": 2, "B": 1}
    assert lines["rank_median"].to_dict() == {
        "A": pytest.approx((1.5 + 1 + 2) / 3),
        "B": pytest.approx((1.5 + 2 + 1) / 3),
    }


@pytest.mark.parametrize(("algorithms", "dimensions"), [(13, 3), (104, 2)])
def test_a_large_campaign_is_on_one_page(algorithms, dimensions):
    exhibit = TABLES["summary"].exhibit
    keys = pd.MultiIndex.from_product(
        [["bbob"], range(2, 2 + dimensions), [f"algorithm-{k:03}" for k in range(algorithms)]],
        names=["suite", "dimension", "algorithm"],
    ).to_frame(index=False)
    values = np.linspace(0.1, 0.9, len(keys))
    frame = keys.assign(**{c.name: values for c in exhibit.columns if c.name not in keys})
    frame["functions"] = 24
    text = latex.typeset(exhibit, frame, exhibit.printed(frame), latex.Setting(ANALYSIS))
    assert text.count(r"\begin{table*}") == 1
    assert "(continued)" not in text
    assert ("are printed" in text) == (algorithms == 104)
