"""Resampling of whole runs, shared by the intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.checks import check_confidence
from timefair.statistics.quantiles import sample_quantile

BLOCK_DRAWS = 2_000_000
"""Draws that are held in memory at a time."""


def resampled_sums(
    columns: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Column sums of samples that are drawn with replacement from the rows.

    Each row is a run. Whole rows are drawn, so that the values of a run (its time and success, its
    runtimes to several targets) stay together.

    - `columns`, shape (n, m): Finite numbers, one row per run.
    - `resamples`: Number of samples, each of n rows.
    - `rng`: Source of the draws.

    Returns, shape (resamples, m): One row per sample. The draws need memory for at most
    `BLOCK_DRAWS` numbers (or one sample). Raises ValueError if `columns` is not a finite matrix
    with at least one row, or `resamples` is below 1.

    Source: B. Efron, Bootstrap methods: another look at the jackknife, Annals of Statistics 7
    (1979).
    """
    rows = np.asarray(columns, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] == 0:
        raise ValueError(f"columns must have the shape (n >= 1, m), not {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("columns must be finite")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, not {resamples}")
    n = rows.shape[0]
    return sums_of_draws(rows, resamples, lambda samples: rng.integers(n, size=(samples, n)))


def sums_of_draws(
    rows: NDArray[np.float64], resamples: int, draw: Callable[[int], NDArray[np.int64]]
) -> NDArray[np.float64]:
    """Column sums of the rows that `draw` names, block by block; shape (resamples, m).

    ``draw(samples)`` returns the indices of the drawn rows, one row per sample.
    """
    n = rows.shape[0]
    sums = np.empty((resamples, rows.shape[1]))
    block = max(1, BLOCK_DRAWS // n)
    for first in range(0, resamples, block):
        samples = min(block, resamples - first)
        drawn = draw(samples) + n * np.arange(samples)[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=samples * n).reshape(samples, n)
        np.matmul(counts.astype(np.float64), rows, out=sums[first : first + samples])
    return sums


def percentile_interval(
    replicates: ArrayLike, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Central percentile interval of bootstrap replicates. Replicates may be `inf`.

    - `replicates`, shape (resamples, ...): A statistic of each sample; not NaN.
    - `confidence`: Nominal coverage in (0, 1).

    Returns low, high: Order statistics of the replicates at ``(1 - confidence)/2`` and ``(1 +
    confidence)/2``. They are not interpolated, so `inf` is never combined with finite numbers.
    Raises ValueError if `confidence` is outside (0, 1), or a replicate is NaN.
    """
    check_confidence(confidence)
    tail = (1.0 - confidence) / 2.0
    return (
        sample_quantile(replicates, tail, axis=0),
        sample_quantile(replicates, 1.0 - tail, axis=0),
    )
