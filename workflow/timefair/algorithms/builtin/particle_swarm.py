"""Particle swarm optimization with inertia and one global best.

Y. Shi and R. C. Eberhart, "A modified particle swarm optimizer", IEEE International Conference on
Evolutionary Computation, 1998. Velocities are not limited; a particle that would leave the bounds
stops at them and keeps its velocity.
"""

from __future__ import annotations

import numpy as np

from timefair.algorithms.base import Objective
from timefair.algorithms.builtin import population as pop
from timefair.problems.parameters import SHARE, Number

ALLOWED = {
    "population": Number(1, whole=True),
    **dict.fromkeys(("omega", "start_velocity"), SHARE),
    **dict.fromkeys(("c1", "c2"), Number(0)),
}


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    population: int = 30,
    omega: float = 0.7,
    c1: float = 1.4,
    c2: float = 1.4,
    start_velocity: float = 0.25,
) -> None:
    """Move a swarm without end; all its particles move before any is evaluated.

    - `population`: Number of particles.
    - `omega`: Inertia: the share of its velocity that a particle keeps.
    - `c1`, `c2`: Maximal weights of the pull towards the particle's own best point and towards the
      swarm's best point.
    - `start_velocity`: Largest component of the first velocities, as a share of the bounds' width.
    """
    lower, upper = objective.lower, objective.upper
    x = pop.uniform(objective, rng, population)
    v = rng.uniform(-start_velocity, start_velocity, size=x.shape) * (upper - lower)
    best, best_y = x.copy(), pop.values(objective, x)
    while True:
        own, swarm = rng.random((2, *x.shape))
        v = omega * v + c1 * own * (best - x) + c2 * swarm * (best[np.argmin(best_y)] - x)
        x = np.clip(x + v, lower, upper)
        y = pop.values(objective, x)
        better = y < best_y
        best[better], best_y[better] = x[better], y[better]
