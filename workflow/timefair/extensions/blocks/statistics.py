"""Intervals of ratios of expected running times, by resampling of whole blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from timefair.statistics.bootstrap import stratified_sums
from timefair.statistics.quantiles import sample_quantile

LEAST_BLOCKS = 2
"""Smallest number of blocks of a stratum for which there is an interval."""


def resampled_ratios(
    first: ArrayLike, second: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Ratios of the ERTs of two algorithms in samples of blocks.

    Each block has runs of both algorithms, which share the node and the time of the block.
    Therefore a sample contains all runs of a block or none.

    - `first`, `second`, shape (blocks, 2): Cost of the runs of the algorithm in each block, and
      number of these runs that reached the target.

    Returns, shape (resamples,): 0 or `inf` if only one algorithm reached the target in a sample,
    NaN if neither did. All are NaN with fewer than `LEAST_BLOCKS` blocks.
    """
    columns = np.hstack([np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)])
    if len(columns) < LEAST_BLOCKS:
        return np.full(resamples, np.nan)
    one_stratum = np.zeros(len(columns))
    a, a_reached, b, b_reached = stratified_sums(
        columns, one_stratum, resamples=resamples, rng=rng
    ).T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((a * b_reached) / (b * a_reached))


def mean_ratios(ratios: Sequence[NDArray[np.float64]], weights: ArrayLike) -> NDArray[np.float64]:
    """Geometric mean over strata of each sample's ratios, shape (resamples,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.stack(ratios))
        return np.asarray(np.exp(np.average(logs, axis=0, weights=np.asarray(weights))))


def ratio_limits(
    estimate: float, ratios: NDArray[np.float64], degrees: int, confidence: float
) -> tuple[float, float]:
    """Interval of a ratio from its samples.

    - `estimate`: The ratio of all blocks.
    - `ratios`: The ratios of samples, shape (resamples,).
    - `degrees`: Degrees of freedom: the number of blocks minus the number of strata.

    Returns low, high: Limits of a t interval of the logarithm, with the standard deviation over the
    samples. If a ratio is 0, `inf` or NaN, limits of a percentile interval with the tails of the t
    distribution (expanded percentiles, Hesterberg 2015); NaN then counts as 0 for the lower limit,
    and as `inf` for the upper limit. Both are NaN if all ratios are NaN, or if `degrees` is below
    1.

    Source: T. C. Hesterberg, What teachers should know about the bootstrap, The American
    Statistician 69 (2015).
    """
    unknown = np.isnan(ratios)
    if unknown.all() or degrees < 1:
        return float("nan"), float("nan")
    t = float(stats.t.ppf((1 + confidence) / 2, degrees))
    if np.isfinite(ratios).all() and (ratios > 0).all():
        radius = t * float(np.std(np.log(ratios), ddof=1))
        return estimate * float(np.exp(-radius)), estimate * float(np.exp(radius))
    tail = float(stats.norm.sf(t))
    low = sample_quantile(np.where(unknown, 0.0, ratios), tail)
    high = sample_quantile(np.where(unknown, np.inf, ratios), 1 - tail)
    return float(low), float(high)
