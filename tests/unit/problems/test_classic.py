"""The suites classic and f1-f23: formulas and optima as published, and instances."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import cos, e, exp, pi, prod, sin, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from timefair.problems import classic
from timefair.problems.suites import SUITES

CLASSIC = SUITES["classic"]
REVERSED = (6, 8)  # Schwefel and Michalewicz


def _levy(x: Sequence[float]) -> float:
    w = [1 + (a - 1) / 4 for a in x]
    middle = sum((a - 1) ** 2 * (1 + 10 * sin(pi * a + 1) ** 2) for a in w[:-1])
    return sin(pi * w[0]) ** 2 + middle + (w[-1] - 1) ** 2 * (1 + sin(2 * pi * w[-1]) ** 2)


def _zakharov(x: Sequence[float]) -> float:
    s = sum(0.5 * i * a for i, a in enumerate(x, 1))
    return sum(a * a for a in x) + s**2 + s**4


def _dixon_price(x: Sequence[float]) -> float:
    pairs = pairwise(x)
    return (x[0] - 1) ** 2 + sum(i * (2 * b * b - a) ** 2 for i, (a, b) in enumerate(pairs, 2))


def _salomon(x: Sequence[float]) -> float:
    r = sqrt(sum(a * a for a in x))
    return 1 - cos(2 * pi * r) + 0.1 * r


PRINTED: dict[int, Callable[[Sequence[float]], float]] = {
    1: lambda x: (
        -20 * exp(-0.2 * sqrt(sum(a * a for a in x) / len(x)))
        - exp(sum(cos(2 * pi * a) for a in x) / len(x)) + 20 + e
    ),
    2: lambda x: 10 * len(x) + sum(a * a - 10 * cos(2 * pi * a) for a in x),
    3: lambda x: (
        sum(a * a / 4000 for a in x) - prod(cos(a / sqrt(i)) for i, a in enumerate(x, 1)) + 1
    ),
    4: lambda x: sum(100 * (b - a * a) ** 2 + (a - 1) ** 2 for a, b in pairwise(x)),
    5: _levy,
    6: lambda x: 418.9828872724338 * len(x) - sum(a * sin(sqrt(abs(a))) for a in x),
    7: lambda x: sum(a**4 - 16 * a**2 + 5 * a for a in x) / 2,
    8: lambda x: -sum(sin(a) * sin(i * a * a / pi) ** 20 for i, a in enumerate(x, 1)),
    9: _zakharov,
    10: _dixon_price,
    11: _salomon,
    12: lambda x: (sum((a - 1) ** 2 for a in x) - sum(a * b for a, b in pairwise(x))),
}  # fmt: skip
"""The formulas of Surjanovic and Bingham (2013), and of Salomon (1996)."""


@pytest.mark.parametrize("function", CLASSIC.functions)
def test_the_first_instance_is_the_function_as_published(function):
    rng = np.random.default_rng(function)
    for dimension in (2, 3, 10, 41):
        problem = CLASSIC.problem(function, dimension, 1)
        for x in rng.uniform(problem.lower, problem.upper, (20, dimension)):
            assert problem.evaluate(x) == pytest.approx(PRINTED[function](x.tolist()), rel=1e-12)


@pytest.mark.parametrize(
    ("function", "dimension", "f_opt"),
    [
        *((number, dimension, 0.0) for number in (1, 2, 3, 4, 5, 6, 9, 10, 11)
          for dimension in (2, 10, 100)),
        (7, 2, -78.33233140754282), (7, 10, -391.6616570377142),
        (8, 2, -1.8013034100985), (8, 5, -4.687658179088), (8, 10, -9.660151715641),
        (12, 6, -50.0), (12, 10, -210.0), (12, 40, -40 * 44 * 39 / 6),
    ],
)  # fmt: skip
def test_optima_that_are_printed(function, dimension, f_opt):
    for instance in (1, 2):
        found = CLASSIC.problem(function, dimension, instance).f_opt
        assert found == pytest.approx(f_opt, rel=1e-12, abs=1e-28)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("instance", [1, 2, 77])
@pytest.mark.parametrize("function", CLASSIC.functions)
def test_a_search_around_the_optimum_finds_nothing_better(function, instance):
    for dimension in (2, 5):
        problem = CLASSIC.problem(function, dimension, instance)
        best = optimum_of(function, dimension, instance)
        assert np.all((problem.lower <= best) & (best <= problem.upper))
        assert problem.evaluate(best) == pytest.approx(problem.f_opt, abs=1e-11)
        width = problem.upper - problem.lower
        for share in (1e-6, 1e-3, 1e-2):
            simplex = best + np.vstack([np.zeros(dimension), np.diag(share * width)])
            found = minimize(
                problem.evaluate, best, method="Nelder-Mead", options={"initial_simplex": simplex}
            )
            assert found.fun >= problem.f_opt - 1e-11


def optimum_of(function: int, dimension: int, instance: int) -> NDArray[np.float64]:
    """The optimum: as published, or as the documentation says that an instance changes it."""
    problem = CLASSIC.problem(function, dimension, instance)
    published = classic._placed(classic.FUNCTIONS[function - 1].best, dimension)
    if instance == 1:
        return published
    if function in REVERSED:
        best = published.copy()
        for k in range(dimension):  # separable: each axis for itself
            other = best.copy()
            other[k] = problem.lower[k] + problem.upper[k] - best[k]
            best = min(best, other, key=problem.evaluate)
        return best
    share = np.random.default_rng([1960, function, dimension, instance]).random(dimension)
    middle, width = (problem.lower + problem.upper) / 2, problem.upper - problem.lower
    return middle + 0.8 * (share - 0.5) * width


@pytest.mark.parametrize("function", CLASSIC.functions)
def test_outside_the_bounds_nothing_is_better_than_the_optimum(function):
    rng = np.random.default_rng(function)
    for instance in (1, 2):
        problem = CLASSIC.problem(function, 3, instance)
        middle, half = (problem.lower + problem.upper) / 2, (problem.upper - problem.lower) / 2
        for x in middle + rng.uniform(-4, 4, (500, 3)) * half:
            assert problem.evaluate(x) >= problem.f_opt
            outside = bool(np.any(x < problem.lower) or np.any(x > problem.upper))
            if function in REVERSED:
                assert np.isinf(problem.evaluate(x)) == outside


def test_the_optimum_of_michalewicz_is_the_best_of_a_grid_per_variable():
    best = classic._michalewicz_best(300)
    grid = np.linspace(0, np.pi, 200_001)
    for i in (1, 2, 3, 4, 5, 7, 50, 299, 300):
        values = np.sin(grid) * np.sin(i * grid**2 / np.pi) ** 20
        at_best = np.sin(best[i - 1]) * np.sin(i * best[i - 1] ** 2 / np.pi) ** 20
        assert at_best >= values.max()
        assert at_best == pytest.approx(values.max(), abs=1e-4)


OPTIMA = {14: 0.998, 15: 0.0003075, 16: -1.0316285, 17: 0.398, 18: 3.0, 19: -3.86, 20: -3.32}
OPTIMA |= {21: -10.1532, 22: -10.4029, 23: -10.5364, 8: -12569.5}


@pytest.mark.parametrize("function", classic.F1_F23.functions)
def test_the_optimum_has_the_printed_value_and_none_near_it_is_better(function):
    dimension = classic.FIXED.get(function, 30)
    problem = classic.F1_F23.problem(function, dimension, 1)
    best = classic._placed(classic.F1_F23.declared[function - 1].best, dimension)
    printed = OPTIMA.get(function, 0.0)
    assert problem.evaluate(best) == problem.f_opt
    np.testing.assert_allclose(problem.f_opt, printed, rtol=2e-3 if printed else 0, atol=1e-12)
    rng = np.random.default_rng(function)
    for scale in (1e-6, 1e-3, 0.1):
        near = np.clip(
            best + scale * rng.normal(size=(200, dimension)), problem.lower, problem.upper
        )
        assert min(map(problem.evaluate, near)) >= problem.f_opt - 1e-12 * (1 + abs(printed))
