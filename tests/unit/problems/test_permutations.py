"""Permutations: the suite's optima by enumeration, bad points, and the user's own."""

from itertools import permutations

import numpy as np
import pytest

from timefair.algorithms import registry
from timefair.basics.errors import InputError
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import measure_run
from timefair.measure.trial import load
from timefair.problems.permutations import PERMUTATIONS
from timefair.problems.registry import find

ALGORITHMS = ("timefair:2-opt", "timefair:OX-GA", "timefair:random-permutations")


@pytest.mark.parametrize("function", PERMUTATIONS.functions)
@pytest.mark.parametrize("instance", [1, 2])
def test_no_order_is_better_than_the_optimum(function, instance):
    problem = PERMUTATIONS.problem(function, 6, instance)
    values = [problem.evaluate(np.array(x, dtype=float)) for x in permutations(range(6))]
    assert min(values) == pytest.approx(problem.f_opt, rel=1e-12)
    assert max(values) > 1.02 * problem.f_opt


@pytest.mark.parametrize(
    ("x", "fault"),
    [
        ([0, 1, 2, 2], "not 2 several times"),
        ([0, 1, 2, 4], "not 4"),
        ([0, 1, 2, 2.5], "not 2.5"),
        ([0, 1, 2, np.nan], "not nan"),
        ([0, 1, 2], r"not an array of shape \(3,\)"),
    ],
)
def test_other_points_are_refused(x, fault):
    problem = PERMUTATIONS.problem(1, 4, 1)
    with pytest.raises(ValueError, match=f"takes each of the numbers 0 to 3 once, {fault}"):
        problem.evaluate(np.array(x, dtype=float))


@pytest.mark.parametrize("use", ALGORITHMS)
def test_algorithms_for_permutations_find_the_best_order_of_a_small_problem(use):
    assert registry.variables(use, {}) == {"permutation"}
    allowed = Allowance(evaluations=3000)
    row = measure_run(registry.load(use, {}), PERMUTATIONS.problem(1, 5, 1), allowed, seed=1)
    assert (row["status"], row["evaluations"]) == ("ok", 3000)
    assert row["best_precision"] == pytest.approx(0, abs=1e-10)


def test_the_genetic_algorithm_of_pymoo_takes_orders_and_the_others_of_pymoo_do_not():
    pytest.importorskip("pymoo")
    assert registry.variables("pymoo:GA", {}) == {"continuous", "permutation"}
    assert registry.variables("pymoo:DE", {}) == {"continuous"}
    problem, allowed = PERMUTATIONS.problem(2, 6, 1), Allowance(evaluations=2000)
    for parameters in ({}, {"pop_size": 30}):
        row = measure_run(load("pymoo:GA", parameters, "native"), problem, allowed, seed=1)
        assert (row["status"], row["evaluations"]) == ("ok", 2000)
        assert row["best_precision"] == pytest.approx(0, abs=1e-10)


def test_random_keys_evaluate_the_order_of_their_coordinates():
    problem = PERMUTATIONS.problem(2, 5, 1)
    row = measure_run(load("timefair:DE", {}, "keys"), problem, Allowance(evaluations=500), seed=1)
    assert (row["status"], row["evaluations"]) == ("ok", 500)
    assert sorted(row["best_x"]) == [0, 1, 2, 3, 4]
    assert problem.evaluate(np.array(row["best_x"])) == row["best_f"]


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.py").write_text(
        "def cost(x):\n    return float(abs(x[1:] - x[:-1]).sum())\n"
        "cost.permutation, cost.f_opt = True, lambda f, d, i: d - 1.0\n"
        "def odd(x):\n    return 0.0\n"
        "odd.permutation, odd.constraints = True, lambda x: [0.0]\n"
    )


def test_a_problem_of_the_user(own):
    suite = find("orders.py:cost", {})
    assert (suite.variables, suite.faults([1], [6], [1])) == ("permutation", [])
    problem = suite.problem(1, 6, 1)
    assert problem.evaluate(np.arange(6.0)) == problem.f_opt == 5.0
    assert (problem.lower.tolist(), problem.upper.tolist()) == ([0] * 6, [5] * 6)
    assert problem.evaluate(problem.points(3)[0]) == 5.0


@pytest.mark.parametrize(
    ("suite", "parameters", "fault"),
    [
        ("orders.py:cost", {"lower": 0}, "'lower': a permutation of orders.py:cost has no such"),
        ("orders.py:cost", {"permutation": 1}, "'permutation' is true or false, not 1"),
        ("orders.py:odd", {}, "'permutation' of orders.py:odd: cannot have 'constraints'"),
    ],
)
def test_faults_of_a_users_permutations(own, suite, parameters, fault):
    with pytest.raises(InputError, match=fault):
        find(suite, parameters)
