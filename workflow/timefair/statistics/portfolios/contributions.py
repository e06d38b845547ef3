"""What each algorithm contributes to what the best of all of them reach.

A *pair* is a function and a target, or whatever else is reached or not. An algorithm reaches it
with some probability, the share of its runs that do so within the budget. The **virtual best** of a
set of algorithms takes the best of them for each pair; its value is the mean of these
probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

EQUAL = 1e-12
"""Probabilities that differ by less are equal: means of the same numbers differ by rounding."""


@dataclass(frozen=True)
class Contributions:
    """What each algorithm contributes to the virtual best.

    Attributes
    ----------
    alone
        Its own value, shape (algorithms,). The largest is that of the single best.
    marginal
        What the virtual best of all loses without it, shape (algorithms,).
    shapley
        Its Shapley value, shape (algorithms,); they add up to `virtual_best`.
    virtual_best
        The value of all algorithms together.
    """

    alone: NDArray[np.float64]
    marginal: NDArray[np.float64]
    shapley: NDArray[np.float64]
    virtual_best: float

    @property
    def single_best(self) -> float:
        """The largest value of one algorithm."""
        return float(self.alone.max())

    @property
    def gap(self) -> float:
        """What the virtual best has more than the single best: at least 0."""
        return max(self.virtual_best - self.single_best, 0.0)


def contributions(reached: ArrayLike, weights: ArrayLike | None = None) -> Contributions:
    """Marginal contributions and Shapley values of algorithms in their virtual best.

    Parameters
    ----------
    reached : array_like, shape (algorithms, pairs)
        The probability, from 0 to 1, with which each algorithm reaches each pair.
    weights : array_like, shape (pairs,), optional
        Of the pairs, at least 0 and not all 0; equal ones by default.

    Returns
    -------
    Contributions

    Raises
    ------
    ValueError
        If `reached` is not a matrix with at least one algorithm and one pair, a number lies outside
        [0, 1] or is NaN, or the weights are negative, all 0, or of another number.

    Notes
    -----
    The value of a set S of algorithms is v(S), the weighted mean over the pairs of the maximum over
    S of `reached`, and v of no algorithm is 0. The marginal contribution of a is v(all) - v(all
    without a) [1]_. It is 0 for both of two equal algorithms, however good they are. The Shapley
    value is the mean, over all orders in which the algorithms may join, of what a adds when it
    joins [2]_. Equal algorithms share what they reach.

    For one pair, this is the game of the airport runway with the longest runway as the value, of
    which Shapley values are known: with x_1 <= ... <= x_n in rising order and x_0 = 0, that of the
    i-th is the sum of (x_j - x_(j-1))/(n - j + 1) over j <= i [3]_. Shapley values are additive
    over games, so the mean over the pairs is exact for any number of algorithms: no subset is
    listed and no order drawn.

    If a pair is (function, target, budget), for budgets evenly spaced in the logarithm, these are
    the Shapley values of IOHanalyzer (``get_shapley_values``), which estimates them from random
    orders and divides them by v(all).

    References
    ----------
    .. [1] L. Xu, F. Hutter, H. Hoos and K. Leyton-Brown, Evaluating component solver contributions
       to portfolio-based algorithm selectors, SAT 2012.
    .. [2] A. Fréchette, L. Kotthoff, T. Michalak, T. Rahwan, H. Hoos and K. Leyton-Brown, Using the
       Shapley value to analyze algorithm portfolios, AAAI 2016.
    .. [3] S. C. Littlechild and G. Owen, A simple expression for the Shapley value in a special
       case, Management Science 20 (1973).

    Examples
    --------
    Two equal algorithms reach the first pair, a third one reaches the second:

    >>> found = contributions([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> found.shapley.tolist(), found.marginal.tolist()
    ([0.25, 0.25, 0.5], [0.0, 0.0, 0.5])
    >>> found.virtual_best, found.single_best, found.gap
    (1.0, 0.5, 0.5)
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
