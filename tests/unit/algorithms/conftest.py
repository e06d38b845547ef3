"""Launches of an algorithm on a plain objective."""

import pytest
from objectives import launched

from timefair.algorithms.builtin import population


@pytest.fixture
def launch():
    """``launch(use, parameters, seed=, dimension=, most=, left=, noisy=)``: its objective."""
    return launched


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
