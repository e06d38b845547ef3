"""Several particle swarms with quantum particles, exclusion and anti-convergence (mQSO).

T. Blackwell and J. Branke, "Multiswarms, exclusion, and anti-convergence in dynamic environments",
IEEE Transactions on Evolutionary Computation 10(4), 2006: for problems that change. It also runs on
problems that do not.

Each swarm has neutral particles, which move as in PSO with constriction, and quantum particles,
which are drawn in a ball around the best point of the swarm, its attractor. Of two swarms
whose attractors are close to each other, the worse one begins again at random points (exclusion).
If all swarms have converged, the worst one does (anti-convergence). Before each move, the
attractors are evaluated again; if the value of one has changed, all points that the swarms remember
are evaluated again.

All distances are in shares of the bounds' widths. All particles of all swarms move before any of
them is evaluated, and points outside the bounds are moved onto them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective
from timefair.algorithms.builtin import population as pop
from timefair.problems.parameters import SHARE, Number

Array = NDArray[np.float64]

ALLOWED = {
    **dict.fromkeys(("swarms", "neutral"), Number(1, whole=True)),
    "quantum": Number(0, whole=True),
    **dict.fromkeys(("cloud", "exclusion", "chi"), SHARE),
    "c": Number(0),
}


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    swarms: int = 10,
    neutral: int = 5,
    quantum: int = 5,
    cloud: float = 0.005,
    exclusion: float = 0.5,
    chi: float = 0.729843788,
    c: float = 2.05,
) -> None:
    """Move the swarms without end.

    - `swarms`: Number of swarms, M.
    - `neutral`, `quantum`: Number of particles of each kind in a swarm.
    - `cloud`: Radius of the ball of the quantum particles. About the distance by which an optimum
      moves is a good choice.
    - `exclusion`: Distance of two attractors below which the worse swarm begins again, and of the
      neutral particles of a swarm below which it has converged; as a multiple of M^(-1/D).
    - `chi`: Constriction of the velocities.
    - `c`: Largest pull of a particle's own best point, and of the attractor.
    """
    field = _Swarms(objective, rng, swarms, neutral)
    radius = exclusion * swarms ** (-1 / objective.dimension)
    while True:
        field.notice_change()
        field.avoid_convergence(radius)
        field.exclude(radius)
        field.move(chi, c)
        if quantum:
            field.draw_clouds(quantum, cloud)


class _Swarms:
    """Swarms in the unit cube. Positions have the shape ``(swarms, particles, dimension)``."""

    def __init__(
        self, objective: Objective, rng: np.random.Generator, swarms: int, neutral: int
    ) -> None:
        self._objective, self._rng = objective, rng
        self._lower, self._upper = objective.lower, objective.upper
        self._width = self._upper - self._lower
        shape = (swarms, neutral, objective.dimension)
        self._x, self._v, self._best = np.empty(shape), np.empty(shape), np.empty(shape)
        self._best_y = np.empty(shape[:2])
        self._attractor, self._attractor_y = np.empty(shape[::2]), np.full(swarms, np.inf)
        for swarm in range(swarms):
            self._place(swarm)

    def notice_change(self) -> None:
        """Evaluate the attractors again, and everything else that is known if one has changed."""
        values = self._values(self._attractor)
        if (values == self._attractor_y).all():
            return
        self._attractor_y = values
        self._best_y = self._values(self._best)
        self._take_attractors(self._best, self._best_y)

    def avoid_convergence(self, radius: float) -> None:
        """Place the worst swarm again if all have converged."""
        apart = self._x[:, :, np.newaxis] - self._x[:, np.newaxis]
        diameters = np.linalg.norm(apart, axis=-1).max(axis=(1, 2))
        if (diameters < radius).all():
            self._place(int(self._attractor_y.argmax()))

    def exclude(self, radius: float) -> None:
        """Of each two swarms with attractors that are close, place the worse one again."""
        apart = self._attractor[:, np.newaxis] - self._attractor
        close = np.triu(np.linalg.norm(apart, axis=-1) < radius, k=1)
        placed: set[int] = set()
        for one, other in np.argwhere(close).tolist():
            if placed.isdisjoint((one, other)):
                worse = max(one, other, key=lambda swarm: self._attractor_y[swarm])
                self._place(worse)
                placed.add(worse)

    def move(self, chi: float, c: float) -> None:
        """Move the neutral particles and evaluate them."""
        own, common = self._rng.random((2, *self._x.shape))
        to_own, to_common = self._best - self._x, self._attractor[:, np.newaxis] - self._x
        self._v = chi * (self._v + c * own * to_own + c * common * to_common)
        self._x = np.clip(self._x + self._v, 0.0, 1.0)
        values = self._values(self._x)
        better = values < self._best_y
        self._best[better], self._best_y[better] = self._x[better], values[better]
        self._take_attractors(self._best, self._best_y)

    def draw_clouds(self, particles: int, radius: float) -> None:
        """Evaluate points that are uniform in balls around the attractors."""
        swarms, dimension = self._attractor.shape
        steps = self._rng.standard_normal((swarms, particles, dimension))
        steps /= np.linalg.norm(steps, axis=-1, keepdims=True)
        steps *= radius * self._rng.random((swarms, particles, 1)) ** (1 / dimension)
        points = np.clip(self._attractor[:, np.newaxis] + steps, 0.0, 1.0)
        self._take_attractors(points, self._values(points))

    def _place(self, swarm: int) -> None:
        """Begin a swarm at random points, with velocities towards others."""
        x = self._rng.random(self._x.shape[1:])
        self._x[swarm] = self._best[swarm] = x
        self._v[swarm] = (self._rng.random(x.shape) - x) / 2
        self._best_y[swarm] = values = self._values(x)
        best = values.argmin()
        self._attractor[swarm], self._attractor_y[swarm] = x[best], values[best]

    def _take_attractors(self, points: Array, values: Array) -> None:
        """Let points be attractors that are better."""
        best = values.argmin(axis=1)
        every = np.arange(len(best))
        better = values[every, best] < self._attractor_y
        self._attractor[better] = points[every, best][better]
        self._attractor_y[better] = values[every, best][better]

    def _values(self, points: Array) -> Array:
        """The values of points of the unit cube, shape ``(..., dimension)``."""
        flat = self._lower + points.reshape(-1, points.shape[-1]) * self._width
        flat = np.minimum(flat, self._upper)  # up to rounding
        return pop.values(self._objective, flat).reshape(points.shape[:-1])
