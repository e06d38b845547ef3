"""The process of one run: it is forked, launches the algorithm until the run is over, and ends.

It never returns. In the end it is the objective, this loop or the kernel timer that ends it, and
nothing that the algorithm catches or ignores can hold it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from timefair.algorithms.base import Algorithm
from timefair.basics.errors import described
from timefair.measure import idleness, kernel
from timefair.measure.evaluators import Evaluators
from timefair.measure.interruption import ends_at_once
from timefair.measure.objective import NEVER, LaunchCode, LaunchCut, Objective, Stop, cpu_ns, now_ns
from timefair.measure.pausing import PausableLaunch
from timefair.measure.seeds import launch_rng, seed_global_generators
from timefair.measure.state import State
from timefair.policies.restarts.base import UNLIMITED, Limit, RestartPolicy
from timefair.policies.restarts.independent import Independent
from timefair.problems.base import Problem
from timefair.records.status import Status

GRACE_NS = 3_000_000
"""From the deadline to the kernel timer: time for the objective to end the run itself."""

BATCH_GRACE_NS = 50_000_000
"""The same for runs with several cores: what is ready of a batch is counted at the deadline."""

WARM_UP_EVALUATIONS = 100
WARM_UP_NS = 20_000_000
"""After a fork the first evaluations are slower (copy-on-write); they are made before t0."""

ANSWER_NS = 5_000_000_000
"""A problem hangs that has not returned after that time, or the run's own if that is longer."""

FAILURES = (Status.RAISED, Status.OUT_OF_MEMORY)
"""What the child itself reports in the header's `failure`, by its place here plus 1."""


@dataclass(frozen=True)
class Allowance:
    """What one run may use.

    `time_ns` and `evaluations` are NEVER where there is no such budget; `final_target` is -1 to
    go on at any precision; `wall_ns` ends a run that has no budget of time. With several `cores`
    batches are evaluated on all of them.
    """

    time_ns: int = NEVER
    evaluations: int = NEVER
    final_target: float = -1.0
    wall_ns: int = 3_600_000_000_000
    memory_mb: float | None = None
    restart: RestartPolicy = field(default_factory=Independent)
    cores: int = 1

    @property
    def grace_ns(self) -> int:
        """From a deadline to the kernel timer."""
        return GRACE_NS if self.cores == 1 else BATCH_GRACE_NS

    @property
    def answer_ns(self) -> int:
        """How long a problem may take for an evaluation before the clock starts."""
        return max(ANSWER_NS, self.wall_ns if self.time_ns == NEVER else self.time_ns)


def live(
    parent: int,
    algorithm: Algorithm,
    problem: Problem,
    allowance: Allowance,
    state: State,
    seed: int,
) -> None:
    """Be the process of a run, from just after the fork to the end. `state` may hold a run's past.

    A run whose launch was killed at tau goes on in a new process with the state of the last one.
    """
    own = os.getpid()
    try:
        ends_at_once()
        os.setsid()
        kernel.die_with_parent(parent)
        kernel.limit_memory(allowance.memory_mb)
        timer = kernel.KillTimer()
        if not state["launches"]:
            state["kill_at"] = now_ns() + allowance.answer_ns
            timer.set(state["kill_at"])
        _warm_up(problem)
        if problem.reseed is not None:
            problem.reseed(seed + state["launches"])
        objective = Objective(
            problem,
            state.header_array,
            state.event_log,
            state.launch_log,
            state.best_fd,
            cap=allowance.evaluations,
            final_target=allowance.final_target,
            evaluators=Evaluators(problem, allowance.cores) if allowance.cores > 1 else None,
        )
        os.register_at_fork(after_in_child=lambda: _orphan(objective))
        rng = _stream(seed, state["launches"])
        if not state["launches"]:
            state["switches_0"] = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
            delay = kernel.run_queue_delay_ns()
            state["delay_0"] = -1 if delay is None else delay
            state["cpu_0"] = cpu_ns()
            t0 = now_ns()
            objective.start(t0, NEVER if allowance.time_ns == NEVER else t0 + allowance.time_ns)
        allowance.restart.make(_Launcher(algorithm, objective, timer, allowance, state, seed, rng))
    except BaseException as error:
        _end_if_forked(own)
        _fail(state, error)
    os._exit(1)


