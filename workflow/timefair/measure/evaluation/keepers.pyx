# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Decide which vectors of a run are recorded, if an evaluation gives several numbers.

There is one class per rule of `timefair.problems.base.Keep`. A keeper only knows the vectors that
it has kept; a run that continues in a new process gives them to its keeper again.
"""

import numpy as np

cimport cython
cimport numpy as cnp
from libc.math cimport INFINITY, isfinite, isnan
from libc.stdlib cimport free, realloc
from libc.string cimport memmove

from timefair.records.thinning import VECTOR_THINNING

cnp.import_array()


cdef class Keeper:
    """Decides which vectors of one run are kept.

    - `numbers`: The length of a vector.
    - `value`: The value of the last vector for an algorithm with one objective: with ``improving``,
      the measured value. `inf` if there is none, as with two objectives or with changes.
    """

    def __cinit__(self, Py_ssize_t numbers, *_):
        self.numbers = numbers
        self.value = INFINITY

    cdef bint keep(self, const double *vector) noexcept:
        """Whether this vector is kept. Sets `value`."""
        return False

    def keeps(self, vector):
        """Whether this vector is kept; `vector` is array-like of shape ``(numbers,)``."""
        cdef cnp.ndarray array = np.ascontiguousarray(vector, dtype=np.float64)
        if array.size != self.numbers:
            raise ValueError(f"a vector has {self.numbers} numbers, not {array.size}")
        return self.keep(<const double *>cnp.PyArray_DATA(array))

    cdef bint is_finite(self, const double *vector) noexcept:
        cdef Py_ssize_t i
        for i in range(self.numbers):
            if not isfinite(vector[i]):
                return False
        return True


cdef struct Pair:
    double first
    double second


@cython.final
cdef class Nondominated(Keeper):
    """The rule ``nondominated``: a sorted front of pairs.

    - `numbers`: Length of a vector, which has to be 2.
    - `widths`: Unit of each objective for the tolerance of the thinning.
    """

    cdef Pair *front  # the first numbers rise, the second ones fall
    cdef Py_ssize_t size, room, kept, next_step
    cdef Pair width, tolerance
    cdef object thinning

    def __init__(self, numbers, widths, thinning=VECTOR_THINNING):
        if numbers != 2:
            raise ValueError(f"two objectives, not {numbers}")
        self.width.first, self.width.second = widths
        self.thinning = thinning
        self.next_step = thinning.free

    def __dealloc__(self):
        free(self.front)

    cdef bint keep(self, const double *vector) noexcept:
        cdef Py_ssize_t begin, end
        if not self.is_finite(vector):
            return False
        end = self.count_up_to(vector[0] + self.tolerance.first)
        if end and self.front[end - 1].second <= vector[1] + self.tolerance.second:
            return False
        begin = self.count_below(vector[0])
        end = begin
        while end < self.size and self.front[end].second >= vector[1]:
            end += 1
        return self.replace(begin, end, vector)

    cdef bint replace(self, Py_ssize_t begin, Py_ssize_t end, const double *vector) noexcept:
        """Replace the vectors that the vector dominates, ``front[begin:end]``, by this vector."""
        cdef Pair *larger
        if self.size == self.room:
            larger = <Pair *>realloc(self.front, (2 * self.room + 64) * sizeof(Pair))
            if larger == NULL:
                return False
            self.front, self.room = larger, 2 * self.room + 64
        memmove(
            self.front + begin + 1, self.front + end, (self.size - end) * sizeof(Pair)
        )
        self.size += begin + 1 - end
        self.front[begin].first, self.front[begin].second = vector[0], vector[1]
        self.kept += 1
        if self.kept == self.next_step:
            self.widen()
        return True

    cdef int widen(self) noexcept:
        tolerance = self.thinning.tolerance(self.kept)
        self.next_step += self.thinning.free
        self.tolerance.first = tolerance * self.width.first
        self.tolerance.second = tolerance * self.width.second
        return 0

    cdef Py_ssize_t count_up_to(self, double most) noexcept:
        """Number of pairs of the front whose first number is at most `most`."""
        cdef Py_ssize_t low = 0, high = self.size, middle
        while low < high:
            middle = (low + high) // 2
            if self.front[middle].first <= most:
                low = middle + 1
            else:
                high = middle
        return low

    cdef Py_ssize_t count_below(self, double limit) noexcept:
        """Number of pairs of the front whose first number is below `limit`."""
        cdef Py_ssize_t low = 0, high = self.size, middle
        while low < high:
            middle = (low + high) // 2
            if self.front[middle].first < limit:
                low = middle + 1
            else:
                high = middle
        return low


@cython.final
cdef class Feasible(Keeper):
    """The rule ``feasible``: f, the violation of the constraints, and other numbers.

    - `numbers`: At least 2.
    - `f_opt`: The optimum; NaN if it is unknown.
    """

    def __init__(self, numbers, f_opt):
        self.best = self.violation = self.indicator = INFINITY
        self.f_opt = -INFINITY if isnan(f_opt) else f_opt

    cdef bint keep(self, const double *vector) noexcept:
        cdef double f = vector[0], violation = vector[1], indicator
        cdef bint better
        if not self.is_finite(vector):
            return False
        indicator = max(f, self.f_opt) + violation
        better = violation < self.violation or indicator < self.indicator
        self.violation = min(self.violation, violation)
        self.indicator = min(self.indicator, indicator)
        if violation == 0.0 and f < self.best:
            self.best = f
            return True
        return better


@cython.final
cdef class Improving(Keeper):
    """The rule ``improving``: a vector is kept if any of its numbers is the least so far."""

    cdef cnp.ndarray least_numbers
    cdef double *least

    def __init__(self, numbers):
        self.least_numbers = np.full(numbers, np.inf)
        self.least = <double *>cnp.PyArray_DATA(self.least_numbers)

    cdef bint keep(self, const double *vector) noexcept:
        cdef bint better = False
        cdef Py_ssize_t i
        self.value = INFINITY
        if not self.is_finite(vector):
            return False
        self.value = vector[0]
        for i in range(self.numbers):
            if vector[i] < self.least[i]:
                self.least[i] = vector[i]
                better = True
        return better


@cython.final
cdef class Changing(Keeper):
    """The rule ``changing``: a vector is a value and the environment in which it was evaluated."""

    cdef double environment, least  # of the last kept vector

    def __init__(self, numbers):
        if numbers != 2:
            raise ValueError(f"a value and its environment, not {numbers} numbers")
        self.environment = -1.0

    cdef bint keep(self, const double *vector) noexcept:
        if not self.is_finite(vector):
            return False
        if vector[1] == self.environment and not vector[0] < self.least:
            return False
        self.least, self.environment = vector[0], vector[1]
        return True


def keeper(outputs, f_opt):
    """The keeper of a run of a problem; None if an evaluation gives one value.

    - `f_opt`: The optimum of the problem; NaN if it is unknown.
    """
    if outputs is None:
        return None
    numbers = 1 if outputs.later else len(outputs.names)
    if outputs.keep == "nondominated":
        return Nondominated(numbers, outputs.widths)
    if outputs.keep == "feasible":
        return Feasible(numbers, f_opt)
    if outputs.keep == "changing":
        return Changing(numbers)
    return Improving(numbers)
