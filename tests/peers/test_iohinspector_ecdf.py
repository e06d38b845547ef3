"""The ECDF equals iohinspector's on the same runs, targets and budgets.

iohinspector integrates over all targets between two bounds, evenly spread in the logarithm. Where
precisions are steps of a ladder and our targets lie midway between its rungs, that is the same.
"""

from importlib.util import find_spec

import numpy as np
import pyarrow as pa
import pytest

from timefair.records.rundata.runs import Runs
from timefair.records.schema import RUN_SCHEMA
from timefair.statistics.bands import ecdf

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(find_spec("iohinspector") is None, reason="iohinspector is not installed"),
]

BUDGETS = [1, 2, 5, 10, 20, 50, 100, 200, 400]
RUNGS = np.arange(-8.0, 2.01, 0.2)
"""Logarithms of precisions, from the hardest target's side to the easiest one's."""

TARGETS = 10 ** (RUNGS[:-1] + 0.1)


@pytest.fixture(scope="module")
def runs():
    """Some begin above the easiest target, some end at 0 or below the hardest, some end early."""
    rng = np.random.default_rng(9)
    rows = []
    for algorithm in ("A", "B"):
        for function in (1, 2):
            for run in range(7):
                count = int(rng.integers(2, 30))
                at = np.sort(rng.choice(np.arange(2, 400), size=count, replace=False))
                at[0] = 1  # iohinspector leaves a run out of the mean until it has a value
                steps = rng.integers(1, 6, size=count).cumsum()
                precision = 10 ** (3.0 - 0.2 * steps)
                precision[-1] *= run != 0
                events = [
                    {"launch": 0, "evaluations": n, "time_s": n / 500, "precision": q}
                    for n, q in zip(at.tolist(), precision.tolist(), strict=True)
                ]
                keys = {"suite": "bbob", "function": function, "dimension": 5, "instance": 1}
                keys |= {"algorithm": algorithm, "run": run, "wall_s": 1.0, "evaluations": 400}
                keys["f_opt"] = 0.0
                rows.append(keys | {"events": events})
    return Runs.of(pa.Table.from_pylist(rows, RUN_SCHEMA))


def test_the_ecdf_is_iohinspectors(runs):
    import polars
    from iohinspector.metrics.ecdf import get_data_ecdf

    events = runs.traces.together()
    run_of_event = np.repeat(events.rows, np.diff(events.offsets))
    data = polars.DataFrame(
        {
            "data_id": run_of_event,
            "algorithm_name": runs.frame["algorithm"].to_numpy()[run_of_event].tolist(),
            "evaluations": events.evaluations.astype(np.int64),
            "raw_y": events.precision,
        }
    )
    theirs = get_data_ecdf(
        data, f_min=10 ** RUNGS[0], f_max=10 ** RUNGS[-1], eval_values=BUDGETS
    ).set_index(["algorithm_name", "evaluations"])["eaf"]
    reached_at = runs.runtimes("evaluations", TARGETS)
    for name, members in runs.groups(("algorithm",)):
        ours = ecdf(reached_at[members], BUDGETS)
        np.testing.assert_allclose(ours, theirs.loc[name["algorithm"]].loc[BUDGETS], atol=1e-12)
        assert (np.diff(ours) > 0).sum() >= 5
