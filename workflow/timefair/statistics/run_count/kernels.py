"""The skewness rule in plain numbers: what is kept of a sorted sample, and its skewness.

Kernels in the sense of `compiled`: `ordered` is a float64 array of which the first n entries are
sorted. A technique against outliers is the code of an `Outliers` member.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FENCE_IQR = 1.5
PERCENTILES = (0.025, 0.975)
NORMAL_QUARTILE = 0.6745
MODIFIED_Z = 3.5
CONSTANT = 1e-15
"""Standard deviation, relative to the mean, up to which values differ by rounding alone."""
LEAST_KEPT = 3


def insert(ordered: Floats, n: int, value: float) -> None:
    """Put a value at its place among the first n, without a branch to be guessed."""
    for i in range(n):
        here = ordered[i]
        ordered[i] = min(here, value)
        value = max(here, value)
    ordered[n] = value


def percentile(ordered: Floats, n: int, p: float) -> float:
    """The p-quantile with linear interpolation, numpy's default, rounded as there."""
    place = p * (n - 1)
    below = int(place)
    if below + 1 >= n:
        return float(ordered[n - 1])
    share = place - below
    step = ordered[below + 1] - ordered[below]
    if share < 0.5:
        return float(ordered[below] + step * share)
    return float(ordered[below + 1] - step * (1.0 - share))


def median(ordered: Floats, n: int) -> float:
    return float(0.5 * (ordered[(n - 1) // 2] + ordered[n // 2]))


def median_deviation(ordered: Floats, n: int, centre: float) -> float:
    """Median of the distances to the centre, collected from the centre outwards."""
    right = 0
    while right < n and ordered[right] < centre:
        right += 1
    left = right - 1
    before = 0.0
    latest = 0.0
    for _ in range(n // 2 + 1):
        before = latest
        if left < 0 or (right < n and ordered[right] - centre < centre - ordered[left]):
            latest = ordered[right] - centre
            right += 1
        else:
            latest = centre - ordered[left]
            left -= 1
    return latest if n % 2 == 1 else 0.5 * (before + latest)


def mean_deviation(ordered: Floats, n: int, centre: float) -> float:
    total = 0.0
    for i in range(n):
        total += abs(ordered[i] - centre)
    return total / n


def mean_of(ordered: Floats, n: int) -> float:
    """Mean, exact when all values are equal."""
    shift = float(ordered[0])
    total = 0.0
    for i in range(n):
        total += ordered[i] - shift
    return shift + total / n


def fences(ordered: Floats, n: int, technique: int) -> tuple[float, float]:
    """Least and greatest value that the technique keeps; of fewer than three, all are kept."""
    if technique == 0 or n < LEAST_KEPT:
        return -math.inf, math.inf
    if technique == 1:
        low = percentile(ordered, n, 0.25)
        high = percentile(ordered, n, 0.75)
        reach = FENCE_IQR * (high - low)
        return low - reach, high + reach
    if technique == 2:
        return percentile(ordered, n, PERCENTILES[0]), percentile(ordered, n, PERCENTILES[1])
    centre = median(ordered, n)
    spread = median_deviation(ordered, n, centre)
    if spread == 0.0:
        about = centre if technique == 3 else mean_of(ordered, n)
        spread = mean_deviation(ordered, n, about)
    reach = MODIFIED_Z * spread / NORMAL_QUARTILE
    first = 0
    while centre - ordered[first] > reach:
        first += 1
    last = n - 1
    while ordered[last] - centre > reach:
        last -= 1
    return float(ordered[first]), float(ordered[last])


def skewness(ordered: Floats, first: int, last: int) -> tuple[float, bool]:
    """Moment coefficient g1 (ddof 0) of a range, and whether its values are constant.

    Distances from the least value are exact where the values are near each other; the mean is not.
    """
    count = last - first
    shift = ordered[first]
    centre = 0.0
    for i in range(first, last):
        centre += ordered[i] - shift
    centre /= count
    scale = max(centre, ordered[last - 1] - shift - centre)
    if scale == 0.0:
        return 0.0, True
    second = 0.0
    third = 0.0
    for i in range(first, last):
        y = (ordered[i] - shift - centre) / scale
        second += y * y
        third += y * y * y
    second /= count
    third /= count
    if math.sqrt(second) * scale <= CONSTANT * abs(shift + centre):
        return 0.0, True
    return third / (second * math.sqrt(second)), False


def kept_skewness(ordered: Floats, n: int, technique: int) -> tuple[float, bool]:
    """Skewness of what the technique keeps: NaN where it is undefined."""
    if ordered[n - 1] == math.inf:
        return (0.0, True) if ordered[0] == math.inf else (math.nan, False)
    low, high = fences(ordered, n, technique)
    first = 0
    while first < n and ordered[first] < low:
        first += 1
    last = n
    while last > first and ordered[last - 1] > high:
        last -= 1
    if last - first < LEAST_KEPT:
        return math.nan, False
    return skewness(ordered, first, last)


def stop(
    sample: Floats,
    techniques: NDArray[np.int64],
    limits: Floats,
    starts: NDArray[np.int64],
    caps: NDArray[np.int64],
    counts: NDArray[np.int64],
    met: NDArray[np.bool_],
) -> None:
    """At which n each of several skewness rules stops on one sample, and whether at its limit.

    Neighbours with one technique share its skewness.
    """
    rules = limits.size
    ordered = np.empty(sample.size)
    open_rules = rules
    counts[:] = 0
    for n in range(1, sample.size + 1):
        insert(ordered, n - 1, sample[n - 1])
        seen = -1
        value, constant = math.nan, False
        for r in range(rules):
            if counts[r] > 0 or n < starts[r]:
                continue
            if techniques[r] != seen:
                seen = techniques[r]
                value, constant = kept_skewness(ordered, n, seen)
            met[r] = constant or abs(value) <= limits[r]
            if met[r] or n >= caps[r]:
                counts[r] = n
                open_rules -= 1
        if open_rules == 0:
            return


def stop_all(
    samples: Floats,
    techniques: NDArray[np.int64],
    limits: Floats,
    starts: NDArray[np.int64],
    caps: NDArray[np.int64],
    counts: NDArray[np.int64],
    met: NDArray[np.bool_],
) -> None:
    """`stop` for every row of a matrix of samples."""
    for s in range(samples.shape[0]):
        stop(samples[s], techniques, limits, starts, caps, counts[s], met[s])


def fences_all(
    samples: Floats,
    counts: NDArray[np.int64],
    techniques: NDArray[np.int64],
    low: Floats,
    high: Floats,
) -> None:
    """Fences of the first ``counts[s, r]`` values of each sample, which is sorted once."""
    settings = techniques.size
    ordered = np.empty(samples.shape[1])
    wanted = np.zeros(samples.shape[1] + 1, dtype=np.bool_)
    for s in range(samples.shape[0]):
        wanted[:] = False
        for r in range(settings):
            wanted[counts[s, r]] = True
        for n in range(1, samples.shape[1] + 1):
            insert(ordered, n - 1, samples[s, n - 1])
            if wanted[n]:
                for r in range(settings):
                    if counts[s, r] == n:
                        low[s, r], high[s, r] = fences(ordered, n, techniques[r])
