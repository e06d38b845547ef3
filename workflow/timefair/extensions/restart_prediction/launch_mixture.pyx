# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True
# distutils: extra_compile_args = -ffp-contract=off
"""The law of a launch from sums over launches, compiled. See `statistics.law`.

Products and sums are rounded one by one (no contraction), so that the same sums give the same
numbers on every processor.
"""

import numpy as np

from libc.math cimport fmax, fmin


def mixed(
    const double[:, :, :, ::1] sums,
    const double[:, ::1] count,
    const double[::1] own,
    const double[::1] longest,
    double shortest,
):
    """Laws of the strata of each sample, drawn to the law of all strata.

    - `sums`, shape (3, samples, strata, cells): Successes, their cost, and the cost of all
      launches; a cell is a cutoff and a target.
    - `count`, shape (samples, strata): Number of launches.
    - `own`, shape (cells,): Intraclass correlation of successes.
    - `longest`, shape (cells,): The cutoff of each cell.
    - `shortest`: Least mean cost of a failure, as a share of its cutoff.

    Returns chance, cost, failure, shape (samples, strata, cells): NaN for a sample without a
    launch.
    """
    cdef Py_ssize_t sample, stratum, cell, of
    cdef Py_ssize_t strata = sums.shape[2], cells = sums.shape[3]
    cdef double number, every, share, chance, hit_cost, cost
    shape = (sums.shape[1], strata, cells)
    chances, costs, failures = np.empty(shape), np.empty(shape), np.empty(shape)
    cdef double[:, :, ::1] of_chance = chances, of_cost = costs, of_failure = failures
    cdef double[:, ::1] pooled = np.empty((3, cells))
    with nogil:
        for sample in range(sums.shape[1]):
            every = 0.0
            for stratum in range(strata):
                every += count[sample, stratum]
            pooled[:] = 0.0
            for of in range(3):
                for stratum in range(strata):
                    for cell in range(cells):
                        pooled[of, cell] += sums[of, sample, stratum, cell]
                for cell in range(cells):
                    pooled[of, cell] /= every
            for stratum in range(strata):
                number = count[sample, stratum]
                for cell in range(cells):
                    chance, hit_cost, cost = pooled[0, cell], pooled[1, cell], pooled[2, cell]
                    share = number * own[cell]
                    if share > 0.0:
                        share = share / (share + 1.0 - own[cell])
                        chance = drawn(sums[0, sample, stratum, cell] / number, chance, share)
                        hit_cost = drawn(sums[1, sample, stratum, cell] / number, hit_cost, share)
                        cost = drawn(sums[2, sample, stratum, cell] / number, cost, share)
                    of_chance[sample, stratum, cell] = 1.0 if chance > 1.0 else chance
                    of_cost[sample, stratum, cell] = cost
                    of_failure[sample, stratum, cell] = longest[cell]
                    if chance < 1.0:
                        of_failure[sample, stratum, cell] = fmin(
                            fmax((cost - hit_cost) / (1.0 - chance), shortest * longest[cell]),
                            longest[cell],
                        )
    return chances, costs, failures


cdef inline double drawn(double mean, double pooled, double share) noexcept nogil:
    return share * mean + (1.0 - share) * pooled
