"""Bayesian bootstrap of the expected running time (ERT)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.ert import check_pairs


def ert_draws(
    spent: ArrayLike, success: ArrayLike, *, draws: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draws from the posterior distribution of the ERT of one algorithm.

    Each draw gives the runs random weights, which are uniform on the simplex, and divides the
    weighted cost by the weighted successes.

    - `spent`, shape (R, ...): Cost of each run, as for `timefair.statistics.ert.ert`; one column
      per unit, for example.
    - `success`, same shape: Whether the run reached the target.
    - `draws`: Number of draws.
    - `rng`: Source of the draws.

    Returns, shape (draws, ...): In the unit of `spent`; NaN for fewer than two runs, because their
    spread is unknown. Raises ValueError if the shapes differ, a cost is negative or not finite, or
    `draws` is below 1.

    For an algorithm without a success, the ERT of the plain bootstrap is infinite in every draw,
    because the bootstrap treats unobserved events as impossible. One failed run would then be as
    strong evidence as a thousand. Therefore such an algorithm gets one additional run, which
    reaches the target at the mean cost of the others. Its draws are of the order of (R + 1) times
    this cost and more, and increase with the number of failures.

    The lowest cost is subtracted before the sums are computed. If all runs succeed at the same
    cost, every draw is therefore exactly this cost.

    Source: D. B. Rubin, The Bayesian bootstrap, Annals of Statistics 9 (1981).
    """
    cost, reached = check_pairs(spent, success)
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    if len(cost) < 2:
        return np.full((draws, *cost.shape[1:]), np.nan)
    weights = rng.standard_exponential((draws, len(cost)))
    further = rng.standard_exponential((draws, *[1] * (cost.ndim - 1)))
    further = further * ~reached.any(axis=0)
    least = cost.min(axis=0)
    beyond = np.tensordot(weights, cost - least, axes=1) + further * (cost.mean(axis=0) - least)
    tries = np.tensordot(weights, np.ones_like(cost), axes=1) + further
    successes = np.tensordot(weights, reached.astype(np.float64), axes=1) + further
    return np.asarray(least * (tries / successes) + beyond / successes)


def probability_of_best(costs: ArrayLike) -> NDArray[np.float64]:
    """Share of the draws in which each algorithm has the lowest cost.

    If several algorithms have the lowest cost, the draw is divided equally among them.

    - `costs`, shape (draws, algorithms): A draw of the ERT of each algorithm, `inf` allowed.

    Returns, shape (algorithms,): Probabilities with the sum 1.
    """
    values = np.asarray(costs, dtype=np.float64)
    first = values == values.min(axis=1, keepdims=True)
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0))


def probability_of_near_best(costs: ArrayLike, ratio: float) -> NDArray[np.float64]:
    """Share of the draws in which the cost of each algorithm is at most `ratio` times the lowest.

    - `costs`, shape (draws, algorithms): As for `probability_of_best`.
    - `ratio`: The largest ratio that does not matter, at least 1.

    Returns, shape (algorithms,): Each at least as large as the probability of being the best.
    """
    values = np.asarray(costs, dtype=np.float64)
    return np.asarray((values <= ratio * values.min(axis=1, keepdims=True)).mean(axis=0))
