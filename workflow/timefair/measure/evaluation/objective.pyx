# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The instrumented objective: counts, stamps, keeps the best, records events, ends the run.

Compiled, because it stands in every evaluation: what it costs is taken from the algorithm's time.
Everything that the parent has to know after this process is gone is written to shared memory as
it happens (`timefair.measure.evaluation.state` has the layout and the reader).

There are two classes. An algorithm gets an `Objective`, which evaluates and has no other method.
The launch loop has the `Measurement` behind it, which starts the time and opens and closes
launches. No attribute of an objective leads to its measurement.
"""

import mmap
import os
import resource
import time

import numpy as np

cimport cython
cimport numpy as cnp
from libc.math cimport INFINITY, isnan
from libc.stdint cimport INT64_MAX, int64_t, uintptr_t
from libc.string cimport memcpy
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from timefair.records.thinning import THINNING

cnp.import_array()

cdef extern from *:
    """
    #define timefair_commit_follows() __atomic_signal_fence(__ATOMIC_RELEASE)
    """
    void timefair_commit_follows() noexcept nogil  # all writes above it are made before those below

cdef extern from "unistd.h":
    void _exit(int status) noexcept nogil

ctypedef void (*native_t)(void *handle, const double *x, double *y) noexcept

NEVER = INT64_MAX
"""A deadline or a cap that is not there."""

AT_ONCE = 4096
"""Points of a batch that are handed to the evaluators at once."""

MOST_BATCHES = 4096
"""Rows of the log of batches; of a run that needs more, the batches are not recorded."""


cdef struct Header:
    int64_t kill_at  # when the kernel timer ends this process, or NEVER
    int64_t evaluations  # that finished before the deadline
    int64_t charge  # virtual evaluation cost of all evaluations that were begun, ns
    int64_t last  # when the last evaluation finished, counted or not; 0: none did
    int64_t events  # rows committed to the event log
    int64_t launches  # rows committed to the launch log
    int64_t launch_events  # rows committed to the log of launches' own events
    int64_t batches  # rows committed to the log of batches; negative: they are not known
    int64_t stop  # a Stop
    int64_t end  # when the run was stopped
    int64_t failure  # which of `failures.FAILURES`, by its place plus 1; 0: none
    int64_t solvers  # number of processes of an algorithm that is apart
    int64_t solver  # process id of the solver whose end ended the run
    int64_t cpu_1  # CPU time at the stop, with that of children waited for, ns; 0: killed


cdef struct Event:
    int64_t launch
    int64_t evaluations
    int64_t time  # ns since t0
    double precision


cdef struct Batch:
    int64_t first  # evaluations of the run before it
    int64_t size  # its points
    int64_t count  # how many of them came one after the other


cdef struct Launch:
    int64_t start
    int64_t end
    int64_t first  # evaluations of the run before it, or before it went on after a pause
    int64_t last  # evaluations of the run after it
    int64_t earlier  # its own evaluations before the pause
    int64_t code  # a LaunchCode
    double best  # its best precision


HEADER = np.dtype([(name, np.int64) for name in (
    "kill_at", "evaluations", "charge", "last", "events", "launches", "launch_events", "batches",
    "stop",
    "end", "failure", "solvers", "solver", "cpu_1",
)])
EVENT = np.dtype([(name, np.int64) for name in ("launch", "evaluations", "time")]
                 + [("precision", np.float64)])
BATCH = np.dtype([(name, np.int64) for name in ("first", "size", "count")])
LAUNCH = np.dtype([(name, np.int64) for name in (
    "start", "end", "first", "last", "earlier", "code",
)] + [("best", np.float64)])
assert HEADER.itemsize == sizeof(Header)
assert EVENT.itemsize == sizeof(Event)
assert BATCH.itemsize == sizeof(Batch)
assert LAUNCH.itemsize == sizeof(Launch)


cpdef enum Stop:
    """Why the objective or the launch loop stopped the run; 0 while it runs."""
    RUNNING = 0
    TARGET = 1
    TIME = 2
    EVALUATIONS = 3
    ENDED = 4
    FAILURE = 5
    SOLVER_ENDED = 6


cpdef enum LaunchCode:
    """How a launch ended; 0 while it runs, so also when its process was killed."""
    OPEN = 0
    RETURNED = 1
    TAU = 2
    LAUNCH_TARGET = 3
    LAUNCH_CUT = 4
    LAUNCH_FAILED = 5
    STAGNATED = 6


class LaunchCut(BaseException):
    """Ends one launch before the run is over. Not an Exception: it is to pass through."""


class ForeignProcess(RuntimeError):
    """The objective was called in a process that the algorithm forked: it cannot be counted."""

    def __str__(self):  # not an argument, which would have to be pickled with it
        return (
            "the objective was called in a process that the algorithm forked; "
            "evaluations there cannot be counted"
        )


cdef inline int64_t later(int64_t start, int64_t by) noexcept nogil:
    return start + by if by < INT64_MAX - start else INT64_MAX


cdef inline int64_t read_clock() noexcept nogil:
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return <int64_t>t.tv_sec * 1000000000 + t.tv_nsec


def now_ns():
    """The one clock of a measurement: CLOCK_MONOTONIC in nanoseconds."""
    return read_clock()


def cpu_ns():
    """CPU time of this process and of the children that it has waited for, in ns."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() + round((children.ru_utime + children.ru_stime) * 1e9)


