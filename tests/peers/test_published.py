"""Imported data equal what cocopp and iohinspector read, and the calls that ioh logged."""

import numpy as np
import pytest

from timefair.exhibits.registry import TABLES
from timefair.io.importing import import_data
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import read_runs

pytestmark = pytest.mark.peer

TARGETS = tuple(10 ** (k / 5) for k in range(15, -41, -1))
"""cocopp's own grid."""


def walk(problem, dimension, rng, steps):
    """A few hundred evaluations that end near the optimum now and then."""
    x, fx, sigma = rng.uniform(-4, 4, dimension), np.inf, 1.0
    for _ in range(steps):
        y = x + sigma * rng.standard_normal(dimension)
        fy = problem(y)
        sigma *= 1.5 if fy < fx else 0.9
        x, fx = (y, fy) if fy < fx else (x, fx)


def ert_of(path, format, record):
    import_data(path, format, record)
    return TABLES["ert"](Runs.read([record]), Analysis(targets=TARGETS, resamples=10))


def test_ert_is_cocopps_on_data_of_coco(cocopp, tmp_path, monkeypatch):
    cocoex = pytest.importorskip("cocoex")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    suite = cocoex.Suite("bbob", "instances: 1,2,3", "dimensions: 2,5 function_indices: 1,5,8,20")
    observer = cocoex.Observer("bbob", "result_folder: walk algorithm_name: walk")
    for problem in suite:
        problem.observe_with(observer)
        walk(problem, problem.dimension, rng, int(rng.integers(50, 600)))
        problem.free()
    ours = ert_of(tmp_path / "exdata", "coco", tmp_path / "walk.parquet")
    cells = dict(list(ours.groupby(["function", "dimension"])))
    data_sets = cocopp.load(str(tmp_path / "exdata" / "walk"))
    assert {(data.funcId, data.dim) for data in data_sets} == set(cells)
    for data in data_sets:
        part = cells[data.funcId, data.dim]
        np.testing.assert_allclose(data.detERT(TARGETS), part["ert_evaluations"], rtol=1e-9)
        np.testing.assert_allclose(data.detSuccessRates(TARGETS), part["success_rate"])
        assert set(part["runs"]) == {3}
    assert ours["ert_s"].isna().all()
    assert ours["success_rate"].between(0, 1, inclusive="neither").sum() > 20


def test_events_are_all_improvements_that_iohprofiler_saw(tmp_path):
    ioh = pytest.importorskip("ioh")
    logger = ioh.logger.Analyzer(root=str(tmp_path), folder_name="ioh", algorithm_name="walk")
    rng = np.random.default_rng(6)
    seen = []
    for instance in (1, 2, 2, 30):
        problem = ioh.get_problem(8, instance, 3, ioh.ProblemClass.BBOB)
        problem.attach_logger(logger)
        best, log = np.inf, []
        for n in range(1, int(rng.integers(20, 90))):
            value = problem(rng.uniform(-4, 4, 3)) - problem.optimum.y
            if value < best:
                best = value
                log.append((n, value))
        seen.append((instance, n, log))
        problem.reset()
        problem.detach_logger()
    logger.close()
    record = tmp_path / "walk.parquet"
    found = import_data(tmp_path / "ioh", "ioh", record)
    assert (found.algorithm, found.suite) == ("walk", "bbob")
    runs = Runs.read([record]).published
    found = runs.traces.together()
    back = {
        (row.instance, row.run): (row.evaluations, slice(start, stop))
        for row, start, stop in zip(
            runs.frame.itertuples(),
            found.offsets[:-1],
            found.offsets[1:],
            strict=True,
        )
    }
    for key, (_, evaluations, log) in zip([(1, 0), (2, 0), (2, 1), (30, 0)], seen, strict=True):
        all_evaluations, events = back[key]
        assert all_evaluations == evaluations
        assert found.evaluations[events].tolist() == [n for n, _ in log]
        np.testing.assert_allclose(found.precision[events], [q for _, q in log], rtol=1e-7)


def pseudo_boolean_walk(problem, rng, steps):
    x, best = rng.integers(0, 2, problem.meta_data.n_variables), -np.inf
    for _ in range(steps):
        y = np.where(rng.random(x.size) < 1 / x.size, 1 - x, x)
        value = problem(y.tolist())
        x, best = (y, value) if value >= best else (x, best)


@pytest.fixture
def logged_twice(tmp_path):
    """The same runs, as IOHprofiler's logger writes them and as the one of before 2021 did."""
    ioh = pytest.importorskip("ioh")
    if not hasattr(ioh.logger, "old"):
        pytest.skip("versions of ioh since 0.4 have no logger of before 2021")
    for name, analyzer in (("new", ioh.logger.Analyzer), ("old", ioh.logger.old.Analyzer)):
        rng = np.random.default_rng(7)
        for kind, functions in (("PBO", (1, 2, 8, 22)), ("BBOB", (1, 8))):
            logger = analyzer(
                root=str(tmp_path / kind), folder_name=name, algorithm_name="walk",
                triggers=[ioh.logger.trigger.ON_IMPROVEMENT],
            )  # fmt: skip
            for function in functions:
                for instance in (1, 1, 2, 51):
                    problem = ioh.get_problem(
                        function, instance, 16, getattr(ioh.ProblemClass, kind)
                    )
                    problem.attach_logger(logger)
                    steps = int(rng.integers(20, 300))
                    if kind == "PBO":
                        pseudo_boolean_walk(problem, rng, steps)
                    else:
                        walk(problem, 16, rng, steps)
                    problem.reset()
                    problem.detach_logger()
            logger.close()
    return tmp_path


@pytest.mark.parametrize("kind", ["PBO", "BBOB"])
def test_both_generations_of_iohprofiler_agree(kind, logged_twice):
    new, old = (
        import_data(logged_twice / kind / name, "ioh", logged_twice / f"{name}.parquet")
        for name in ("new", "old")
    )
    assert (new.runs, new.suite) == (old.runs, old.suite)
    rows = [read_runs([logged_twice / f"{name}.parquet"]).to_pylist() for name in ("new", "old")]
    for one, other in zip(*rows, strict=True):
        assert one["evaluations"] == other["evaluations"]
        for key in ("evaluations", "precision"):
            np.testing.assert_allclose(
                [event[key] for event in one["events"]],
                [event[key] for event in other["events"]],
                rtol=1e-9, atol=1e-9,
            )  # fmt: skip


def test_pseudo_boolean_values_are_reached_when_iohinspector_says(logged_twice):
    iohinspector = pytest.importorskip("iohinspector")
    folder = logged_twice / "PBO" / "new"
    manager = iohinspector.DataManager()
    manager.add_folder(str(folder))
    theirs = manager.load(monotonic=True, include_meta_data=True).to_pandas()
    import_data(folder, "ioh", logged_twice / "pbo.parquet")
    ours = [
        row
        for row in read_runs([logged_twice / "pbo.parquet"]).to_pylist()
        if (row["function"], row["instance"]) == (1, 1)  # precision: how many ones are missing
    ]
    one_max = theirs[(theirs["function_id"] == 1) & (theirs["instance"] == 1)]
    runs = [part for _, part in one_max.groupby("run_id", sort=True)]
    assert len(runs) == len(ours) == 2
    for row, part in zip(ours, runs, strict=True):
        reached = [(event["evaluations"], 16 - event["precision"]) for event in row["events"]]
        assert reached == list(zip(part["evaluations"], part["raw_y"], strict=True))
