"""What an evaluation costs an algorithm besides the function."""

import pytest

from timefair.exhibits.registry import TABLES
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0,))


def test_overhead_is_what_the_objective_does_not_take(run, table):
    runs = [
        run(run=k, wall_s=wall_s, evaluations=100, objective_s=1e-3)
        for k, wall_s in enumerate((0.2, 0.3, 0.4, 0.5, 0.6))
    ]
    runs += [run(run=9, evaluations=0), run(algorithm="B", objective_s=1.0)]
    frame = TABLES["overhead"](Runs.of(table(*runs)), ANALYSIS).set_index("algorithm")
    one = frame.loc["A"]
    assert one["runs"] == 5
    assert one["s_per_evaluation"] == pytest.approx(4e-3)
    assert one["overhead_s"] == pytest.approx(3e-3)
    assert (one["overhead_s_low"], one["overhead_s_high"]) == pytest.approx((2e-3, 4e-3))
    assert one["overhead_share"] == pytest.approx(0.75)
    assert frame.loc["B", "overhead_s"] == 0.0


def test_the_objective_never_takes_more_time_than_the_run(run, table):
    """The calibrated cost times the evaluations was 0.92 to 2.48 of the wall clock."""
    runs = Runs.of(
        table(
            *(run(run=k, wall_s=1.0, evaluations=100, objective_s=cost, bare_s=1e-3)
              for k, cost in enumerate((5e-3, 20e-3)))
        )
    )  # fmt: skip
    assert TABLES["runs"](runs, ANALYSIS)["objective_share"].tolist() == [0.75]
    one = TABLES["overhead"](runs, ANALYSIS).iloc[0]
    assert one["objective_s"] == pytest.approx(7.5e-3)
    assert one["objective_s"] + one["overhead_s"] == pytest.approx(one["s_per_evaluation"])
