"""Algorithms with a population, and what they share.

ABC: Karaboga and Basturk, J. Global Optimization 39, 2007. CRO: Salcedo-Sanz et al., The Scientific
World Journal 2014, 739768, with the crossover of Deb and Agrawal (1995) and the mutation of Deb and
Goyal (1996), of index `INDEX`. jDE: Brest et al., IEEE Trans. Evolutionary Computation 10(6), 2006.
jDElscop: Brest and Maučec, Soft Computing 15, 2011. JADE: Zhang and Sanderson, IEEE Trans.
Evolutionary Computation 13(5), 2009. mQSO: Blackwell and Branke, the same 10(4), 2006. PSO: Shi and
Eberhart, IEEE International Conference on Evolutionary Computation, 1998, without a limit of
velocities; a particle that would leave the bounds stops at them and keeps its velocity.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.algorithm import Objective
from timefair.algorithms.builtin import Count, Share
from timefair.problems.problem import Number

Points = NDArray[np.float64]  # shape ``(size, dimension)``
Values = NDArray[np.float64]  # shape ``(size,)``
Indices = NDArray[np.intp]  # shape ``(size,)``


def uniform(objective: Objective, rng: np.random.Generator, size: int) -> Points:
    return rng.uniform(objective.lower, objective.upper, size=(size, objective.dimension))


def value(objective: Objective, point: NDArray[np.float64]) -> float:
    """The objective's value at one point; NaN counts as the worst, inf."""
    y = objective(point)
    return y if y == y else np.inf


def values(objective: Objective, points: Points) -> Values:
    """The objective's `value` at each of the points, in their order; a batch on several cores."""
    if objective.cores > 1:
        y = objective.batch(points)
        return np.where(np.isnan(y), np.inf, y)
    return np.array([value(objective, x) for x in points])


def partners(rng: np.random.Generator, size: int, *pools: int) -> list[Indices]:
    """For each member i of a population, one index from each pool; all differ, also from i.

    They are uniform among the remaining indices. A pool of k contains the indices below k; k is at
    least `size` and larger than the number of pools.
    """
    taken = [np.arange(size)]
    for pool in pools:
        drawn = rng.integers(pool - len(taken), size=size)
        for used in np.sort(taken, axis=0):  # skip the indices that are taken, from below
            drawn += drawn >= used
        taken.append(drawn)
    return taken[1:]


def binomial(rng: np.random.Generator, rates: Values, dimension: int) -> NDArray[np.bool_]:
    """Which components each trial takes from its mutant: each with the trial's rate, at least one.

    Storn and Price (1997). Shape ``(len(rates), dimension)``.
    """
    size = len(rates)
    taken = rng.random((size, dimension)) < rates[:, np.newaxis]
    taken[np.arange(size), rng.integers(dimension, size=size)] = True
    return taken


def exponential(rng: np.random.Generator, rates: Values, dimension: int) -> NDArray[np.bool_]:
    """The same by exponential crossover: one cyclic sequence of components.

    After each component, the sequence continues with a probability equal to the trial's rate. Storn
    and Price (1997). Shape ``(len(rates), dimension)``.
    """
    size = len(rates)
    goes_on = rng.random((size, dimension - 1)) < rates[:, np.newaxis]
    length = 1 + np.logical_and.accumulate(goes_on, axis=1).sum(axis=1)
    distance = (np.arange(dimension) - rng.integers(dimension, size=(size, 1))) % dimension
    taken: NDArray[np.bool_] = distance < length[:, np.newaxis]
    return taken


SPREAD = 0.1  # spread of CR (standard deviation) and F (scale of the Cauchy distribution) in JADE


def jade(
    objective: Objective,
    rng: np.random.Generator,
    *,
    population: Annotated[int, Number(3, whole=True)] = 30,  # three different points
    p: Share = 0.05,
    c: Share = 0.1,
) -> None:
    """Evolve a population without end.

    - `population`: Size of the population, and maximal size of the archive of replaced points.
    - `p`: Share of the population that counts as its best, at least one point.
    - `c`: Weight of a generation's successful values in the centres of F and CR.
    """
    lower, upper = objective.lower, objective.upper
    x = uniform(objective, rng, population)
    y = values(objective, x)
    archive = x[:0]
    best = max(1, round(p * population))
    centre_f, centre_cr = 0.5, 0.5
    while True:
        f = scale_factors(rng, centre_f, population)
        cr = np.clip(rng.normal(centre_cr, SPREAD, population), 0, 1)
        guides = x[rng.choice(np.argsort(y, kind="stable")[:best], population)]
        either = np.vstack([x, archive])  # the subtracted point may come from the archive (eq. 7)
        first, second = partners(rng, population, population, len(either))
        mutants = x + f[:, np.newaxis] * (guides - x + x[first] - either[second])
        # Components outside are moved halfway between their parent's component and the bound.
        mutants = np.where(mutants < lower, (x + lower) / 2, mutants)
        mutants = np.where(mutants > upper, (x + upper) / 2, mutants)
        trials = np.where(binomial(rng, cr, objective.dimension), mutants, x)
        trial_y = values(objective, trials)
        won = trial_y < y
        if won.any():
            archive = np.vstack([archive, x[won]])
            if len(archive) > population:
                archive = archive[rng.permutation(len(archive))[:population]]
            x[won], y[won] = trials[won], trial_y[won]
            centre_cr += c * (cr[won].mean() - centre_cr)
            centre_f += c * (float(f[won] @ f[won] / f[won].sum()) - centre_f)  # eq. 12


