"""Algorithms that say they take integer variables evaluate whole numbers within the bounds."""

import contextlib
import random

import numpy as np
import pytest
from objectives import Cut, Plain, bowl

from timefair.algorithms import registry

EVALUATIONS = 150


BOUNDS = {
    "binary": (0.0, 1.0, True),
    "integer": ([0.0, -3, 2, 0], [1.0, 3, 17, 40], True),
    "mixed": ([0.0, -5, -8, 0], [1.0, 5, 15, 1], [True, False, True, False]),
}


def launch(use: str, kind: str, most: int = EVALUATIONS) -> Plain:
    """A bowl on whole and other numbers, around a third of the way, after a launch."""
    lower, upper, integer = BOUNDS[kind]
    middle = np.array(upper) / 3
    bounds = {"lower": lower, "upper": upper, "integer": integer}
    objective = Plain(lambda x: bowl(x - middle), 4, most, left=EVALUATIONS, **bounds)
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 (as the measuring code does)
    with contextlib.suppress(Cut):
        registry.load(use, {}).solve(objective, np.random.default_rng(1))
    return objective


TAKING = (
    "timefair:random-search", "scipy:differential_evolution", "pycma:CMA-ES", "pycma:IPOP",
    "pycma:BIPOP", "nevergrad:DE", "nevergrad:PSO", "nevergrad:NGOpt",
    "nevergrad:DiscreteOnePlusOne", "nevergrad:DiscreteLenglerOnePlusOne", "nevergrad:RCobyla",
)  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", ["binary", "integer", "mixed"])
@pytest.mark.parametrize("use", TAKING)
def test_points_are_whole_and_inside(use, kind):
    objective = launch(use, kind)
    points = np.array(objective.points)
    whole = points[:, objective.integer]
    assert len(points) > 20
    np.testing.assert_array_equal(whole, np.rint(whole))
    assert objective.all_inside
    assert len(np.unique(whole, axis=0)) > 5
    if kind == "mixed":
        rest = points[:, ~objective.integer]
        assert np.any(rest != np.rint(rest))


@pytest.mark.parametrize("use", TAKING)
def test_it_says_so(use):
    assert registry.variables(use, {}) >= {"continuous", "integer"}


def test_random_search_is_uniform_on_whole_numbers():
    points = np.array(launch("timefair:random-search", "integer", most=7000).points)
    numbers, counts = np.unique(points[:, 1], return_counts=True)
    assert numbers.tolist() == list(range(-3, 4))
    np.testing.assert_allclose(counts, 1000, atol=150)
