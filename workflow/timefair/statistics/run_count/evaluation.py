"""Evaluation of numbers of runs on complete samples, as in the paper, and controls."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from timefair.statistics.run_count.stopping_rules import (
    Outliers,
    StopCounts,
    StoppingRule,
    checked_values,
    fences,
    stop_counts,
    total,
)
from timefair.statistics.samples import Floats


def savings(total: ArrayLike, estimated: ArrayLike, accuracy: ArrayLike) -> dict[str, Floats]:
    """The columns of Table 2, from the runs of the complete samples, those that the rule makes, and
    the percentage of samples with an accurate estimate (NaN without samples); percentages are NaN
    for a total of 0. Source: T. Eftimov and P. Korošec, GECCO 2025, Table 2.
    """
    whole, made, right = (np.asarray(x, dtype=np.float64) for x in (total, estimated, accuracy))
    saved = whole - made
    found = {"estimated": made, "saved": saved, "expected_saved": saved * right / 100.0}
    some = np.where(whole > 0, whole, np.nan)
    shares = {f"{name}_percent": 100.0 * (runs / some) for name, runs in found.items()}
    runs = {f"{name}_runs": runs for name, runs in found.items()}
    return {"total_runs": whole, **runs, **shares, "accurate_percent": right}


BANDS = (0.005, 0.01, 0.05, 0.10, 0.15, 0.20)  # errors of Table 1, relative to the mean
Z = float(ndtri(0.975))  # normal quantile of a 95 % interval, that of the paper
ROUNDING = 1e-15  # relative difference of two means that counts as rounding


def verdicts(
    samples: ArrayLike,
    counts: ArrayLike,
    outliers: Sequence[Outliers],
    truth: ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    """Accuracy of the estimates from the first n runs: 1 or 0, shape (samples, settings), and 1 if
    accurate, otherwise the expected share of the resamples within each of `BANDS`, shape (samples,
    settings, bands).

    The criterion of the paper, a bootstrap test of whether two means differ, is computed in closed
    form. Samples of the size of the complete sample are drawn from the values of the first n runs
    that the outlier filter keeps, and from those of the truth. The estimate is accurate if the 95 %
    percentile interval or the BCa interval of the difference of means contains 0. This is the limit
    for many resamples: the quantiles follow from the first four moments (Cornish-Fisher expansion),
    the bias and the acceleration of BCa from the skewness, and the shares within `BANDS` from an
    Edgeworth expansion.

    - `samples`, shape (samples, runs): In the order of the runs; `inf` for one without a finite
      value.
    - `counts`, shape (samples, settings): Number of first runs that each setting uses, in 1..runs.
    - `outliers`: Outlier filter of each setting, for its n runs and for the truth.
    - `truth`, shape (samples, runs'): Independent runs; by default all runs of the sample, as in
      the paper, so that n = runs is accurate by definition.

    A mean of `inf` agrees only with another one. Values that are constant on both sides agree if
    they are equal. OverflowError if a filter keeps no value because differences overflow.

    Source: T. Eftimov and P. Korošec, GECCO 2025, for the criterion. B. Efron, Journal of the
    American Statistical Association 82 (1987), for BCa. P. Hall, The Bootstrap and Edgeworth
    Expansion, 1992.
    """
    values = checked_values(samples, dimensions=2)
    true_values = values if truth is None else checked_values(truth, dimensions=2)
    numbers = np.ascontiguousarray(counts, dtype=np.int64)
    everything = np.full(len(values), true_values.shape[1])
    true_moments = {one: _kept_moments(true_values, everything, one) for one in set(outliers)}
    accurate = np.empty(numbers.shape)
    within = np.empty((*numbers.shape, len(BANDS)))
    for setting, (number, technique) in enumerate(zip(numbers.T, outliers, strict=True)):
        estimate, whole = _kept_moments(values, number, technique), true_moments[technique]
        accurate[:, setting], within[:, setting] = _judged(estimate, whole, values.shape[1])
    if truth is None:
        complete = numbers == values.shape[1]
        accurate[complete] = within[complete] = 1.0
    return accurate, within


@dataclass(frozen=True)
class _Moments:
    """The mean is `inf` if any value is; the others are 0 for constant values."""

    mean: Floats
    deviation: Floats
    skewness: Floats
    kurtosis: Floats


def _kept_moments(values: Floats, counts: NDArray[np.int64], technique: Outliers) -> _Moments:
    """Moments of the first n values of each sample, without outliers. Sums are computed in a fixed
    order (by `numpy.cumsum`), and powers of distances in units of the largest one, so that no value
    is too small or too great for them.
    """
    first = np.arange(values.shape[1]) < counts[:, np.newaxis]
    lost = (first & np.isinf(values)).any(axis=1)
    kept = first & ~lost[:, np.newaxis]
    for n in np.unique(counts):
        rows = np.flatnonzero((counts == n) & ~lost)
        some = values[rows]
        low, high = fences(np.sort(some[:, :n], axis=1), technique)
        kept[rows] &= (low[:, np.newaxis] <= some) & (some <= high[:, np.newaxis])
    count = kept.sum(axis=1)
    if (empty := np.flatnonzero((count == 0) & ~lost)).size:
        raise OverflowError(f"sample {empty[0]}: differences between its values overflow")
    count = np.maximum(count, 1)
    shift = np.take_along_axis(values, kept.argmax(axis=1)[:, np.newaxis], axis=1)
    with np.errstate(invalid="ignore", over="ignore"):
        centre = shift[:, 0] + total(np.where(kept, values - shift, 0.0)) / count
        away = np.where(kept, values - centre[:, np.newaxis], 0.0)
    scale = np.abs(away).max(axis=1)
    y = away / np.where(scale > 0, scale, 1.0)[:, np.newaxis]
    square = y * y
    second = np.where(scale > 0, total(square) / count, 1.0)
    root = np.sqrt(second)
    return _Moments(
        np.where(lost, np.inf, centre),
        scale * root,
        total(square * y) / (count * second * root),
        np.where(scale > 0, total(square * square) / (count * second * second) - 3.0, 0.0),
    )


def _judged(estimate: _Moments, truth: _Moments, draws: int) -> tuple[Floats, Floats]:
    """Accurate or not, shape (samples,), and the shares within the bands, (samples, bands). The
    difference of the two bootstrapped means, of `draws` values each, is standardized.
    """
    never = np.isinf(estimate.mean) | np.isinf(truth.mean)
    scale = np.where(never, 0.0, np.abs(truth.mean))
    error = np.subtract(estimate.mean, truth.mean, out=np.zeros(scale.shape), where=~never)
    spread = np.hypot(estimate.deviation, truth.deviation)
    varies = ~never & (spread > ROUNDING * scale)
    spread = np.where(varies, spread, 1.0)
    a, b = estimate.deviation / spread, truth.deviation / spread
    g = (a * (a * a) * estimate.skewness - b * (b * b) * truth.skewness) / np.sqrt(draws)
    k = ((a * a) * (a * a) * estimate.kurtosis + (b * b) * (b * b) * truth.kurtosis) / draws
    unit = spread / np.sqrt(draws)
    reach = scale[:, np.newaxis] * np.array(BANDS)
    with np.errstate(over="ignore", invalid="ignore"):
        accurate = _contains_zero(-error / unit, g, k)
        above, below = (
            _edgeworth((side - error[:, np.newaxis]) / unit[:, np.newaxis], g, k)
            for side in (reach, -reach)
        )
        near = np.abs(error)[:, np.newaxis] <= reach
    shares = np.maximum.accumulate(np.maximum(above - below, 0.0), axis=1)  # tails may fall
    same = np.where(never, estimate.mean == truth.mean, np.abs(error) <= ROUNDING * scale)
    right = np.where(varies, accurate, same)
    alike = np.where(never[:, np.newaxis], same[:, np.newaxis], near)
    within = np.where(varies[:, np.newaxis], np.where(right[:, np.newaxis], 1.0, shares), alike)
    return right.astype(np.float64), within


def _contains_zero(zero: Floats, g: Floats, k: Floats) -> NDArray[np.bool_]:
    """Whether 0 is in the percentile or BCa interval of a difference of skewness g, kurtosis k;
    bias and acceleration of BCa are both a sixth of its skewness.
    """
    sixth = g / 6.0

    def quantile(z: ArrayLike) -> Floats:
        z = np.asarray(z)
        bend = g * (z * z - 1.0) / 6.0 + k * (z * z * z - 3.0 * z) / 24.0
        return np.asarray(z + bend - g * g * (2.0 * z * z * z - 5.0 * z) / 36.0)

    def accelerated(z: float) -> Floats:
        return np.asarray(sixth + (sixth + z) / (1.0 - sixth * (sixth + z)))

    plain = (quantile(-Z) <= zero) & (zero <= quantile(Z))
    return plain | ((quantile(accelerated(-Z)) <= zero) & (zero <= quantile(accelerated(Z))))


def _edgeworth(x: Floats, g: Floats, k: Floats) -> Floats:
    g, k, square = g[:, np.newaxis], k[:, np.newaxis], x * x
    bend = (
        g * (square - 1.0) / 6.0
        + k * x * (square - 3.0) / 24.0
        + g * g * x * (square * square - 10.0 * square + 15.0) / 72.0
    )
    density = np.exp(-0.5 * square) / np.sqrt(2.0 * np.pi)
    bent = np.where(density > 0, density * bend, 0.0)
    return np.asarray(np.clip(ndtr(x) - bent, 0.0, 1.0))


BLOCK = 2048  # samples that are judged at a time, so that the memory for verdicts is bounded


def rule_proposal(rules: Sequence[StoppingRule], samples: ArrayLike) -> StopCounts:
    """Where each of the rules stops; `samples` may be a memory map."""
    rows = np.asanyarray(samples)
    parts = []
    for block in _blocks(len(rows)):
        found = [stop_counts(rule, rows[block]) for rule in rules]
        parts.append([np.stack([getattr(one, name) for one in found], 1) for name in ("n", "met")])
    return StopCounts(*(np.concatenate(of) for of in zip(*parts, strict=True)))


def fixed_control(stops: StopCounts) -> StopCounts:
    """Control with the mean n of each rule, rounded down, for all samples, at least one."""
    n = np.broadcast_to(np.floor(stops.n.mean(axis=0)).astype(np.int64), stops.n.shape)
    return StopCounts(n, np.ones(n.shape, dtype=np.bool_))


def random_control(stops: StopCounts, *, rng: np.random.Generator) -> StopCounts:
    """Control with the numbers of runs of each rule, assigned to the samples at random."""
    places = rng.permuted(np.indices(stops.n.shape)[0], axis=0)
    dealt = np.take_along_axis(stops.n, places, axis=0)
    return StopCounts(dealt, np.take_along_axis(stops.met, places, axis=0))


def evaluate(
    samples: ArrayLike,
    stops: StopCounts,
    outliers: Sequence[Outliers],
    *,
    truth: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> dict[str, NDArray[Any]]:
    """How accurate the estimates from given numbers of runs are, on complete samples and with the
    filters of each setting as for `verdicts` (memory maps are read in blocks): sums over the
    samples of each group, numbers from 0 of shape (samples,).

    - `samples`, shape (groups,): Their number.
    - `runs`, `stopped`, `accurate`, `accurate_stopped`, shape (groups, settings): Runs made, and
      samples that stopped, that have an accurate estimate, and that have both.
    - `within`, shape (groups, settings, bands): Samples that are accurate or within each band.

    Source: T. Eftimov and P. Korošec, GECCO 2025, Tables 1 and 2.
    """
    rows = np.asanyarray(samples)
    others = None if truth is None else np.asanyarray(truth)
    labels = np.zeros(len(rows), np.int64) if groups is None else np.asarray(groups, np.int64)
    count = int(labels.max(initial=0)) + 1
    sums: list[Any] = [0.0, 0.0, 0.0]
    for block in _blocks(len(rows)):
        some = None if others is None else others[block]
        right, near = verdicts(rows[block], stops.n[block], outliers, some)
        of_block = (right, right * stops.met[block], near)
        more = (_sums(each, labels[block], count) for each in of_block)
        sums = [total + each for total, each in zip(sums, more, strict=True)]
    return {
        "samples": np.bincount(labels, minlength=count),
        "runs": _sums(stops.n, labels, count).astype(np.int64),
        "stopped": _sums(stops.met, labels, count).astype(np.int64),
        **dict(zip(("accurate", "accurate_stopped", "within"), sums, strict=True)),
    }


def _sums(values: NDArray[Any], labels: NDArray[np.int64], count: int) -> Floats:
    columns = values.reshape(values.shape[0], math.prod(values.shape[1:])).T
    sums = [np.bincount(labels, weights=column, minlength=count) for column in columns]
    return np.array(sums, dtype=np.float64).T.reshape(count, *values.shape[1:])


def _blocks(size: int) -> Iterator[slice]:
    """Slices of at most `BLOCK` samples, at least one."""
    return (slice(first, first + BLOCK) for first in range(0, max(size, 1), BLOCK))
