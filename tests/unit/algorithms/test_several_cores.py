"""With several cores, the algorithms that declare it ask for batches, and evaluate more."""

import numpy as np
import pytest

from timefair.algorithms import registry
from timefair.machine.linux import kernel
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import measure_run
from timefair.problems.base import Problem, ProblemName

OF_NEVERGRAD = ("CMA", "DE", "NaiveIsoEMNA", "OnePlusOne", "PSO", "RandomSearch", "TBPSA")
LEFT_OUT = ("portfolio", "AGEMOEA", "AGEMOEA2")
"""The first has batches if its members have; the others compile for ten seconds."""
MOST = {"skopt": 5}
"""Evaluations of a launch here, where they are dear; else 150."""
PARAMETERS = {"skopt": {"n_initial_points": 3}}


def _uses() -> list[str]:
    """Every algorithm with batches that can be used here; of nevergrad, some."""
    return [
        f"{library.name}:{known.name}"
        for library in registry.LIBRARIES.values()
        for known in library.available()
        if not known.missing and (library.name != "nevergrad" or known.name in OF_NEVERGRAD)
        if known.name not in LEFT_OUT and library.batches(known.name, {})
    ]


USES = _uses()
TIMED = [
    use
    for use in USES
    if "one objective" in registry.tasks(use, {}) and not use.startswith("skopt:")
]


@pytest.mark.thinned(5)
@pytest.mark.parametrize("use", USES)
def test_an_algorithm_with_batches_asks_for_two_points_on_two_cores(launch, use):
    library = use.partition(":")[0]
    parameters, most = PARAMETERS.get(library, {}), MOST.get(library, 150)
    objective = launch(use, parameters, most=most, cores=2)
    assert objective.largest_batch >= 2
    assert len(objective.points) <= most
    assert objective.all_inside or use in ("scipy:BFGS", "scipy:CG")


@pytest.mark.thinned(20)
@pytest.mark.slow
@pytest.mark.parametrize("use", TIMED)
def test_two_cores_evaluate_more_within_a_budget_of_time(use):
    kernel.adopt_orphans()
    bounds = np.full(6, -3.0), np.full(6, 5.0)
    name = ProblemName("test", 1, 6, 1)
    problem = Problem(name, lambda x: float(np.sum((x - 0.7) ** 2)), *bounds, 0.0)
    algorithm = registry.load(use, {})
    algorithm.prepare()
    # A simulated second per evaluation: no machine is so slow that this test waits for it.
    one, two = (
        measure_run(
            algorithm, problem, Allowance(time_ns=900 * 10**9, cost_ns=10**9, cores=cores), seed=1
        )
        for cores in (1, 2)
    )
    assert [str(row["status"]) for row in (one, two)] == ["ok", "ok"]
    assert two["evaluations"] > 1.3 * one["evaluations"]


@pytest.mark.parametrize(
    ("use", "parameters", "asks"),
    [
        ("timefair:DE", {}, True),
        ("timefair:ABC", {}, False),
        ("scipy:differential_evolution", {"updating": "immediate"}, False),
        ("scipy:Nelder-Mead", {}, False),
        ("nevergrad:DE", {"num_workers": 1}, False),
        ("nevergrad:Powell", {}, False),
        ("external:./solver", {}, None),
        ("timefair:portfolio", {"members": ["timefair:ABC", "timefair:DE"]}, True),
        ("timefair:portfolio", {"members": ["timefair:ABC", "external:./solver"]}, None),
        ("timefair:portfolio", {"members": ["timefair:ABC", "pycma:lq-CMA-ES"]}, False),
    ],
)
def test_whether_an_algorithm_asks_for_batches(use, parameters, asks):
    assert registry.batches(use, parameters) is asks


@pytest.mark.parametrize("use", ["timefair:DE", "timefair:JADE", "timefair:PSO", "pycma:CMA-ES"])
def test_the_points_are_those_of_one_core(launch, use):
    one, two = launch(use), launch(use, cores=2)
    np.testing.assert_array_equal(one.points, two.points)
    assert one.largest_batch == 0