cdef class Log:
    """Rows of one dtype in memory that outlives the process that writes it.

    The file behind it grows by segments, which are mapped as they are needed: a log is never full
    before the machine's memory is.

    Mapping runs Python code, so another thread may come in between: `reach` maps, `row` only
    computes an address. Who has checked what to write calls `row` alone. The segment before the
    mapped one stays mapped, for a thread that still holds an address in it.
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
        """Where a row is that `reach` has mapped."""
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
        # From here no other thread comes in; `oldest` is unmapped after all is in place.
        oldest = self.older
        self.older = self.mapping
        self.mapping = mapping
        self.base = <char *>cnp.PyArray_DATA(view)
        self.first, self.end = segment * self.rows, (segment + 1) * self.rows
        return 0


cdef class BestPoint:
    """The best value of a run and its point, in memory that outlives the process that writes them.

    Two slots of ``1 + dimension`` numbers take turns: the value and the point of event k, from 0,
    are in slot k % 2. They are written before the event is committed, so a process that is killed
    in between leaves the slot of the last committed event as it was.

    Parameters
    ----------
    fd : int
        The file behind it.
    dimension : int
    """

    cdef readonly int fd
    cdef Py_ssize_t dimension
    cdef double *slots
    cdef object mapping

    def __init__(self, int fd, Py_ssize_t dimension):
        self.fd, self.dimension = fd, dimension
        size = 2 * (1 + dimension) * sizeof(double)
        os.ftruncate(fd, size)
        self.mapping = mmap.mmap(fd, size)
        cdef cnp.ndarray view = np.frombuffer(self.mapping, dtype=np.float64)
        self.slots = <double *>cnp.PyArray_DATA(view)

    cdef inline void write(self, int64_t event, double value, const double *x) noexcept:
        cdef double *slot = self.slots + (event & 1) * (1 + self.dimension)
        slot[0] = value
        memcpy(slot + 1, x, self.dimension * sizeof(double))

    @staticmethod
    def read(int fd, Py_ssize_t dimension, int64_t events):
        """The value and the point of the last of `events` committed events, at least 1."""
        size = (1 + dimension) * sizeof(double)
        slot = np.frombuffer(os.pread(fd, size, ((events - 1) & 1) * size), dtype=np.float64)
        return slot[0].item(), slot[1:]


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


@cython.final
@cython.no_gc
cdef class Measurement:
    """Measures one run: evaluates for its `Objective`; the launch loop begins and ends its launches.

    Parameters
    ----------
    problem : timefair.problems.base.Problem
    header : ndarray
        One record of dtype `HEADER` in shared memory.
    events, launches, launch_events : Log
    best_fd : int
        The file of the `BestPoint`.
    batches : Log, optional
        None: batches are not recorded.
    cap : int
        Evaluations of the run; NEVER without such a budget.
    final_target : float
        The run ends at the first precision at or below it; -1 for never.
    clock : callable, optional
        ``clock() -> int`` in nanoseconds instead of the real one: for tests.
    exit : callable, optional
        Called with 0 when the run is over, instead of ending the process: for tests. It must not return.
    native : bool
        Evaluate without the interpreter where the problem has a C function for it.
    evaluators : timefair.measure.evaluation.evaluators.Evaluators, optional
        What evaluates batches on several cores.
    cost : int
        Virtual evaluation cost in ns. The run's clock goes forward by it with each evaluation, or
        with each round of a batch that several cores evaluate.
    thinning : timefair.records.thinning.Thinning, optional
        Decides which improvements of a launch are kept that do not improve the best of the run.
    """

    cdef Py_ssize_t dimension
    cdef object problem, evaluate, clock, exit, header_array
    cdef native_t native
    cdef void *handle
    cdef Header *header
    cdef Log events, launches, launch_events, batches
    cdef BestPoint best_point
    cdef Launch *launch
    cdef int64_t t0, run_deadline, run_cap, deadline, cap
    cdef int64_t calls, event_count, launch_index, launch_event_count
    cdef int64_t cost, resolution, step_ends_after, step_ends_at
    cdef double f_opt, final_target, best, launch_best
    cdef int64_t turn_ends_at, turn_ends_after, plateau_ns, plateau_evaluations
    cdef object pause
    cdef int closed  # the LaunchCode of what ended the launch; 0 while it may evaluate
    cdef bint foreign, optimum_known, more_to_come, traced
    cdef object evaluators, thinning

    def __init__(
        self, problem, header, Log events, Log launches, Log launch_events, int best_fd,
        int64_t cap=INT64_MAX, double final_target=-1.0,
        clock=None, exit=None, bint native=True, evaluators=None, int64_t cost=0,
        thinning=THINNING, Log batches=None,
    ):
        self.problem = problem
        self.evaluate = problem.evaluate
        self.dimension = problem.dimension
        self.f_opt = problem.f_opt
        self.optimum_known = not isnan(self.f_opt)
        self.native = NULL
        if native and problem.native is not None:
            self.native = <native_t><uintptr_t>problem.native.function
            self.handle = <void *><uintptr_t>problem.native.handle
        self.header_array = header
        self.header = <Header *>cnp.PyArray_DATA(header)
        self.events, self.launches, self.launch_events = events, launches, launch_events
        self.batches = batches
        self.thinning, self.resolution = thinning, thinning.resolution
        self.best_point = BestPoint(best_fd, self.dimension)
        self.run_cap = self.cap = cap
        self.cost = cost
        self.final_target = final_target
        self.clock, self.exit, self.evaluators = clock, exit, evaluators
        # A run that goes on in a new process takes up where the last one was killed.
        self.calls = self.header.evaluations
        self.event_count = self.header.events
        self.launch_event_count = self.header.launch_events
        self.t0 = -1
        self.run_deadline = self.deadline = INT64_MAX
        self.best = INFINITY
        if self.event_count:
            events.reach(self.event_count - 1)
            self.best = (<Event *>events.row(self.event_count - 1)).precision
        events.reach(self.event_count)
        launch_events.reach(self.launch_event_count)
        self.launch_best = INFINITY
        self.launch = NULL

    # -- evaluation --------------------------------------------------------------------------

    cdef inline double evaluate_point(self, x) except? -1.0:
        cdef cnp.ndarray array
        self.count_call()
        self.header.charge += self.cost
        array = as_point(x, self.dimension)
        cdef const double *point = <const double *>cnp.PyArray_DATA(array)
        return self.record(self.value(point, array), point)

    cdef evaluate_batch(self, points):
        cdef cnp.ndarray array = as_batch(points, self.dimension)
        cdef int64_t before = self.calls, size = len(array)
        self.begin_batch(before, size)
        try:
            return self.evaluate_all(array)
        finally:
            if self.calls - before != size:
                self.shorten_batch(before, size, self.calls - before)

    cdef int begin_batch(self, int64_t before, int64_t size) except -1:
        """Log a batch that begins after so many evaluations; equal ones in a row share a row."""
        cdef int64_t rows = self.header.batches
        cdef Batch *last
        if self.batches is None or size < 2 or rows < 0:
            return 0
        if rows:
            last = self.last_batch()
            end = last.first + last.size * last.count
            if before == end and size == last.size:
                last.count += 1
                return 0
            if before < end or rows == MOST_BATCHES:  # of another thread
                self.header.batches = -1
                return 0
        self.batches.reach(rows)
        last = <Batch *>self.batches.row(rows)
        last.first, last.size, last.count = before, size, 1
        self.header.batches = rows + 1
        return 0

    cdef int shorten_batch(self, int64_t before, int64_t size, int64_t made) except -1:
        """Correct the last batch, of which other evaluations were made than it has points."""
        cdef Batch *last
        if self.batches is None or size < 2 or self.header.batches < 0:
            return 0
        last = self.last_batch()
        if made > size or last.size != size or last.first + size * (last.count - 1) != before:
            self.header.batches = -1  # another thread has evaluated too
            return 0
        last.count -= 1
        if last.count == 0:
            self.header.batches -= 1
        return self.begin_batch(before, made)

    cdef Batch *last_batch(self) except NULL:
        self.batches.reach(self.header.batches - 1)
        return <Batch *>self.batches.row(self.header.batches - 1)

    cdef evaluate_all(self, cnp.ndarray array):
        """The values of a batch."""
        if self.evaluators is None:
            return np.array([self.evaluate_point(x) for x in array], dtype=np.float64)
        charged = self.header.charge
        charges = charged + self.cost * (np.arange(len(array)) // self.evaluators.count + 1)
        values = [
            self.at_once(array[i:i + AT_ONCE], charges[i:i + AT_ONCE])
            for i in range(0, len(array), AT_ONCE)
        ]
        return np.concatenate([np.empty(0), *values])

    cdef at_once(self, cnp.ndarray points, cnp.ndarray charges):
        """Evaluate up to `AT_ONCE` points on all cores, as far as the budget goes.

        `charges` has the charge of the run when each of them is evaluated.
        """
        cdef int64_t stamp = 0
        cdef Py_ssize_t row
        if not self.closed and self.calls < self.cap:
            points = points[:self.cap - self.calls]
            charges = charges[:len(points)]
        values, stamps = self.evaluators.evaluate(points, self.on_the_machine(self.deadline))
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
                    values[i] = self.evaluate(points[i])  # where it raised, it does so again here
                stamp = max(stamp, stamps[i] if ready[i] else self.now())
                self.more_to_come = late or i < len(points) - 1
                self.reserve_event()
                row = i
                self.account(
                    values[i], stamp, <double *>cnp.PyArray_DATA(points) + row * self.dimension
                )
        finally:
            self.more_to_come = False
        if late:
            self.header.charge = charges[evaluated].max(initial=self.header.charge)
            self.out_of_time(now)
        return values

    cdef inline int count_call(self) except -1:
        """Begin an evaluation; it does not return where none may begin."""
        if self.closed:
            self.refuse()
        if self.calls >= self.cap:  # only after calls that raised
            self.out_of_evaluations()
        self.calls += 1
        return 0

    cdef inline double record(self, double value, const double *x) except? -1.0:
        """End the evaluation of a value now."""
        self.reserve_event()
        self.account(value, self.now(), x)  # no other thread comes in from here to the commit
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
        """Stamp an evaluation that ended at `now`, keep it if it is better, end what is over."""
        cdef double precision
        self.header.last = now
        if now >= self.deadline:
            self.out_of_time(now)
        self.header.evaluations = self.calls
        precision = value - self.f_opt if self.optimum_known else value
        if precision < 0.0:
            if value == -INFINITY:
                precision = INFINITY
            elif self.optimum_known:
                precision = 0.0
        if precision < self.launch_best:
            self.improve(precision, value, now, x)
        if self.calls >= self.cap:
            self.out_of_evaluations()
        if now >= self.turn_ends_at or self.calls >= self.turn_ends_after:
            self.end_turn(now)
        return 0

    cdef int improve(self, double precision, double value, int64_t now, const double *x) except -1:
        """Keep the best of the launch, and of the run with an event and its point."""
        cdef Event *event
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
            self.best_point.write(self.event_count, value, x)
            self.event_count += 1
            timefair_commit_follows()
            self.header.events = self.event_count  # the commit
            if precision <= self.final_target and self.optimum_known:
                self.stop(TARGET, LAUNCH_TARGET, now)
        elif self.traced:
            self.trace(precision, now)
        return 0

    cdef int trace(self, double precision, int64_t now) except -1:
        """Keep an improvement of the launch alone; it replaces the last one of its step.

        If the process is killed meanwhile, the row has the earlier, worse precision with the later
        evaluations or time. That is true as well.
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
        """What the algorithm gets."""
        return Objective(self)

    def start(self, int64_t t0, int64_t deadline=INT64_MAX):
        """Time starts at `t0`; the run ends at `deadline`. Both in ns of the clock. Once."""
        if self.t0 >= 0:
            raise RuntimeError("the time of this run has started already")
        self.t0 = t0
        self.run_deadline = self.deadline = deadline

    def begin_launch(
        self, int64_t start=-1, int64_t deadline=INT64_MAX, int64_t evaluations=INT64_MAX
    ):
        """Open the next launch at `start` (-1: now), with time until `deadline` and evaluations."""
        if start < 0:
            start = self.now()
        self.take_launch(self.header.launches)
        self.launch.start = start
        self.launch.first = self.launch.last = self.calls
        self.launch.earlier = 0
        self.launch.best = self.launch_best = INFINITY
        self.launch.code = OPEN
        self.header.launches = self.launch_index + 1
        self.lift_limits()
        self.deadline = min(self.run_deadline, deadline)
        self.cap = min(self.run_cap, later(self.calls, evaluations))

    def end_at_plateau(self, int64_t time_ns, int64_t evaluations):
        """End the launch that was just begun when it has not improved for so long."""
        self.plateau_ns, self.plateau_evaluations = time_ns, evaluations
        self.begin_plateau(self.launch.start)

    def pause_after(self, int64_t time_ns, int64_t evaluations, pause):
        """Call ``pause()`` when the launch that was just begun has used so much.

        Other launches may be made meanwhile; when it returns, this one goes on.
        """
        self.turn_ends_at = later(self.launch.start, time_ns)
        self.turn_ends_after = later(self.calls, evaluations)
        self.pause = pause

    def end_launch(self, int64_t code):
        """Close the launch; `code` is a LaunchCode. Returns the evaluations that it made.

        A launch that was cut and returned as if by itself is closed as cut.
        """
        self.close_launch(self.closed or code, self.now())
        return self.launch.earlier + self.launch.last - self.launch.first

    def finish(self, int64_t stop):
        """End the run between two launches, with a Stop."""
        self.leave(stop, self.now())

    def disown(self):
        """Called in a process that the algorithm forked: refuse to evaluate there."""
        self.foreign = self.closed = True

    # -- inside ------------------------------------------------------------------------------

    cdef inline int64_t now(self) except? -1:
        """The run's clock: the machine's, put forward by what evaluations were charged."""
        cdef int64_t of_the_machine  # typed, so that no Python object is made
        of_the_machine = read_clock() if self.clock is None else self.clock()
        return of_the_machine + self.header.charge

    cdef int64_t on_the_machine(self, int64_t moment):
        """The latest moment of the machine's clock, in ns, at which the run's clock shows this."""
        return moment if moment == INT64_MAX else moment - self.header.charge

    cdef inline double value(self, const double *x, cnp.ndarray array) except? -1.0:
        cdef double y
        if self.native != NULL:
            self.native(self.handle, x, &y)
            return y
        if array is None:
            array = np.empty(self.dimension)
            memcpy(cnp.PyArray_DATA(array), x, self.dimension * sizeof(double))
        return self.evaluate(array)

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
        self.go_on(index)
        return 0

    cdef int go_on(self, int64_t index) except -1:
        """Reopen a launch that was paused, without limits of its own."""
        self.take_launch(index)
        self.launch.earlier += self.launch.last - self.launch.first
        self.launch.first = self.launch.last = self.calls
        self.launch.code = OPEN
        self.launch_best = self.launch.best
        self.lift_limits()
        return 0

    cdef int lift_limits(self) except -1:
        """Leave the launch the limits of the run alone."""
        self.closed = False
        self.deadline, self.cap = self.run_deadline, self.run_cap
        self.pause = None
        self.plateau_ns = self.plateau_evaluations = INT64_MAX
        self.turn_ends_at = self.turn_ends_after = INT64_MAX
        return 0

    cdef int take_launch(self, int64_t index) except -1:
        self.launches.reach(index)
        self.launch = <Launch *>self.launches.row(index)
        self.launch_index = index
        self.traced = self.thinning.traces(index)
        self.step_ends_after = self.step_ends_at = -1
        return 0

    cdef int leave(self, int64_t stop, int64_t now) except -1:
        self.closed = LAUNCH_CUT  # to other threads
        self.header.end = now
        self.header.cpu_1 = cpu_ns()  # before the process is torn down, which is not its run
        self.header.stop = stop
        if self.exit is None:
            _exit(0)
        self.exit(0)
        return 0

    cdef int close_launch(self, int64_t code, int64_t now) except -1:
        self.launch.end = now
        self.launch.last = self.header.evaluations
        self.launch.code = code
        return 0

    cdef int stop(self, int64_t stop, int64_t code, int64_t now) except -1:
        self.close_launch(code, now)
        self.leave(stop, now)
        raise SystemError("the exit of a run returned")


