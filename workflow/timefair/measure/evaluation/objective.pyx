# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The instrumented objective: it counts and times evaluations, records events and ends the run.

What the parent needs is written at once to shared memory, which `evaluation.state` reads. No
attribute of the `Objective`, which an algorithm gets, leads to its `Measurement`.
"""

import mmap
import os
import resource
import time

import numpy as np

cimport cython
cimport numpy as cnp
from libc.math cimport INFINITY, isfinite, isnan
from libc.stdint cimport INT64_MAX, int64_t, uintptr_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy, memmove
from posix.time cimport (
    CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, clock_gettime, clockid_t, timespec,
)
from posix.unistd cimport _exit

from timefair.basics.optimum import rounding
from timefair.records.thinning import THINNING, VECTOR_THINNING

cnp.import_array()

cdef extern from *:
    """
    #include <stdint.h>
    #define timefair_commit_follows() __atomic_signal_fence(__ATOMIC_RELEASE)
    """
    void timefair_commit_follows() noexcept nogil  # all writes above it are made before those below

ctypedef void (*native_t)(void *handle, const double *x, double *y) noexcept

NEVER = INT64_MAX  # the value of a deadline or a cap that does not exist
AT_ONCE = 4096  # maximal number of points of a batch that are handed to the evaluators at once

MOST_BATCHES = 4096
"""Maximal number of rows of the log of batches; if a run needs more, batches are not recorded."""


cdef struct Header:
    int64_t kill_at  # when the kernel timer ends this process, or NEVER
    int64_t evaluations  # evaluations that finished before the deadline
    int64_t charge  # simulated evaluation cost of all evaluations that were begun, ns
    int64_t last  # when the last evaluation finished, counted or not; 0: none has finished
    int64_t events  # rows committed to the event log
    int64_t launches  # rows committed to the launch log
    int64_t launch_events  # rows committed to the log of launches' own events
    int64_t batches  # rows committed to the log of batches; negative: the batches are unknown
    int64_t vectors  # rows committed to the log of vectors
    int64_t recommended  # see `state.Recommendations`
    int64_t stop  # a Stop
    int64_t end  # when the run was stopped
    int64_t solvers  # number of solvers of an algorithm with `isolation: strict`
    int64_t solver  # process id of the solver whose end ended the run
    int64_t cpu_1  # CPU time at the stop, including children waited for, ns; 0: killed
    int64_t constraint_evaluations  # number of evaluations that were of the constraints
    int64_t elsewhere  # of a clock of CPU time: that of the run outside this process, ns; else 0


cdef struct Event:  # or a vector, with its numbers from `precision` on
    int64_t launch
    int64_t evaluations
    int64_t time  # ns since t0
    double precision


cdef struct Batch:
    int64_t first  # evaluations of the run before it
    int64_t size  # number of its points
    int64_t count  # number of consecutive batches of this size


cdef struct Launch:
    int64_t start
    int64_t end
    int64_t first  # evaluations of the run before it, or before it continued after a pause
    int64_t last  # evaluations of the run after it
    int64_t earlier  # its own evaluations before the pause
    int64_t code  # a LaunchCode
    double best  # its best precision


cdef Header a_header
cdef Event an_event
cdef Batch a_batch
cdef Launch a_launch
HEADER = np.asarray(<Header[:1]>&a_header).dtype
EVENT = np.asarray(<Event[:1]>&an_event).dtype
BATCH = np.asarray(<Batch[:1]>&a_batch).dtype
LAUNCH = np.asarray(<Launch[:1]>&a_launch).dtype


def vector_dtype(numbers):
    """The dtype of a row of the log of vectors."""
    return np.dtype(EVENT.descr[:3] + [("outputs", np.float64, (numbers,))])


assert vector_dtype(2).itemsize == sizeof(Event) + sizeof(double)


cpdef enum Stop:
    """Why the objective or the launch loop stopped the run; 0 while it runs."""
    RUNNING, TARGET, TIME, EVALUATIONS, ENDED, FAILURE, SOLVER_ENDED, OUT_OF_MEMORY


cpdef enum LaunchCode:
    """How a launch ended; 0 while it runs, and therefore also if its process was killed."""
    OPEN, RETURNED, TAU, LAUNCH_TARGET, LAUNCH_CUT, LAUNCH_FAILED, STAGNATED


class LaunchCut(BaseException):
    """Ends one launch before the run is over; not an `Exception`, so that handlers let it pass."""


class ForeignProcess(RuntimeError):
    def __str__(self):  # not an argument, which would have to be pickled with it
        return (
            "the objective was called in a process that the algorithm forked; "
            "evaluations there cannot be counted"
        )


cdef inline int64_t later(int64_t start, int64_t by) noexcept nogil:
    return start + by if by < INT64_MAX - start else INT64_MAX


cdef inline int64_t read_clock(clockid_t clock) noexcept nogil:
    cdef timespec t
    clock_gettime(clock, &t)
    return <int64_t>t.tv_sec * 1000000000 + t.tv_nsec


def now_ns(bint cpu=False):
    """The clock of a measurement in ns: CLOCK_MONOTONIC, or CPU time of this process's threads."""
    return read_clock(CLOCK_PROCESS_CPUTIME_ID if cpu else CLOCK_MONOTONIC)


