"""iohinspector computes the table aocc from an export; it integrates over evaluations."""

from importlib.util import find_spec

import numpy as np
import pyarrow as pa
import pytest

from timefair.exhibits.registry import TABLES
from timefair.io.write import write_ioh
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(find_spec("iohinspector") is None, reason="iohinspector is not installed"),
]

END = 400


def random_run(rng, **names):
    """A run that improves at random evaluations, seldom the first; some beyond both bounds."""
    at = np.unique(rng.integers(1, END, size=rng.integers(0, 14)))
    precision = 10 ** (3 - np.cumsum(rng.exponential(1.2, at.size)))
    best = float(precision[-1]) if at.size else np.inf
    return {
        "suite": "bbob", **names, "evaluations": END, "wall_s": 0.75, "budget_evaluations": END,
        "f_opt": 79.48, "status": "ok", "stop_reason": "evaluations", "best_precision": best,
        "events": [
            {"launch": 0, "evaluations": n, "time_s": n / 1000, "precision": q}
            for n, q in zip(at.tolist(), precision.tolist(), strict=True)
        ],
    }  # fmt: skip


def test_the_area_is_iohinspectors(tmp_path):
    import iohinspector
    from iohinspector.metrics import transform_fval
    from iohinspector.metrics.aocc import get_aocc

    rng = np.random.default_rng(13)
    table = pa.Table.from_pylist(
        [
            random_run(rng, algorithm=algorithm, function=function, dimension=5, instance=i, run=k)
            for algorithm in ("A", "B", "C")
            for function in (1, 8)
            for k, i in enumerate((1, 1, 2, 2, 2, 7, 7))
        ],
        RUN_SCHEMA,
    )
    write_ioh(table, tmp_path / "ioh")
    manager = iohinspector.DataManager()
    manager.add_folder(str(tmp_path / "ioh"))
    names = ["algorithm_name", "function_id"]
    # With monotonic, it drops the first line of a run after one that has found nothing.
    data = manager.load(monotonic=False, include_meta_data=True)
    data = transform_fval(data, lb=1e-8, ub=1e2, scale_log=True)
    theirs = get_aocc(data, END, free_vars=names).set_index(names)["AOCC"].sort_index()
    ours = TABLES["aocc"](Runs.of(table), Analysis(resamples=10))
    ours = ours[(ours["unit"] == "evaluations") & (ours["function"] != "all")]
    assert set(ours["to"]) == {END}
    ours = ours.assign(function=ours["function"].astype(int)).set_index(["algorithm", "function"])
    assert len(theirs) == 6
    np.testing.assert_allclose(ours["aocc"].sort_index(), theirs, rtol=0, atol=1e-12)
    assert np.ptp(theirs) > 0.05
