"""What an evaluation costs an algorithm besides the function."""

import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

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
