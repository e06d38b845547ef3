"""The table on the predictability of the reliability of an estimate."""

from itertools import product

import numpy as np
import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis, RunCount

CAP = 12


def made(run, table, spread, functions=5, algorithms="ABCDEFGHIJ"):
    """The table of samples whose standard deviation is a function of the algorithm."""
    rng = np.random.default_rng(6)
    rows = [
        run(best_precision=value, run=k, function=function, algorithm=label)
        for function, label in product(range(1, functions + 1), algorithms)
        for k, value in enumerate(rng.lognormal(sigma=spread(label), size=2 * CAP))
    ]
    analysis = Analysis(targets=(1.0,), run_count=RunCount(cap=CAP))
    return TABLES["run_count_reliability"](Runs.of(table(*rows)), analysis)


@pytest.mark.slow
def test_reliability_can_be_told_where_the_spread_tells_it(run, table):
    """Half of the cells hardly vary, half do wildly."""
    frame = made(run, table, lambda label: 0.01 if label < "F" else 3.0)
    assert set(frame["held_out"]) == {"functions", "algorithms"}
    assert set(frame["truth"]) == {"independent"}
    wanted = frame["estimate"].eq("median") & frame["n"].eq(5) & frame["error_percent"].eq(10.0)
    (row,) = frame[wanted & frame["held_out"].eq("functions") & frame["bin"].eq(1)].to_dict(
        "records"
    )
    assert row["skill"] == pytest.approx(1 - row["brier"] / row["brier_base"])
    assert row["skill"] > 0.7
    assert row["auc"] > 0.9
    for _, curve in frame.groupby(["estimate", "n", "error_percent", "held_out"]):
        assert curve["bin_samples"].sum() == curve["samples"].iloc[0] == 50
        observed = np.average(curve["observed_percent"], weights=curve["bin_samples"])
        assert observed == pytest.approx(curve["right_percent"].iloc[0])
        assert curve["stated_percent"].is_monotonic_increasing


def test_one_function_and_one_algorithm_cannot_be_held_out(run, table):
    assert made(run, table, lambda label: 1.0, functions=1, algorithms="A").empty