def last_moment(state: State, allowance: Allowance) -> int:
    """When the run is over at the latest, in ns of the clock: T, or the limit without a T."""
    deadline: int = state["deadline"]
    return deadline if deadline != NEVER else state["t0"] + allowance.wall_ns


@dataclass
class _Launcher:
    """Makes the launches of a run for its restart policy, which takes it as `Launches`."""

    algorithm: Algorithm
    objective: Objective
    timer: kernel.KillTimer
    allowance: Allowance
    state: State
    seed: int
    stream: np.random.Generator | None  # of the first launch in this process, made before t0

    @property
    def made(self) -> int:
        launches: int = self.state["launches"]
        return launches

    def launch(self, limit: Limit = UNLIMITED, plateau: Limit = UNLIMITED) -> None:
        self._begin(limit)
        if plateau != UNLIMITED:
            self.objective.end_at_plateau(_ns(plateau), _evaluations(plateau))
        self._solve()

    def begin(self, turn: Limit) -> PausableLaunch:
        index = self.made

        def launch(pause: Callable[[], None]) -> None:
            self._begin(UNLIMITED)
            self.objective.pause_after(_ns(turn), _evaluations(turn), pause)
            self._solve()

        begun = PausableLaunch(launch, lambda: self.state.launches()["best"][index].item())
        begun.go_on()
        return begun

    def finish(self) -> None:
        self.objective.finish(Stop.ENDED)

    def _begin(self, limit: Limit) -> None:
        """Open the next launch, or end the run if its time is up."""
        state = self.state
        now = now_ns() if self.made else state["t0"]
        if now >= state["deadline"]:
            self.objective.finish(Stop.TIME)
        # A KillTimer set to the earlier of the two also ends a launch that never evaluates.
        deadline = min(now + _ns(limit), NEVER)
        last = min(last_moment(state, self.allowance), deadline)
        state["kill_at"] = last + self.allowance.grace_ns
        self.timer.set(state["kill_at"])
        self.objective.begin_launch(now, deadline, _evaluations(limit))

    def _solve(self) -> None:
        """Have the algorithm make the launch that was just opened, and close it."""
        objective = self.objective
        rng = self.stream or _stream(self.seed, self.made - 1)
        self.stream, own = None, os.getpid()
        try:
            returned = self.algorithm.solve(objective, rng)
        except LaunchCut:
            objective.end_launch(LaunchCode.TAU)
        else:
            _end_if_forked(own)
            if objective.end_launch(LaunchCode.RETURNED) == 0:
                self.state.report(idleness.of_a_return(returned))
                self.finish()


def _ns(limit: Limit) -> int:
    """Its nanoseconds; NEVER without a limit."""
    return NEVER if limit.seconds is None else min(round(limit.seconds * 1e9), NEVER)


def _evaluations(limit: Limit) -> int:
    """Its evaluations; NEVER without a limit."""
    return NEVER if limit.evaluations is None else min(limit.evaluations, NEVER)


def _stream(seed: int, launch: int) -> np.random.Generator:
    rng = launch_rng(seed, launch)
    seed_global_generators(rng)
    return rng


def _warm_up(problem: Problem) -> None:
    points = problem.points(WARM_UP_EVALUATIONS)
    stop = now_ns() + WARM_UP_NS
    for x in points:
        with contextlib.suppress(Exception):  # what it raises in a run is the run's to show
            problem.evaluate(x)
        if now_ns() >= stop:
            break


def _orphan(objective: Objective) -> None:
    """In a process that the algorithm forked: do not evaluate, do not outlive the run."""
    objective.disown()
    kernel.die_with_parent(os.getppid())


def _end_if_forked(own: int) -> None:
    """End a process that the algorithm forked and that came back from the launch as the run does.

    Parameters
    ----------
    own
        The process of the run.
    """
    if os.getpid() != own:
        os._exit(0)


def _fail(state: State, error: BaseException) -> None:
    """Leave to the parent what the algorithm raised, then end."""
    end = now_ns()
    state["end"], state["cpu_1"] = end, cpu_ns()
    if end >= state["deadline"]:
        state["stop"] = Stop.TIME
        os._exit(0)
    status = Status.OUT_OF_MEMORY if _lacked_memory(error) else Status.RAISED
    state["failure"] = 1 + FAILURES.index(status)
    state["stop"] = Stop.FAILURE
    state.report(described(error))
    os._exit(0)


def _lacked_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or (
        isinstance(error, OSError) and error.errno == errno.ENOMEM
    )
