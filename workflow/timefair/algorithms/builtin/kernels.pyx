# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: infer_types=True
# distutils: extra_compile_args = -ffp-contract=off
"""What takes part in every evaluation: generations of differential evolution, shares of portfolios.

Products and sums are rounded one by one (no contraction), so that a seed gives the same points on
every processor.
"""

import numpy as np

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport INFINITY, fmax, fmin, isnan
from libc.stdint cimport INT64_MAX, int64_t, uintptr_t
from libc.string cimport memcpy
from numpy.random cimport bitgen_t
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

ctypedef int (*function_t)(void *objective, const double *x, double *y) except -1

cdef enum:
    MOST_VECTORS = 7


cdef class Caller:
    """Something that evaluates an objective, by its C function if it has one."""

    cdef object objective
    cdef function_t function  # NULL: the objective is called
    cdef void *handle

    cdef take(self, objective):
        self.objective, self.function = objective, NULL
        if hasattr(objective, "c_function"):
            function, handle = objective.c_function
            self.function = <function_t><uintptr_t>function
            self.handle = <void *><uintptr_t>handle


cdef class Evolution(Caller):
    """A generation of points, and the next one, which is made from it.

    - `vectors`: As in `STRATEGIES`; `exponential`: whether crossover is exponential, or binomial.
    - `F`: The scale factor; None: drawn from N(0, 1) for each trial at the start of its generation.
    - `size`: The population size NP, at least `least_population`.
    """

    cdef object rng
    cdef bitgen_t *bits
    cdef Py_ssize_t size, dimension, best
    cdef double[:, ::1] parents, offspring
    cdef double[::1] values, trial_values, factors
    cdef const double[::1] lower, upper
    cdef double CR
    cdef bint exponential, normal_factors, redraw, reflect
    cdef bytes vectors
    cdef const double *mutant_of[MOST_VECTORS]
    cdef Py_ssize_t picked[MOST_VECTORS]

    def __init__(
        self, objective, rng, *, str vectors, bint exponential, F, double CR, Py_ssize_t size,
        str bounds,
    ):
        self.take(objective)
        self.rng = rng
        self.bits = <bitgen_t *>PyCapsule_GetPointer(rng.bit_generator.capsule, "BitGenerator")
        self.size, self.dimension = size, objective.dimension
        self.parents = np.empty((size, self.dimension))
        self.offspring = np.empty((size, self.dimension))
        self.values, self.trial_values = np.empty(size), np.empty(size)
        self.lower, self.upper = objective.lower, objective.upper
        self.normal_factors = F is None
        self.factors = np.full(size, np.nan if F is None else F, dtype=np.float64)
        self.CR, self.exponential, self.vectors = CR, exponential, vectors.encode()
        self.redraw, self.reflect = bounds == "random", bounds == "reflect"

    # -- generations -------------------------------------------------------------------------

    def run(self, patience):
        """Evolve until `patience` consecutive generations do not improve the best value; None:
        without end.
        """
        for i in range(self.size):
            for j in range(self.dimension):
                self.parents[i, j] = self.point_inside(j)
        self.evaluate(self.parents, self.values)
        self.find_best()
        idle = 0
        while idle != patience:
            idle = 0 if self.advance() else idle + 1

    cdef bint advance(self) except -1:
        """Make the next generation; return whether its best value is better."""
        before = self.values[self.best]
        PyErr_CheckSignals()
        if self.normal_factors:
            self.factors = self.rng.standard_normal(self.size)
        for i in range(self.size):
            self.make_trial(i, &self.offspring[i, 0])
        self.evaluate(self.offspring, self.trial_values)
        for i in range(self.size):
            if self.trial_values[i] <= self.values[i]:
                self.values[i] = self.trial_values[i]
            else:
                self.copy_point(&self.offspring[i, 0], &self.parents[i, 0])
        self.parents, self.offspring = self.offspring, self.parents
        self.find_best()
        return self.values[self.best] < before

    cdef void find_best(self) noexcept:
        self.best = 0
        for i in range(1, self.size):
            if self.values[i] < self.values[self.best]:
                self.best = i

    cdef int evaluate(self, double[:, ::1] points, double[::1] values) except -1:
        """The values of a generation: as a batch on several cores, else one after the other."""
        if self.objective.cores > 1:
            found = self.objective.batch(np.asarray(points))
            np.copyto(np.asarray(values), np.where(np.isnan(found), INFINITY, found))
            return 0
        for i in range(self.size):
            values[i] = self.value(&points[i, 0])
        return 0

    cdef double value(self, const double *x) except? -1.0:
        cdef double y
        if self.function != NULL:
            self.function(self.handle, x, &y)
        else:
            y = self.objective(np.array(<const double[:self.dimension]>x))
        return INFINITY if isnan(y) else y

    # -- a trial -----------------------------------------------------------------------------

    cdef void make_trial(self, Py_ssize_t i, double *trial) noexcept:
        self.choose_vectors(i)
        self.copy_point(trial, &self.parents[i, 0])
        if self.exponential:
            self.cross_exponentially(i, trial)
        else:
            self.cross_binomially(i, trial)
        self.repair(trial)

    cdef void choose_vectors(self, Py_ssize_t i) noexcept:
        cdef const char *kinds = self.vectors
        taken = 1
        self.picked[0] = i
        for k in range(len(self.vectors)):
            if kinds[k] == c"r":
                row = self.picked[taken] = self.draw_another(taken)
                taken += 1
            else:
                row = self.best if kinds[k] == c"b" else i
            self.mutant_of[k] = &self.parents[row, 0]

    cdef Py_ssize_t draw_another(self, Py_ssize_t taken) noexcept:
        """Index of a random point that is not among the first `taken` of the picked ones."""
        while True:
            row = self.draw_index(self.size)
            for k in range(taken):
                if self.picked[k] == row:
                    break
            else:
                return row

    cdef void cross_binomially(self, Py_ssize_t i, double *trial) noexcept:
        forced = self.draw_index(self.dimension)
        for j in range(self.dimension):
            if self.draw() < self.CR or j == forced:
                trial[j] = self.mutant(i, j)

    cdef void cross_exponentially(self, Py_ssize_t i, double *trial) noexcept:
        j, crossed = self.draw_index(self.dimension), 0
        while True:
            trial[j] = self.mutant(i, j)
            j = j + 1 if j + 1 < self.dimension else 0
            crossed += 1
            if crossed == self.dimension or self.draw() >= self.CR:
                break

    cdef inline double mutant(self, Py_ssize_t i, Py_ssize_t j) noexcept:
        """Component j of the mutant that challenges point i."""
        differences = 0.0
        for k in range(1, len(self.vectors), 2):
            differences += self.mutant_of[k][j] - self.mutant_of[k + 1][j]
        return self.mutant_of[0][j] + self.factors[i] * differences

    # -- bounds ------------------------------------------------------------------------------

    cdef void repair(self, double *trial) noexcept:
        for j in range(self.dimension):
            x = trial[j]
            if self.lower[j] <= x <= self.upper[j]:
                continue
            if self.redraw:
                x = self.point_inside(j)
            elif self.reflect:
                x = 2.0 * (self.lower[j] if x < self.lower[j] else self.upper[j]) - x
            trial[j] = self.clipped(x, j)

    cdef double point_inside(self, Py_ssize_t j) noexcept:
        """Component j of a point drawn uniformly within the bounds."""
        width = self.upper[j] - self.lower[j]
        return self.clipped(self.lower[j] + self.draw() * width, j)

    cdef inline double clipped(self, double x, Py_ssize_t j) noexcept:
        return fmin(fmax(x, self.lower[j]), self.upper[j])  # NaN: the lower bound

    # -- random numbers and copies -----------------------------------------------------------

    cdef inline double draw(self) noexcept:
        """Uniform in [0, 1)."""
        return self.bits.next_double(self.bits.state)

    cdef inline Py_ssize_t draw_index(self, Py_ssize_t n) noexcept:
        return <Py_ssize_t>(self.draw() * n)

    cdef inline void copy_point(self, double *to, const double *point) noexcept:
        memcpy(to, point, self.dimension * sizeof(double))


