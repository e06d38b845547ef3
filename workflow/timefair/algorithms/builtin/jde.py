"""jDE: differential evolution rand/1/bin whose points carry their own F and CR.

J. Brest, S. Greiner, B. Bošković, M. Mernik and V. Žumer, "Self-adapting control parameters in
differential evolution: a comparative study on numerical benchmark problems", IEEE Transactions on
Evolutionary Computation 10(6), 2006.
"""

from __future__ import annotations

import numpy as np

from timefair.algorithms.base import Objective
from timefair.algorithms.builtin import population as pop
from timefair.problems.parameters import SHARE, Number

FIRST_F, FIRST_CR = 0.5, 0.9
LEAST_F = 0.1

ALLOWED = {"population": Number(4, whole=True), "tau1": SHARE, "tau2": SHARE}
"""The mutation needs four different points."""


def solve(
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
