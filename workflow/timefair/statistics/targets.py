"""Targets relative to the best precision that was found on a problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.quantiles import sample_quantile


def relative_targets(
    first: ArrayLike, best: ArrayLike, problem: ArrayLike, shares: ArrayLike
) -> NDArray[np.float64]:
    """Targets at a share of the way from a problem's best precision to its start.

    Parameters
    ----------
    first : array_like, shape (runs,)
        Precision of each run's first event; `inf` for a run without one.
    best : array_like, shape (runs,)
        Best precision of each run, at most its first; `inf` for a run without one.
    problem : array_like, shape (runs,)
        Label of the problem (suite, function, dimension, instance) that the run is on. The runs of
        all algorithms belong together.
    shares : array_like, shape (shares,)
        Each in [0, 1]: 1 is the start, 0 the best.

    Returns
    -------
    ndarray, shape (runs, shares)
        The targets of the run's problem, for `runtimes.runtimes`: ``best + share * (start - best)``
        with the least `best` on the problem. The start is the median of `first` over the runs that
        have one, as an order statistic: of an even number of runs the smaller of the two in the
        middle, not their mean. `inf` where no run has one.

    Raises
    ------
    ValueError
        If the shapes differ, a number is NaN, a best is ``-inf`` or worse than its first, or a
        share lies outside [0, 1].

    Notes
    -----
    The best is an event of some run, so that at least one run reaches each target. Which runs
    succeed depends on the algorithms that take part: another one may change all targets.

    References
    ----------
    J. J. Moré and S. M. Wild, Benchmarking derivative-free optimization algorithms, SIAM Journal on
    Optimization 20 (2009), equation (2.2), with the median in the place of the common start x0.

    Examples
    --------
    >>> relative_targets([8.0, 10.0, 12.0], [5.0, 0.0, 3.0], [1, 1, 1], [0.1]).tolist()
    [[1.0], [1.0], [1.0]]
    """
    begun, found = np.asarray(first, dtype=np.float64), np.asarray(best, dtype=np.float64)
    labels, left = np.asarray(problem), np.asarray(shares, dtype=np.float64)
    if begun.ndim != 1 or not begun.shape == found.shape == labels.shape:
        raise ValueError(
            "first, best and problem must be vectors of one length, "
            f"not {begun.shape}, {found.shape} and {labels.shape}"
        )
    if not (found <= begun).all() or np.isneginf(found).any():
        raise ValueError("best must not be NaN, -inf or worse than first")
    if left.ndim != 1 or not ((left >= 0) & (left <= 1)).all():
        raise ValueError("shares must be a vector of numbers in [0, 1]")
    _, index = np.unique(labels, return_inverse=True)
    ends = np.cumsum(np.bincount(index))
    targets = np.full((labels.size, left.size), np.inf)
    for runs in np.split(np.argsort(index, kind="stable"), ends[:-1]):
        starts = begun[runs][np.isfinite(begun[runs])]
        if starts.size:
            start, least = sample_quantile(starts, 0.5), found[runs].min()
            targets[runs] = least + left * (start - least)
    return targets
