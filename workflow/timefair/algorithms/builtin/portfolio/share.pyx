# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The objective of one member of a portfolio, which hands over when the member's turn is used up.

It is compiled because it is part of every evaluation of every member. It has a ``c_function`` for
members that evaluate from C, if the objective behind it has one.
"""

import numpy as np

cimport cython
from libc.stdint cimport INT64_MAX, int64_t, uintptr_t
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

ctypedef int (*function_t)(void *objective, const double *x, double *y) except -1


class ShareUsed(BaseException):
    """Ends a member whose share is used up; not an `Exception`, so that handlers let it pass."""


cdef inline int64_t read_clock() noexcept nogil:
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return <int64_t>t.tv_sec * 1000000000 + t.tv_nsec


@cython.final
cdef class Share:
    """A member's part of an objective.

    - `hand_over`: Called without arguments after the evaluation that uses up a turn. If it returns,
      the member continues with the turn that it was granted meanwhile; otherwise it raises
      `ShareUsed`.
    - `evaluations_left`: The member's share of a budget of evaluations; None without such a budget.
    - `evaluations`: Evaluations of this member alone, over all of its launches.
    - `closed`: Whether its share is used up. Every evaluation then raises `ShareUsed`.
    """

    cdef object objective, hand_over, left
    cdef function_t function
    cdef void *handle
    cdef readonly int64_t evaluations
    cdef int64_t turn_ends_after, turn_ends_at
    cdef public bint closed
    cdef readonly Py_ssize_t dimension

    def __init__(self, objective, hand_over, evaluations_left=None):
        self.objective, self.hand_over, self.left = objective, hand_over, evaluations_left
        self.dimension = objective.dimension
        self.turn_ends_after = self.turn_ends_at = INT64_MAX
        self.function = NULL
        if hasattr(objective, "c_function"):
            function, handle = objective.c_function
            self.function = <function_t><uintptr_t>function
            self.handle = <void *><uintptr_t>handle

    def grant(self, evaluations=None, time_ns=None):
        """Begin a turn that ends after `evaluations` or after `time_ns` ns; None: no limit."""
        self.turn_ends_after = self.turn_ends_at = INT64_MAX
        if evaluations is not None:
            self.turn_ends_after = self.evaluations + <int64_t>evaluations
        if time_ns is not None:
            self.turn_ends_at = read_clock() + <int64_t>time_ns

    @property
    def noisy(self):
        """False: a recommendation of one member is not one of the portfolio."""
        return False

    def recommend(self, x, /):
        """Do nothing: recommendations of members are not recorded."""

    @property
    def evaluations_left(self):
        return None if self.left is None else max(self.left - self.evaluations, 0)

    @property
    def progress(self):
        """Used share of the member's evaluations, or of the run's budget without such a share."""
        return self.evaluations / self.left if self.left else self.objective.progress

    def __getattr__(self, name):
        """What the objective behind says, and a ``c_function`` if it has one."""
        if name in ("lower", "upper", "integer", "changes", "cores"):
            return getattr(self.objective, name)
        if name == "c_function" and self.function != NULL:
            return <uintptr_t>&evaluate_in_c, <uintptr_t><void *>self
        raise AttributeError(name)

    def __call__(self, x, /):
        self.begin()
        value = self.objective(x)
        self.end(1)
        return value

    def batch(self, points, /):
        """The values at points; the batch is divided where a turn of evaluations ends."""
        rest = np.ascontiguousarray(points, dtype=np.float64)
        if rest.ndim != 2 or not len(rest):
            return self.objective.batch(points)
        values = []
        while len(rest):
            self.begin()
            part = rest[:self.turn_ends_after - self.evaluations]
            values.append(self.objective.batch(part))
            rest = rest[len(part):]
            self.end(len(part))
        return np.concatenate(values)

    cdef inline int begin(self) except -1:
        if self.closed:
            raise ShareUsed
        return 0

    cdef inline int end(self, int64_t made) except -1:
        self.evaluations += made
        if self.evaluations >= self.turn_ends_after or (
            self.turn_ends_at != INT64_MAX and read_clock() >= self.turn_ends_at
        ):
            self.hand_over()
        return 0


cdef int evaluate_in_c(void *objective, const double *x, double *y) except -1:
    cdef Share self = <Share>objective
    self.begin()
    self.function(self.handle, x, y)
    self.end(1)
    return 0
