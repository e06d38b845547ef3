# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True
# distutils: extra_compile_args = -ffp-contract=off
"""The offline verdict, compiled: do n runs give the mean that all runs give?

The difference d of two bootstrapped means (of `draws` values each, one from the kept values of the
first n runs, one from those of the truth) has moments in closed form. A Cornish-Fisher expansion of
its quantiles decides all cases that are not close. Close cases are resampled: an interval contains
0 if and only if enough resamples are on both sides of 0, so resamples are counted and not sorted.

Sums are computed in a fixed order, and products and sums are rounded one by one (no contraction),
so that the same seeds give the same verdicts on every processor.
"""

import numpy as np

from libc.math cimport INFINITY, M_PI, ceil, erfc, exp, fabs, hypot, isinf, sqrt
from libc.stdint cimport int64_t, uint64_t

cpdef enum:
    TUPLES = 4096

cdef double ROUNDING = 1e-15

cdef struct KeptMoments:
    Py_ssize_t size
    double mean  # inf if any value, kept or not, is inf
    double deviation
    double skewness  # dimensionless, so that no value is too small or too great for it
    double kurtosis  # excess kurtosis; it and the skewness are 0 for constant values

cdef struct Difference:
    double mean, deviation, skewness, kurtosis

cdef struct Tuples:
    const double *sums  # of all ordered tuples: drawing one of them is `length` draws
    Py_ssize_t size, length


# -- from Python -----------------------------------------------------------------------------


cdef class Cases:
    """The cases to judge: the first ``counts[s, r]`` values of sample s, if within the fences.

    - `samples`, shape (samples, runs): Values in the order of the runs; `inf` for a run without a
      finite value.
    - `counts`, shape (samples, settings): From 1 to runs.
    - `techniques`, shape (settings,): For each setting, the column of the truth's fences with which
      it is judged.
    - `low`, `high`, shape (samples, settings): The fences.
    """

    cdef const double[:, ::1] samples, low, high
    cdef const int64_t[:, ::1] counts
    cdef const int64_t[::1] techniques

    def __init__(self, samples, counts, techniques, low, high):
        self.samples, self.counts, self.techniques = samples, counts, techniques
        self.low, self.high = low, high


cdef class Truth:
    """The samples against which the cases are judged.

    - `samples`, shape (samples, runs)
    - `low`, `high`, shape (samples, techniques): The fences of these samples.
    - `nested`: Whether these are the same samples as those of the cases.
    """

    cdef const double[:, ::1] samples, low, high
    cdef bint nested

    def __init__(self, samples, low, high, bint nested):
        self.samples, self.low, self.high, self.nested = samples, low, high, nested


cdef class Plan:
    """How the cases are judged.

    - `draws`: Number of values of each bootstrapped mean.
    - `resamples`: Number of resamples of each repetition; 0: every case is decided in closed form.
    - `seeds`, shape (samples, repetitions)
    - `normal`, shape (2 * resamples + 1,): Normal quantiles of ``i / (2 * resamples)``.
    - `z`: Normal quantile of the interval.
    - `margin`: A case is clear if 0 is further than this from both limits, in standard deviations.
    - `bands`, shape (bands,): Errors relative to the absolute mean of the kept true values, in
      ascending order.
    """

    cdef Py_ssize_t draws, resamples
    cdef const uint64_t[:, ::1] seeds
    cdef const double[::1] normal, bands
    cdef double z, margin

    def __init__(
        self, Py_ssize_t draws, Py_ssize_t resamples, seeds, normal, double z, double margin, bands
    ):
        self.draws, self.resamples, self.seeds, self.normal = draws, resamples, seeds, normal
        self.z, self.margin, self.bands = z, margin, bands


def judge(Cases cases, Truth truth, Plan plan):
    """Verdicts of all cases, averaged over the repetitions.

    Returns accurate, shape (samples, settings): 1 for an accurate estimate, 0 for any other.
    Returns within, shape (samples, settings, bands): 1 for an accurate estimate; otherwise, the
    share of the resamples within the band. Raises OverflowError if differences between the values
    overflow, so that a filter keeps none of them.
    """
    cdef Py_ssize_t s = 0, samples = cases.samples.shape[0], settings = cases.counts.shape[1]
    cdef Workspace work = Workspace(max(cases.samples.shape[1], truth.samples.shape[1]), plan)
    accurate = np.empty((samples, settings))
    within = np.empty((samples, settings, plan.bands.shape[0]))
    cdef double[:, ::1] verdicts = accurate
    cdef double[:, :, ::1] shares = within
    with nogil:
        while s < samples and judge_sample(
            s, cases, truth, plan, work, &verdicts[s, 0], &shares[s, 0, 0]
        ):
            s += 1
    if s < samples:
        raise OverflowError(f"sample {s}: differences between its values overflow")
    return accurate, within


