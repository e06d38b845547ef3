"""Contribution of each algorithm to the virtual best of all algorithms.

A *pair* is a function and a target, or any other event that a run reaches or not. The probability
that an algorithm reaches a pair is the share of its runs that do so within the budget. The
**virtual best** of a set of algorithms uses the best algorithm for each pair; its value is the mean
of the largest probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

EQUAL = 1e-12
"""Probabilities that differ by less are equal: means of the same numbers differ by rounding."""


@dataclass(frozen=True)
class Contributions:
    """Contribution of each algorithm to the virtual best.

    - `alone`: Value of each algorithm alone, shape (algorithms,). The largest is that of the single
      best.
    - `marginal`: Value that the virtual best loses without the algorithm, shape (algorithms,).
    - `shapley`: Shapley value of each algorithm, shape (algorithms,). The values add up to
      `virtual_best`.
    - `virtual_best`: The value of all algorithms together.
    """

    alone: NDArray[np.float64]
    marginal: NDArray[np.float64]
    shapley: NDArray[np.float64]
    virtual_best: float

    @property
    def single_best(self) -> float:
        """The largest value of a single algorithm."""
        return float(self.alone.max())

    @property
    def gap(self) -> float:
        """Value of the virtual best minus that of the single best: at least 0."""
        return max(self.virtual_best - self.single_best, 0.0)


def contributions(reached: ArrayLike, weights: ArrayLike | None = None) -> Contributions:
    """Marginal contribution and Shapley value of each algorithm in the virtual best of all.

    - `reached`, shape (algorithms, pairs): The probability, from 0 to 1, with which each algorithm
      reaches each pair.
    - `weights`, shape (pairs,): Weights of the pairs, at least 0 and not all 0; equal by default.

    Raises ValueError if `reached` is not a matrix with at least one algorithm and one pair, if a
    number is outside [0, 1] or NaN, or if the weights are negative, all 0, or not one per pair.

    The value v(S) of a set S of algorithms is the weighted mean over the pairs of the maximum of
    `reached` over S; it is 0 for the empty set. The marginal contribution of algorithm i is
    v(all) - v(all without i) [1]_. If two algorithms are equal, it is 0 for both, however good they
    are. The Shapley value of algorithm i is the increase of v when i joins the set, averaged over
    all orders in which the algorithms may join [2]_. Equal algorithms have equal Shapley values.

    The game of a single pair is the airport game, whose Shapley values are known. If the
    probabilities are x_1 <= ... <= x_n, and x_0 = 0, the Shapley value of the i-th algorithm is the
    sum of (x_j - x_(j-1))/(n - j + 1) over j <= i [3]_. Shapley values are additive over games, so
    their mean over the pairs is exact for any number of algorithms, without a sum over subsets or
    random orders.

    If the pairs are (function, target, budget), with budgets evenly spaced on a logarithmic scale,
    the results are the Shapley values of IOHanalyzer (``get_shapley_values``). IOHanalyzer
    estimates them from random orders and divides them by v(all).

    Source: .. [1] L. Xu, F. Hutter, H. Hoos and K. Leyton-Brown, Evaluating component solver
    contributions to portfolio-based algorithm selectors, SAT 2012. .. [2] A. Fréchette, L.
    Kotthoff, T. Michalak, T. Rahwan, H. Hoos and K. Leyton-Brown, Using the Shapley value to
    analyze algorithm portfolios, AAAI 2016. .. [3] S. C. Littlechild and G. Owen, A simple
    expression for the Shapley value in a special case, Management Science 20 (1973).
    """
    values = _checked(reached)
    share = _normalized(weights, values.shape[1])
    order = np.argsort(values, axis=0, kind="stable")
    rising = np.take_along_axis(values, order, axis=0)
    count = len(values)
    joined = np.arange(count, 0, -1)[:, np.newaxis]
    steps = np.diff(rising, axis=0, prepend=0.0) / joined
    parts = np.empty(values.shape)
    np.put_along_axis(parts, order, np.cumsum(steps, axis=0), axis=0)
    best = rising[-1]
    second = rising[-2] if count > 1 else np.zeros(best.shape)
    ahead = np.where(best - second > EQUAL, best - second, 0.0)
    lost = np.where(np.arange(count)[:, np.newaxis] == order[-1], ahead, 0.0)
    return Contributions(values @ share, lost @ share, parts @ share, float(best @ share))


def _checked(reached: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(reached, dtype=np.float64)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(
            f"reached must have the shape (algorithms >= 1, pairs >= 1), not {values.shape}"
        )
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("reached must be probabilities in [0, 1]")
    return values


def _normalized(weights: ArrayLike | None, pairs: int) -> NDArray[np.float64]:
    given = np.ones(pairs) if weights is None else np.asarray(weights, dtype=np.float64)
    if given.shape != (pairs,) or not (given >= 0).all() or not 0 < given.sum() < np.inf:
        raise ValueError(f"weights must be {pairs} numbers of at least 0, and not all 0")
    return np.asarray(given / given.sum())
