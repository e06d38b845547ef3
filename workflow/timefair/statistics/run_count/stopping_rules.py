"""Stopping rules: their interface, the skewness rule of the run-count paper, and a race. A rule
examines the sample so far; `start` and `cap` are applied here, so n is the same either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.samples import Floats, sample_quantile


class Reason(StrEnum):
    START = "start"  # continues: there are fewer runs than the rule needs for a first look
    OPEN = "open"  # continues: the criterion is not met
    MET = "met"  # stops: the criterion is met
    DEGENERATE = "degenerate"  # stops: the values that the rule looks at are constant
    CAP = "cap"  # stops at the cap; the criterion was never met
    OUT_OF_BOUNDS = "out of bounds"  # the same; no promise: a value is outside the rule's bounds


@dataclass(frozen=True)
class Assessment:
    """The criterion of a rule on samples of one size; arrays of the leading shape of the samples.

    - `value`: The number that the rule computes, such as a width; NaN if it is undefined.
    - `met`, `degenerate`: Whether it is small enough, and whether only by constant values.
    - `outside`: Whether a value is outside the bounds of the rule, so that it is not met; None
      without bounds.
    """

    value: Floats
    met: NDArray[np.bool_]
    degenerate: NDArray[np.bool_]
    outside: NDArray[np.bool_] | None = None


class StoppingRule(Protocol):
    @property
    def start(self) -> int:
        """The least number of runs, at least 1."""

    @property
    def cap(self) -> int:
        """The greatest number of runs, at least `start`."""

    def look(self, samples: Floats) -> Assessment:
        """Evaluate the criterion, deterministically, on samples of shape (..., n), each in the
        order of its runs; `inf` is a run without a finite value, and there is no NaN.
        """


@dataclass(frozen=True)
class Decision:
    """Whether to stop, why, and the number that the rule computes (NaN before `start`)."""

    reason: Reason
    value: float

    @property
    def stop(self) -> bool:
        return self.reason not in (Reason.START, Reason.OPEN)


@dataclass(frozen=True)
class StopCounts:
    """Where a rule stops on many samples, shape (samples,), or each of several ones, shape
    (samples, rules); `met` is False if only at the cap.
    """

    n: NDArray[np.int64]
    met: NDArray[np.bool_]


def decide(rule: StoppingRule, sample: ArrayLike) -> Decision:
    """Decide from the values of all runs so far, in their order, whether to stop or to make one
    more; a criterion met at the cap counts as met. `inf`: a run without a finite value. The sample
    may be empty.
    """
    values = checked_values(sample, dimensions=1)
    if values.size < rule.start:
        return Decision(Reason.START, np.nan)
    seen = rule.look(values)
    if seen.met:
        reason = Reason.DEGENERATE if seen.degenerate else Reason.MET
    elif values.size < rule.cap:
        reason = Reason.OPEN
    else:
        left = seen.outside is not None and seen.outside
        reason = Reason.OUT_OF_BOUNDS if left else Reason.CAP
    return Decision(reason, float(seen.value))


def stop_counts(rule: StoppingRule, samples: ArrayLike) -> StopCounts:
    """Where a rule stops on complete samples, shape (samples, runs), of at least ``rule.cap`` runs
    in their order; the n is that of `decide` after each run.
    """
    values = checked_values(samples, dimensions=2)
    if (runs := values.shape[1]) < rule.cap:
        raise ValueError(f"a complete sample has at least cap = {rule.cap} runs, not {runs}")
    counts = np.full(values.shape[0], rule.cap)
    met = np.zeros(values.shape[0], dtype=np.bool_)
    for n in range(rule.start, rule.cap + 1):
        still = np.flatnonzero(~met)
        now = still[rule.look(values[still, :n]).met]
        counts[now], met[now] = n, True
    return StopCounts(counts, met)


def checked_values(values: ArrayLike, *, dimensions: int) -> Floats:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != dimensions:
        raise ValueError(f"samples must have {dimensions} dimension(s), not {array.ndim}")
    if np.isnan(array).any() or np.isneginf(array).any():
        raise ValueError("values must not be NaN or -inf; a run without a finite value is inf")
    return array


def equal_if_solved(precision: ArrayLike, unknown: ArrayLike, final_target: float | None) -> Floats:
    """Best precisions, shape (runs,), of which those beyond the final target, None for none, are
    equal to it. Where the optimum is `unknown` (one value, or one per run), the precision is a
    value, which the final target does not limit.
    """
    best = np.asarray(precision, dtype=np.float64)
    reached = -np.inf if final_target is None else final_target
    return np.where(unknown, best, np.maximum(best, reached))


class Outliers(StrEnum):
    """The outlier filter that is applied before the skewness or the mean is computed."""

    NONE = "none"  # drops no values
    IQR = "iqr"  # drops values more than 1.5 interquartile ranges from the quartiles
    PERCENTILE = "percentile"
    """Drops values outside the 2.5 and 97.5 percentiles: for n <= 41, the smallest and largest."""
    MAD = "mad"
    """Drops values with a modified z-score, ``0.6745 |x - median| / MAD``, above 3.5. If the MAD
    (median absolute deviation) is 0, the mean absolute deviation about the median is used."""
    MAD_MEAN = "mad-mean"
    """As `MAD`, but if the MAD is 0, the mean absolute deviation about the mean is used."""


LEAST_KEPT = 3  # values that a skewness needs; fewer are not filtered
CONSTANT = 1e-15  # standard deviation, relative to the mean, that is only rounding


def fences(ordered: Floats, outliers: Outliers) -> tuple[Floats, Floats]:
    """Least and largest value that a filter keeps of sorted samples, shape (..., n) to (...). NaN
    where differences of the values overflow, or an `inf` leaves them undefined.
    """
    n = ordered.shape[-1]
    with np.errstate(over="ignore", invalid="ignore"):
        if outliers is Outliers.NONE or n < LEAST_KEPT:
            limit = np.full(ordered.shape[:-1], np.inf)
            return -limit, limit
        if outliers is Outliers.PERCENTILE:
            low, high = np.quantile(ordered, [0.025, 0.975], axis=-1)
            return low, high
        if outliers is Outliers.IQR:
            low, high = np.quantile(ordered, [0.25, 0.75], axis=-1)
            return low - 1.5 * (high - low), high + 1.5 * (high - low)
        centre = middle = _median(ordered)
        away = np.abs(ordered - centre[..., np.newaxis])
        spread = _median(np.sort(away, axis=-1))
        if outliers is Outliers.MAD_MEAN:
            first = ordered[..., 0]
            middle = first + total(ordered - first[..., np.newaxis]) / n
        mean = total(np.abs(ordered - middle[..., np.newaxis])) / n
        reach = 3.5 * np.where(spread == 0.0, mean, spread) / 0.6745
        kept = ~(away > reach[..., np.newaxis])
    return np.where(kept, ordered, np.inf).min(-1), np.where(kept, ordered, -np.inf).max(-1)


def _median(ordered: Floats) -> Floats:
    n = ordered.shape[-1]
    return np.asarray(0.5 * (ordered[..., (n - 1) // 2] + ordered[..., n // 2]))


def total(terms: Floats) -> Floats:
    """Sums over the last axis from left to right: a sample has the same bits on every machine."""
    return np.asarray(np.cumsum(terms, axis=-1)[..., -1])


def skewness(ordered: Floats, outliers: Outliers) -> tuple[Floats, NDArray[np.bool_]]:
    """Moment coefficient g1 (ddof 0) of what a filter keeps of sorted samples, shape (..., n), by
    distances from the least value; and whether the kept values are constant.

    0 for constant values, also if they differ by rounding alone or are all `inf`; then NaN for
    fewer than three kept values, and with an `inf` among finite ones.
    """
    least, most = ordered[..., 0], ordered[..., -1]
    finite = np.where(np.isinf(most)[..., np.newaxis], 0.0, ordered)
    low, high = (limit[..., np.newaxis] for limit in fences(finite, outliers))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        kept = ~(finite < low) & ~(finite > high)
        count = kept.sum(axis=-1)
        shift = np.take_along_axis(finite, kept.argmax(axis=-1)[..., np.newaxis], axis=-1)
        away = np.where(kept, finite - shift, 0.0)
        centre = total(away) / count
        scale = np.maximum(centre, away.max(axis=-1) - centre)
        y = np.where(kept, (away - centre[..., np.newaxis]) / scale[..., np.newaxis], 0.0)
        second, third = total(y * y) / count, total(y * y * y) / count
        small = np.sqrt(second) * scale <= CONSTANT * np.abs(shift[..., 0] + centre)
        value = third / (second * np.sqrt(second))
    enough = (count >= LEAST_KEPT) & np.isfinite(most)
    constant = enough & ((scale == 0.0) | small)
    constant |= np.isinf(least) & (ordered.shape[-1] >= LEAST_KEPT)
    return np.where(constant, 0.0, np.where(enough, value, np.nan)), constant


@dataclass(frozen=True)
class SkewnessRule:
    """Stop when the skewness of the values that the outlier filter keeps is in [-tau, tau].

    The paper has tau of 0.05 to 0.20, `start` 5 (at least 3) and `cap` 50. Outliers count in n. The
    skewness is the moment coefficient g1 (ddof 0). What the paper does not specify: if the kept
    values are constant but for rounding, or all values are `inf`, the rule stops as "degenerate".
    If a value is `inf`, or fewer than three are kept, the skewness is NaN and the rule continues.

    Source: T. Eftimov and P. Korošec, "Adaptive Estimation of the Number of Algorithm Runs in
    Stochastic Optimization", GECCO 2025.
    """

    tau: float
    outliers: Outliers
    start: int = 5
    cap: int = 50

    def look(self, samples: Floats) -> Assessment:
        value, constant = skewness(np.sort(samples, axis=-1), self.outliers)
        return Assessment(value, constant | (np.abs(value) <= self.tau), constant)


def p_worse(field: Floats, leader: int) -> Floats:
    """One-sided p-values of Mann-Whitney tests that each row of results, shape (algorithms, n), has
    larger values than the leader, whose p is 1. Exact without ties; with ties, the normal
    approximation of ``scipy.stats.mannwhitneyu``.
    """
    from scipy.stats import mannwhitneyu  # late: measuring needs no scipy

    from timefair.statistics.two_samples import at_most

    n = field.shape[1]
    p = np.ones(len(field))
    rest = np.delete(np.arange(len(field)), leader)
    best = np.broadcast_to(np.sort(field[leader]), (rest.size, n))
    pooled = np.sort(np.concatenate([field[rest], best], axis=1), axis=1)
    tied = (pooled[:, 1:] == pooled[:, :-1]).any(axis=1)
    smaller = (field[rest][~tied][..., np.newaxis] < field[leader]).sum(axis=(1, 2))
    p[rest[~tied]] = at_most(smaller, n, n)
    if tied.any():
        found = mannwhitneyu(
            field[rest][tied], best[tied], alternative="greater", axis=1, method="asymptotic"
        )
        p[rest[tied]] = np.nan_to_num(found.pvalue, nan=1.0)
    return p


LOOKS = (7, 10, 15, 22, 33)  # numbers of runs at which a race is judged


@dataclass(frozen=True)
class RaceState:
    """State of a race after a look.
    - `dropped_at`, shape (algorithms,): The n at which each was dropped; 0 if it is in the race.
    - `look`, `leader`: n and best algorithm of the latest look; 0 and -1 before the first one.
    """

    dropped_at: NDArray[np.int64]
    look: int
    leader: int

    @property
    def goes_on(self) -> NDArray[np.bool_]:
        return np.asarray(self.dropped_at == 0)

    @property
    def runs(self) -> NDArray[np.int64]:
        return np.where(self.goes_on, self.look, self.dropped_at)


def race(
    samples: Sequence[ArrayLike],
    *,
    alpha: float = 0.05,
    looks: tuple[int, ...] = LOOKS,
    cap: int = 50,
) -> RaceState:
    """Drop the algorithms that are significantly worse than the leader, with all looks from the
    first on, from the values of each so far, in the order of its runs.

    At each of `looks`, rising numbers of runs, the leader is the algorithm with the smallest
    median; if several are equal, the one with the smallest mean rank. Every other algorithm is
    compared with it by `p_worse` at the level ``alpha / ((algorithms - 1) looks)``. So `alpha`
    bounds the probability that the best algorithm is dropped, over all looks and leaders: one whose
    values are stochastically not larger than those of any other. The race is over when one
    algorithm is left, or at the `cap`, the runs of those that are never dropped, at least the last
    look. Values beyond a look, or after an algorithm was dropped, are ignored. ValueError without a
    sample, or for one that is no vector or has NaN or ``-inf``.

    Source: O. Maron and A. W. Moore, Advances in Neural Information Processing Systems 6 (1994). M.
    Birattari et al., GECCO 2002.
    """
    from scipy.stats import rankdata  # late: slow to import

    values = [checked_values(sample, dimensions=1) for sample in samples]
    dropped_at = np.zeros(len(values), dtype=np.int64)
    latest, leader = 0, -1
    level = alpha / (max(len(values) - 1, 1) * len(looks))
    for look in (*looks, cap):
        racing = np.flatnonzero(dropped_at == 0)
        if racing.size == 1 or min(values[i].size for i in racing) < look:
            break
        field = np.stack([values[i][:look] for i in racing])
        ranks = rankdata(field).reshape(field.shape).mean(axis=1)
        first = int(np.lexsort((ranks, sample_quantile(field, 0.5)))[0])
        latest, leader = look, int(racing[first])
        if look in looks:
            worse = p_worse(field, first) <= level
            dropped_at[racing[worse]] = look
    return RaceState(dropped_at, latest, leader)
