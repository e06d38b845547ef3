"""The offline verdict in plain numbers: do n runs give the mean that all runs give?

Kernels in the sense of `compiled`. The difference d of two bootstrapped means (of `draws` values
each, one from the kept values of the first n runs, one from those of the truth) has moments in
closed form; a Cornish-Fisher expansion of its quantiles decides all but the close cases. Close
cases are resampled: an interval contains 0 iff enough resamples lie on either side of 0, so that
they are counted and never sorted.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROUNDING = 1e-15
TUPLES = 4096
"""Sums of values that are tabulated for drawing: as many as a processor has at hand."""


class Cases(NamedTuple):
    """What is judged: the first ``counts[s, r]`` values of sample s, kept within their fences.

    ``techniques[r]`` is the column of the truth's fences that setting r is judged with.
    """

    samples: Floats
    counts: Integers
    techniques: Integers
    low: Floats
    high: Floats


class Truth(NamedTuple):
    """What it is judged against; `nested` if these are the samples themselves.

    The fences have a column a technique.
    """

    samples: Floats
    low: Floats
    high: Floats
    nested: bool


class Plan(NamedTuple):
    """How it is judged.

    `z` is the normal quantile of the interval, `normal` that of ``i / (2 * resamples)`` for all i,
    `seeds` have the shape (samples, repetitions), `margin` says how far from both limits, in
    standard deviations, a case is clear; without resamples every case is.
    """

    draws: int
    resamples: int
    seeds: NDArray[np.uint64]
    normal: Floats
    z: float
    margin: float
    bands: Floats


class Moments(NamedTuple):
    """What is known of kept values; the mean is `inf` if a value, kept or not, is.

    Skewness and excess kurtosis have no unit, so that no value is too small or too great for them;
    of constant values they are 0.
    """

    size: int
    mean: float
    deviation: float
    skewness: float
    kurtosis: float


class Difference(NamedTuple):
    """Mean, standard deviation, skewness and excess kurtosis of the difference of two means."""

    mean: float
    deviation: float
    skewness: float
    kurtosis: float


def keep(sample: Floats, n: int, low: float, high: float, kept: Floats) -> Moments:
    """Gather the kept ones of the first n values, and their moments."""
    count = 0
    total = 0.0
    least = math.inf
    greatest = -math.inf
    for i in range(n):
        value = sample[i]
        if value == math.inf:
            return Moments(0, math.inf, 0.0, 0.0, 0.0)
        if low <= value <= high:
            kept[count] = value
            count += 1
            total += value - kept[0]
            least = min(least, value)
            greatest = max(greatest, value)
    mean = kept[0] + total / count
    scale = max(mean - least, greatest - mean)
    if scale == 0.0:
        return Moments(count, mean, 0.0, 0.0, 0.0)
    second = 0.0
    third = 0.0
    fourth = 0.0
    for i in range(count):
        y = (kept[i] - mean) / scale
        square = y * y
        second += square
        third += square * y
        fourth += square * square
    second /= count
    root = math.sqrt(second)
    return Moments(
        count,
        mean,
        scale * root,
        third / (count * second * root),
        fourth / (count * second * second) - 3.0,
    )


def difference_of(estimate: Moments, truth: Moments, draws: int) -> Difference:
    """The difference of two bootstrapped means, estimate minus truth."""
    mean = estimate.mean - truth.mean
    deviation = math.hypot(estimate.deviation, truth.deviation)
    if deviation <= ROUNDING * abs(truth.mean):
        return Difference(mean, 0.0, 0.0, 0.0)
    a = estimate.deviation / deviation
    b = truth.deviation / deviation
    return Difference(
        mean,
        deviation / math.sqrt(draws),
        (a**3 * estimate.skewness - b**3 * truth.skewness) / math.sqrt(draws),
        (a**4 * estimate.kurtosis + b**4 * truth.kurtosis) / draws,
    )


def cornish_fisher(z: float, d: Difference) -> float:
    """Standardized quantile of the difference, where the normal one is z."""
    g = d.skewness
    return (
        z
        + g * (z * z - 1.0) / 6.0
        + d.kurtosis * (z * z * z - 3.0 * z) / 24.0
        - g * g * (2.0 * z * z * z - 5.0 * z) / 36.0
    )


def accelerated(z: float, bias: float, acceleration: float) -> float:
    """Normal quantile that BCa takes in place of z."""
    shifted = bias + z
    return bias + shifted / (1.0 - acceleration * shifted)


def depth(d: Difference, z: float) -> tuple[float, float]:
    """How deep 0 lies in the percentile and the BCa interval, in standard deviations.

    Negative outside. Bias and acceleration are both a sixth of the skewness of the difference.
    """
    zero = -d.mean / d.deviation
    sixth = d.skewness / 6.0
    percentile = min(zero - cornish_fisher(-z, d), cornish_fisher(z, d) - zero)
    low = cornish_fisher(accelerated(-z, sixth, sixth), d)
    high = cornish_fisher(accelerated(z, sixth, sixth), d)
    return percentile, min(zero - low, high - zero)


def normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def edgeworth(x: float, d: Difference) -> float:
    """Distribution function of the standardized difference."""
    density = math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
    square = x * x
    correction = (
        d.skewness * (square - 1.0) / 6.0
        + d.kurtosis * x * (square - 3.0) / 24.0
        + d.skewness**2 * x * (square * square - 10.0 * square + 15.0) / 72.0
    )
    return min(max(normal_cdf(x) - density * correction, 0.0), 1.0)


def expected_share(d: Difference, reach: float) -> float:
    """Probability of a difference of at most `reach` in absolute value."""
    high = edgeworth((reach - d.mean) / d.deviation, d)
    return max(high - edgeworth((-reach - d.mean) / d.deviation, d), 0.0)


class Tuples(NamedTuple):
    """Sums of all ordered tuples of `length` values: one draw of them is `length` draws."""

    sums: Floats
    size: int
    length: int


def tabulate(kept: Floats, count: int, draws: int, sums: Floats) -> Tuples:
    """The longest tuples, of at most `draws` values, whose sums have room in `sums`."""
    sums[0] = 0.0
    size = 1
    length = 0
    while length < draws and size * count <= sums.size:
        for i in range(size - 1, -1, -1):
            shorter = sums[i]
            for j in range(count):
                sums[i * count + j] = shorter + kept[j]
        size *= count
        length += 1
    return Tuples(sums, size, length)


def resampled_means(
    kept: Floats, count: int, tuples: Tuples, draws: int, seed: np.uint64, means: Floats
) -> None:
    """Fill `means` with means of values drawn with replacement.

    The random words are splitmix64's, in halves of 32 bits, so that no tuple is favoured by more
    than ``size / 2**32``.
    """
    half = np.uint64(32)
    mask = np.uint64(0xFFFFFFFF)
    values = np.uint64(count)
    sizes = np.uint64(tuples.size)
    state = seed
    for b in range(means.size):
        total = 0.0
        for _ in range(draws // (2 * tuples.length)):
            state += np.uint64(0x9E3779B97F4A7C15)
            word = mixed(state)
            total += tuples.sums[np.int64(((word & mask) * sizes) >> half)]
            total += tuples.sums[np.int64(((word >> half) * sizes) >> half)]
        for _ in range(draws % (2 * tuples.length)):
            state += np.uint64(0x9E3779B97F4A7C15)
            total += kept[np.int64(((mixed(state) >> half) * values) >> half)]
        means[b] = total / draws


def mixed(state: np.uint64) -> np.uint64:
    """The output function of splitmix64."""
    word = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def encloses(below: int, upto: int, resamples: int, low: float, high: float) -> bool:
    """Whether order statistics at two levels have 0 between them.

    `below` and `upto` count the resamples below 0 and those at most 0.
    """
    first = max(math.ceil(resamples * low - 1e-9), 1)
    last = max(math.ceil(resamples * high - 1e-9), 1)
    return upto >= first and below < last


def is_accurate(differences: Floats, d: Difference, z: float, normal: Floats) -> bool:
    """Whether the percentile interval of the resamples contains 0 or, failing that, the BCa one."""
    below = 0
    upto = 0
    middle = 0
    for value in differences:
        below += value < 0.0
        upto += value <= 0.0
        middle += (value < d.mean) + (value <= d.mean)
    resamples = differences.size
    if encloses(below, upto, resamples, normal_cdf(-z), normal_cdf(z)):
        return True
    bias = normal[middle]
    if math.isinf(bias):
        return False
    acceleration = d.skewness / 6.0
    low = normal_cdf(accelerated(-z, bias, acceleration))
    high = normal_cdf(accelerated(z, bias, acceleration))
    return encloses(below, upto, resamples, low, high)


def judge_resamples(
    estimates: Floats, truths: Floats, d: Difference, scale: float, plan: Plan, within: Floats
) -> float:
    """The verdict of one repetition, 1 or 0; its shares are added to `within`.

    `estimates` become differences.
    """
    for b in range(estimates.size):
        estimates[b] -= truths[b]
    if is_accurate(estimates, d, plan.z, plan.normal):
        within += 1.0
        return 1.0
    for k in range(plan.bands.size):
        inside = 0
        for value in estimates:
            inside += abs(value) <= plan.bands[k] * scale
        within[k] += inside / estimates.size
    return 0.0


def judge_clear(
    estimate: Moments, truth: Moments, d: Difference, plan: Plan, within: Floats
) -> float:
    """The verdict in closed form: 1, 0, or -1 for a case that is too close."""
    if math.isinf(estimate.mean) or math.isinf(truth.mean):
        agree = estimate.mean == truth.mean
        within[:] = 1.0 if agree else 0.0
        return 1.0 if agree else 0.0
    if d.deviation == 0.0:
        scale = abs(truth.mean)
        for k in range(plan.bands.size):
            within[k] = 1.0 if abs(d.mean) <= plan.bands[k] * scale else 0.0
        return 1.0 if abs(d.mean) <= ROUNDING * scale else 0.0
    percentile, bca = depth(d, plan.z)
    deeper = max(percentile, bca)
    if plan.resamples > 0 and abs(deeper) <= plan.margin:
        return -1.0
    if deeper >= 0.0:
        within[:] = 1.0
        return 1.0
    share = 0.0
    for k in range(plan.bands.size):  # an expansion need not rise in its tails, a share does
        share = max(share, expected_share(d, plan.bands[k] * abs(truth.mean)))
        within[k] = share
    return 0.0


def twin_of(counts: Integers, techniques: Integers, r: int) -> int:
    """The first setting of the technique with the same n: the same values, the same verdict."""
    for earlier in range(r):
        if counts[earlier] == counts[r] and techniques[earlier] == techniques[r]:
            return earlier
    return r


class Workspace(NamedTuple):
    """Memory that all cases share; a row of `true_means` is a repetition."""

    kept: Floats
    true_kept: Floats
    sums: Floats
    estimates: Floats
    true_means: Floats


def workspace(width: int, plan: Plan) -> Workspace:
    """For samples of at most so many values."""
    return Workspace(
        np.empty(width),
        np.empty(width),
        np.empty(max(width * width, TUPLES)),
        np.empty(plan.resamples),
        np.empty((plan.seeds.shape[1], plan.resamples)),
    )


def draw_truth(size: int, seeds: NDArray[np.uint64], plan: Plan, work: Workspace) -> None:
    """Resampled means of the truth, for all settings of a sample."""
    tuples = tabulate(work.true_kept, size, plan.draws, work.sums)
    for k in range(seeds.size):
        resampled_means(
            work.true_kept, size, tuples, plan.draws, mixed(seeds[k]), work.true_means[k]
        )


def judge_close(
    n: int,
    estimate: Moments,
    truth: Moments,
    d: Difference,
    seeds: NDArray[np.uint64],
    plan: Plan,
    work: Workspace,
    within: Floats,
) -> float:
    """The verdict of a close case, averaged over the repetitions."""
    within[:] = 0.0
    total = 0.0
    tuples = tabulate(work.kept, estimate.size, plan.draws, work.sums)
    for k in range(seeds.size):
        seed = seeds[k] + np.uint64(n) * np.uint64(0xD1B54A32D192ED03)
        resampled_means(work.kept, estimate.size, tuples, plan.draws, seed, work.estimates)
        total += judge_resamples(
            work.estimates, work.true_means[k], d, abs(truth.mean), plan, within
        )
    within /= seeds.size
    return total / seeds.size


def judge_sample(
    s: int,
    cases: Cases,
    truth: Truth,
    plan: Plan,
    work: Workspace,
    accurate: Floats,
    within: Floats,
) -> None:
    """Verdicts of all settings of one sample, one technique after the other."""
    sample = cases.samples[s]
    counts = cases.counts[s]
    runs = truth.samples.shape[1]
    whole = Moments(0, 0.0, 0.0, 0.0, 0.0)
    for technique in range(truth.low.shape[1]):
        known = False
        drawn = False
        for r in range(counts.size):
            if cases.techniques[r] != technique:
                continue
            n = counts[r]
            twin = twin_of(counts, cases.techniques, r)
            if twin < r:
                accurate[r] = accurate[twin]
                within[r] = within[twin]
                continue
            if truth.nested and n == runs:
                accurate[r] = 1.0
                within[r] = 1.0
                continue
            if not known:
                low, high = truth.low[s, technique], truth.high[s, technique]
                whole = keep(truth.samples[s], runs, low, high, work.true_kept)
                known = True
            part = keep(sample, n, cases.low[s, r], cases.high[s, r], work.kept)
            d = difference_of(part, whole, plan.draws)
            accurate[r] = judge_clear(part, whole, d, plan, within[r])
            if accurate[r] < 0.0:
                if not drawn:
                    draw_truth(whole.size, plan.seeds[s], plan, work)
                    drawn = True
                accurate[r] = judge_close(n, part, whole, d, plan.seeds[s], plan, work, within[r])


def judge(cases: Cases, truth: Truth, plan: Plan, accurate: Floats, within: Floats) -> None:
    """Verdicts of all cases, averaged over the repetitions."""
    work = workspace(max(cases.samples.shape[1], truth.samples.shape[1]), plan)
    for s in range(cases.samples.shape[0]):
        judge_sample(s, cases, truth, plan, work, accurate[s], within[s])
