# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Memory that an evaluator and a solver share, for runs whose algorithm has its own process.

The solver is the process of the algorithm; the evaluator is that of the objective, and checks all
that the solver writes. One has the turn: it writes a message and gives the turn to the other one,
which reads the turn repeatedly on its own core: less than a microsecond; a pipe takes ten. After
`SPIN_NS`, a waiting process sleeps, which delays it by less than a hundredth of that time.
"""

import mmap
import os
from threading import Lock

import numpy as np

cimport cython
cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libc.string cimport memcpy

from timefair.measure.evaluation.objective import ForeignProcess, LaunchCut, as_batch, as_point
from timefair.measure.evaluation.state import LaunchFailed, SolverGone

cnp.import_array()

cdef extern from *:
    """
    #include <linux/futex.h>
    #include <stdint.h>
    #include <sys/syscall.h>
    #include <time.h>
    #include <unistd.h>
    #if defined(__x86_64__) || defined(__i386__)
    #define timefair_relax() __builtin_ia32_pause()
    #else
    #define timefair_relax() __asm__ __volatile__("" ::: "memory")
    #endif
    #define timefair_load(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)
    #define timefair_store(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)
    static inline int64_t timefair_now(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
    static inline void timefair_sleep(int32_t *word, int32_t value, long ns) {
        struct timespec most = {0, ns};
        syscall(SYS_futex, word, FUTEX_WAIT, value, &most, NULL, 0);
    }
    static inline void timefair_wake(int32_t *word) {
        syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    """
    void timefair_relax() noexcept nogil
    int32_t timefair_load(int32_t *p) noexcept nogil
    void timefair_store(int32_t *p, int32_t v) noexcept nogil
    int64_t timefair_now() noexcept nogil
    void timefair_sleep(int32_t *word, int32_t value, long ns) noexcept nogil
    void timefair_wake(int32_t *word) noexcept nogil

ctypedef int (*evaluate_t)(void *objective, const double *x, double *y) except -1

cdef enum:
    AT_ONCE = 256  # maximal number of points of a batch that are handed over at once
    TEXT = 4096  # maximal length of a text in bytes; longer texts are cut
    SPIN_NS = 2000000  # a process that has waited for this time sleeps
    SLEEP_NS = 10000000  # longest sleep; then the process checks whether the other one is alive
    READS = 256  # readings of the turn between two readings of the clock


cdef enum:
    # who has the turn
    SOLVER = 0
    EVALUATOR = 1
    # messages of the evaluator
    LAUNCH = 10
    VALUES = 11
    CUT = 12
    # messages of the solver
    READY = 20
    POINTS = 21
    RETURNED = 22
    FAILED = 23


cdef struct Head:
    int32_t turn
    int32_t sleeps  # whether the process without the turn sleeps
    int64_t kind
    int64_t count  # number of points, values or bytes of a text; or the number of a launch
    int64_t calls  # evaluations of the run so far
    int64_t left  # evaluations that the budget leaves to the launch; -1 without such a budget
    int64_t code  # the kind of a failure: a `Stop`
    double progress  # share of the launch's budget that is used


cdef inline void give_turn(Head *head, int32_t side) noexcept nogil:
    timefair_store(&head.turn, side)
    if timefair_load(&head.sleeps):
        timefair_wake(&head.turn)


cdef bint wait_for_turn(Head *head, int32_t side) noexcept nogil:
    """Wait for a limited time; return whether the turn has come."""
    cdef int64_t until = 0
    cdef int reads = 0
    while timefair_load(&head.turn) != side:
        timefair_relax()
        reads += 1
        if reads % READS:
            continue
        if until == 0:
            until = timefair_now() + SPIN_NS
        elif timefair_now() >= until:
            timefair_store(&head.sleeps, 1)
            timefair_sleep(&head.turn, 1 - side, SLEEP_NS)
            timefair_store(&head.sleeps, 0)
            return timefair_load(&head.turn) == side
    return True


class Garbled(ValueError):
    """The solver wrote a message that the code of a solver never writes."""


@cython.no_gc
cdef class Channel:
    """The shared memory; each side makes a channel from the same anonymous file, empty at first."""

    cdef Head *head
    cdef char *text
    cdef double *points
    cdef double *values
    cdef Py_ssize_t dimension
    cdef object mapping

    def __init__(self, int fd, Py_ssize_t dimension):
        self.dimension = dimension
        size = 64 + TEXT + 8 * AT_ONCE * (1 + dimension)
        if os.fstat(fd).st_size != size:
            os.ftruncate(fd, size)
        self.mapping = mmap.mmap(fd, size)
        cdef cnp.ndarray view = np.frombuffer(self.mapping, dtype=np.uint8)
        cdef char *base = <char *>cnp.PyArray_DATA(view)
        self.head = <Head *>base
        self.text = base + 64
        self.values = <double *>(self.text + TEXT)
        self.points = self.values + AT_ONCE

    cdef int write_text(self, bytes text) except -1:
        cdef const char *data = text
        cdef Py_ssize_t length = min(len(text), TEXT)
        memcpy(self.text, data, length)
        self.head.count = length
        return 0

    cdef bytes read_text(self):
        cdef int64_t length = self.head.count
        if not 0 <= length <= TEXT:
            raise Garbled(f"a text of {length} bytes")
        return self.text[:length]


# --- The solver's side --------------------------------------------------------------------------


@cython.final
@cython.no_gc
cdef class Caller:
    """The solver's end: it waits for launches and has points evaluated."""

    cdef Channel channel
    cdef object lower, upper, integer, lock
    cdef int64_t calls, left
    cdef double progress
    cdef bint foreign

    def __init__(self, Channel channel, lower, upper, integer):
        self.channel = channel
        self.lower, self.upper, self.integer = lower, upper, integer
        self.lock = Lock()
        self.calls, self.left, self.progress = 0, -1, 0.0
        self.foreign = False

    @property
    def objective(self):
        return RemoteObjective(self)

    def next_launch(self):
        """Report that the solver is ready; wait for a launch and return its number."""
        with self.lock:
            self.exchange(READY)
            return self.channel.head.count

    def returned(self, str remark):
        """Report that the launch is over, and why if it made no evaluation; the next launch."""
        with self.lock:
            self.channel.write_text(remark.encode("utf-8", "replace"))
            self.exchange(RETURNED)
            return self.channel.head.count

    def failed(self, int64_t code, str text):
        with self.lock:
            self.channel.write_text(text.encode("utf-8", "replace"))
            self.channel.head.code = code
            self.exchange(FAILED)

    def disown(self):
        """Called in a process that the algorithm forked: refuse to evaluate there."""
        self.foreign = True

    cdef int exchange(self, int64_t kind) except -1:
        """Give the turn to the evaluator and wait until it comes back. The lock is held."""
        cdef Head *head = self.channel.head
        head.kind = kind
        with nogil:
            give_turn(head, EVALUATOR)
            while not wait_for_turn(head, SOLVER):
                pass
        self.calls, self.left, self.progress = head.calls, head.left, head.progress
        return 0

    cdef int evaluate(self, const double *points, Py_ssize_t count, double *values) except -1:
        if self.foreign:
            raise ForeignProcess
        cdef Channel channel = self.channel
        cdef Head *head = channel.head
        with self.lock:
            memcpy(channel.points, points, count * channel.dimension * sizeof(double))
            head.count = count
            self.exchange(POINTS)
            if head.kind == VALUES:
                memcpy(values, channel.values, count * sizeof(double))
                return 0
            raise LaunchCut


@cython.final
@cython.no_gc
cdef class RemoteObjective:
    """The objective of an algorithm with its own process: `timefair.algorithms.algorithm.Objective`."""

    cdef Caller caller
    cdef readonly Py_ssize_t dimension
    cdef readonly int shown, changes, cores
    cdef readonly bint noisy  # recommendations of an algorithm in its own process are not recorded

    def __cinit__(self, Caller caller not None):
        self.caller, self.dimension = caller, caller.channel.dimension
        self.shown = self.cores = 1

    @property
    def lower(self):
        return self.caller.lower.copy()

    @property
    def upper(self):
        return self.caller.upper.copy()

    @property
    def integer(self):
        return self.caller.integer.copy()

    def recommend(self, x, /):
        as_point(x, self.dimension)

    @property
    def evaluations(self):
        return self.caller.calls

    @property
    def evaluations_left(self):
        return None if self.caller.left < 0 else self.caller.left

    @property
    def progress(self):
        return self.caller.progress  # at the end of the last evaluation

    @property
    def c_function(self):
        return <uintptr_t>&evaluate_in_c, <uintptr_t><void *>self

    def __call__(self, x, /):
        cdef cnp.ndarray array = as_point(x, self.dimension)
        cdef double value
        self.caller.evaluate(<const double *>cnp.PyArray_DATA(array), 1, &value)
        return value

    def batch(self, points, /):
        cdef cnp.ndarray array = as_batch(points, self.dimension)
        cdef cnp.ndarray values = np.empty(len(array))
        cdef const double *point = <const double *>cnp.PyArray_DATA(array)
        cdef double *value = <double *>cnp.PyArray_DATA(values)
        cdef Py_ssize_t done = 0, count = len(array), part
        while done < count:
            part = min(count - done, AT_ONCE)
            self.caller.evaluate(point + done * self.dimension, part, value + done)
            done += part
        return values


cdef int evaluate_in_c(void *objective, const double *x, double *y) except -1:
    return (<RemoteObjective>objective).caller.evaluate(x, 1, y)


# --- The evaluator's side -----------------------------------------------------------------------


@cython.final
@cython.no_gc
cdef class Server:
    """The evaluator's end; ``alive()`` says whether the solver's process is alive."""

    cdef Channel channel
    cdef object alive
    cdef cnp.ndarray point  # a copy, which the solver cannot change while it is evaluated

    def __init__(self, Channel channel, alive):
        self.channel, self.alive = channel, alive
        self.point = np.empty((AT_ONCE, channel.dimension))

    def wait_until_ready(self):
        self.listen()
        if self.channel.head.kind != READY:
            raise Garbled(f"a message of kind {self.channel.head.kind}")

    def launch(self, int64_t number, objective):
        """Evaluate for a launch with the run's objective; why it returned, without evaluations.

        `LaunchFailed` if the algorithm raised, `SolverGone` if its process ended, `Garbled` if it
        wrote a message that the code of a solver never writes.
        """
        cdef Head *head = self.channel.head
        head.count = number
        self.answer(LAUNCH, objective)
        while True:
            self.listen()
            if head.kind == POINTS:
                self.evaluate(objective)
            elif head.kind == RETURNED:
                return self.channel.read_text().decode("utf-8", "replace")
            elif head.kind == FAILED:
                text = self.channel.read_text().decode("utf-8", "replace")
                raise LaunchFailed(head.code, text)
            else:
                raise Garbled(f"a message of kind {head.kind}")

    cdef int evaluate(self, objective) except -1:
        cdef Head *head = self.channel.head
        cdef int64_t count = head.count
        cdef double *point = <double *>cnp.PyArray_DATA(self.point)
        cdef double y = 0.0
        cdef uintptr_t function, handle
        cdef cnp.ndarray values
        if not 1 <= count <= AT_ONCE:
            raise Garbled(f"a batch of {count} points")
        memcpy(point, self.channel.points, count * self.channel.dimension * sizeof(double))
        try:
            if count == 1:
                function, handle = objective.c_function
                (<evaluate_t>function)(<void *>handle, point, &y)
                self.channel.values[0] = y
            else:
                values = objective.batch(self.point[:count])
                memcpy(self.channel.values, cnp.PyArray_DATA(values), count * sizeof(double))
        except LaunchCut:
            self.answer(CUT, objective)
        else:
            self.answer(VALUES, objective)
        return 0

    cdef int answer(self, int64_t kind, objective) except -1:
        cdef Head *head = self.channel.head
        left = objective.evaluations_left
        head.calls = objective.evaluations
        head.left = -1 if left is None else left
        head.progress = objective.progress
        head.kind = kind
        give_turn(head, SOLVER)
        return 0

    cdef int listen(self) except -1:
        cdef Head *head = self.channel.head
        while not wait_for_turn(head, EVALUATOR):
            if not self.alive() and timefair_load(&head.turn) != EVALUATOR:
                raise SolverGone
        return 0