def tuple_sums(const double[::1] values, Py_ssize_t draws, Py_ssize_t room):
    """Sums of all ordered tuples of values, from which `judge` draws.

    - `values`, shape (n,)
    - `draws`: Greatest length of a tuple.
    - `room`: Greatest number of sums, at least 1.

    Returns sums, shape (n**length,):
    Returns length: The greatest length that `draws` and `room` allow.
    """
    cdef double[::1] sums = np.empty(room)
    cdef Tuples tuples = tabulate(&values[0], values.shape[0], draws, room, &sums[0])
    return np.asarray(sums)[: tuples.size], tuples.length


def resampled_means(
    const double[::1] values, Py_ssize_t draws, Py_ssize_t resamples, uint64_t seed
):
    """Means of values drawn with replacement, as `judge` draws them.

    - `values`, shape (n,)
    - `draws`: Number of values of each mean.
    - `resamples`: Number of means.
    - `seed`: From 0 to 2**64 - 1.

    Returns: shape (resamples,)

    The random words come from splitmix64 and are used in halves of 32 bits, so that no tuple is
    favoured by more than ``size / 2**32``.
    """
    cdef Py_ssize_t n = values.shape[0], room = room_for(n)
    cdef double[::1] sums = np.empty(room)
    means = np.empty(resamples)
    cdef double[::1] drawn = means
    cdef Tuples tuples = tabulate(&values[0], n, draws, room, &sums[0])
    draw_means(&values[0], n, tuples, draws, seed, resamples, &drawn[0])
    return means


# -- a sample --------------------------------------------------------------------------------


cdef class Workspace:
    """Memory that all cases share; `true_means` has one row per repetition."""

    cdef double[::1] kept, true_kept, sums, estimates
    cdef double[:, ::1] true_means

    def __init__(self, Py_ssize_t width, Plan plan):
        self.kept, self.true_kept = np.empty(width), np.empty(width)
        self.sums = np.empty(room_for(width))
        self.estimates = np.empty(plan.resamples)
        self.true_means = np.empty((plan.seeds.shape[1], plan.resamples))


cdef inline Py_ssize_t room_for(Py_ssize_t width) noexcept nogil:
    """Maximal number of sums of tuples: pairs always fit, and all sums fit in a cache."""
    return max(width * width, TUPLES)


cdef bint judge_sample(
    Py_ssize_t s, Cases cases, Truth truth, Plan plan, Workspace work, double *accurate,
    double *within,
) noexcept nogil:
    """Verdicts of all settings of one sample; False if no value is kept.

    The settings of a technique are judged one after the other, and share the truth.
    """
    cdef const int64_t *counts = &cases.counts[s, 0]
    cdef const int64_t *techniques = &cases.techniques[0]
    cdef Py_ssize_t runs = truth.samples.shape[1], bands = plan.bands.shape[0]
    cdef Py_ssize_t technique, r, twin, k
    cdef KeptMoments part, whole
    cdef Difference d
    cdef double *shares
    cdef bint known, drawn
    whole = KeptMoments(0, 0.0, 0.0, 0.0, 0.0)
    for technique in range(truth.low.shape[1]):
        known = drawn = False
        for r in range(cases.counts.shape[1]):
            if techniques[r] != technique:
                continue
            shares = within + r * bands
            twin = twin_of(counts, techniques, r)
            if twin < r:
                accurate[r] = accurate[twin]
                for k in range(bands):
                    shares[k] = within[twin * bands + k]
                continue
            if truth.nested and counts[r] == runs:
                accurate[r] = 1.0
                fill(shares, bands, 1.0)
                continue
            if not known:
                whole = keep(
                    &truth.samples[s, 0], runs, truth.low[s, technique],
                    truth.high[s, technique], &work.true_kept[0],
                )
                known = True
            part = keep(
                &cases.samples[s, 0], counts[r], cases.low[s, r], cases.high[s, r], &work.kept[0]
            )
            if lacks_values(part) or lacks_values(whole):
                return False
            d = difference_of(part, whole, plan.draws)
            accurate[r] = judge_clear(part, whole, d, plan, shares)
            if accurate[r] < 0.0:
                if not drawn:
                    draw_truth(s, whole.size, plan, work)
                    drawn = True
                accurate[r] = judge_close(s, counts[r], part, whole, d, plan, work, shares)
    return True


