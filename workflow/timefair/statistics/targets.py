"""Targets relative to the best precision found on a problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.quantiles import sample_quantile


def relative_targets(
    first: ArrayLike, best: ArrayLike, problem: ArrayLike, shares: ArrayLike
) -> NDArray[np.float64]:
    """Targets between the best precision on a problem and the precision at the start.

    - `first`, shape (runs,): Precision of the first event of each run; `inf` for a run without
      events.
    - `best`, shape (runs,): Best precision of each run, at most its first; `inf` for a run without
      events.
    - `problem`, shape (runs,): Label of the problem (suite, function, dimension, instance) of each
      run. Pass the runs of all algorithms together.
    - `shares`, shape (shares,): Shares in [0, 1]: 1 is the start, and 0 is the best precision.

    Returns, shape (runs, shares): The targets of the problem of each run, for `runtimes.runtimes`:
    ``best + share * (start - best)``, with the smallest `best` on the problem. The start is the
    median of `first` over the runs with events. It is an order statistic: for an even number of
    runs, the smaller of the two values in the middle, and not their mean. `inf` if no run has
    events. Raises ValueError if the shapes differ, a number is NaN, a best is ``-inf`` or worse
    than its first, or a share is outside [0, 1].

    The best precision is an event of a run, so at least one run reaches each target. The targets
    depend on the set of algorithms: another algorithm may change all targets, and with them which
    runs succeed.

    Source: J. J. Moré and S. M. Wild, Benchmarking derivative-free optimization algorithms, SIAM
    Journal on Optimization 20 (2009), equation (2.2), with the median in the place of the common
    start x0.
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


def decisive_target(targets: ArrayLike, rates: ArrayLike) -> float | None:
    """The target at which algorithms are compared on a function if one target has to do.

    Parameters
    ----------
    targets : array_like, shape (targets,)
        In any order; small is hard.
    rates : array_like, shape (algorithms, targets)
        Share of the runs of each algorithm that reached each target.

    Returns
    -------
    float or None
        The hardest target that at least half of the runs of some algorithm reached. If there is
        none, the hardest that any run reached; None if no run reached any.

    Examples
    --------
    >>> decisive_target([10.0, 1.0, 0.1], [[1.0, 0.5, 0.2], [1.0, 0.3, 0.0]])
    1.0
    >>> decisive_target([10.0, 1.0], [[0.2, 0.0]]), decisive_target([10.0], [[0.0]])
    (10.0, None)
    """
    values = np.asarray(targets, dtype=np.float64)
    most = np.asarray(rates, dtype=np.float64).max(axis=0)
    for reached in (most >= 0.5, most > 0):
        if reached.any():
            return float(values[reached].min())
    return None
