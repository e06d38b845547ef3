"""jDE: differential evolution rand/1/bin whose points carry their own F and CR.

J. Brest, S. Greiner, B. Bošković, M. Mernik and V. Žumer, "Self-adapting control parameters in
differential evolution: a comparative study on numerical benchmark problems", IEEE Transactions on
Evolutionary Computation 10(6), 2006.

jDElscop: self-adaptive differential evolution with three strategies and a shrinking population.

J. Brest and M. S. Maučec, "Self-adaptive differential evolution algorithm using population size
reduction and three strategies", Soft Computing 15, 2011.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective
from timefair.algorithms.builtin import population as pop
from timefair.problems.base import SHARE, Number

FIRST_F, FIRST_CR = 0.5, 0.9
LEAST_F = 0.1

ALLOWED = {
    "population": Number(4, whole=True),  # the mutation needs four different points
    **dict.fromkeys(("tau1", "tau2"), SHARE),
    "budget": Number(1, whole=True),
}


def jde(
    objective: Objective,
    rng: np.random.Generator,
    *,
    population: int = 30,
    tau1: float = 0.1,
    tau2: float = 0.1,
) -> None:
    """Evolve a population without end.

    Components of a trial outside the bounds are set to the bound.

    - `population`: Size of the population.
    - `tau1`, `tau2`: Probabilities with which a trial draws a new F and a new CR. A trial that wins
      keeps them.
    """
    x = pop.uniform(objective, rng, population)
    y = pop.values(objective, x)
    f, cr = np.full(population, FIRST_F), np.full(population, FIRST_CR)
    while True:
        trial_f = np.where(rng.random(population) < tau1, rng.uniform(LEAST_F, 1, population), f)
        trial_cr = np.where(rng.random(population) < tau2, rng.random(population), cr)
        base, plus, minus = pop.partners(rng, population, *[population] * 3)
        mutants = x[base] + trial_f[:, np.newaxis] * (x[plus] - x[minus])
        taken = pop.binomial(rng, trial_cr, objective.dimension)
        trials = np.clip(np.where(taken, mutants, x), objective.lower, objective.upper)
        trial_y = pop.values(objective, trials)
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
    population: int = 100,
    budget: int | None = None,
) -> None:
    """Evolve a shrinking population for a given number of evaluations.

    - `population`: Initial size of the population.
    - `budget`: Evaluations of one launch. They determine when the population shrinks. The launch
      returns at the end of the generation that uses them up. By default, one launch uses the run's
      budget, which `objective.progress` follows.
    """
    x = pop.uniform(objective, rng, population)
    y = pop.values(objective, x)
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
        trial_y = pop.values(objective, trials)
        spent += size
        won = np.flatnonzero(trial_y <= y)
        x[won], y[won] = trials[won], trial_y[won]
        f[won, strategy[won]], cr[won, strategy[won]] = trial_f[won], trial_cr[won]
        if (objective.progress if budget is None else spent / budget) >= phase / PHASES:
            phase += 1
            if size > SMALLEST:
                kept = survivors(y)
                x, y, f, cr = x[kept], y[kept], f[kept], cr[kept]


def strategies(rng: np.random.Generator, size: int, late: NDArray[np.bool_]) -> pop.Indices:
    """The strategy of each point: bin in the first half, exp in the second, some late ones best."""
    usual = np.where(np.arange(size) < size // 2, RAND_BIN, RAND_EXP)
    return np.where(late & (rng.random(size) < BEST_RATE), BEST_BIN, usual)


def renewed(
    rng: np.random.Generator, strategy: pop.Indices, f: pop.Values, cr: pop.Values
) -> tuple[pop.Values, pop.Values]:
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


def mutate(
    rng: np.random.Generator, strategy: pop.Indices, x: pop.Points, y: pop.Values, f: pop.Values
) -> pop.Points:
    """Mutants: a random or the best point, plus F times a difference that should point downhill."""
    size = len(x)
    base, plus, minus = pop.partners(rng, size, size, size, size)
    best = strategy == BEST_BIN
    base = np.where(best, np.argmin(y), base)
    flipped = ~best & (y[minus] < y[plus]) & (rng.random(size) < FLIP_RATE)
    signed = np.where(flipped, -f, f)
    return x[base] + signed[:, np.newaxis] * (x[plus] - x[minus])


def crossed(
    rng: np.random.Generator, strategy: pop.Indices, cr: pop.Values, dimension: int
) -> NDArray[np.bool_]:
    in_one_stretch = (strategy == RAND_EXP)[:, np.newaxis]
    return np.where(
        in_one_stretch, pop.exponential(rng, cr, dimension), pop.binomial(rng, cr, dimension)
    )


def survivors(y: pop.Values) -> pop.Indices:
    """The better one of each point of the first half and its partner in the second half, if any."""
    kept = np.arange((len(y) + 1) // 2)
    fellows = np.arange(len(kept), len(y))
    paired = kept[: len(fellows)]
    paired[:] = np.where(y[fellows] < y[paired], fellows, paired)
    return kept
