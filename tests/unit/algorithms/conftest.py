"""Launches of an algorithm on a plain objective."""

import random

import numpy as np
import pytest
from objectives import Cut, Plain

from timefair.algorithms import registry
from timefair.algorithms.builtin import population


def _launch(
    use: str,
    parameters: dict[str, object] | None = None,
    *,
    seed: int = 1,
    dimension: int = 3,
    most: int = 60,
    left: int | None = None,
    noisy: bool = False,
    cores: int = 1,
) -> Plain:
    given = parameters or {}
    shown = 2 if registry.tasks(use, given) == {"two objectives"} else 1
    objective = Plain(dimension=dimension, most=most, left=left, shown=shown)
    objective.noisy, objective.cores = noisy, cores
    algorithm = registry.load(use, given)
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (as the measuring code does)
    try:
        algorithm.solve(objective, np.random.default_rng(seed))
    except Cut:
        objective.was_cut = True
    return objective


@pytest.fixture
def launch():
    """``launch(use, parameters, seed=, dimension=, most=, left=, noisy=)``: its objective."""
    return _launch


@pytest.fixture
def generations(monkeypatch):
    """How many points are evaluated together, one after the other."""
    sizes = []
    values = population.values

    def spy(objective, points):
        sizes.append(len(points))
        return values(objective, points)

    monkeypatch.setattr(population, "values", spy)
    return sizes