@cython.final
@cython.no_gc
cdef class Objective:
    """What an algorithm minimizes; see `timefair.algorithms.base.Objective` for its view of it."""

    cdef Measurement measurement

    def __cinit__(self, Measurement measurement not None):
        self.measurement = measurement

    @property
    def dimension(self):
        return self.measurement.dimension

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
    def evaluations(self):
        return self.measurement.calls

    @property
    def evaluations_left(self):
        """Evaluations that the budget leaves to this launch; None without such a budget."""
        cdef Measurement measurement = self.measurement
        if measurement.cap == INT64_MAX:
            return None
        return max(measurement.cap - measurement.calls, 0)

    @property
    def c_function(self):
        """``(function, objective)``: addresses, to evaluate from C without the interpreter.

        The function is ``int f(void *objective, const double *x, double *y)``. It counts, stamps
        and ends the run as a call does, wants the GIL, and returns -1 with an exception set when
        the caller has to return to the interpreter at once.
        """
        return <uintptr_t>&evaluate_in_c, <uintptr_t><void *>self

    def __call__(self, x, /):
        return self.measurement.evaluate_point(x)

    def batch(self, points, /):
        """Evaluate points, an array-like of shape ``(k, dimension)``; values of shape ``(k,)``.

        The same as k calls, except that a run with several cores evaluates on all of them. Points
        count in their order, each stamped when it and those before it were ready.
        """
        return self.measurement.evaluate_batch(points)


cdef int evaluate_in_c(void *objective, const double *x, double *y) except -1:
    cdef Measurement self = (<Objective>objective).measurement
    self.count_call()
    self.header.charge += self.cost
    y[0] = self.record(self.value(x, None), x)
    return 0
