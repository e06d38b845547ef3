# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True
"""The functions of CEC2010 at one point, compiled: an evaluation needs no interpreter.

All twenty have one formula: ``factor * sum(grouped(z of a group)) + rest(z of no group)``, where z
is x minus the optimum, with the variables in the order of the groups. `grouped` and `rest` are
basic functions, which are 0 only at z = 0.
"""

import numpy as np

from libc.math cimport M_E, M_PI, cos, expm1, sqrt
from libc.stdint cimport uintptr_t

ctypedef double (*basic_t)(const double *z, Py_ssize_t n, const double *weights) noexcept nogil


cpdef enum Basic:
    """The basic functions of section 2 of the report, with the optimum at 0."""
    SPHERE = 0
    ELLIPTIC = 1
    RASTRIGIN = 2
    ACKLEY = 3
    SCHWEFEL = 4
    ROSENBROCK = 5


cdef double sphere(const double *z, Py_ssize_t n, const double *weights) noexcept nogil:
    cdef double total = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        total += z[i] * z[i]
    return total


cdef double elliptic(const double *z, Py_ssize_t n, const double *weights) noexcept nogil:
    cdef double total = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        total += weights[i] * z[i] * z[i]
    return total


cdef double rastrigin(const double *z, Py_ssize_t n, const double *weights) noexcept nogil:
    cdef double total = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        total += z[i] * z[i] + 10.0 * (1.0 - cos(2.0 * M_PI * z[i]))
    return total


cdef double ackley(const double *z, Py_ssize_t n, const double *weights) noexcept nogil:
    """20 - 20 exp(a) + e - exp(b), by expm1, because the terms cancel near the optimum."""
    cdef double squares = 0.0, cosines = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        squares += z[i] * z[i]
        cosines += cos(2.0 * M_PI * z[i])
    return -20.0 * expm1(-0.2 * sqrt(squares / n)) - M_E * expm1(cosines / n - 1.0)


cdef double schwefel(const double *z, Py_ssize_t n, const double *weights) noexcept nogil:
    """Schwefel's problem 1.2: the sum of the squares of the partial sums."""
    cdef double total = 0.0, partial = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        partial += z[i]
        total += partial * partial
    return total


cdef double rosenbrock(const double *z, Py_ssize_t n, const double *weights) noexcept nogil:
    """Rosenbrock's function of z + 1, whose optimum is at 1 in each variable."""
    cdef double total = 0.0, valley
    cdef Py_ssize_t i
    for i in range(n - 1):
        valley = (z[i] + 1.0) * (z[i] + 1.0) - (z[i + 1] + 1.0)
        total += 100.0 * valley * valley + z[i] * z[i]
    return total


cdef basic_t[6] FUNCTIONS
FUNCTIONS[:] = [sphere, elliptic, rastrigin, ackley, schwefel, rosenbrock]


cdef struct Parts:
    Py_ssize_t dimension, groups, group_size
    double factor
    basic_t grouped, rest
    const Py_ssize_t *order  # of the variables: group after group, then those of no group
    const double *optimum  # in this order
    const double *rotation  # group_size x group_size by rows; NULL: the groups are not rotated
    const double *group_weights
    const double *rest_weights
    double *z
    double *rotated


cdef const double *rotate(Parts *parts, const double *z) noexcept nogil:
    """The row vector of a group times the rotation."""
    cdef Py_ssize_t i, j, m = parts.group_size
    if parts.rotation == NULL:
        return z
    for j in range(m):
        parts.rotated[j] = 0.0
    for i in range(m):
        for j in range(m):
            parts.rotated[j] += z[i] * parts.rotation[i * m + j]
    return parts.rotated


cdef void evaluate(void *handle, const double *x, double *y) noexcept nogil:
    cdef Parts *parts = <Parts *>handle
    cdef Py_ssize_t i, m = parts.group_size, left = parts.groups * m
    cdef double total = 0.0
    for i in range(parts.dimension):
        parts.z[i] = x[parts.order[i]] - parts.optimum[i]
    for i in range(parts.groups):
        total += parts.grouped(rotate(parts, parts.z + i * m), m, parts.group_weights)
    total *= parts.factor
    if left < parts.dimension:
        total += parts.rest(parts.z + left, parts.dimension - left, parts.rest_weights)
    y[0] = total


cdef class Evaluation:
    """One function with its data; two threads must not use it at once, as it has one work space.

    - `grouped`, `rest`: The basic functions of each group and of the variables in no group.
    - `groups`, `group_size`: Number of groups, and number of variables in each group.
    - `factor`: Factor of the sum over the groups.
    - `optimum`: Shape ``(dimension,)``.
    - `order`: A permutation of the variables, shape ``(dimension,)``; the first ones are in the
      groups.
    - `rotation`: Orthogonal, shape ``(group_size, group_size)``; every group is rotated by it.
    """

    cdef Parts parts
    cdef tuple keep

    def __init__(
        self, Basic grouped, Basic rest, *, Py_ssize_t groups, Py_ssize_t group_size,
        double factor, optimum, order, rotation=None,
    ):
        cdef Py_ssize_t dimension = len(optimum)
        cdef const Py_ssize_t[::1] variables = np.array(order, dtype=np.intp)
        cdef const double[::1] shift = np.asarray(optimum, dtype=np.float64)[order]
        cdef const double[:, ::1] matrix = rotation
        cdef const double[::1] group_weights = elliptic_weights(group_size)
        cdef const double[::1] rest_weights = elliptic_weights(dimension - groups * group_size)
        cdef double[::1] z = np.empty(dimension), rotated = np.empty(group_size)
        self.keep = (variables, shift, matrix, group_weights, rest_weights, z, rotated)
        self.parts = Parts(
            dimension=dimension, groups=groups, group_size=group_size, factor=factor,
            grouped=FUNCTIONS[<int>grouped], rest=FUNCTIONS[<int>rest],
            order=&variables[0], optimum=&shift[0],
            rotation=NULL, group_weights=&group_weights[0], rest_weights=&rest_weights[0],
            z=&z[0], rotated=&rotated[0],
        )
        if rotation is not None:
            self.parts.rotation = &matrix[0, 0]

    @property
    def c_function(self):
        """``(function, handle)``: addresses, for `timefair.problems.base.Native`."""
        return <uintptr_t>&evaluate, <uintptr_t>&self.parts

    def __call__(self, x, /):
        cdef double y
        array = np.ascontiguousarray(x, dtype=np.float64)
        if array.shape != (self.parts.dimension,):
            raise ValueError(
                f"the problem takes an array of shape ({self.parts.dimension},), not {np.shape(x)}"
            )
        cdef const double[::1] point = array
        evaluate(&self.parts, &point[0], &y)
        return y


def elliptic_weights(n):
    """The weights of the elliptic function, from 1 to 1e6 in equal ratios, shape ``(n,)``."""
    return 1e6 ** (np.arange(n) / max(n - 1, 1))
