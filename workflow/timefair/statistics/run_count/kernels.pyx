# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True
# distutils: extra_compile_args = -ffp-contract=off
"""The skewness rule, compiled: fences of an outlier filter, and skewness of the values it keeps.

A filter is given by the code of an `Outliers` member. Sums are computed from left to right, and
products and sums are rounded one by one (no contraction), so that a sample gives the same numbers
on every processor.
"""

import numpy as np

from libc.math cimport INFINITY, NAN, fabs, sqrt
from libc.stdint cimport int64_t

cpdef enum:
    LEAST_KEPT = 3
    NO_FILTER = -1

cdef double FENCE_IQR = 1.5
cdef double LOW_PERCENTILE = 0.025
cdef double HIGH_PERCENTILE = 0.975
cdef double NORMAL_QUARTILE = 0.6745
cdef double MODIFIED_Z = 3.5
cdef double CONSTANT = 1e-15  # standard deviation, relative to the mean, that is only rounding

cdef struct Fences:
    double low, high

cdef struct Skewness:
    double value
    bint constant


# -- from Python -----------------------------------------------------------------------------


def fences_all(
    const double[:, ::1] samples, const int64_t[:, ::1] counts, const int64_t[::1] techniques
):
    """Fences of the first ``counts[s, r]`` values, at least 1, of each sample, which is sorted once.

    `samples`, shape (samples, runs), are in the order of the runs; `inf` for a run without a finite
    value. `techniques`: the code of each setting's filter. Returns low, high, shape (samples,
    settings): NaN where differences of the values overflow, or an `inf` leaves them undefined.
    """
    cdef Py_ssize_t s, r, n, settings = techniques.shape[0], runs = samples.shape[1]
    low, high = np.empty((2, samples.shape[0], settings))
    cdef double[:, ::1] lows = low, highs = high
    cdef double[::1] ordered = np.empty(runs)
    cdef unsigned char[::1] wanted = np.empty(runs + 1, dtype=np.uint8)
    cdef Fences found
    with nogil:
        for s in range(samples.shape[0]):
            wanted[:] = 0
            for r in range(settings):
                wanted[counts[s, r]] = 1
            for n in range(1, runs + 1):
                insert(&ordered[0], n - 1, samples[s, n - 1])
                if not wanted[n]:
                    continue
                for r in range(settings):
                    if counts[s, r] == n:
                        found = fences_of(&ordered[0], n, <int>techniques[r])
                        lows[s, r] = found.low
                        highs[s, r] = found.high
    return low, high


def skewness(const double[:, ::1] ordered, int technique=NO_FILTER):
    """Moment coefficient g1 (ddof 0) of the values of sorted samples, shape (samples, n), that a
    filter keeps; by default all, which have to be finite.

    Returns value, constant, shape (samples,): 0 for constant values, also if they differ by rounding
    alone or, with a filter, are all `inf`; then NaN for fewer than three kept values, and with an
    `inf` among finite ones.
    """
    cdef Py_ssize_t s, n = ordered.shape[1]
    value = np.empty(ordered.shape[0])
    constant = np.empty(ordered.shape[0], dtype=np.bool_)
    cdef double[::1] values = value
    cdef unsigned char[::1] constants = constant.view(np.uint8)
    cdef Skewness found
    with nogil:
        for s in range(ordered.shape[0]):
            if technique == NO_FILTER:
                found = skewness_of(&ordered[s, 0], n)
            else:
                found = kept_skewness_of(&ordered[s, 0], n, technique)
            values[s] = found.value
            constants[s] = found.constant
    return value, constant


def stop_all(
    const double[:, ::1] samples,
    const int64_t[::1] techniques,
    const double[::1] limits,
    const int64_t[::1] starts,
    const int64_t[::1] caps,
):
    """The number of runs at which each of several skewness rules stops on each sample, and whether
    it was met, not only at its cap; shape (samples, rules). `samples` as for `fences_all`, at least
    as long as the caps. The skewness is computed once for consecutive rules with one filter.
    """
    cdef Py_ssize_t s, rules = limits.shape[0]
    counts = np.zeros((samples.shape[0], rules), dtype=np.int64)
    met = np.zeros((samples.shape[0], rules), dtype=np.bool_)
    cdef int64_t[:, ::1] stops = counts
    cdef unsigned char[:, ::1] reached = met.view(np.uint8)
    cdef double[::1] ordered = np.empty(samples.shape[1])
    with nogil:
        for s in range(samples.shape[0]):
            stop(
                &samples[s, 0], samples.shape[1], &ordered[0], rules, &techniques[0], &limits[0],
                &starts[0], &caps[0], &stops[s, 0], &reached[s, 0],
            )
    return counts, met


# -- a sample --------------------------------------------------------------------------------


cdef void stop(
    const double *sample, Py_ssize_t runs, double *ordered, Py_ssize_t rules,
    const int64_t *techniques, const double *limits, const int64_t *starts, const int64_t *caps,
    int64_t *counts, unsigned char *met,
) noexcept nogil:
    """Write the n of all rules to `counts`, which contains zeros at the beginning."""
    cdef Py_ssize_t n, r, going = rules
    cdef int64_t seen
    cdef Skewness found
    found.value, found.constant = NAN, False
    for n in range(1, runs + 1):
        insert(ordered, n - 1, sample[n - 1])
        seen = -1
        for r in range(rules):
            if counts[r] > 0 or n < starts[r]:
                continue
            if techniques[r] != seen:
                seen = techniques[r]
                found = kept_skewness_of(ordered, n, <int>seen)
            met[r] = found.constant or fabs(found.value) <= limits[r]
            if met[r] or n >= caps[r]:
                counts[r] = n
                going -= 1
        if going == 0:
            return


