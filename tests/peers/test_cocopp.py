"""ERT in evaluations and success rates equal cocopp's, on runs that COCO observed itself."""

import numpy as np
import pyarrow as pa
import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA

pytestmark = pytest.mark.peer
cocoex = pytest.importorskip("cocoex")

TARGETS = tuple(10 ** (k / 5) for k in range(10, -41, -1))
"""cocopp's own grid: between its targets it takes the next harder one."""

INSTANCES = (1, 2, 3)
REPETITIONS = 2


def one_plus_one(problem, rng, evaluations):
    """A (1+1)-ES with the one-fifth rule; yields every value."""
    x, step = rng.uniform(-4, 4, problem.dimension), 1.0
    best = problem(x)
    yield best
    for _ in range(evaluations - 1):
        trial = x + step * rng.standard_normal(problem.dimension)
        value = problem(trial)
        yield value
        if value <= best:
            x, best, step = trial, value, 1.5 * step
        else:
            step *= 1.5**-0.25


def observed_campaign(folder):
    """Runs with the events that we keep, while COCO's observer writes its own files."""
    rng = np.random.default_rng(2)
    observer = cocoex.Observer("bbob", f"result_folder: {folder} algorithm_name: es")
    suite = cocoex.Suite(
        "bbob",
        f"instances: {','.join(map(str, INSTANCES))}",
        "dimensions: 2,3 function_indices: 1,3,8,20",
    )
    rows = []
    for repetition in range(REPETITIONS):
        for problem in suite:
            function, dimension = problem.id_function, problem.dimension
            instance = problem.id_instance
            f_opt = cocoex.BareProblem("bbob", function, dimension, instance).best_value()
            problem.observe_with(observer)
            end = int(rng.integers(20, 150)) * dimension  # failures end at different costs
            events, best = [], np.inf
            for count, value in enumerate(one_plus_one(problem, rng, end), start=1):
                if value < best:
                    best = value
                    precision = max(value - f_opt, 0.0)
                    events.append((count, precision))
            problem.free()
            rows.append(
                {
                    "suite": "bbob",
                    "function": function,
                    "dimension": dimension,
                    "instance": instance,
                    "algorithm": "es",
                    "run": repetition,
                    "f_opt": f_opt,
                    "wall_s": 1.0,
                    "evaluations": end,
                    "events": [
                        {"launch": 0, "evaluations": n, "time_s": n / (end + 1), "precision": q}
                        for n, q in events
                    ],
                }
            )
    return pa.Table.from_pylist(rows, RUN_SCHEMA)


def test_ert_and_success_rates_are_cocopps(cocopp, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = observed_campaign("es")
    analysis = Analysis(targets=TARGETS, resamples=10)
    ours = TABLES["ert"](Runs.of(runs), analysis).set_index(["function", "dimension"])
    data_sets = cocopp.load(str(tmp_path / "exdata" / "es"))
    assert len(data_sets) == 8
    compared = 0
    for data in data_sets:
        part = ours.loc[(data.funcId, data.dim)].sort_values("target", ascending=False)
        assert (part["runs"] == len(INSTANCES) * REPETITIONS).all()
        np.testing.assert_allclose(part["ert_evaluations"], data.detERT(TARGETS), rtol=1e-12)
        np.testing.assert_allclose(part["success_rate"], data.detSuccessRates(TARGETS), rtol=1e-12)
        compared += len(part)
    assert compared == 8 * len(TARGETS)
    rate = ours["success_rate"]
    assert ((rate > 0) & (rate < 1)).sum() >= 20  # failures were charged, not only successes
    assert (rate == 0).any()
