"""JADE: adaptive differential evolution with an archive.

J. Zhang and A. C. Sanderson, "JADE: adaptive differential evolution with optional external
archive", IEEE Transactions on Evolutionary Computation 13(5), 2009.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective
from timefair.algorithms.builtin import population as pop
from timefair.problems.base import SHARE, Number

SPREAD = 0.1
"""Spread of CR (standard deviation) and F (scale of the Cauchy distribution) around the centres."""

ALLOWED = {"population": Number(3, whole=True), "p": SHARE, "c": SHARE}  # three different points


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    population: int = 30,
    p: float = 0.05,
    c: float = 0.1,
) -> None:
    """Evolve a population without end.

    - `population`: Size of the population, and maximal size of the archive of replaced points.
    - `p`: Share of the population that counts as its best, at least one point.
    - `c`: Weight of a generation's successful values in the centres of F and CR.
    """
    x = pop.uniform(objective, rng, population)
    y = pop.values(objective, x)
    archive = x[:0]
    best = max(1, round(p * population))
    centre_f, centre_cr = 0.5, 0.5
    while True:
        f = scale_factors(rng, centre_f, population)
        cr = np.clip(rng.normal(centre_cr, SPREAD, population), 0, 1)
        guides = x[rng.choice(np.argsort(y, kind="stable")[:best], population)]
        mutants = current_to_best(rng, x, guides, archive, f)
        mutants = halfway_back(x, mutants, objective.lower, objective.upper)
        trials = np.where(pop.binomial(rng, cr, objective.dimension), mutants, x)
        trial_y = pop.values(objective, trials)
        won = trial_y < y
        if won.any():
            archive = shortened(rng, np.vstack([archive, x[won]]), population)
            x[won], y[won] = trials[won], trial_y[won]
            centre_cr += c * (cr[won].mean() - centre_cr)
            centre_f += c * (lehmer_mean(f[won]) - centre_f)


def scale_factors(rng: np.random.Generator, centre: float, size: int) -> pop.Values:
    """F of each point: Cauchy around the centre, cut at 1, and drawn again if not positive."""
    f = np.zeros(size)
    while (again := f <= 0).any():
        f[again] = centre + SPREAD * rng.standard_cauchy(again.sum())
    return np.minimum(f, 1)


def current_to_best(
    rng: np.random.Generator, x: pop.Points, guides: pop.Points, archive: pop.Points, f: pop.Values
) -> pop.Points:
    """Mutants by current-to-pbest/1 (eq. 7): the subtracted point may come from the archive."""
    either = np.vstack([x, archive])
    first, second = pop.partners(rng, len(x), len(x), len(either))
    return x + f[:, np.newaxis] * (guides - x + x[first] - either[second])


def halfway_back(
    x: pop.Points, mutants: pop.Points, lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> pop.Points:
    """Move components outside the bounds halfway between their parent's component and the bound."""
    inside = np.where(mutants < lower, (x + lower) / 2, mutants)
    return np.where(inside > upper, (x + upper) / 2, inside)


def shortened(rng: np.random.Generator, archive: pop.Points, size: int) -> pop.Points:
    """The archive after random points were removed, so that at most `size` are left."""
    if len(archive) <= size:
        return archive
    return archive[rng.permutation(len(archive))[:size]]


def lehmer_mean(f: pop.Values) -> float:
    """Σf²/Σf (eq. 12). This mean favours large values."""
    return float(f @ f / f.sum())
