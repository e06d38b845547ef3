"""Noisy runs, exported by the rule of COCO's logger, give the numbers of its own data."""

import numpy as np
import pyarrow as pa
import pytest

from timefair.algorithms.algorithm import Algorithm
from timefair.exhibits.registry import TABLES
from timefair.io.write import write_coco
from timefair.machine.linux import kernel
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import stream
from timefair.problems.coco import place_noise
from timefair.problems.suites import SUITES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.rundata.traces import with_noisy_values as chosen
from timefair.records.schema import RUN_SCHEMA

pytestmark = pytest.mark.peer

FUNCTIONS, DIMENSION, INSTANCES = (101, 103, 107, 108, 116, 130), 2, (1, 2, 3, 4, 5)
EVALUATIONS = 300
TARGETS = tuple(10 ** (k / 5) for k in range(15, -41, -1))


def search(objective, rng):
    """A (1+1)-ES, which is misled by its measured values."""
    x = rng.uniform(objective.lower, objective.upper)
    best, step = objective(x), 2.0
    while True:
        trial = x + step * rng.standard_normal(x.size)
        value = objective(trial)
        x, best, step = (trial, value, 1.5 * step) if value <= best else (x, best, step / 1.1)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Our records, and the folder of COCO's observer on the same points with the same noise."""
    cocoex = pytest.importorskip("cocoex")
    kernel.adopt_orphans()
    folder = tmp_path_factory.mktemp("noisy")
    rows = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        observer = cocoex.Observer("bbob", "result_folder: A algorithm_name: es")
        for function in FUNCTIONS:
            for instance in INSTANCES:
                seed = 100 * function + instance
                problem = SUITES["bbob-noisy"].problem(function, DIMENSION, instance)
                allowance = Allowance(evaluations=EVALUATIONS)
                row = measure_run(Algorithm(search), problem, allowance, seed)
                assert (row["status"], row["launches"]) == ("ok", 1)
                names = {"suite": "bbob-noisy", "function": function, "dimension": DIMENSION,
                         "instance": instance, "algorithm": "es", "run": 0}  # fmt: skip
                rows.append(names | {"f_opt": problem.f_opt, "round": 1} | row)
                _observe(cocoex, observer, function, instance, seed)
    return pa.Table.from_pylist(rows, RUN_SCHEMA), folder / "exdata" / "A"


def _observe(cocoex, observer, function, instance, seed):
    suite = cocoex.Suite(
        "bbob-noisy", f"instances: {instance}",
        f"dimensions: {DIMENSION} function_indices: {function - 100}",
    )  # fmt: skip
    problem = suite.get_problem(0)
    problem.observe_with(observer)
    place_noise(seed)

    class Enough(Exception):
        pass

    class Objective:
        lower, upper = problem.lower_bounds, problem.upper_bounds

        def __call__(self, x):
            if problem.evaluations == EVALUATIONS:
                raise Enough
            return problem(x)

    with pytest.raises(Enough):
        search(Objective(), stream(seed, 0))
    problem.free()


def of_cocopp(cocopp, folder):
    """ERTs and success rates of each function."""
    cocopp.testbedsettings.reset_current_testbed()
    found = {
        data.funcId: (data.detERT(TARGETS), data.detSuccessRates(TARGETS))
        for data in cocopp.load(str(folder))
    }
    cocopp.testbedsettings.reset_current_testbed()
    return found


def test_every_cell_is_that_of_cocos_observer(both, cocopp, tmp_path):
    runs, folder = both
    write_coco(chosen(runs, "best_evaluated"), tmp_path, "evaluations", final_target=1e-8)
    exported, observed = of_cocopp(cocopp, tmp_path / "es"), of_cocopp(cocopp, folder)
    ours = TABLES["ert"](
        Runs.of(runs), Analysis(targets=TARGETS, resamples=10, noisy_value="best_evaluated")
    )
    assert set(observed) == set(exported) == set(FUNCTIONS)
    for function, (ert, rates) in observed.items():
        own = ours[ours["function"] == function]
        np.testing.assert_allclose(exported[function][0], ert, rtol=1e-9)
        np.testing.assert_allclose(own["ert_evaluations"], ert, rtol=1e-9)
        np.testing.assert_allclose(own["success_rate"], rates, rtol=1e-12)
    assert ours["success_rate"].between(0, 1, inclusive="neither").sum() > 10


def test_measured_values_would_differ(both):
    """The comparison above can fail: the measured values give other numbers."""
    runs, _ = both
    ert = {
        value: TABLES["ert"](
            Runs.of(runs), Analysis(targets=TARGETS, resamples=10, noisy_value=value)
        )["ert_evaluations"].to_numpy()
        for value in ("measured", "best_evaluated")
    }
    assert (ert["measured"] != ert["best_evaluated"]).mean() > 0.3