def scale_factors(rng: np.random.Generator, centre: float, size: int) -> Values:
    """F of each point: Cauchy around the centre, cut at 1, and drawn again if not positive."""
    f = np.zeros(size)
    while (again := f <= 0).any():
        f[again] = centre + SPREAD * rng.standard_cauchy(again.sum())
    return np.minimum(f, 1)


FIRST_F, FIRST_CR = 0.5, 0.9
LEAST_F = 0.1
FromFour = Annotated[int, Number(4, whole=True)]  # the mutation needs four different points


def jde(
    objective: Objective,
    rng: np.random.Generator,
    *,
    population: FromFour = 30,
    tau1: Share = 0.1,
    tau2: Share = 0.1,
) -> None:
    """Evolve a population without end.

    Components of a trial outside the bounds are set to the bound.

    - `population`: Size of the population.
    - `tau1`, `tau2`: Probabilities with which a trial draws a new F and a new CR. A trial that wins
      keeps them.
    """
    x = uniform(objective, rng, population)
    y = values(objective, x)
    f, cr = np.full(population, FIRST_F), np.full(population, FIRST_CR)
    while True:
        trial_f = np.where(rng.random(population) < tau1, rng.uniform(LEAST_F, 1, population), f)
        trial_cr = np.where(rng.random(population) < tau2, rng.random(population), cr)
        base, plus, minus = partners(rng, population, *[population] * 3)
        mutants = x[base] + trial_f[:, np.newaxis] * (x[plus] - x[minus])
        taken = binomial(rng, trial_cr, objective.dimension)
        trials = np.clip(np.where(taken, mutants, x), objective.lower, objective.upper)
        trial_y = values(objective, trials)
        won = trial_y <= y
        x[won], y[won] = trials[won], trial_y[won]
        f[won], cr[won] = trial_f[won], trial_cr[won]


RAND_BIN, RAND_EXP, BEST_BIN = range(3)
"""The strategies rand/1/bin, rand/1/exp and best/1/bin, one column each in the points' F and CR."""
RENEWAL = 0.1  # probabilities with which a trial draws a new F and a new CR
BEST_RATE = 0.1  # probability of best/1/bin in the second half of the budget
FLIP_RATE = 0.75  # probability with which a difference that points to the worse point is reversed
PHASES = 4  # number of equal parts of the budget; after each part, the population is halved
SMALLEST = 10  # a population of this size or less is not halved


