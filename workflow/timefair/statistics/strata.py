"""Resampling of whole runs within strata, so that every stratum keeps its weight."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.bootstrap import sums_of_draws


def stratified_sums(
    columns: ArrayLike, strata: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Column sums of samples that are drawn within each stratum.

    From a stratum of n rows, n - 1 rows are drawn with replacement, and their sum is scaled to n
    rows. The variance of the sums over the samples is then an unbiased estimate of their variance
    over new runs. If n rows were drawn, the estimate would be too small by the factor (n - 1)/n,
    and many small strata would not average this out.

    - `columns`, shape (runs, m): Finite numbers, one row per run.
    - `strata`, shape (runs,): The stratum of each run, e.g. its instance; at least two runs in
      each.
    - `resamples`: Number of samples.
    - `rng`: Source of the draws.

    Returns, shape (resamples, m): One row per sample. The draws need memory for at most
    `bootstrap.BLOCK_DRAWS` numbers (or one sample). Raises ValueError if `columns` is not a finite
    matrix with one row per stratum label, a stratum has one run only, or `resamples` is below 1.

    Source: J. N. K. Rao and C. F. J. Wu, Resampling inference with complex survey data, Journal of
    the American Statistical Association 83 (1988).
    """
    rows = np.asarray(columns, dtype=np.float64)
    labels = np.asarray(strata)
    if rows.ndim != 2 or labels.shape != rows.shape[:1] or labels.size == 0:
        raise ValueError(
            "columns must have the shape (runs >= 1, m) and strata (runs,), "
            f"not {rows.shape} and {labels.shape}"
        )
    if not np.isfinite(rows).all():
        raise ValueError("columns must be finite")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, not {resamples}")
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
