# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# distutils: extra_compile_args = -ffp-contract=off
"""Runs that begin one after the other, compiled: when they can begin, and when one has succeeded.

Products and sums are rounded one by one (no contraction), so that the numbers are the same on every
processor.
"""

import numpy as np


def begun_on_lattice(const Py_ssize_t[::1] steps, const double[::1] chances, Py_ssize_t size):
    """Expected number of runs that begin before each point of a lattice (a renewal equation).

    - `steps`, shape (failures,): Cost of each kind of failure in steps of the lattice, ascending
      and not negative.
    - `chances`, shape (failures,): Probability of each kind; the probability of a failure without
      cost is below 1.
    - `size`: Number of points of the lattice.

    Returns, shape (size + 1,): The sums of b(0), ..., b(n - 1), with the solution b of b(n) = [n =
    0] + sum of chance * b(n - step) over the kinds of failures.
    """
    cdef Py_ssize_t k, n, start, end, shortest, first = 0, kinds = steps.shape[0]
    cdef double again = 1.0, chance
    begun = np.zeros(size + 1)
    cdef double[::1] at = begun[1:]
    while first < kinds and steps[first] == 0:
        again -= chances[first]
        first += 1
    with nogil:
        at[0] = 1.0 / again
        shortest = steps[first] if first < kinds else size
        start = shortest
        while start < size:  # no point of a block depends on another one of it
            end = min(start + shortest, size)
            for k in range(first, kinds):
                if steps[k] >= end:
                    break
                chance = chances[k] / again
                for n in range(max(start, steps[k]), end):
                    at[n] += chance * at[n - steps[k]]
            start = end
        for n in range(1, size):
            at[n] += at[n - 1]
    return begun


def added(
    const double[::1] first,
    const double[::1] of_first,
    const double[::1] second,
    const double[::1] of_second,
    double limit,
    double slack,
    bint kept,
):
    """Sums of an item of one list and an item of another one, up to a limit.

    - `first`, `second`, shape (n,) and (m,): Ascending costs.
    - `of_first`, `of_second`, shape (n,) and (m,): Their weights.
    - `limit`: Larger sums are left out.
    - `slack`: Relative difference up to which two neighbouring sums count as equal.
    - `kept`: Whether the items of the first list are among the sums.

    Returns sums, weights, shape (sums,): Different sums, ascending, and the sum of the products of
    their weights.
    """
    cdef Py_ssize_t n = first.shape[0], m = second.shape[0], runs = 0, size = 0
    cdef Py_ssize_t i, j, k, one, other, end, last, place
    cdef Py_ssize_t most = n if kept else 0
    j = m
    for i in range(n):
        while j > 0 and first[i] + second[j - 1] > limit:
            j -= 1
        most += j
    results = np.empty((2, most)), np.empty((2, most))
    cdef double[:, ::1] of_one = results[0], of_other = results[1]
    cdef double *values = &of_one[0, 0] if most else NULL
    cdef double *weights = &of_one[1, 0] if most else NULL
    cdef double *merged = &of_other[0, 0] if most else NULL
    cdef double *merged_weights = &of_other[1, 0] if most else NULL
    cdef Py_ssize_t[::1] starts = np.empty(n + 2, dtype=np.intp)
    cdef double total
    cdef bint swapped = False
    with nogil:
        if kept:
            starts[0] = 0
            runs = 1
            for i in range(n):
                if first[i] > limit:
                    break
                values[size], weights[size] = first[i], of_first[i]
                size += 1
        for i in range(n):  # the sums of one item are in order
            if m == 0 or first[i] + second[0] > limit:
                break
            starts[runs] = size
            runs += 1
            for j in range(m):
                total = first[i] + second[j]
                if total > limit:
                    break
                values[size], weights[size] = total, of_first[i] * of_second[j]
                size += 1
        starts[runs] = size
        while runs > 1:  # two neighbours become one, in which equal sums stay in order
            for k in range(0, runs, 2):
                one = place = starts[k]
                other = end = starts[k + 1]
                last = starts[k + 2] if k + 1 < runs else end
                while one < end or other < last:
                    if other == last or (one < end and values[one] <= values[other]):
                        merged[place], merged_weights[place] = values[one], weights[one]
                        one += 1
                    else:
                        merged[place], merged_weights[place] = values[other], weights[other]
                        other += 1
                    place += 1
                starts[k // 2] = starts[k]
            runs = (runs + 1) // 2
            starts[runs] = size
            values, merged = merged, values
            weights, merged_weights = merged_weights, weights
            swapped = not swapped
        k = -1
        total = 0.0  # the previous sum
        for i in range(size):
            if k < 0 or values[i] - total > slack * values[i]:
                k += 1
                total = values[k] = values[i]
                weights[k] = weights[i]
            else:
                total = values[i]
                weights[k] += weights[i]
    sums, of_sums = results[swapped]
    return sums[: k + 1], of_sums[: k + 1]


def first_reaching(
    const double[::1] sums,
    const double[::1] begun,
    const double[::1] successes,
    double wanted,
    double limit,
    double slack,
):
    """The smallest cost up to which some expected number of successes ends, but at most the limit.

    The number has a step at each sum plus the cost of each success. Bisection ends if a single step
    is left, or steps that differ only by rounding.

    - `sums`, shape (sums,): Costs at which runs can begin, ascending.
    - `begun`, shape (sums + 1,): Expected number of runs that begin before each of them, and of all
      of them.
    - `successes`, shape (successes,): Cost of each success from the beginning of its run.
    - `wanted`: The number of successes.
    - `limit`: The largest cost.
    - `slack`: Relative difference of two costs that counts as rounding.
    """
    cdef Py_ssize_t k, steps, count = successes.shape[0]
    cdef Py_ssize_t[::1] before = np.zeros(count, dtype=np.intp), by = np.empty(count, dtype=np.intp)
    cdef Py_ssize_t[::1] middle = np.empty(count, dtype=np.intp)
    cdef double low = 0.0, high = limit, point, cost = 0.0
    if ended(sums, begun, successes, limit * (1.0 + slack), by) < wanted:
        return limit
    while high - low > slack * limit:
        steps = 0
        for k in range(count):
            steps += by[k] - before[k]
        if steps <= 1:
            break
        point = (low + high) / 2
        if ended(sums, begun, successes, point * (1.0 + slack), middle) >= wanted:
            high = point
            by[:] = middle
        else:
            low = point
            before[:] = middle
    for k in range(count):
        if by[k] > 0:
            cost = max(cost, sums[by[k] - 1] + successes[k])
    return cost


cdef double ended(
    const double[::1] sums,
    const double[::1] begun,
    const double[::1] successes,
    double point,
    Py_ssize_t[::1] possible,
) noexcept nogil:
    """Expected number of successes that end up to a point; `possible`: the sums before each."""
    cdef Py_ssize_t k, low, high, middle
    cdef double number = 0.0
    for k in range(successes.shape[0]):
        low, high = 0, sums.shape[0]
        while low < high:
            middle = (low + high) // 2
            if sums[middle] <= point - successes[k]:
                low = middle + 1
            else:
                high = middle
        possible[k] = low
        number += begun[low]
    return number
