"""Two algorithms that do what algorithms should."""

import numpy as np
from adversary import search


def random_search(objective, rng):
    search(objective, rng)


def short(objective, rng):
    """Returns after 50 evaluations: a completed restart."""
    for _ in range(50):
        objective(rng.uniform(objective.lower, objective.upper))


def evolution(objective, rng):
    x = rng.uniform(objective.lower, objective.upper)
    best, step = objective(x), 1.0
    while True:
        y = x + step * rng.standard_normal(objective.dimension)
        value = objective(y)
        better = value <= best
        step *= np.exp(0.8) if better else np.exp(-0.2)
        if better:
            x, best = y, value