def cpu_ns():
    """CPU time of this process and of the children that it has waited for, in ns."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() + round((children.ru_utime + children.ru_stime) * 1e9)


cdef class Log:
    """Rows of one dtype in a file that outlives the process that writes it, and grows by segments.

    While `reach` maps one, another thread may run, so code that has checked what to write calls
    only `row`. The last segment stays mapped for such a thread.
    """

    cdef readonly int fd
    cdef readonly object dtype
    cdef Py_ssize_t rows, size
    cdef int64_t first, end
    cdef char *base
    cdef object mapping, older

    def __init__(self, int fd, dtype, Py_ssize_t rows=16384):
        self.fd, self.dtype, self.rows = fd, dtype, rows
        self.size = dtype.itemsize
        self.first = self.end = 0
        self.base = NULL

    cdef inline char *row(self, int64_t index) noexcept:
        """The address of a row that `reach` has mapped."""
        return self.base + (index - self.first) * self.size

    cdef inline int reach(self, int64_t index) except -1:
        """Map the segment of a row."""
        if index < self.first or index >= self.end:
            self.map(index // self.rows)
        return 0

    cdef int map(self, int64_t segment) except -1:
        length = self.rows * self.size
        if os.fstat(self.fd).st_size < (segment + 1) * length:
            os.ftruncate(self.fd, (segment + 1) * length)
        mapping = mmap.mmap(self.fd, length, offset=segment * length)
        cdef cnp.ndarray view = np.frombuffer(mapping, dtype=np.uint8)
        # No other thread runs from here on; `oldest` is unmapped when everything is in place.
        oldest = self.older
        self.older = self.mapping
        self.mapping = mapping
        self.base = <char *>cnp.PyArray_DATA(view)
        self.first, self.end = segment * self.rows, (segment + 1) * self.rows
        return 0


cpdef cnp.ndarray as_point(x, Py_ssize_t dimension):
    """An array of shape ``(dimension,)`` and C order; ValueError for another shape."""
    cdef cnp.ndarray array
    if (
        cnp.PyArray_CheckExact(x)
        and cnp.PyArray_TYPE(x) == cnp.NPY_DOUBLE
        and cnp.PyArray_ISCARRAY_RO(x)
    ):
        array = x
    else:
        array = np.ascontiguousarray(x, dtype=np.float64)
    if cnp.PyArray_NDIM(array) != 1 or cnp.PyArray_DIM(array, 0) != dimension:
        raise ValueError(
            f"the objective takes an array of shape ({dimension},), not {np.shape(x)}"
        )
    return array


cpdef cnp.ndarray as_batch(points, Py_ssize_t dimension):
    """An array of shape ``(k, dimension)`` and C order; ValueError for another shape."""
    cdef cnp.ndarray array = np.ascontiguousarray(points, dtype=np.float64)
    if cnp.PyArray_NDIM(array) != 2 or cnp.PyArray_DIM(array, 1) != dimension:
        raise ValueError(
            f"a batch is an array of shape (k, {dimension}), not {np.shape(points)}"
        )
    return array


cdef class Keeper:
    """Decides by the vectors of a run that it has kept whether one is: a rule of `kinds.Keep`.
    `numbers`: length of a vector; `value`: the last measured one with ``improving``, else `inf`.
    """

    cdef Py_ssize_t numbers
    cdef double value

    def __cinit__(self, Py_ssize_t numbers, *_):
        self.numbers = numbers
        self.value = INFINITY

    cdef bint keep(self, const double *vector) noexcept:
        """Whether this vector is kept; never if a number is not finite. Sets `value`."""
        cdef Py_ssize_t i
        self.value = INFINITY
        for i in range(self.numbers):
            if not isfinite(vector[i]):
                return False
        return self.takes(vector)

    cdef bint takes(self, const double *vector) noexcept:
        return False

    def keeps(self, vector):
        """Whether this vector is kept; `vector` is array-like of shape ``(numbers,)``."""
        cdef cnp.ndarray array = np.ascontiguousarray(vector, dtype=np.float64)
        return self.keep(<const double *>cnp.PyArray_DATA(array))


cdef struct Pair:
    double first
    double second


@cython.final
cdef class Nondominated(Keeper):
    """The rule ``nondominated``: a sorted front of pairs; `widths`: units of the tolerances."""

    cdef Pair *front  # the first numbers rise, the second ones fall
    cdef Py_ssize_t size, room, kept, next_step
    cdef Pair width, tolerance
    cdef object thinning

    def __init__(self, numbers, widths, thinning=VECTOR_THINNING):
        self.width.first, self.width.second = widths
        self.thinning = thinning
        self.next_step = thinning.free

    def __dealloc__(self):
        free(self.front)

    cdef bint takes(self, const double *vector) noexcept:
        cdef Py_ssize_t begin, end
        cdef Pair *larger
        end = self.count(vector[0] + self.tolerance.first, True)
        if end and self.front[end - 1].second <= vector[1] + self.tolerance.second:
            return False
        begin = self.count(vector[0], False)
        end = begin
        while end < self.size and self.front[end].second >= vector[1]:
            end += 1
        # It replaces the vectors that it dominates, front[begin:end].
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

    cdef inline Py_ssize_t count(self, double limit, bint with_equal) noexcept:
        """Number of pairs of the front whose first number is below `limit`, or equals it."""
        cdef Py_ssize_t low = 0, high = self.size, middle
        while low < high:
            middle = (low + high) // 2
            if self.front[middle].first < limit or (
                with_equal and self.front[middle].first == limit
            ):
                low = middle + 1
            else:
                high = middle
        return low


@cython.final
cdef class Feasible(Keeper):
    """The rule ``feasible``: f, the violation of the constraints, and other numbers; `f_opt`: the
    optimum, NaN if it is unknown.
    """

    cdef double best  # the least f of a feasible point so far
    cdef double violation, indicator, f_opt

    def __init__(self, numbers, f_opt):
        self.best = self.violation = self.indicator = INFINITY
        self.f_opt = -INFINITY if isnan(f_opt) else f_opt

    cdef bint takes(self, const double *vector) noexcept:
        cdef double f = vector[0], violation = vector[1]
        cdef double indicator = max(f, self.f_opt) + violation
        cdef bint better
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

    cdef bint takes(self, const double *vector) noexcept:
        cdef bint better = False
        cdef Py_ssize_t i
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
        self.environment = -1.0

    cdef bint takes(self, const double *vector) noexcept:
        if vector[1] == self.environment and not vector[0] < self.least:
            return False
        self.least, self.environment = vector[0], vector[1]
        return True


def keeper(outputs, f_opt):
    """The keeper of a run of a problem; None if an evaluation gives one value."""
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


cdef class ConstraintValues:
    """The constraints of a problem at the point where they were evaluated last."""

    cdef readonly Py_ssize_t count
    cdef object evaluate
    cdef native_t native
    cdef void *handle
    cdef double f_opt
    cdef bint indicator, known
    cdef cnp.ndarray point, g
    cdef Py_ssize_t point_size

    def __init__(self, problem):
        constraints = problem.constraints
        self.count, self.evaluate = constraints.count, constraints.evaluate
        self.native = NULL
        if constraints.native is not None:
            self.native = <native_t><uintptr_t>constraints.native.function
            self.handle = <void *><uintptr_t>constraints.native.handle
        self.f_opt, self.indicator = problem.f_opt, constraints.indicator
        self.point, self.g = np.empty(problem.dimension), np.empty(self.count)
        self.point_size = problem.dimension * sizeof(double)
        self.known = False

    cdef int reach(self, cnp.ndarray array) except -1:
        """Compute the values at a point in `g`, unless they are known."""
        cdef const void *x = cnp.PyArray_DATA(array)
        if self.known and memcmp(cnp.PyArray_DATA(self.point), x, self.point_size) == 0:
            return 0
        self.known = False
        if self.native != NULL:
            self.native(self.handle, <const double *>x, <double *>cnp.PyArray_DATA(self.g))
        else:
            g = np.asarray(self.evaluate(array), dtype=np.float64)
            if g.shape != (self.count,):
                raise ValueError(
                    f"the constraints at a point have shape ({self.count},), not {g.shape}"
                )
            self.g[:] = g
        memcpy(cnp.PyArray_DATA(self.point), x, self.point_size)
        self.known = True
        return 0

    cdef double violation(self):
        """The sum of the positive values, from the first to the last; NaN if one is NaN."""
        cdef const double *g = <const double *>cnp.PyArray_DATA(self.g)
        cdef double total = 0.0
        cdef Py_ssize_t i
        for i in range(self.count):
            if not g[i] <= 0.0:
                total += g[i]
        return total

    cdef double quality(self, double value, double violation):
        """The value of a point in the record (`timefair.problems.kinds.Constraints`)."""
        if violation == 0.0:
            return value
        if not self.indicator or isnan(violation) or isnan(value):
            return INFINITY
        return max(value, self.f_opt) + violation


@cython.final
@cython.no_gc
cdef class Measurement:
    """Measures one run: evaluates for its `Objective`; the launch loop begins and ends launches.

    - `state`: The `evaluation.state.State` of the problem; `batches`: None: they are not recorded.
    - `cap`: Evaluations of the run; `final_target`: precision at or below which it ends.
    - `clock`: ``clock() -> int`` in nanoseconds instead of the real one: for tests.
    - `exit`: Called with 0 when the run is over, instead of ending the process; must not return.
    - `fail`: Called with what the problem raises, before any code of the algorithm can catch it.
    - `cost`: Simulated evaluation cost in ns, added to the run's clock at each evaluation, or at
      each round of a batch that several `cores`, the `evaluators`, evaluate.
    - `thinning`: Which improvements of a launch are kept that do not improve the best of the run.
    """

    cdef Py_ssize_t dimension
    cdef object problem, evaluate, clock, exit, fail, header_array
    cdef clockid_t clock_id
    cdef native_t native
    cdef void *handle
    cdef Header *header
    cdef Log events, launches, launch_events, batches
    cdef Log best_points  # in turn: the best value of the run, and its point
    cdef Launch *launch
    cdef int64_t t0, run_deadline, run_cap, deadline, cap
    cdef int64_t calls, event_count, launch_index, launch_event_count
    cdef int64_t cost, resolution, step_ends_after, step_ends_at
    cdef double f_opt, rounding, final_target, best, launch_best
    cdef int64_t turn_ends_at, turn_ends_after, plateau_ns, plateau_evaluations
    cdef object pause
    cdef int cores, closed  # `closed`: the LaunchCode of what ended the launch; 0 while it may evaluate
    cdef bint foreign, optimum_known, more_to_come, traced
    cdef object evaluators, thinning
    cdef ConstraintValues constraints
    cdef Keeper keeper  # None if an evaluation gives one value
    cdef Log vectors
    cdef int64_t vector_count
    cdef Py_ssize_t numbers, shown
    cdef object last_vector, recommendations
    cdef bint later  # whether a vector contains the measured value and the point
    cdef double *vector  # the numbers of the last evaluation
    cdef int64_t *environment  # the one in which a problem that changes is evaluated; else NULL
    cdef int64_t environments

    def __init__(
        self, problem, state, int64_t cap=INT64_MAX, double final_target=-INFINITY,
        clock=None, exit=None, fail=None, evaluators=None, int64_t cost=0, thinning=THINNING,
        Log batches=None, int cores=1,
    ):
        self.problem, self.evaluate = problem, problem.evaluate
        self.dimension, self.f_opt = problem.dimension, problem.f_opt
        self.optimum_known, self.rounding = not isnan(self.f_opt), rounding(self.f_opt)
        self.native = NULL
        if problem.native is not None:
            self.native = <native_t><uintptr_t>problem.native.function
            self.handle = <void *><uintptr_t>problem.native.handle
        self.constraints = None
        if problem.constraints is not None:
            self.constraints = ConstraintValues(problem)
        self.header_array = state.header_array
        self.header = <Header *>cnp.PyArray_DATA(self.header_array)
        self.events, self.launches = state.event_log, state.launch_log
        self.launch_events, self.batches = state.launch_event_log, batches
        self.thinning, self.resolution = thinning, thinning.resolution
        best_point = np.dtype((np.float64, (1 + problem.dimension,)))
        self.best_points = Log(state.best_fd, best_point, 2)
        self.best_points.reach(0)
        self.run_cap = self.cap = cap
        self.cost, self.final_target = cost, final_target
        self.clock, self.clock_id = clock, CLOCK_MONOTONIC
        self.exit, self.fail, self.evaluators, self.cores = exit, fail, evaluators, cores
        # A run that continues in a new process begins where the last process was killed.
        self.calls, self.event_count = self.header.evaluations, self.header.events
        self.launch_event_count = self.header.launch_events
        self.t0 = -1
        self.run_deadline = self.deadline = INT64_MAX
        self.best = INFINITY
        if self.event_count:
            self.events.reach(self.event_count - 1)
            self.best = (<Event *>self.events.row(self.event_count - 1)).precision
        self.reserve_event()
        self.launch_best = INFINITY
        self.launch = NULL
        self.recommendations = state.recommendations
        self.keeper = keeper(problem.outputs, self.f_opt)
        self.environment = NULL
        if problem.changes is not None:
            self.environment = <int64_t *><uintptr_t>problem.changes.address
            self.environments = problem.changes.environments
        if self.keeper is None:
            return
        self.numbers, self.shown, self.later = problem.kept, problem.shown, problem.outputs.later
        self.last_vector = np.empty(self.numbers)
        self.vector = <double *>cnp.PyArray_DATA(self.last_vector)
        self.vectors, self.vector_count = state.vector_log, self.header.vectors
        for row in range(self.vector_count):
            self.vectors.reach(row)
            self.keeper.keep(&(<Event *>self.vectors.row(row)).precision)
        self.vectors.reach(self.vector_count)

    # -- evaluation --------------------------------------------------------------------------

    cdef inline cnp.ndarray begin(self, x):
        """Count and charge an evaluation that begins, and take its point."""
        self.count_call()
        self.header.charge += self.cost
        return as_point(x, self.dimension)

    cdef inline double evaluate_point(self, x) except? -1.0:
        cdef cnp.ndarray array = self.begin(x)
        cdef const double *point = <const double *>cnp.PyArray_DATA(array)
        return self.record(self.value(point, array), point)

    cdef double evaluate_constrained(self, x) except? -1.0:
        """Evaluate f; if it may be an improvement, also the constraints, which are not counted."""
        cdef cnp.ndarray array = self.begin(x)
        cdef double value, violation = INFINITY, quality = INFINITY
        cdef int64_t now
        cdef const double *point = <const double *>cnp.PyArray_DATA(array)
        value = self.value(point, array)
        if value < (<Feasible>self.keeper).best or self.precision(value) < self.launch_best:
            self.reach_constraints(array)
            violation = self.constraints.violation()
            quality = self.constraints.quality(value, violation)
        self.reserve_vector()
        now = self.now()  # no other thread runs from here to the commits
        self.vector[0], self.vector[1] = value, violation
        self.vector[2] = self.header.constraint_evaluations
        self.keep_vector(now)
        self.account(quality, now, point)
        return value

    cdef evaluate_constraints(self, x):
        """Evaluate the constraints; this counts as an evaluation without improvement."""
        cdef cnp.ndarray array = self.begin(x)
        self.reach_constraints(array)
        g = self.constraints.g.copy()
        cdef int64_t now = self.now()
        if now < self.run_deadline:
            self.header.constraint_evaluations += 1
        self.account(INFINITY, now, <const double *>cnp.PyArray_DATA(array))
        return g

    cdef evaluate_vector(self, x):
        """Evaluate a point of a problem with several numbers; return those that are shown."""
        cdef cnp.ndarray array = self.begin(x)
        cdef const double *point = <const double *>cnp.PyArray_DATA(array)
        self.fill_vector(point, array)
        found = self.vector[0] if self.shown == 1 else self.last_vector[:self.shown].copy()
        self.record_vector(self.now(), point)
        return found

    cdef int fill_vector(self, const double *x, cnp.ndarray array) except -1:
        """Write the numbers of a point; no other thread runs from there to their commit."""
        cdef cnp.ndarray found
        cdef double value
        if self.later:
            value = self.value(x, array)
            self.reserve_vector()
            self.vector[0] = value
            memcpy(self.vector + 1, x, self.dimension * sizeof(double))
            return 0
        if self.native != NULL:
            self.reserve_vector()
        if self.environment != NULL:  # that at the start of the evaluation just counted
            self.environment[0] = self.environment_at(self.now() - self.cost, self.calls - 1)
        if self.native != NULL:
            self.native(self.handle, x, self.vector)
            return 0
        try:
            values = self.evaluate(array)
            found = np.ascontiguousarray(values, dtype=np.float64)
            if np.shape(values) != (self.numbers,):
                raise ValueError(
                    f"an evaluation of {self.problem.name} gives {self.numbers} numbers, "
                    f"not an array of shape {np.shape(values)}"
                )
        except BaseException as error:
            self.end_by(error)
            raise
        self.reserve_vector()
        memcpy(self.vector, cnp.PyArray_DATA(found), self.numbers * sizeof(double))
        return 0

    cdef int reserve_vector(self) except -1:
        while (
            self.vector_count >= self.vectors.end
            or self.event_count >= self.events.end
            or self.launch_event_count >= self.launch_events.end
        ):
            self.vectors.reach(self.vector_count)
            self.reserve_event()
        return 0

    cdef int record_vector(self, int64_t now, const double *x) except -1:
        self.keep_vector(now)
        self.account(self.keeper.value, now, x)
        return 0

    cdef int64_t environment_at(self, int64_t now, int64_t evaluations) noexcept:
        """The number of the environment; with a budget of evaluations, `now` is irrelevant."""
        cdef int64_t place = now - self.t0, length = self.run_deadline - self.t0
        if self.run_cap != INT64_MAX:
            place, length = evaluations, self.run_cap
        return max(min(place * self.environments // length, self.environments - 1), 0)

    cdef int keep_vector(self, int64_t now) noexcept:
        """Commit the vector if it is from before the deadline, not outdated, and to be kept."""
        cdef Event *row
        if now >= self.deadline:
            return 0
        self.header.evaluations = self.calls
        if self.environment != NULL:
            if self.vector[1] != <double>self.environment_at(now, self.calls - 1):
                return 0
        if not self.keeper.keep(self.vector):
            return 0
        row = <Event *>self.vectors.row(self.vector_count)
        row.launch = self.launch_index
        row.evaluations = self.calls
        row.time = now - self.t0
        memcpy(&row.precision, self.vector, self.numbers * sizeof(double))
        self.vector_count += 1
        timefair_commit_follows()
        self.header.vectors = self.vector_count  # the commit
        return 0

    cdef evaluate_batch(self, points):
        cdef cnp.ndarray array = as_batch(points, self.dimension)
        shape = (len(array), self.shown)[:1 + (self.shown > 1)]
        self.begin_batch(len(array))
        if self.constraints is not None:
            return np.array([self.evaluate_constrained(x) for x in array], dtype=np.float64)
        if self.evaluators is None:
            found = (
                [self.evaluate_point(x) for x in array] if self.keeper is None
                else [self.evaluate_vector(x) for x in array]
            )
            return np.array(found, dtype=np.float64).reshape(shape)
        charged = self.header.charge
        charges = charged + self.cost * (np.arange(len(array)) // self.cores + 1)
        values = [
            self.at_once(array[i:i + AT_ONCE], charges[i:i + AT_ONCE])
            for i in range(0, len(array), AT_ONCE)
        ]
        return np.concatenate([np.empty((0, *shape[1:])), *values])

    cdef int begin_batch(self, int64_t size) except -1:
        """Log a batch that begins, as if all of it were evaluated."""
        cdef int64_t rows = self.header.batches
        cdef Batch *last
        if self.batches is None or size < 2 or rows < 0 or self.closed:
            return 0
        self.batches.reach(0)  # all rows
        if rows:
            last = <Batch *>self.batches.row(rows - 1)
            if size == last.size and self.calls == last.first + size * last.count:
                last.count += 1
                return 0
        if rows == MOST_BATCHES:
            self.header.batches = -1
            return 0
        last = <Batch *>self.batches.row(rows)
        last.first, last.size, last.count = self.calls, size, 1
        self.header.batches = rows + 1
        return 0

    cdef at_once(self, cnp.ndarray points, cnp.ndarray charges):
        """Evaluate up to `AT_ONCE` points on all cores, with the charge of the run at each."""
        cdef int64_t stamp = 0
        cdef Py_ssize_t row
        if not self.closed and self.calls < self.cap:
            points = points[:self.cap - self.calls]
            charges = charges[:len(points)]
        cdef double *x
        ends = INT64_MAX if self.deadline == INT64_MAX else self.deadline - self.header.charge
        values, stamps = self.evaluators.evaluate(points, ends)  # by the machine's clock
        evaluated = stamps < INT64_MAX
        stamps[evaluated] += charges[evaluated]
        now = max(self.now(), stamps[evaluated].max(initial=0))
        ready = stamps < self.deadline
        late = now >= self.deadline and not ready.all()
        try:
            for i in np.flatnonzero(ready) if late else range(len(points)):
                self.count_call()
                self.header.charge = charges[i]
                if not ready[i]:
                    error = self.evaluators.error()
                    self.end_by(error)
                    raise error
                stamp = max(stamp, stamps[i])
                self.more_to_come = late or i < len(points) - 1
                row = i
                x = <double *>cnp.PyArray_DATA(points) + row * self.dimension
                if self.keeper is None:
                    self.reserve_event()
                    self.account(values[i], stamp, x)
                else:
                    self.reserve_vector()
                    self.last_vector[:] = [values[i], *points[i]] if self.later else values[i]
                    self.record_vector(stamp, x)
        finally:
            self.more_to_come = False
        if late:
            self.header.charge = charges[evaluated].max(initial=self.header.charge)
            self.out_of_time(now)
        if self.keeper is None or self.later:
            return values
        return values[:, 0] if self.shown == 1 else values[:, :self.shown]

    cdef inline int count_call(self) except -1:
        """Count an evaluation that begins; does not return if none may begin."""
        if self.closed:
            self.refuse()
        if self.calls >= self.cap:  # only after calls that raised
            self.out_of_evaluations()
        self.calls += 1
        return 0

    cdef inline double record(self, double value, const double *x) except? -1.0:
        self.reserve_event()
        self.account(value, self.now(), x)  # no other thread runs from here to the commit
        return value

    cdef inline int reserve_event(self) except -1:
        while (
            self.event_count >= self.events.end
            or self.launch_event_count >= self.launch_events.end
        ):
            self.events.reach(self.event_count)
            self.launch_events.reach(self.launch_event_count)
        return 0

    cdef inline int account(self, double value, int64_t now, const double *x) except -1:
        """Record an evaluation that ended at `now`, keep an improvement, and end what is over."""
        cdef double precision
        self.header.last = now
        if now >= self.deadline:
            self.out_of_time(now)
        self.header.evaluations = self.calls
        precision = self.precision(value)
        if precision < self.launch_best:
            self.improve(precision, value, now, x)
        if self.calls >= self.cap:
            self.out_of_evaluations()
        if now >= self.turn_ends_at or self.calls >= self.turn_ends_after:
            self.end_turn(now)
        return 0

    cdef inline double precision(self, double value) noexcept:
        cdef double precision = value - self.f_opt if self.optimum_known else value
        if precision < 0.0:
            if precision == -INFINITY:
                precision = INFINITY
            elif precision >= -self.rounding:
                precision = 0.0
        return precision

    cdef int improve(self, double precision, double value, int64_t now, const double *x) except -1:
        """Keep a new best of the launch; a best of the run also gives an event with its point."""
        cdef Event *event
        cdef double *best
        self.launch_best = precision
        self.launch.best = precision
        self.begin_plateau(now)
        if precision < self.best:
            self.best = precision
            event = <Event *>self.events.row(self.event_count)
            event.launch = self.launch_index
            event.evaluations = self.calls
            event.time = now - self.t0
            event.precision = precision
            best = <double *>self.best_points.row(self.event_count & 1)
            best[0] = value
            memcpy(best + 1, x, self.dimension * sizeof(double))
            self.event_count += 1
            timefair_commit_follows()
            self.header.events = self.event_count  # the commit
            if precision <= self.final_target and self.optimum_known:
                self.stop(TARGET, LAUNCH_TARGET, now)
        elif self.traced:
            self.trace(precision, now)
        return 0

    cdef int trace(self, double precision, int64_t now) except -1:
        """Keep an improvement of the launch that is none of the run, in place of the last one of
        the same step. A process that is killed meanwhile leaves the worse precision, true as well.
        """
        cdef int64_t own = self.launch.earlier + self.calls - self.launch.first
        cdef int64_t place = self.launch_event_count
        if (
            own > self.step_ends_after or now > self.step_ends_at
            or place == self.launch_events.first
        ):
            self.step_ends_after = own + own // self.resolution
            self.step_ends_at = now + (now - self.launch.start) // self.resolution
        else:
            place -= 1
        cdef Event *event = <Event *>self.launch_events.row(place)
        event.launch = self.launch_index
        event.evaluations = self.calls
        event.time = now - self.t0
        timefair_commit_follows()
        event.precision = precision
        timefair_commit_follows()
        self.launch_event_count = self.header.launch_events = place + 1
        return 0

    # -- what the launch loop does -----------------------------------------------------------

    @property
    def objective(self):
        return Objective(self) if self.constraints is None else ConstrainedObjective(self)

    def start(self, int64_t t0, int64_t deadline=INT64_MAX, bint cpu=False):
        """Start the time at `t0`, once; the run ends at `deadline` (both in ns of the clock, which
        is the CPU time of the run's processes with `cpu`).
        """
        if self.t0 >= 0:
            raise RuntimeError("the time of this run has started already")
        if cpu:
            self.clock_id = CLOCK_PROCESS_CPUTIME_ID
        self.t0 = t0
        self.run_deadline = self.deadline = deadline

    def begin_launch(
        self, int64_t start=-1, int64_t deadline=INT64_MAX, int64_t evaluations=INT64_MAX,
        turn=(INT64_MAX, INT64_MAX), pause=None,
    ):
        """Open the next launch at `start` (-1: now), limited by `deadline` and `evaluations`.

        `turn`: after so many ns or evaluations, ``pause()`` is called, which may make other
        launches; without it, a launch ends that has not improved for so long.
        """
        if start < 0:
            start = self.now()
        self.open_launch(self.header.launches, start, deadline, evaluations, turn)
        self.launch.start = start
        self.launch.best = self.launch_best = INFINITY
        self.header.launches = self.launch_index + 1
        self.pause = pause

    cdef double progress(self) except -1.0:
        """The share of the launch's budget that is used: the larger of time and evaluations."""
        cdef double share = 0.0, used
        if self.launch == NULL:
            return 0.0
        if self.deadline < INT64_MAX:
            used = self.now() - self.launch.start
            share = used / max(self.deadline - self.launch.start, 1)
        if self.cap < INT64_MAX:
            used = self.launch.earlier + self.calls - self.launch.first
            share = max(share, used / max(self.launch.earlier + self.cap - self.launch.first, 1))
        return min(share, 1.0)

    def until_change(self, int64_t now):
        """The limits of a launch from `now` to the next change of the problem, if one follows."""
        cdef int64_t next_one = self.environments
        if self.environment != NULL:
            next_one = self.environment_at(now, self.calls) + 1
        if next_one == self.environments:
            return INT64_MAX, INT64_MAX
        cdef int64_t counted = self.run_cap != INT64_MAX
        cdef int64_t length = self.run_cap if counted else self.run_deadline - self.t0
        begin = (next_one * length + self.environments - 1) // self.environments
        return (INT64_MAX, begin - self.calls) if counted else (self.t0 + begin, INT64_MAX)

    def recommend(self, x):
        """Note the point that the launch would return if it were stopped now, unless it is over."""
        cdef cnp.ndarray point = as_point(x, self.dimension)
        if self.recommendations is None or self.closed or self.foreign or self.launch == NULL:
            return
        now = self.now()
        own = self.launch.earlier + self.calls - self.launch.first
        if own and now < self.deadline:
            self.recommendations.take(
                self.launch_index, self.header.evaluations, now - self.t0, own,
                now - self.launch.start, point,
            )

    def end_launch(self, int64_t code):
        """Close the launch, with a LaunchCode unless it was cut. Returns its evaluations."""
        self.close_launch(self.closed or code, self.now())
        return self.launch.earlier + self.launch.last - self.launch.first

    def disown(self):
        """Called in a process that the algorithm forked: refuse to evaluate there."""
        self.foreign = self.closed = True

    # -- inside ------------------------------------------------------------------------------

    cdef inline int64_t now(self) except? -1:
        """The run's clock: the machine's clock plus the charge of the evaluations."""
        cdef int64_t of_the_machine  # typed, so that no Python object is made
        of_the_machine = read_clock(self.clock_id) if self.clock is None else self.clock()
        return of_the_machine + self.header.charge + self.header.elsewhere

    cdef inline double value(self, const double *x, cnp.ndarray array) except? -1.0:
        cdef double y
        if self.native != NULL:
            self.native(self.handle, x, &y)
            return y
        try:
            return self.evaluate(array)
        except BaseException as error:
            self.end_by(error)
            raise

    cdef int reach_constraints(self, cnp.ndarray array) except -1:
        try:
            return self.constraints.reach(array)
        except BaseException as error:
            self.end_by(error)
            raise

    cdef int end_by(self, error) except -1:
        """End the run by what its problem raised; returns in processes that the algorithm forked."""
        if self.fail is not None and not self.foreign:
            self.fail(error)
        return 0

    cdef int refuse(self) except -1:
        now = self.now()
        if self.foreign:
            raise ForeignProcess
        if now >= self.run_deadline:
            self.stop(TIME, LAUNCH_CUT, now)
        raise LaunchCut

    cdef int out_of_time(self, int64_t now) except -1:
        if now >= self.run_deadline:
            self.stop(TIME, LAUNCH_CUT, now)
        self.header.evaluations = self.calls
        self.closed = TAU
        raise LaunchCut

    cdef int out_of_evaluations(self) except -1:
        now = self.now()
        if self.calls >= self.run_cap:
            self.stop(EVALUATIONS, LAUNCH_CUT, now)
        self.closed = TAU
        raise LaunchCut

    cdef int begin_plateau(self, int64_t now) except -1:
        if self.pause is None:
            self.turn_ends_at = later(now, self.plateau_ns)
            self.turn_ends_after = later(self.calls, self.plateau_evaluations)
        return 0

    cdef int end_turn(self, int64_t now) except -1:
        if self.more_to_come:
            return 0
        if self.pause is None:
            self.closed = STAGNATED
            raise LaunchCut
        cdef int64_t index = self.launch_index
        self.close_launch(TAU, now)
        self.pause()
        self.open_launch(index, 0, INT64_MAX, INT64_MAX, (INT64_MAX, INT64_MAX))
        self.launch_best = self.launch.best
        return 0

    cdef int open_launch(
        self, int64_t index, int64_t now, int64_t deadline, int64_t evaluations, turn
    ) except -1:
        """Open a launch whose row is zero, or one that was paused."""
        self.launches.reach(index)
        self.launch = <Launch *>self.launches.row(index)
        self.launch_index = index
        self.launch.earlier += self.launch.last - self.launch.first
        self.launch.first = self.launch.last = self.calls
        self.launch.code = OPEN
        self.traced = self.thinning.traces(index)
        self.step_ends_after = self.step_ends_at = -1
        self.closed = False
        self.deadline = min(self.run_deadline, deadline)
        self.cap = min(self.run_cap, later(self.calls, evaluations))
        self.pause = None
        self.plateau_ns, self.plateau_evaluations = turn
        self.begin_plateau(now)
        return 0

    cpdef finish(self, int64_t stop, int64_t now=-1):
        """End the run, with a Stop, between two launches."""
        self.header.end = self.now() if now < 0 else now
        self.closed = LAUNCH_CUT  # to other threads
        self.header.cpu_1 = cpu_ns()  # before the process's teardown, which is not part of the run
        self.header.stop = stop
        if self.exit is None:
            _exit(0)
        self.exit(0)

    cdef int close_launch(self, int64_t code, int64_t now) except -1:
        self.launch.end = now
        self.launch.last = self.header.evaluations
        self.launch.code = code
        return 0

    cdef int stop(self, int64_t stop, int64_t code, int64_t now) except -1:
        self.close_launch(code, now)
        self.finish(stop, now)
        raise SystemError("the exit of a run returned")


@cython.no_gc
cdef class Objective:
    """What an algorithm minimizes: `timefair.algorithms.algorithm.Objective`, which describes it."""

    cdef Measurement measurement
    cdef bint several  # whether an evaluation gives several numbers
    cdef readonly Py_ssize_t dimension, shown
    cdef readonly int cores
    cdef readonly bint noisy

    def __cinit__(self, Measurement measurement not None):
        self.measurement = measurement
        self.several = measurement.keeper is not None
        self.dimension, self.shown = measurement.dimension, measurement.problem.shown
        self.cores, self.noisy = measurement.cores, measurement.recommendations is not None

    @property
    def lower(self):
        return self.measurement.problem.lower.copy()

    @property
    def upper(self):
        return self.measurement.problem.upper.copy()

    @property
    def integer(self):
        return self.measurement.problem.integer.copy()

    @property
    def changes(self):
        cdef Measurement of = self.measurement
        return 0 if of.environment == NULL else of.environment_at(of.now(), of.calls)

    @property
    def evaluations(self):
        return self.measurement.calls

    @property
    def evaluations_left(self):
        cdef Measurement measurement = self.measurement
        if measurement.cap == INT64_MAX:
            return None
        return max(measurement.cap - measurement.calls, 0)

    @property
    def progress(self):
        return self.measurement.progress()

    @property
    def c_function(self):
        return <uintptr_t>&evaluate_in_c, <uintptr_t><void *>self

    def __call__(self, x, /):
        if self.several:
            return self.measurement.evaluate_vector(x)
        return self.measurement.evaluate_point(x)

    def recommend(self, x, /):
        self.measurement.recommend(x)

    def batch(self, points, /):
        return self.measurement.evaluate_batch(points)


@cython.final
@cython.no_gc
cdef class ConstrainedObjective(Objective):
    """An objective with constraints; see `timefair.algorithms.algorithm.ConstrainedObjective`."""

    @property
    def number_of_constraints(self):
        return self.measurement.constraints.count

    @property
    def start(self):
        start = self.measurement.problem.start
        return None if start is None else start.copy()

    @property
    def constraint_evaluations(self):
        return self.measurement.header.constraint_evaluations

    @property
    def c_function(self):
        raise AttributeError("an objective with constraints has no c_function")

    def __call__(self, x, /):
        return self.measurement.evaluate_constrained(x)

    def constraints(self, x, /):
        return self.measurement.evaluate_constraints(x)


cdef int evaluate_in_c(void *objective, const double *x, double *y) except -1:
    cdef Measurement self = (<Objective>objective).measurement
    cdef cnp.ndarray array = None
    self.count_call()
    self.header.charge += self.cost
    if self.native == NULL:
        array = np.empty(self.dimension)
        memcpy(cnp.PyArray_DATA(array), x, self.dimension * sizeof(double))
    if self.keeper is not None:
        self.fill_vector(x, array)
        memcpy(y, self.vector, self.shown * sizeof(double))
        self.record_vector(self.now(), x)
        return 0
    y[0] = self.record(self.value(x, array), x)
    return 0
