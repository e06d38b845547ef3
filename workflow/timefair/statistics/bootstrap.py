"""Resampling of whole runs, also within strata, so that every stratum keeps its weight."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.checks import Floats, check_confidence
from timefair.statistics.quantiles import sample_quantile

BLOCK_DRAWS = 2_000_000  # draws that are held in memory at a time


def resampled_sums(columns: ArrayLike, *, resamples: int, rng: np.random.Generator) -> Floats:
    """Column sums of samples that are drawn with replacement from the rows.

    Whole rows are drawn, so that the values of a run (its time and success, its runtimes to several
    targets) stay together.

    - `columns`, shape (n, m): Finite numbers, one row per run.

    Returns, shape (resamples, m): One row per sample. The draws need memory for at most
    `BLOCK_DRAWS` numbers (or one sample).

    Source: B. Efron, Annals of Statistics 7 (1979).
    """
    rows = _rows(columns, resamples)
    n = rows.shape[0]
    return sums_of_draws(rows, resamples, lambda samples: rng.integers(n, size=(samples, n)))


def _rows(columns: ArrayLike, resamples: int) -> Floats:
    rows = np.asarray(columns, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] == 0:
        raise ValueError(f"columns must have the shape (n >= 1, m), not {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("columns must be finite")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, not {resamples}")
    return rows


def sums_of_draws(rows: Floats, resamples: int, draw: Callable[[int], NDArray[np.int64]]) -> Floats:
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


def percentile_interval(replicates: ArrayLike, confidence: float) -> tuple[Floats, Floats]:
    """Central percentile interval of bootstrap replicates, shape (resamples, ...); not NaN.

    Returns low, high: Order statistics of the replicates, which are not interpolated, so that `inf`
    is never combined with finite numbers.
    """
    check_confidence(confidence)
    tail = (1.0 - confidence) / 2.0
    return (
        sample_quantile(replicates, tail, axis=0),
        sample_quantile(replicates, 1.0 - tail, axis=0),
    )


def stratified_sums(
    columns: ArrayLike, strata: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> Floats:
    """Column sums of samples that are drawn within each stratum.

    From a stratum of n rows, n - 1 rows are drawn with replacement, and their sum is scaled to n
    rows. The variance of the sums over the samples is then an unbiased estimate of their variance
    over new runs.

    - `columns`, shape (runs, m): Finite numbers, one row per run.
    - `strata`, shape (runs,): The stratum of each run, e.g. its instance; at least two in each.

    Returns, shape (resamples, m): As `resampled_sums`.

    Source: J. N. K. Rao and C. F. J. Wu, Journal of the American Statistical Association 83 (1988).
    """
    rows, labels = _rows(columns, resamples), np.asarray(strata)
    if labels.shape != rows.shape[:1]:
        raise ValueError(f"strata {labels.shape} must be one label per row of columns {rows.shape}")
    _, stratum, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if sizes.min() < 2:
        raise ValueError("strata must have at least two runs each")
    scaled = (rows * (sizes / (sizes - 1))[stratum, np.newaxis])[np.argsort(stratum, kind="stable")]
    first = np.repeat(np.cumsum(sizes) - sizes, sizes - 1)
    size = np.repeat(sizes, sizes - 1)
    return sums_of_draws(
        scaled,
        resamples,
        lambda samples: first + (rng.random((samples, first.size)) * size).astype(np.int64),
    )


def has_singles(strata: ArrayLike) -> bool:
    """Whether resampling is impossible: there are no runs, or a stratum has only one run."""
    counts = np.unique(np.asarray(strata), return_counts=True)[1]
    return bool(counts.size == 0 or counts.min() < 2)
