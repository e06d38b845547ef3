"""p-values of a family of tests, adjusted so that the whole family keeps one error level."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats


def holm(p: ArrayLike, *, further: int = 0) -> NDArray[np.float64]:
    """Holm's step-down p-values: bound the chance of any false finding, for any dependence.

    Parameters
    ----------
    p : array_like, shape (tests,)
        In [0, 1], or NaN for a test that could not be made, which stays NaN and does not count.
    further : int
        Further tests of the family, at least 0. Each enters with p = 1, so that the adjusted
        p-values are upper limits of those with all p-values.

    Returns
    -------
    ndarray, shape (tests,)
        Adjusted, at most 1, in the order of `p`. Nothing for no test.

    Raises
    ------
    ValueError
        If `p` is no vector or a number lies outside [0, 1].

    References
    ----------
    S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6 (1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    >>> holm([0.01, 0.04], further=1).tolist()
    [0.03, 0.08]
    """
    family, made = _family(p)
    return _step_down(family, made, np.arange(made.sum(), 0, -1) + further)


def holm_levels(p: ArrayLike, alpha: float, *, further: int = 0) -> NDArray[np.float64]:
    """The level at which Holm's procedure tests each hypothesis of a family.

    Parameters
    ----------
    p : array_like, shape (tests,)
        As for `holm`.
    alpha : float
        The error level of the family.
    further : int
        As for `holm`.

    Returns
    -------
    ndarray, shape (tests,)
        In the order of `p`: ``alpha/tests`` for the smallest p-value, a larger level after each
        rejection. What is not rejected shares the level at which the procedure stops. NaN for a
        test that could not be made. A p-value is at most its level where `holm` gives at most
        `alpha`.

    Raises
    ------
    ValueError
        If `p` is no vector or a number lies outside [0, 1].

    References
    ----------
    S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6 (1979). R. C. Serlin, Confidence intervals and the scientific method: a case for
    Holm on the range, Journal of Experimental Education 61 (1993), for intervals at these levels.

    Examples
    --------
    >>> holm_levels([0.01, 0.2, 0.03], alpha=0.05).round(4).tolist()
    [0.0167, 0.025, 0.025]
    """
    family, made = _family(p)
    order = np.flatnonzero(made)[np.argsort(family[made], kind="stable")]
    rejected = int((holm(family, further=further)[order] <= alpha).sum())
    left = np.arange(order.size, 0, -1) + further
    left[rejected:] = order.size + further - rejected
    levels = np.full(family.shape, np.nan)
    levels[order] = alpha / left
    return levels


def shaffer(p: ArrayLike, algorithms: int) -> NDArray[np.float64]:
    """Shaffer's static p-values for all pairs of algorithms: never above Holm's.

    Where one pair differs, others must differ too, so that fewer hypotheses can be true at the same
    time than Holm counts.

    Parameters
    ----------
    p : array_like, shape (algorithms * (algorithms - 1) / 2,)
        Of every pair, in any order; in [0, 1]. NaN, for a comparison that could not be made, is
        allowed for all pairs at once only and stays.
    algorithms : int
        How many there are.

    Returns
    -------
    ndarray, of the shape of `p`
        Adjusted, at most 1, in the order of `p`.

    Raises
    ------
    ValueError
        If `p` is not one number a pair, some but not all are NaN, or one lies outside [0, 1].

    References
    ----------
    J. P. Shaffer, Modified sequentially rejective multiple test procedures, Journal of the
    American Statistical Association 81 (1986), procedure S1.

    Examples
    --------
    >>> shaffer([0.01, 0.04, 0.03], algorithms=3).tolist()
    [0.03, 0.04, 0.03]
    """
    family, made = _family(p)
    pairs = algorithms * (algorithms - 1) // 2
    if algorithms < 0 or family.size != pairs:
        raise ValueError(f"p must hold the {pairs} pairs of {algorithms}, not {family.size}")
    if made.any() and not made.all():
        raise ValueError("p must be there for all pairs or for none")
    possible = np.array(sorted(_true_together(algorithms)))
    left = np.arange(made.sum(), 0, -1)
    return _step_down(family, made, possible[np.searchsorted(possible, left, side="right") - 1])


def benjamini_hochberg(p: ArrayLike) -> NDArray[np.float64]:
    """Benjamini and Hochberg's p-values: bound the expected share of false ones among findings.

    Parameters
    ----------
    p : array_like, shape (tests,)
        In [0, 1], independent or positively dependent; NaN as for `holm`.

    Returns
    -------
    ndarray, shape (tests,)
        Adjusted, at most 1, in the order of `p`. Nothing for no test.

    Raises
    ------
    ValueError
        If `p` is no vector or a number lies outside [0, 1].

    References
    ----------
    Y. Benjamini and Y. Hochberg, Controlling the false discovery rate, Journal of the Royal
    Statistical Society B 57 (1995).

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, float("nan")]).tolist()
    [0.03, 0.04, 0.04, nan]
    """
    family, made = _family(p)
    adjusted = np.full(family.shape, np.nan)
    adjusted[made] = stats.false_discovery_control(family[made])
    return adjusted


def _family(p: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    family = np.asarray(p, dtype=np.float64)
    if family.ndim != 1:
        raise ValueError(f"p must be a vector, not of the shape {family.shape}")
    made = ~np.isnan(family)
    if (family[made] < 0).any() or (family[made] > 1).any():
        raise ValueError("p must lie in [0, 1]")
    return family, made


def _step_down(
    family: NDArray[np.float64], made: NDArray[np.bool_], factors: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Multiply p from the smallest on by its factor; never fall, never exceed 1."""
    order = np.flatnonzero(made)[np.argsort(family[made], kind="stable")]
    adjusted = np.full(family.shape, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * family[order]), 1.0)
    return adjusted


@cache
def _true_together(algorithms: int) -> frozenset[int]:
    """How many pairs of equals there can be: one group of j equals, and the same for the others."""
    if algorithms < 2:
        return frozenset({0})
    return frozenset(
        j * (j - 1) // 2 + others
        for j in range(1, algorithms + 1)
        for others in _true_together(algorithms - j)
    )
