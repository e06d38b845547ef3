"""The ERT equals iohinspector's, where that charges failures their own end.

iohinspector charges a failure the largest number of evaluations in the whole data, of whatever run
and algorithm. Where all failures end at that number, this is their own end and the two agree. Where
runs end earlier it charges them evaluations that they did not make, and another algorithm with
longer runs raises the ERT of all: there ours is smaller.
"""

from importlib.util import find_spec

import numpy as np
import pyarrow as pa
import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(find_spec("iohinspector") is None, reason="iohinspector is not installed"),
]

END = 400
LADDER = 10 ** np.linspace(-8, 2, 50)
"""The targets that iohinspector chooses itself between two bounds."""


def campaign(ends):
    """Two algorithms of nine runs, whose events end at the given evaluations."""
    rng = np.random.default_rng(9)
    rows = []
    for algorithm in ends:
        for run in range(9):
            at = np.unique(rng.integers(2, ends[algorithm], size=12))
            at = np.concatenate([[1], at, [ends[algorithm]]])
            precision = 10 ** -np.cumsum(np.append(-2.5, rng.uniform(0, 1.2, size=at.size - 1)))
            events = [
                {"launch": 0, "evaluations": n, "time_s": n / 1000, "precision": q}
                for n, q in zip(at.tolist(), precision.tolist(), strict=True)
            ]
            row = {"suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "run": run}
            row |= {"algorithm": algorithm, "wall_s": 1.0, "evaluations": ends[algorithm]}
            row["f_opt"] = 0.0
            rows.append(row | {"events": events})
    return Runs.of(pa.Table.from_pylist(rows, RUN_SCHEMA))


def both(runs):
    """ERT and success rate of ours and theirs, rows in the same order."""
    import polars
    from iohinspector.metrics import fixed_target

    events = runs.traces.together()
    of_event = np.repeat(events.rows, np.diff(events.offsets))
    data = polars.DataFrame(
        {
            "data_id": of_event,
            "algorithm_name": runs.frame["algorithm"].to_numpy()[of_event].astype(str).tolist(),
            "evaluations": events.evaluations,
            "raw_y": events.precision,
        }
    )
    theirs = fixed_target.aggregate_running_time(data, f_min=1e-8, f_max=1e2)
    theirs = theirs.sort_values(["algorithm_name", "raw_y"]).reset_index(drop=True)
    targets = tuple(theirs["raw_y"].unique())
    assert np.allclose(targets, LADDER)
    ours = TABLES["ert"](runs, Analysis(targets=targets))
    ours = ours.sort_values(["algorithm", "target"]).reset_index(drop=True)
    np.testing.assert_array_equal(ours["target"], theirs["raw_y"])
    return ours, theirs


def test_ert_and_success_rates_are_iohinspectors_if_all_runs_end_alike():
    ours, theirs = both(campaign({"A": END, "B": END}))
    np.testing.assert_allclose(ours["success_rate"], theirs["success_ratio"], rtol=1e-12)
    np.testing.assert_allclose(ours["ert_evaluations"], theirs["ERT"], rtol=1e-12)
    rate = ours["success_rate"]
    assert ((rate > 0) & (rate < 1)).sum() > 20
    assert (rate == 0).any()


def test_a_longer_run_of_another_algorithm_raises_their_ert_and_not_ours():
    ours, theirs = both(campaign({"A": END, "B": 10 * END}))
    of_a = (ours["algorithm"] == "A") & (ours["success_rate"] > 0) & (ours["success_rate"] < 1)
    failures = (ours["runs"] - ours["successes"])[of_a]
    too_much = failures * 9 * END / ours["successes"][of_a]
    assert (too_much > 0).all()
    np.testing.assert_allclose(ours["ert_evaluations"][of_a] + too_much, theirs["ERT"][of_a])
