"""Four algorithms with known biases: searches that keep the better of a point and a proposal."""

import numpy as np


def _climb(objective, rng, propose, x):
    value = objective(x)
    while True:
        y = np.clip(propose(x), objective.lower, objective.upper)
        if (other := objective(y)) < value:
            x, value = y, other


def _anywhere(objective, rng):
    return rng.uniform(objective.lower, objective.upper)


def origin(objective, rng):
    x = _anywhere(objective, rng)
    _climb(objective, rng, lambda x: x * rng.uniform(0.0, 1.1, len(x)), x)


def centre(objective, rng):
    x = (objective.lower + objective.upper) / 2
    _climb(
        objective, rng, lambda x: x + 10.0 ** rng.uniform(-3, 0) * rng.standard_normal(len(x)), x
    )


def bounds(objective, rng):
    """Makes large steps, which the bounds clip."""
    x = _anywhere(objective, rng)
    _climb(objective, rng, lambda x: x + 5.0 * rng.standard_normal(len(x)), x)


def axes(objective, rng):
    def moved(x):
        y = x.copy()
        y[rng.integers(len(x))] += rng.choice([-1, 1]) * 10.0 ** rng.uniform(-3, 1)
        return y

    _climb(objective, rng, moved, _anywhere(objective, rng))
