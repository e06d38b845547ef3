"""The process of one run: it is forked, launches the algorithm until the run is over, and ends.

It never returns. In the end it is the objective, this loop or the kernel timer that ends it, and
nothing that the algorithm catches or ignores can hold it.
"""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from timefair.algorithms.base import Algorithm
from timefair.measure import kernel
from timefair.measure.betting import bet
from timefair.measure.evaluators import Evaluators
from timefair.measure.interruption import ends_at_once
from timefair.measure.objective import NEVER, LaunchCode, LaunchCut, Objective, Stop, cpu_ns, now_ns
from timefair.measure.restarts import RestartPolicy
from timefair.measure.seeds import launch_rng, seed_global_generators
from timefair.measure.state import State
from timefair.problems.base import Problem
from timefair.records.status import Status

GRACE_NS = 3_000_000
"""From the deadline to the kernel timer: time for the objective to end the run itself."""

BATCH_GRACE_NS = 50_000_000
"""The same for runs with several cores: what is ready of a batch is counted at the deadline."""

WARM_UP_EVALUATIONS = 100
WARM_UP_NS = 20_000_000
"""After a fork the first evaluations are slower (copy-on-write); they are made before t0."""

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
    restart: RestartPolicy = field(default_factory=RestartPolicy)
    cores: int = 1

    @property
    def grace_ns(self) -> int:
        """From a deadline to the kernel timer."""
        return GRACE_NS if self.cores == 1 else BATCH_GRACE_NS


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
    try:
        ends_at_once()
        os.setsid()
        kernel.die_with_parent(parent)
        kernel.limit_memory(allowance.memory_mb)
        _warm_up(problem)
        if problem.reseed is not None:
            problem.reseed(seed + state["launches"])
        timer = kernel.KillTimer()
        objective = Objective(
            problem,
            state.header_array,
            state.event_log,
            state.launch_log,
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
        _Launcher(algorithm, objective, timer, allowance, state, seed, rng).until_over()
    except BaseException as error:
        _fail(state, error)
    os._exit(1)


def last_moment(state: State, allowance: Allowance) -> int:
    """When the run is over at the latest, in ns of the clock: T, or the limit without a T."""
    deadline: int = state["deadline"]
    return deadline if deadline != NEVER else state["t0"] + allowance.wall_ns


@dataclass
class _Launcher:
    """Makes the launches of a run, one at a time."""

    algorithm: Algorithm
    objective: Objective
    timer: kernel.KillTimer
    allowance: Allowance
    state: State
    seed: int
    stream: np.random.Generator | None  # of the first launch in this process, made before t0

    def until_over(self) -> None:
        """Launch until the objective, or `launch`, ends the run."""
        policy = self.allowance.restart
        if policy.bets and not self.state["launches"]:
            bet(self.launch, policy.candidates, lambda: self.state.launches()["best"].tolist())
        while True:
            self.launch()

    def launch(self, pause: Callable[[], None] | None = None) -> None:
        """Make one launch; have `pause` called when it has used the share of a candidate."""
        objective, state, policy = self.objective, self.state, self.allowance.restart
        index = state["launches"]
        now = now_ns() if index else state["t0"]
        if now >= state["deadline"]:
            objective.finish(Stop.TIME)
        share = policy.share(index)
        # A KillTimer set to the earlier of the two also ends a launch that never evaluates.
        deadline = share.deadline(now)
        last = min(last_moment(state, self.allowance), deadline)
        state["kill_at"] = last + self.allowance.grace_ns
        self.timer.set(state["kill_at"])
        objective.begin_launch(now, deadline, share.evaluations)
        if pause is not None:
            objective.pause_after(policy.tau.time_ns, policy.tau.evaluations, pause)
        elif policy.policy == "stagnation":
            objective.end_at_plateau(policy.plateau.time_ns, policy.plateau.evaluations)
        rng = self.stream or _stream(self.seed, index)
        self.stream = None
        try:
            self.algorithm.solve(objective, rng)
        except LaunchCut:
            objective.end_launch(LaunchCode.TAU)
        else:
            evaluations = objective.end_launch(LaunchCode.RETURNED)
            if not policy.again or evaluations == 0:
                objective.finish(Stop.ENDED)


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


def _fail(state: State, error: BaseException) -> None:
    """Leave to the parent what the algorithm raised, then end."""
    end = now_ns()
    state["end"], state["cpu_1"] = end, cpu_ns()
    if end >= state["deadline"]:
        state["stop"] = Stop.TIME
        os._exit(0)
    status = Status.OUT_OF_MEMORY if isinstance(error, MemoryError) else Status.RAISED
    state["failure"] = 1 + FAILURES.index(status)
    state["stop"] = Stop.FAILURE
    state.report(f"{type(error).__name__}: {error}".strip(": "))
    os._exit(0)
