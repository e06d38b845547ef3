"""Adjusted p-values of a family of tests, so that the whole family keeps one error level."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.checks import Floats


def holm(p: ArrayLike) -> Floats:
    """Holm's adjusted p-values, which bound the probability of a false rejection in a family.

    - `p`, shape (tests,): p-values in [0, 1]. NaN means that a test could not be made; it stays NaN
      and does not count.

    Returns, shape (tests,): At most 1, in the order of `p`.

    Source: S. Holm, Scandinavian Journal of Statistics 6 (1979).
    """
    family, made = _family(p)
    return _step_down(family, made, np.arange(made.sum(), 0, -1))


def holm_levels(p: ArrayLike, alpha: float) -> Floats:
    """The level at which Holm's procedure tests each hypothesis in a family with the error level
    alpha.

    Returns, shape (tests,): ``alpha/tests`` for the smallest p-value, and a larger level after each
    rejection; NaN for a test that could not be made.

    Source: R. C. Serlin, Journal of Experimental Education 61 (1993), for intervals at them.
    """
    family, made = _family(p)
    order = np.flatnonzero(made)[np.argsort(family[made], kind="stable")]
    rejected = int((holm(family)[order] <= alpha).sum())
    left = np.arange(order.size, 0, -1)
    left[rejected:] = order.size - rejected
    levels = np.full(family.shape, np.nan)
    levels[order] = alpha / left
    return levels


def shaffer(p: ArrayLike, algorithms: int) -> Floats:
    """Shaffer's static adjusted p-values for all pairs of algorithms, never above Holm's.

    If one pair of algorithms differs, other pairs must differ too.

    - `p`, shape (algorithms * (algorithms - 1) / 2,): p-value of every pair, in any order; either
      all or none are NaN, and NaN stays NaN.

    Source: J. P. Shaffer, Journal of the American Statistical Association 81 (1986), procedure S1.
    """
    family, made = _family(p)
    possible = np.array(sorted(_true_together(algorithms)))
    left = np.arange(made.sum(), 0, -1)
    return _step_down(family, made, possible[np.searchsorted(possible, left, side="right") - 1])


def hochberg(p: ArrayLike) -> Floats:
    """Hochberg's adjusted p-values, never above those of `holm`; `p` as there.

    They bound the probability of a false rejection if the tests are independent or positively
    dependent, such as tests of the same runs by related criteria.

    Source: Y. Hochberg, Biometrika 75 (1988). S. K. Sarkar and C.-K. Chang, Journal of the American
    Statistical Association 92 (1997).
    """
    family, made = _family(p)
    order = np.flatnonzero(made)[np.argsort(family[made], kind="stable")]
    adjusted = np.full(family.shape, np.nan)
    factors = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum.accumulate((factors * family[order])[::-1])[::-1]
    return adjusted


def _family(p: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    family = np.asarray(p, dtype=np.float64)
    made = ~np.isnan(family)
    return family, made


def _step_down(family: Floats, made: NDArray[np.bool_], factors: NDArray[np.int64]) -> Floats:
    """Multiply each p-value by its factor, from the smallest on; never decreasing, at most 1."""
    order = np.flatnonzero(made)[np.argsort(family[made], kind="stable")]
    adjusted = np.full(family.shape, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * family[order]), 1.0)
    return adjusted


@cache
def _true_together(algorithms: int) -> frozenset[int]:
    """The possible numbers of pairs of equal algorithms, recursively over groups of equals."""
    if algorithms < 2:
        return frozenset({0})
    return frozenset(
        j * (j - 1) // 2 + others
        for j in range(1, algorithms + 1)
        for others in _true_together(algorithms - j)
    )