cdef Py_ssize_t twin_of(
    const int64_t *counts, const int64_t *techniques, Py_ssize_t r
) noexcept nogil:
    """The first setting with the same technique and n, which therefore has the same verdict."""
    cdef Py_ssize_t earlier
    for earlier in range(r):
        if counts[earlier] == counts[r] and techniques[earlier] == techniques[r]:
            return earlier
    return r


cdef inline void fill(double *values, Py_ssize_t n, double value) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        values[i] = value


# -- moments ---------------------------------------------------------------------------------


cdef KeptMoments keep(
    const double *sample, Py_ssize_t n, double low, double high, double *kept
) noexcept nogil:
    """Collect the kept values among the first n, and compute their moments."""
    cdef Py_ssize_t count = 0, i
    cdef double total = 0.0, least = INFINITY, greatest = -INFINITY
    cdef double second = 0.0, third = 0.0, fourth = 0.0, value, mean, scale, y, square, root
    for i in range(n):
        value = sample[i]
        if value == INFINITY:
            return KeptMoments(0, INFINITY, 0.0, 0.0, 0.0)
        if low <= value <= high:
            kept[count] = value
            count += 1
            total += value - kept[0]
            least = min(least, value)
            greatest = max(greatest, value)
    if count == 0:
        return KeptMoments(0, 0.0, 0.0, 0.0, 0.0)
    mean = kept[0] + total / count
    scale = max(mean - least, greatest - mean)
    if scale == 0.0:
        return KeptMoments(count, mean, 0.0, 0.0, 0.0)
    for i in range(count):
        y = (kept[i] - mean) / scale
        square = y * y
        second += square
        third += square * y
        fourth += square * square
    second /= count
    root = sqrt(second)
    return KeptMoments(
        count,
        mean,
        scale * root,
        third / (count * second * root),
        fourth / (count * second * second) - 3.0,
    )


cdef inline bint lacks_values(KeptMoments moments) noexcept nogil:
    return moments.size == 0 and moments.mean != INFINITY


cdef Difference difference_of(
    KeptMoments estimate, KeptMoments truth, Py_ssize_t draws
) noexcept nogil:
    """The difference of two bootstrapped means, estimate minus truth."""
    cdef double mean = estimate.mean - truth.mean
    cdef double deviation = hypot(estimate.deviation, truth.deviation), a, b
    if deviation <= ROUNDING * fabs(truth.mean):
        return Difference(mean, 0.0, 0.0, 0.0)
    a = estimate.deviation / deviation
    b = truth.deviation / deviation
    return Difference(
        mean,
        deviation / sqrt(draws),
        (a * (a * a) * estimate.skewness - b * (b * b) * truth.skewness) / sqrt(draws),
        ((a * a) * (a * a) * estimate.kurtosis + (b * b) * (b * b) * truth.kurtosis) / draws,
    )


# -- closed form -----------------------------------------------------------------------------


cdef double judge_clear(
    KeptMoments estimate, KeptMoments truth, Difference d, Plan plan, double *within
) noexcept nogil:
    """The verdict in closed form: 1 for accurate, 0 for not, or -1 for a case that is too close."""
    cdef Py_ssize_t k, bands = plan.bands.shape[0]
    cdef double scale = fabs(truth.mean), deeper, share = 0.0
    cdef bint agree
    if isinf(estimate.mean) or isinf(truth.mean):
        agree = estimate.mean == truth.mean
        fill(within, bands, agree)
        return agree
    if d.deviation == 0.0:
        for k in range(bands):
            within[k] = fabs(d.mean) <= plan.bands[k] * scale
        return fabs(d.mean) <= ROUNDING * scale
    deeper = depth(d, plan.z)
    if plan.resamples > 0 and fabs(deeper) <= plan.margin:
        return -1.0
    if deeper >= 0.0:
        fill(within, bands, 1.0)
        return 1.0
    for k in range(bands):  # an expansion may fall in its tails, but a share cannot
        share = max(share, expected_share(d, plan.bands[k] * scale))
        within[k] = share
    return 0.0


