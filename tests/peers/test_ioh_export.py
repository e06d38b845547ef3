"""iohinspector computes the table ert from an export, in evaluations and in seconds.

It charges every failure the same number, so all failures end at the same cost here.
"""

import warnings
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

END, WALL_S = 400, 0.75


def random_run(rng, **names):
    """A run that improves at random evaluations, seldom the first; a few find nothing."""
    at = np.unique(rng.integers(1, END, size=rng.integers(0, 14)))
    precision = 10 ** (2 - np.cumsum(rng.exponential(0.8, at.size)))
    return {
        "suite": "bbob",
        **names,
        "evaluations": END,
        "wall_s": WALL_S,
        "f_opt": 79.48,
        "events": [
            {"launch": 0, "evaluations": n, "time_s": n / 1000 + 1e-9, "precision": q}
            for n, q in zip(at.tolist(), precision.tolist(), strict=True)
        ],
    }


@pytest.fixture(scope="module")
def campaign():
    rng = np.random.default_rng(11)
    rows = [
        random_run(
            rng, algorithm=algorithm, function=function, dimension=dimension, instance=i, run=k
        )
        for algorithm in ("A", "B")
        for function, dimension in ((1, 2), (1, 5), (8, 2))
        for k, i in enumerate((1, 1, 2, 7, 7, 7, 80))
    ]
    return pa.Table.from_pylist(rows, RUN_SCHEMA)


@pytest.fixture(scope="module")
def manager(campaign, tmp_path_factory):
    import iohinspector

    folder = tmp_path_factory.mktemp("ioh")
    write_ioh(campaign, folder)
    manager = iohinspector.DataManager()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        manager.add_folder(str(folder))
    return manager


def test_it_finds_every_run(campaign, manager):
    assert manager.n_runs == campaign.num_rows
    assert set(manager.overview["evals"]) == {END}
    keys = ["algorithm", "function", "dimension", "instance"]
    theirs = manager.overview.to_pandas().rename(
        columns={"algorithm_name": "algorithm", "function_id": "function"}
    )
    ours = campaign.select(keys).to_pandas()
    assert theirs.groupby(keys).size().to_dict() == ours.groupby(keys).size().to_dict()


@pytest.mark.parametrize(
    ("column", "variable", "end"),
    [("ert_evaluations", "evaluations", END), ("ert_s", "time_s", WALL_S)],
)
def test_ert_and_success_rates_are_iohinspectors(column, variable, end, campaign, manager):
    from iohinspector.metrics import fixed_target

    compared = partly = 0
    for function, dimension in ((1, 2), (1, 5), (8, 2)):
        part = manager.select(function_ids=[function], dimensions=[dimension])
        data = part.load(monotonic=True, include_columns=["algorithm_name"])
        theirs = fixed_target.aggregate_running_time(
            data, eval_var=variable, f_min=1e-6, f_max=1e2, eval_max=end
        )
        theirs = theirs.sort_values(["algorithm_name", "raw_y"]).reset_index(drop=True)
        analysis = Analysis(targets=tuple(theirs["raw_y"].unique()), resamples=10)
        ours = TABLES["ert"](Runs.of(campaign), analysis)
        ours = ours[(ours["function"] == function) & (ours["dimension"] == dimension)]
        ours = ours.sort_values(["algorithm", "target"])
        np.testing.assert_allclose(ours["success_rate"], theirs["success_ratio"], rtol=1e-12)
        np.testing.assert_allclose(ours[column], theirs["ERT"], rtol=1e-9)
        compared += len(ours)
        partly += ours["success_rate"].between(0, 1, inclusive="neither").sum()
    assert compared == 3 * 2 * 50
    assert partly > 100
