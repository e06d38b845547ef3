"""The algorithms that take constraints, each on functions of bbob-constrained."""

import numpy as np
import pytest

from timefair.algorithms import registry
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import measure_run
from timefair.measure.trial import load
from timefair.problems.registry import SUITES

PROBLEM = SUITES["bbob-constrained"].problem(1, 2, 1)
ABLE = registry.able("constraints")
NO_START = {"timefair:random-search", "nlopt:GN_ORIG_DIRECT", "nlopt:GN_ORIG_DIRECT_L"}
"""Algorithms without a point to start from."""


def run(use, seed=1, evaluations=600, problem=PROBLEM, penalty=None):
    allowed = Allowance(evaluations=evaluations, wall_ns=20_000_000_000)
    return measure_run(load(use, {}, "native", penalty), problem, allowed, seed)


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize("use", ABLE)
def test_it_evaluates_constraints_stays_in_order_and_repeats_for_a_seed(use):
    row, again = run(use), run(use)
    assert (str(row["status"]), row["evaluations"]) == ("ok", 600)
    assert 200 < row["constraint_evaluations"] < 600
    kept = [(v["evaluations"], v["outputs"]) for v in row["vectors"]]
    assert kept == [(v["evaluations"], v["outputs"]) for v in again["vectors"]]
    start = PROBLEM.value(PROBLEM.start) - PROBLEM.f_opt
    assert row["best_precision"] < start  # better than the point of the suite


@pytest.mark.thinned(6)
@pytest.mark.parametrize("use", [use for use in ABLE if use not in NO_START])
def test_the_point_of_the_suite_is_among_the_first(use):
    row = run(use, evaluations=300)
    at_start = PROBLEM.evaluate(PROBLEM.start)
    first = [v for v in row["vectors"] if v["outputs"][1] == 0 and v["outputs"][0] <= at_start]
    assert first[0]["evaluations"] <= 250


@pytest.mark.thinned(6)
@pytest.mark.slow
@pytest.mark.parametrize(
    "use",
    ["scipy:COBYQA", "scipy:SLSQP", "scipy:trust-constr", "nlopt:LN_COBYLA", "pycma:AL-CMA-ES"],
)
def test_it_finds_the_optimum_on_the_boundary(use):
    assert run(use, evaluations=3000)["best_precision"] < 1e-4


@pytest.mark.parametrize("use", ["timefair:DE", "pycma:CMA-ES", "scipy:Nelder-Mead", "cmaes:CMA"])
def test_with_a_penalty_an_algorithm_without_constraints_finds_it_too(use):
    row = run(use, evaluations=4000, penalty=1000.0)
    assert (str(row["status"]), row["constraint_evaluations"]) == ("ok", 2000)
    assert row["best_precision"] < 1e-2


@pytest.mark.thinned(3)
@pytest.mark.parametrize("use", ABLE)
def test_its_tasks_are_declared_and_it_takes_problems_without_constraints_only_if_so(use):
    tasks = registry.tasks(use, {})
    assert "constraints" in tasks
    if "one objective" in tasks:
        row = run(use, evaluations=100, problem=SUITES["bbob"].problem(1, 2, 1))
        assert (str(row["status"]), row["constraint_evaluations"]) == ("ok", None)
        assert np.isfinite(row["best_precision"])