cdef double depth(Difference d, double z) noexcept nogil:
    """Distance of 0 from the nearer limit of the percentile or the BCa interval.

    It is the greater of the two distances, in standard deviations; it is negative if 0 is outside.
    Bias and acceleration are both a sixth of the skewness of the difference.
    """
    cdef double zero = -d.mean / d.deviation, sixth = d.skewness / 6.0
    cdef double low = cornish_fisher(accelerated(-z, sixth, sixth), d)
    cdef double high = cornish_fisher(accelerated(z, sixth, sixth), d)
    return max(
        min(zero - cornish_fisher(-z, d), cornish_fisher(z, d) - zero),
        min(zero - low, high - zero),
    )


cdef inline double cornish_fisher(double z, Difference d) noexcept nogil:
    """Standardized quantile of the difference at the level at which the normal quantile is z."""
    cdef double g = d.skewness
    return (
        z
        + g * (z * z - 1.0) / 6.0
        + d.kurtosis * (z * z * z - 3.0 * z) / 24.0
        - g * g * (2.0 * z * z * z - 5.0 * z) / 36.0
    )


cdef inline double accelerated(double z, double bias, double acceleration) noexcept nogil:
    """Normal quantile that BCa uses instead of z."""
    cdef double shifted = bias + z
    return bias + shifted / (1.0 - acceleration * shifted)


cdef double expected_share(Difference d, double reach) noexcept nogil:
    """Probability of a difference of at most `reach` in absolute value."""
    cdef double high = edgeworth((reach - d.mean) / d.deviation, d)
    return max(high - edgeworth((-reach - d.mean) / d.deviation, d), 0.0)


cdef double edgeworth(double x, Difference d) noexcept nogil:
    """Distribution function of the standardized difference."""
    cdef double density = exp(-0.5 * x * x) / sqrt(2.0 * M_PI), square = x * x
    cdef double correction = (
        d.skewness * (square - 1.0) / 6.0
        + d.kurtosis * x * (square - 3.0) / 24.0
        + d.skewness * d.skewness * x * (square * square - 10.0 * square + 15.0) / 72.0
    )
    return min(max(normal_cdf(x) - density * correction, 0.0), 1.0)


cdef inline double normal_cdf(double x) noexcept nogil:
    return 0.5 * erfc(-x / sqrt(2.0))


# -- resampling ------------------------------------------------------------------------------


cdef double judge_close(
    Py_ssize_t s, int64_t n, KeptMoments estimate, KeptMoments truth, Difference d, Plan plan,
    Workspace work, double *within,
) noexcept nogil:
    """The verdict of a close case, averaged over the repetitions."""
    cdef Py_ssize_t k, repetitions = plan.seeds.shape[1], bands = plan.bands.shape[0]
    cdef double *kept = &work.kept[0]
    cdef double *estimates = &work.estimates[0]
    cdef double total = 0.0
    cdef Tuples tuples = tabulate(
        kept, estimate.size, plan.draws, work.sums.shape[0], &work.sums[0]
    )
    cdef uint64_t seed
    fill(within, bands, 0.0)
    for k in range(repetitions):
        seed = plan.seeds[s, k] + <uint64_t>n * <uint64_t>0xD1B54A32D192ED03
        draw_means(kept, estimate.size, tuples, plan.draws, seed, plan.resamples, estimates)
        total += judge_resamples(
            estimates, &work.true_means[k, 0], d, fabs(truth.mean), plan, within
        )
    for k in range(bands):
        within[k] /= repetitions
    return total / repetitions


cdef double judge_resamples(
    double *estimates, const double *truths, Difference d, double scale, Plan plan, double *within
) noexcept nogil:
    """The verdict of one repetition, 1 or 0; the shares of its bands are added to `within`.

    `estimates` are replaced by the differences.
    """
    cdef Py_ssize_t b, k, resamples = plan.resamples
    cdef double reach
    cdef int64_t inside
    for b in range(resamples):
        estimates[b] -= truths[b]
    if is_accurate(estimates, d, plan):
        for k in range(plan.bands.shape[0]):
            within[k] += 1.0
        return 1.0
    for k in range(plan.bands.shape[0]):
        reach = plan.bands[k] * scale
        inside = 0
        for b in range(resamples):
            inside += fabs(estimates[b]) <= reach
        within[k] += <double>inside / resamples
    return 0.0