class ShareUsed(BaseException):
    """Ends a member whose share is used up; not an `Exception`, so that handlers let it pass."""


cdef inline int64_t read_clock() noexcept nogil:
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return <int64_t>t.tv_sec * 1000000000 + t.tv_nsec


@cython.final
cdef class Share(Caller):
    """A member's part of an objective.

    - `hand_over`: Called without arguments after the evaluation that uses up a turn. If it returns,
      the member continues with the turn that it was granted meanwhile; otherwise it raises
      `ShareUsed`.
    - `evaluations_left`: The member's share of a budget of evaluations; None without such a budget.
    - `evaluations`: Evaluations of this member alone, over all of its launches.
    - `closed`: Whether its share is used up. Every evaluation then raises `ShareUsed`.
    """

    cdef object hand_over, left
    cdef readonly int64_t evaluations
    cdef int64_t turn_ends_after, turn_ends_at
    cdef public bint closed
    cdef readonly Py_ssize_t dimension

    def __init__(self, objective, hand_over, evaluations_left=None):
        self.take(objective)
        self.hand_over, self.left = hand_over, evaluations_left
        self.dimension = objective.dimension
        self.turn_ends_after = self.turn_ends_at = INT64_MAX

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
    self = <Share>objective
    self.begin()
    self.function(self.handle, x, y)
    self.end(1)
    return 0