cdef inline void insert(double *ordered, Py_ssize_t n, double value) noexcept nogil:
    """Insert a value into the n sorted values before it, without a conditional branch."""
    cdef Py_ssize_t i
    cdef double here
    for i in range(n):
        here = ordered[i]
        ordered[i] = min(here, value)
        value = max(here, value)
    ordered[n] = value


cdef Skewness kept_skewness_of(
    const double *ordered, Py_ssize_t n, int technique
) noexcept nogil:
    cdef Py_ssize_t first = 0, last = n
    cdef Fences kept
    cdef Skewness found
    found.value, found.constant = NAN, False
    if n < LEAST_KEPT:
        return found
    if ordered[n - 1] == INFINITY:
        if ordered[0] == INFINITY:
            found.value, found.constant = 0.0, True
        return found
    kept = fences_of(ordered, n, technique)
    while first < n and ordered[first] < kept.low:
        first += 1
    while last > first and ordered[last - 1] > kept.high:
        last -= 1
    if last - first < LEAST_KEPT:
        return found
    return skewness_of(ordered + first, last - first)


cdef Skewness skewness_of(const double *ordered, Py_ssize_t count) noexcept nogil:
    """Skewness by distances from the least value, which are exact for values that are close."""
    cdef double shift = ordered[0], centre = 0.0, second = 0.0, third = 0.0, scale, y
    cdef Py_ssize_t i
    cdef Skewness found
    found.value, found.constant = 0.0, True
    for i in range(count):
        centre += ordered[i] - shift
    centre /= count
    scale = max(centre, ordered[count - 1] - shift - centre)
    if scale == 0.0:
        return found
    for i in range(count):
        y = (ordered[i] - shift - centre) / scale
        second += y * y
        third += y * y * y
    second /= count
    third /= count
    if sqrt(second) * scale <= CONSTANT * fabs(shift + centre):
        return found
    found.value, found.constant = third / (second * sqrt(second)), False
    return found


# -- filters ---------------------------------------------------------------------------------


cdef Fences fences_of(const double *ordered, Py_ssize_t n, int technique) noexcept nogil:
    cdef Py_ssize_t first = 0, last = n - 1
    cdef double centre, spread, reach
    cdef Fences found
    found.low, found.high = -INFINITY, INFINITY
    if technique == 0 or n < LEAST_KEPT:
        return found
    if technique == 1:
        found.low = percentile(ordered, n, 0.25)
        found.high = percentile(ordered, n, 0.75)
        reach = FENCE_IQR * (found.high - found.low)
        found.low -= reach
        found.high += reach
        return found
    if technique == 2:
        found.low = percentile(ordered, n, LOW_PERCENTILE)
        found.high = percentile(ordered, n, HIGH_PERCENTILE)
        return found
    centre = median(ordered, n)
    spread = median_deviation(ordered, n, centre)
    if spread == 0.0:
        spread = mean_deviation(ordered, n, centre if technique == 3 else mean(ordered, n))
    reach = MODIFIED_Z * spread / NORMAL_QUARTILE
    while centre - ordered[first] > reach:
        first += 1
    while ordered[last] - centre > reach:
        last -= 1
    found.low, found.high = ordered[first], ordered[last]
    return found


cdef inline double percentile(const double *ordered, Py_ssize_t n, double p) noexcept nogil:
    """The p-quantile with linear interpolation, numpy's default, with the same rounding."""
    cdef double place = p * (n - 1)
    cdef Py_ssize_t below = <Py_ssize_t>place
    cdef double share = place - below, step
    if below + 1 >= n:
        return ordered[n - 1]
    step = ordered[below + 1] - ordered[below]
    if share < 0.5:
        return ordered[below] + step * share
    return ordered[below + 1] - step * (1.0 - share)


cdef inline double median(const double *ordered, Py_ssize_t n) noexcept nogil:
    return 0.5 * (ordered[(n - 1) // 2] + ordered[n // 2])


cdef double median_deviation(const double *ordered, Py_ssize_t n, double centre) noexcept nogil:
    """Median of the distances to the centre, collected from the centre outwards."""
    cdef Py_ssize_t left, right = 0, i
    cdef double before = 0.0, latest = 0.0
    while right < n and ordered[right] < centre:
        right += 1
    left = right - 1
    for i in range(n // 2 + 1):
        before = latest
        if left < 0 or (right < n and ordered[right] - centre < centre - ordered[left]):
            latest = ordered[right] - centre
            right += 1
        else:
            latest = centre - ordered[left]
            left -= 1
    return latest if n % 2 == 1 else 0.5 * (before + latest)


cdef double mean_deviation(const double *ordered, Py_ssize_t n, double centre) noexcept nogil:
    cdef double total = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        total += fabs(ordered[i] - centre)
    return total / n


cdef double mean(const double *ordered, Py_ssize_t n) noexcept nogil:
    """The mean, which is exact if all values are equal."""
    cdef double shift = ordered[0], total = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        total += ordered[i] - shift
    return shift + total / n