cdef bint is_accurate(const double *differences, Difference d, Plan plan) noexcept nogil:
    """Whether the percentile interval or the BCa interval of the resamples contains 0."""
    cdef Py_ssize_t b, resamples = plan.resamples
    cdef int64_t below = 0, upto = 0, middle = 0
    cdef double z = plan.z, bias, acceleration
    for b in range(resamples):
        below += differences[b] < 0.0
        upto += differences[b] <= 0.0
        middle += (differences[b] < d.mean) + (differences[b] <= d.mean)
    if encloses(below, upto, resamples, normal_cdf(-z), normal_cdf(z)):
        return True
    bias = plan.normal[middle]
    if isinf(bias):
        return False
    acceleration = d.skewness / 6.0
    return encloses(
        below, upto, resamples,
        normal_cdf(accelerated(-z, bias, acceleration)),
        normal_cdf(accelerated(z, bias, acceleration)),
    )


cdef inline bint encloses(
    int64_t below, int64_t upto, Py_ssize_t resamples, double low, double high
) noexcept nogil:
    """Whether 0 is between the order statistics at two levels.

    `below` and `upto` count the resamples below 0 and those at most 0.
    """
    cdef double first = max(ceil(resamples * low - 1e-9), 1.0)
    cdef double last = max(ceil(resamples * high - 1e-9), 1.0)
    return upto >= first and below < last


cdef void draw_truth(Py_ssize_t s, Py_ssize_t size, Plan plan, Workspace work) noexcept nogil:
    """Resampled means of the truth, for all settings of a sample."""
    cdef double *kept = &work.true_kept[0]
    cdef Tuples tuples = tabulate(kept, size, plan.draws, work.sums.shape[0], &work.sums[0])
    cdef Py_ssize_t k
    for k in range(plan.seeds.shape[1]):
        draw_means(
            kept, size, tuples, plan.draws, mixed(plan.seeds[s, k]), plan.resamples,
            &work.true_means[k, 0],
        )


cdef Tuples tabulate(
    const double *kept, Py_ssize_t count, Py_ssize_t draws, Py_ssize_t room, double *sums
) noexcept nogil:
    """Write the sums of the longest tuples of at most `draws` values that fit in `sums`."""
    cdef Py_ssize_t size = 1, length = 0, i, j
    cdef double shorter
    sums[0] = 0.0
    while length < draws and size * count <= room:
        for i in range(size - 1, -1, -1):
            shorter = sums[i]
            for j in range(count):
                sums[i * count + j] = shorter + kept[j]
        size *= count
        length += 1
    return Tuples(sums, size, length)


cdef void draw_means(
    const double *kept, Py_ssize_t count, Tuples tuples, Py_ssize_t draws, uint64_t seed,
    Py_ssize_t resamples, double *means,
) noexcept nogil:
    """Fill `means` with means of values drawn with replacement."""
    cdef Py_ssize_t b, i
    cdef Py_ssize_t pairs = draws // (2 * tuples.length), rest = draws % (2 * tuples.length)
    cdef uint64_t state = seed, word, mask = 0xFFFFFFFF
    cdef uint64_t sizes = tuples.size, values = count
    cdef double total
    for b in range(resamples):
        total = 0.0
        for i in range(pairs):
            state += <uint64_t>0x9E3779B97F4A7C15
            word = mixed(state)
            total += tuples.sums[((word & mask) * sizes) >> 32]
            total += tuples.sums[((word >> 32) * sizes) >> 32]
        for i in range(rest):
            state += <uint64_t>0x9E3779B97F4A7C15
            total += kept[((mixed(state) >> 32) * values) >> 32]
        means[b] = total / draws


cdef inline uint64_t mixed(uint64_t state) noexcept nogil:
    """The output function of splitmix64."""
    cdef uint64_t word = (state ^ (state >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    word = (word ^ (word >> 27)) * <uint64_t>0x94D049BB133111EB
    return word ^ (word >> 31)