def jdelscop(
    objective: Objective,
    rng: np.random.Generator,
    *,
    population: FromFour = 100,
    budget: Count | None = None,
) -> None:
    """Evolve a shrinking population for a given number of evaluations.

    - `population`: Initial size of the population.
    - `budget`: Evaluations of one launch. They determine when the population shrinks. The launch
      returns at the end of the generation that uses them up. By default, one launch uses the run's
      budget, which `objective.progress` follows.
    """
    x = uniform(objective, rng, population)
    y = values(objective, x)
    f, cr = np.full((population, 3), FIRST_F), np.full((population, 3), FIRST_CR)
    spent, phase = population, 1
    while budget is None or spent < budget:
        size = len(x)
        half = np.full(size, objective.progress) if budget is None else spent + np.arange(size)
        late = (half >= (budget or 1) / 2) & (rng.random(size) < BEST_RATE)
        strategy = np.where(np.arange(size) < size // 2, RAND_BIN, RAND_EXP)
        strategy = np.where(late, BEST_BIN, strategy)
        trial_f, trial_cr = renewed(rng, strategy, f, cr)
        mutants = mutate(rng, strategy, x, y, trial_f)
        stretches = exponential(rng, trial_cr, objective.dimension)
        others = binomial(rng, trial_cr, objective.dimension)
        taken = np.where((strategy == RAND_EXP)[:, np.newaxis], stretches, others)
        trials = np.clip(np.where(taken, mutants, x), objective.lower, objective.upper)
        trial_y = values(objective, trials)
        spent += size
        won = np.flatnonzero(trial_y <= y)
        x[won], y[won] = trials[won], trial_y[won]
        f[won, strategy[won]], cr[won, strategy[won]] = trial_f[won], trial_cr[won]
        if (objective.progress if budget is None else spent / budget) >= phase / PHASES:
            phase += 1
            if size > SMALLEST:
                kept = survivors(y)
                x, y, f, cr = x[kept], y[kept], f[kept], cr[kept]


def renewed(
    rng: np.random.Generator, strategy: Indices, f: Values, cr: Values
) -> tuple[Values, Values]:
    """F and CR of each trial: those of its parent for this strategy, or new ones."""
    size = len(strategy)
    rows = np.arange(size)
    least_f = np.array([0.1 + np.sqrt(1 / size), 0.5, 0.4])[strategy]
    least_cr, most_cr = np.array([[0.0, 0.3, 0.7], [1.0, 1.0, 0.95]])[:, strategy]
    new_f, new_cr = rng.uniform(least_f, 1), rng.uniform(least_cr, most_cr)
    return (
        np.where(rng.random(size) < RENEWAL, new_f, f[rows, strategy]),
        np.where(rng.random(size) < RENEWAL, new_cr, cr[rows, strategy]),
    )


def mutate(rng: np.random.Generator, strategy: Indices, x: Points, y: Values, f: Values) -> Points:
    """Mutants: a random or the best point, plus F times a difference that should point downhill."""
    size = len(x)
    base, plus, minus = partners(rng, size, size, size, size)
    best = strategy == BEST_BIN
    base = np.where(best, np.argmin(y), base)
    flipped = ~best & (y[minus] < y[plus]) & (rng.random(size) < FLIP_RATE)
    signed = np.where(flipped, -f, f)
    return x[base] + signed[:, np.newaxis] * (x[plus] - x[minus])


def survivors(y: Values) -> Indices:
    """The better one of each point of the first half and its partner in the second half, if any."""
    kept = np.arange((len(y) + 1) // 2)
    fellows = np.arange(len(kept), len(y))
    paired = kept[: len(fellows)]
    paired[:] = np.where(y[fellows] < y[paired], fellows, paired)
    return kept


INDEX = 20.0
"""Index of the distributions of crossover and mutation; a larger one: children near parents."""
CROSSOVER_RATE = 0.9
"""Probability that a pair is crossed; each component is then crossed with probability 1/2."""


def coral_reefs(
    objective: Objective,
    rng: np.random.Generator,
    *,
    n: Count = 10,
    m: Count = 10,
    rho: Share = 0.6,
    fbs: Share = 0.9,
    fa: Share = 0.1,
    fd: Annotated[float, Number(0, 0.99)] = 0.1,  # a predation leaves at least one coral
    pd: Share = 0.1,
    attempts: Count = 3,
) -> None:
    """Grow a reef without end.

    - `n`, `m`: Rows and columns of the reef.
    - `rho`: Share of its squares that are occupied at first.
    - `fbs`: Share of the corals that spawn in pairs, with one larva per pair. Each of the others
      (the share Fbr) broods one larva.
    - `fa`: Share of the corals that bud: copies of these best corals settle elsewhere.
    - `fd`, `pd`: Share of the corals (the worst ones) that die in a predation, and the probability
      of a predation in each generation.
    - `attempts`: Squares that a larva tries to settle on.
    """
    lower, upper = objective.lower, objective.upper
    reef = Reef(n * m, objective.dimension)
    first = uniform(objective, rng, max(1, int(rho * n * m)))
    reef.place(rng.permutation(n * m)[: len(first)], first, values(objective, first))
    while True:
        corals = rng.permutation(reef.corals())
        couples = int(fbs * len(corals)) // 2
        mothers, fathers = corals[:couples], corals[couples : 2 * couples]
        spawned = crossover(rng, reef.x[mothers], reef.x[fathers])
        brooded = mutation(rng, reef.x[corals[2 * couples :]], upper - lower)
        larvae = np.clip(np.vstack([spawned, brooded]), lower, upper)
        reef.settle(rng, larvae, values(objective, larvae), attempts)
        ranked = reef.ranked()
        budding = ranked[: int(fa * len(ranked))]
        reef.settle(rng, reef.x[budding], reef.y[budding], attempts)
        if rng.random() < pd:
            ranked = reef.ranked()
            reef.occupied[ranked[len(ranked) - int(fd * len(ranked)) :]] = False


class Reef:
    """Squares that are free or have a coral, a point with its value; nothing depends on which are
    neighbours.
    """

    def __init__(self, squares: int, dimension: int) -> None:
        self.x = np.empty((squares, dimension))
        self.y = np.full(squares, np.inf)
        self.occupied = np.zeros(squares, dtype=bool)

    def place(self, squares: Indices, x: Points, y: Values) -> None:
        self.x[squares], self.y[squares], self.occupied[squares] = x, y, True

    def corals(self) -> Indices:
        return np.flatnonzero(self.occupied)

    def ranked(self) -> Indices:
        corals = self.corals()
        return corals[np.argsort(self.y[corals], kind="stable")]

    def settle(self, rng: np.random.Generator, x: Points, y: Values, attempts: int) -> None:
        """Each larva in turn takes the first square it tries that is free or has a worse coral."""
        tried = rng.integers(len(self.y), size=(len(y), attempts))
        for larva, larva_y, squares in zip(x, y, tried, strict=True):
            open_ = squares[~self.occupied[squares] | (larva_y < self.y[squares])]
            if len(open_):
                self.place(open_[:1], larva, larva_y)


def crossover(rng: np.random.Generator, x: Points, other: Points) -> Points:
    """One child of each pair by simulated binary crossover, around the first or the second."""
    u = rng.random(x.shape)
    spread = np.where(u < 0.5, 2 * u, 1 / (2 * (1 - u))) ** (1 / (INDEX + 1))
    side = rng.choice([-1.0, 1.0], size=x.shape)
    child = ((x + other) + side * spread * (other - x)) / 2
    crossed = rng.random((len(x), 1)) < CROSSOVER_RATE
    return np.where(crossed & (rng.random(x.shape) < 0.5), child, x)


def mutation(rng: np.random.Generator, x: Points, width: NDArray[np.float64]) -> Points:
    """Polynomial mutation: on average one component per point changes, within the bounds' width."""
    u = rng.random(x.shape)
    low = (2 * u) ** (1 / (INDEX + 1)) - 1
    high = 1 - (2 * (1 - u)) ** (1 / (INDEX + 1))
    changed = rng.random(x.shape) < 1 / x.shape[1]
    return np.where(changed, x + np.where(u < 0.5, low, high) * width, x)


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
    x = uniform(objective, rng, population)
    v = rng.uniform(-start_velocity, start_velocity, size=x.shape) * (upper - lower)
    best, best_y = x.copy(), values(objective, x)
    while True:
        own, swarm = rng.random((2, *x.shape))
        v = omega * v + c1 * own * (best - x) + c2 * swarm * (best[np.argmin(best_y)] - x)
        x = np.clip(x + v, lower, upper)
        y = values(objective, x)
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
        self.x = uniform(objective, rng, food)
        self.y = values(objective, self.x)
        self.trials = np.zeros(food, dtype=int)

    def visit(self, sources: Indices) -> None:
        """One bee after the other changes one component of its source and keeps what is better."""
        rng, count = self._rng, len(sources)
        components = rng.integers(self._objective.dimension, size=count)
        others = rng.integers(len(self.x) - 1, size=count)
        others += others >= sources
        steps = rng.uniform(-1, 1, size=count)
        for source, component, other, step in zip(sources, components, others, steps, strict=True):
            trial = self.x[source].copy()
            moved = trial[component] + step * (trial[component] - self.x[other, component])
            trial[component] = min(max(moved, self._lower[component]), self._upper[component])
            y = value(self._objective, trial)
            if y < self.y[source]:
                self.x[source], self.y[source], self.trials[source] = trial, y, 0
            else:
                self.trials[source] += 1

    def abandon(self, source: int) -> None:
        """A scout replaces a source by a random point."""
        self.x[source] = uniform(self._objective, self._rng, 1)[0]
        self.y[source] = value(self._objective, self.x[source])
        self.trials[source] = 0


def attraction(y: Values) -> Values:
    """The probability with which an onlooker chooses each source: in proportion to its nectar.

    Nectar is 1/(1 + y), or 1 - y for y below 0 (eq. 2.1). If its sum is 0 or infinite, the sources
    with the most nectar have equal probabilities.
    """
    nectar = np.where(y < 0, 1 - y, 1 / (1 + np.maximum(y, 0)))
    if not 0 < nectar.max() < np.finfo(float).max / len(y):
        nectar = np.where(nectar == nectar.max(), 1.0, 0.0)
    share: Values = nectar / nectar.sum()
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
    """Move all swarms without end, then evaluate; distances are in shares of the bounds' widths.

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

    def _take_attractors(self, points: Points, values: Values) -> None:
        best = values.argmin(axis=1)
        every = np.arange(len(best))
        better = values[every, best] < self._attractor_y
        self._attractor[better] = points[every, best][better]
        self._attractor_y[better] = values[every, best][better]

    def _values(self, points: Points) -> Values:
        """The values of points of the unit cube, shape ``(..., dimension)``."""
        flat = self._lower + points.reshape(-1, points.shape[-1]) * self._width
        flat = np.minimum(flat, self._upper)  # up to rounding
        return values(self._objective, flat).reshape(points.shape[:-1])
