# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# distutils: extra_compile_args = -ffp-contract=off
"""Expected number of runs that begin at each point of a lattice, compiled (a renewal equation).

Products and sums are rounded one by one (no contraction), so that the numbers are the same on every
processor.
"""

import numpy as np


def renewals(const Py_ssize_t[::1] steps, const double[::1] chances, Py_ssize_t size):
    """Expected number of runs that begin at each point, if each failure costs whole steps.

    Parameters
    ----------
    steps : ndarray of int, shape (failures,)
        Cost of each kind of failure in steps of the lattice, ascending and not negative.
    chances : ndarray of float, shape (failures,)
        Probability of each kind; the probability of a failure without cost is below 1.
    size : int
        Number of points of the lattice.

    Returns
    -------
    ndarray, shape (size,)
        The solution of b(n) = [n = 0] + sum of chance * b(n - step) over the kinds of failures.
    """
    cdef Py_ssize_t k, n, start, end, shortest, first = 0, kinds = steps.shape[0]
    cdef double again = 1.0, chance
    begun = np.zeros(size)
    cdef double[::1] at = begun
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
    return begun
