"""Particle swarm optimization with inertia and one global best.

Y. Shi and R. C. Eberhart, "A modified particle swarm optimizer", IEEE International Conference on
Evolutionary Computation, 1998. Velocities are not limited; a particle that would leave the bounds
stops at them and keeps its velocity.

Artificial bee colony.

D. Karaboga and B. Basturk, "A powerful and efficient algorithm for numerical function optimization:
artificial bee colony (ABC) algorithm", Journal of Global Optimization 39, 2007.

Several particle swarms with quantum particles, exclusion and anti-convergence (mQSO).

T. Blackwell and J. Branke, "Multiswarms, exclusion, and anti-convergence in dynamic environments",
IEEE Transactions on Evolutionary Computation 10(4), 2006: for problems that change. It also runs on
problems that do not.

Each swarm has neutral particles, which move as in PSO with constriction, and quantum particles,
which are drawn in a ball around the best point of the swarm, its attractor. All distances are in
shares of the bounds' widths. All particles of all swarms move before any of them is evaluated, and
points outside the bounds are moved onto them.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective
from timefair.algorithms.builtin import Count, Share
from timefair.algorithms.builtin import population as pop
from timefair.problems.base import Number

Array = NDArray[np.float64]
Pull = Annotated[float, Number(0)]


def particle_swarm(
    objective: Objective,
    rng: np.random.Generator,
    *,
    population: Count = 30,
    omega: Share = 0.7,
    c1: Pull = 1.4,
    c2: Pull = 1.4,
    start_velocity: Share = 0.25,
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


def bee_colony(
    objective: Objective,
    rng: np.random.Generator,
    *,
    food: Annotated[int, Number(2, whole=True)] = 30,
    limit: Count | None = None,
) -> None:
    """Exploit and abandon sources of food without end.

    - `food`: Number of sources, which is also the number of employed bees and that of onlookers.
    - `limit`: Trials without success after which a source is abandoned; in each cycle, only the
      most exhausted source is. By default `food` times the dimension.
    """
    colony = Colony(objective, rng, food)
    limit = food * objective.dimension if limit is None else limit
    while True:
        colony.visit(np.arange(food))
        colony.visit(rng.choice(food, size=food, p=attraction(colony.y)))
        exhausted = int(np.argmax(colony.trials))
        if colony.trials[exhausted] >= limit:
            colony.abandon(exhausted)


class Colony:
    """Sources of food with their values and the numbers of trials since their last improvement."""

    def __init__(self, objective: Objective, rng: np.random.Generator, food: int) -> None:
        self._objective, self._rng = objective, rng
        self._lower, self._upper = objective.lower, objective.upper
        self.x = pop.uniform(objective, rng, food)
        self.y = pop.values(objective, self.x)
        self.trials = np.zeros(food, dtype=int)

    def visit(self, sources: pop.Indices) -> None:
        """One bee after the other changes one component of its source and keeps what is better."""
        rng, count = self._rng, len(sources)
        components = rng.integers(self._objective.dimension, size=count)
        others = rng.integers(len(self.x) - 1, size=count)
        others += others >= sources
        steps = rng.uniform(-1, 1, size=count)
        for bee in zip(sources, components, others, steps, strict=True):
            self._try(*bee)

    def _try(self, source: int, component: int, other: int, step: float) -> None:
        trial = self.x[source].copy()
        moved = trial[component] + step * (trial[component] - self.x[other, component])
        trial[component] = min(max(moved, self._lower[component]), self._upper[component])
        y = pop.value(self._objective, trial)
        if y < self.y[source]:
            self.x[source], self.y[source], self.trials[source] = trial, y, 0
        else:
            self.trials[source] += 1

    def abandon(self, source: int) -> None:
        """A scout replaces a source by a random point."""
        self.x[source] = pop.uniform(self._objective, self._rng, 1)[0]
        self.y[source] = pop.value(self._objective, self.x[source])
        self.trials[source] = 0


def attraction(y: pop.Values) -> pop.Values:
    """The probability with which an onlooker chooses each source: in proportion to its nectar.

    Nectar is 1/(1 + y), or 1 - y for y below 0 (eq. 2.1). If its sum is 0 or infinite, the sources
    with the most nectar have equal probabilities.
    """
    nectar = np.where(y < 0, 1 - y, 1 / (1 + np.maximum(y, 0)))
    if not 0 < nectar.max() < np.finfo(float).max / len(y):
        nectar = np.where(nectar == nectar.max(), 1.0, 0.0)
    share: pop.Values = nectar / nectar.sum()
    return share


def multiswarm(
    objective: Objective,
    rng: np.random.Generator,
    *,
    swarms: Count = 10,
    neutral: Count = 5,
    quantum: Annotated[int, Number(0, whole=True)] = 5,
    cloud: Share = 0.005,
    exclusion: Share = 0.5,
    chi: Share = 0.729843788,
    c: Pull = 2.05,
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
