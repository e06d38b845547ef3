"""The pseudo-Boolean functions: optima by trying everything, and what is refused."""

import itertools

import numpy as np
import pytest

from timefair.problems.registry import SUITES

pytest.importorskip("ioh")
PBO = SUITES["pbo"]
PLAIN, INVERTED, PERMUTED = 1, 5, 60


def all_strings(dimension):
    return np.array(list(itertools.product((0.0, 1.0), repeat=dimension)))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("instance", [PLAIN, INVERTED, PERMUTED])
@pytest.mark.parametrize("function", PBO.functions)
def test_the_optimum_is_the_best_of_all_strings_or_not_known(function, instance):
    for dimension in (4, 5, 8, 9, 10):
        if PBO.faults([function], [dimension], [instance]):
            assert function in (21, 23)
            continue
        problem = PBO.problem(function, dimension, instance)
        assert np.isfinite(problem.f_opt) == PBO.knows_optimum(function, dimension, instance)
        if np.isfinite(problem.f_opt):
            best = min(problem.evaluate(x) for x in all_strings(dimension))
            assert best == pytest.approx(problem.f_opt, abs=1e-9)


def test_one_max_counts_zeros_from_its_optimum():
    problem = PBO.problem(1, 6, PLAIN)
    assert problem.f_opt == -6
    assert problem.evaluate(np.array([1.0, 0, 1, 1, 0, 1])) == -4
    assert problem.integer.all()
    assert (problem.lower.max(), problem.upper.min()) == (0, 1)


@pytest.mark.parametrize("value", [0.5, 2, -1, float("nan"), float("inf"), 1e-12])
def test_any_other_value_is_refused(value):
    problem = PBO.problem(1, 3, PLAIN)
    with pytest.raises(ValueError, match=r"^variable 1 of pbo f1 D=3 .* it takes 0 or 1$"):
        problem.evaluate(np.array([1.0, value, 0.0]))


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        (([23], [10, 16], [1]), ["dimensions: 10 is not a square, which f23 of pbo needs"]),
        (([18], [1], [1]), ["dimensions: 1 is too small for f18 of pbo"]),
        (([1], [20_000], [1]), ["dimensions: 20000 is not in pbo, which has 1 to 10000"]),
    ],
)
def test_wrong_keys(keys, lines):
    assert PBO.faults(*keys) == lines
    with pytest.raises(ValueError, match="pbo"):
        PBO.problem(keys[0][-1], keys[1][0], keys[2][0])
