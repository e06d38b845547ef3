"""Resampling of whole runs, shared by the intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.quantiles import sample_quantile

BLOCK_DRAWS = 2_000_000
"""Draws that are held in memory at a time."""


def resampled_sums(
    columns: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Column sums of samples drawn with replacement from the rows.

    A row is a run and is drawn as a whole, so that what belongs together (the time and the success
    of one run, its runtimes to several targets) stays together.

    Parameters
    ----------
    columns : array_like, shape (n, m)
        Finite numbers, a row a run.
    resamples : int
        Number of samples, each of n rows.
    rng : numpy.random.Generator
        Source of the draws.

    Returns
    -------
    ndarray, shape (resamples, m)
        A row a sample. Memory for the draws stays below `BLOCK_DRAWS` numbers (or one sample).

    Raises
    ------
    ValueError
        If `columns` is not a finite matrix with at least one row, or `resamples` is below 1.

    References
    ----------
    B. Efron, Bootstrap methods: another look at the jackknife, Annals of Statistics 7 (1979).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> resampled_sums([[2.0, 1.0], [2.0, 1.0]], resamples=3, rng=rng).tolist()
    [[4.0, 2.0], [4.0, 2.0], [4.0, 2.0]]
    """
    rows = np.asarray(columns, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] == 0:
        raise ValueError(f"columns must have the shape (n >= 1, m), not {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("columns must be finite")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, not {resamples}")
    n, m = rows.shape
    sums = np.empty((resamples, m))
    block = max(1, BLOCK_DRAWS // n)
    for first in range(0, resamples, block):
        size = min(block, resamples - first)
        drawn = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
        sums[first : first + size] = counts.astype(np.float64) @ rows
    return sums


def percentile_interval(
    replicates: ArrayLike, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The central percentile interval of bootstrap replicates, `inf` among them allowed.

    Parameters
    ----------
    replicates : array_like, shape (resamples, ...)
        A statistic of each sample; not NaN.
    confidence : float
        Nominal coverage in (0, 1).

    Returns
    -------
    low, high : ndarray
        Order statistics of the replicates at ``(1 - confidence)/2`` and ``(1 + confidence)/2``:
        no interpolation, so that `inf` is never mixed with numbers.

    Raises
    ------
    ValueError
        If `confidence` lies outside (0, 1), or a replicate is NaN.

    Examples
    --------
    >>> low, high = percentile_interval([1.0, 2.0, 3.0, float("inf")], 0.5)
    >>> float(low), float(high)
    (1.0, 3.0)
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie in (0, 1), not {confidence}")
    tail = (1.0 - confidence) / 2.0
    return (
        sample_quantile(replicates, tail, axis=0),
        sample_quantile(replicates, 1.0 - tail, axis=0),
    )
