"""Algorithms with a population, and what they share.

JADE: J. Zhang and A. C. Sanderson, "JADE: adaptive differential evolution with optional external
archive", IEEE Transactions on Evolutionary Computation 13(5), 2009.

jDE, differential evolution rand/1/bin whose points carry their own F and CR: J. Brest, S. Greiner,
B. Bošković, M. Mernik and V. Žumer, "Self-adapting control parameters in differential evolution: a
comparative study on numerical benchmark problems", IEEE Transactions on Evolutionary Computation
10(6), 2006.

jDElscop, with three strategies and a shrinking population: J. Brest and M. S. Maučec,
"Self-adaptive differential evolution algorithm using population size reduction and three
strategies", Soft Computing 15, 2011.

Coral reefs optimization: S. Salcedo-Sanz, J. Del Ser, I. Landa-Torres, S. Gil-López and J. A.
Portilla-Figueras, "The coral reefs optimization algorithm: a novel metaheuristic for efficiently
solving optimization problems", The Scientific World Journal 2014, 739768. The paper leaves
crossover and mutation to the problem. Here they are simulated binary crossover (Deb and Agrawal
1995) and polynomial mutation (Deb and Goyal 1996), both of index `INDEX`.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective
from timefair.algorithms.builtin import Count, Share
from timefair.problems.base import Number

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
    x = uniform(objective, rng, population)
    y = values(objective, x)
    archive = x[:0]
    best = max(1, round(p * population))
    centre_f, centre_cr = 0.5, 0.5
    while True:
        f = scale_factors(rng, centre_f, population)
        cr = np.clip(rng.normal(centre_cr, SPREAD, population), 0, 1)
        guides = x[rng.choice(np.argsort(y, kind="stable")[:best], population)]
        mutants = current_to_best(rng, x, guides, archive, f)
        mutants = halfway_back(x, mutants, objective.lower, objective.upper)
        trials = np.where(binomial(rng, cr, objective.dimension), mutants, x)
        trial_y = values(objective, trials)
        won = trial_y < y
        if won.any():
            archive = shortened(rng, np.vstack([archive, x[won]]), population)
            x[won], y[won] = trials[won], trial_y[won]
            centre_cr += c * (cr[won].mean() - centre_cr)
            centre_f += c * (lehmer_mean(f[won]) - centre_f)


def scale_factors(rng: np.random.Generator, centre: float, size: int) -> Values:
    """F of each point: Cauchy around the centre, cut at 1, and drawn again if not positive."""
    f = np.zeros(size)
    while (again := f <= 0).any():
        f[again] = centre + SPREAD * rng.standard_cauchy(again.sum())
    return np.minimum(f, 1)


def current_to_best(
    rng: np.random.Generator, x: Points, guides: Points, archive: Points, f: Values
) -> Points:
    """Mutants by current-to-pbest/1 (eq. 7): the subtracted point may come from the archive."""
    either = np.vstack([x, archive])
    first, second = partners(rng, len(x), len(x), len(either))
    return x + f[:, np.newaxis] * (guides - x + x[first] - either[second])


def halfway_back(
    x: Points, mutants: Points, lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> Points:
    """Move components outside the bounds halfway between their parent's component and the bound."""
    inside = np.where(mutants < lower, (x + lower) / 2, mutants)
    return np.where(inside > upper, (x + upper) / 2, inside)


def shortened(rng: np.random.Generator, archive: Points, size: int) -> Points:
    if len(archive) <= size:
        return archive
    return archive[rng.permutation(len(archive))[:size]]


def lehmer_mean(f: Values) -> float:
    """Σf²/Σf (eq. 12). This mean favours large values."""
    return float(f @ f / f.sum())


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
        strategy = strategies(rng, size, half >= (budget or 1) / 2)
        trial_f, trial_cr = renewed(rng, strategy, f, cr)
        mutants = mutate(rng, strategy, x, y, trial_f)
        taken = crossed(rng, strategy, trial_cr, objective.dimension)
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


def strategies(rng: np.random.Generator, size: int, late: NDArray[np.bool_]) -> Indices:
    """The strategy of each point: bin in the first half, exp in the second, some late ones best."""
    usual = np.where(np.arange(size) < size // 2, RAND_BIN, RAND_EXP)
    return np.where(late & (rng.random(size) < BEST_RATE), BEST_BIN, usual)


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


def crossed(
    rng: np.random.Generator, strategy: Indices, cr: Values, dimension: int
) -> NDArray[np.bool_]:
    in_one_stretch = (strategy == RAND_EXP)[:, np.newaxis]
    return np.where(in_one_stretch, exponential(rng, cr, dimension), binomial(rng, cr, dimension))


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
