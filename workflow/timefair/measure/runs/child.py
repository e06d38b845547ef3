"""The process of one run: it is forked, launches the algorithm until the run is over, and ends.

The objective, this loop or the kernel timer ends it; the algorithm cannot prevent this by catching
or ignoring anything.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import socket
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from timefair.algorithms.base import Algorithm
from timefair.basics.errors import name_of
from timefair.basics.extension import Meter
from timefair.machine.linux import kernel
from timefair.machine.linux.keeper import Keeper
from timefair.machine.linux.kernel import ends_at_once
from timefair.measure import launching
from timefair.measure.evaluation.objective import (
    NEVER,
    LaunchCode,
    LaunchCut,
    Measurement,
    Objective,
    Stop,
    cpu_ns,
    now_ns,
)
from timefair.measure.evaluation.state import (
    Evaluators,
    SolverGone,
    Start,
    State,
    failure,
    take_output,
)
from timefair.measure.isolation import Views
from timefair.measure.launching import PausableLaunch, point_of, stream
from timefair.measure.processes import companion, forked
from timefair.policies.restarts import UNLIMITED, Independent, Limit, RestartPolicy
from timefair.problems.base import Problem

GRACE_NS = 3_000_000
"""Time from the deadline to the kernel timer, in which the objective can end the run itself."""

BATCH_GRACE_NS = 50_000_000
"""The same for runs with several cores: points of a batch that are ready count at the deadline."""

WARM_UP_EVALUATIONS = 100
WARM_UP_NS = 20_000_000  # the first evaluations after a fork are slower, so they are made before t0

ANSWER_NS = 5_000_000_000
"""A problem hangs if it has not returned after the longer of this time and the run's own."""

LOADING_S = 600.0  # a run that has not loaded its modules after this time is killed


@dataclass(frozen=True)
class Allowance:
    """What one run may use.

    `time_ns` and `evaluations` are NEVER without such a budget. With `cpu`, the run's clock, and so
    `time_ns`, is the CPU time of its processes. `wall_ns` ends a run without a budget of wall-clock
    time. The run's clock adds `cost_ns` for each evaluation. `views` are the run's private folders;
    `keeper` ends what it leaves. `meters` read around a run (`timefair.basics.extension`).
    """

    time_ns: int = NEVER
    cpu: bool = False
    evaluations: int = NEVER
    final_target: float = -math.inf
    wall_ns: int = 3_600_000_000_000
    cost_ns: int = 0
    memory_mb: float | None = None
    restart: RestartPolicy = field(default_factory=Independent)
    cores: int = 1
    views: Views = field(default_factory=Views)
    keeper: Keeper | None = None
    meters: tuple[Meter, ...] = ()

    @property
    def evaluators(self) -> int:
        return 0 if self.cpu or self.cores == 1 else self.cores

    @property
    def grace_ns(self) -> int:
        return BATCH_GRACE_NS if self.evaluators else GRACE_NS

    @property
    def answer_ns(self) -> int:
        """Time that a problem may take for an evaluation before the clock starts."""
        limited = self.time_ns != NEVER and not self.cpu
        return max(ANSWER_NS, self.time_ns if limited else self.wall_ns)


@dataclass(frozen=True)
class Unloaded:
    """What the process of a run loads itself; `algorithm` also says how many seconds it took."""

    problem: Callable[[], Problem]
    algorithm: Callable[[], tuple[Algorithm, float]]


@dataclass(frozen=True)
class Confined:
    """An algorithm in processes of an extension (`Extension.isolation`), not in that of a run.

    - `pid`: The process that holds the algorithm; it lives as long as the job.
    - `core`: Core of the process of a run, which only evaluates.
    - `keeper`: Ends what the algorithm's processes leave.
    """

    pid: int
    core: int
    keeper: Keeper | None

    def begin(self, state: State, seed: int) -> tuple[Algorithm, Callable[[], int]]:
        """The algorithm of a run, ready to be launched, and the CPU time of its process, in ns."""
        raise NotImplementedError


@dataclass(frozen=True)
class Fresh:
    """A new process that forks runs, each of which imports the user's modules itself; ``because``:
    what they would lose as forks of the job (`basics.threads`).
    """

    pid: int
    seconds: float
    trial: tuple[list[str], str, str | None]
    because: str
    connection: socket.socket
    keeper: Keeper | None

    @property
    def remark(self) -> str:
        return f"its modules were imported again, because forks would lose or share {self.because}"

    def fork(self, state: State, instance: int, seed: int) -> int:
        """Let the process of a run be forked, and adopt it; return its process id."""
        memory = state.numbers, state.recommended_dimension
        request = (instance, seed, tempfile.gettempdir(), memory)
        return forked(self.connection, request, state.fds)


@contextlib.contextmanager
def fresh(context: object, because: str) -> Iterator[Fresh]:
    """Start the process, with what `job.prepared.main` needs, and end it when the block ends.

    `InputError` if it ends before.
    """
    kernel.adopt_orphans()

    def fault(code: int) -> str:
        return f"the process that imports {because} again ended with {code}"

    with companion("timefair.measure.job.prepared", context, fault) as (pid, connection, answer):
        kernel.end_orphans(spare=[pid])  # that the trial launch left
        seconds, trial = json.loads(answer)
        yield Fresh(pid, seconds, trial, because, connection, Keeper.received(connection))


def live(
    parent: int,
    algorithm: Algorithm | Confined | Unloaded,
    problem: Problem | None,
    allowance: Allowance,
    state: State,
    seed: int,
) -> None:
    """Run the process of a run, from just after the fork to the end of the run.

    A run whose launch was killed at tau continues in a new process with the last `state`.
    """
    own, prepared_s = os.getpid(), 0.0
    try:
        if isinstance(algorithm, Confined):
            os.sched_setaffinity(0, {algorithm.core})
        else:
            kernel.keep_descriptors(state.fds)
        take_output(state.output_fd)
        ends_at_once()
        os.setsid()
        allowance.views.enter()
        kernel.die_with_parent(parent)
        if isinstance(algorithm, Unloaded):
            problem = algorithm.problem()
        assert problem is not None
        kernel.limit_memory(None if isinstance(algorithm, Unloaded) else allowance.memory_mb)
        timer = kernel.KillTimer()
        kernel.leave_for_others()
        if not state["launches"]:
            state["kill_at"] = now_ns() + allowance.answer_ns
            timer.set(state["kill_at"])
        _warm_up(problem)
        if problem.reseed is not None:
            problem.reseed(seed + state["launches"])
        measurement = state.measurement(
            problem,
            cap=allowance.evaluations,
            final_target=problem.kind.ends_at(allowance.final_target),
            fail=lambda error: _fail(state, error, of_problem=True),
            evaluators=Evaluators(problem, allowance.cores) if allowance.evaluators else None,
            cost=allowance.cost_ns,
            batches=state.batch_log,
        )
        if isinstance(algorithm, Unloaded):
            state["kill_at"] = NEVER
            timer.set(NEVER)
            algorithm, prepared_s = algorithm.algorithm()
            kernel.limit_memory(allowance.memory_mb)
        os.register_at_fork(after_in_child=measurement.disown)
        os.register_at_fork(after_in_child=lambda: kernel.die_with_parent(os.getppid()))
        rng = stream(seed, state["launches"])
        used_ns = cpu_ns
        if isinstance(algorithm, Confined):
            algorithm, used_ns = algorithm.begin(state, seed)
        start = state.start or _begin_run(state, allowance, used_ns, prepared_s)
        if allowance.cpu:
            timer.set(start.wall + allowance.wall_ns)
            timer = kernel.KillTimer(cpu=True)
        measurement.start(start.t0, last_moment(start, allowance), allowance.cpu)
        launcher = _Launcher(
            algorithm, measurement, measurement.objective, timer, allowance, state, start, seed, rng
        )
        allowance.restart.make(launcher)
    except BaseException as error:
        kernel.end_if_forked(own)
        _fail(state, error)
    kernel.end_process(1)


def last_moment(start: Start, allowance: Allowance) -> int:
    """Latest end of the run, in ns of the clock: after T, or after the limit if there is no T."""
    return start.deadline if start.deadline != NEVER else start.t0 + allowance.wall_ns


def _begin_run(
    state: State, allowance: Allowance, used_ns: Callable[[], int], prepared_s: float
) -> Start:
    """Start the time of the run now. `used_ns` reads the CPU time of the algorithm's process."""
    delay = kernel.run_queue_delay_ns()
    switches = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
    memory_mb = round(kernel.resident_mb())
    cpu, t0 = used_ns(), now_ns(allowance.cpu)
    deadline = NEVER if allowance.time_ns == NEVER else t0 + allowance.time_ns
    delay, prepared = -1 if delay is None else delay, round(prepared_s * 1e9)
    wall = now_ns() if allowance.cpu else 0
    start = Start(t0, deadline, cpu, delay, switches, prepared, wall, memory_mb)
    state.begin(start)
    return start


@dataclass
class _Launcher:
    """Makes the launches of a run. The restart policy of the run uses it as `Launches`."""

    algorithm: Algorithm
    measurement: Measurement
    objective: Objective
    timer: kernel.KillTimer
    allowance: Allowance
    state: State
    start: Start
    seed: int
    stream: np.random.Generator | None  # of the first launch in this process, made before t0

    @property
    def made(self) -> int:
        launches: int = self.state["launches"]
        return launches

    def launch(self, limit: Limit = UNLIMITED, plateau: Limit = UNLIMITED) -> None:
        self._begin(limit)
        if plateau != UNLIMITED:
            self.measurement.end_at_plateau(*_limits(plateau))
        self._solve()

    def launch_until_change(self) -> None:
        self._begin(UNLIMITED, until_change=True)
        self._solve()

    def begin(self, turn: Limit) -> PausableLaunch:
        index = self.made

        def launch(pause: Callable[[], None]) -> None:
            self._begin(UNLIMITED)
            self.measurement.pause_after(*_limits(turn), pause)
            self._solve()

        begun = PausableLaunch(launch, lambda: self.state.launches()["best"][index].item())
        begun.go_on()
        return begun

    def finish(self) -> None:
        self.measurement.finish(Stop.ENDED)

    def _begin(self, limit: Limit, until_change: bool = False) -> None:
        """Open the next launch, or end the run if its time is up."""
        state, charge = self.state, self.state["charge"]
        now = state.now_ns() + charge if self.made else self.start.t0
        if now >= last_moment(self.start, self.allowance):
            self.measurement.finish(Stop.TIME)
        # A KillTimer set to the earlier of the two also ends a launch that never evaluates.
        time_ns, evaluations = _limits(limit)
        deadline = min(now + time_ns, NEVER)
        if until_change:
            deadline, evaluations = self.measurement.until_change(now)
        last = min(last_moment(self.start, self.allowance), deadline - charge)
        state["kill_at"] = last + self.allowance.grace_ns
        self.timer.set(state["kill_at"] - state["elsewhere"])
        self.measurement.begin_launch(now, deadline, evaluations)

    def _solve(self) -> None:
        """Call the algorithm for the launch that was just opened, and close the launch."""
        measurement = self.measurement
        rng = self.stream or stream(self.seed, self.made - 1)
        self.stream, own = None, os.getpid()
        try:
            returned = self.algorithm.solve(self.objective, rng)
        except LaunchCut:
            measurement.end_launch(LaunchCode.TAU)
        else:
            kernel.end_if_forked(own)
            if self.objective.noisy:
                point = point_of(returned, self.objective.dimension)
                if point is not None:
                    measurement.recommend(point)
            if measurement.end_launch(LaunchCode.RETURNED) == 0:
                self.state.report(launching.of_a_return(returned))
                self.finish()


def _limits(limit: Limit) -> tuple[int, int]:
    """The limit in nanoseconds and in evaluations; NEVER without one."""
    time_ns = NEVER if limit.seconds is None else min(round(limit.seconds * 1e9), NEVER)
    return time_ns, NEVER if limit.evaluations is None else min(limit.evaluations, NEVER)


def _warm_up(problem: Problem) -> None:
    points = problem.points(WARM_UP_EVALUATIONS)
    stop = now_ns() + WARM_UP_NS
    for x in points:
        with contextlib.suppress(BaseException):  # the run will report what it raises
            problem.evaluate(x)
            problem.kind.beside(x)
        if now_ns() >= stop:
            break


def _fail(state: State, error: BaseException, of_problem: bool = False) -> None:
    """Report the exception of the algorithm or of the problem to the parent, then end."""
    end, start = state.now_ns() + state["charge"], state.start
    state["end"], state["cpu_1"] = end, cpu_ns()
    if start is not None and end >= start.deadline:
        state["stop"] = Stop.TIME
        kernel.end_process(0)
    if isinstance(error, SolverGone):
        state["solver"], state["stop"] = error.args[0], Stop.SOLVER_ENDED
        kernel.end_process(0)
    state.report(f"{name_of(error)}: its text cannot be shown, because its __str__ does not return")
    state["failure"], state["stop"] = 1, Stop.FAILURE  # if the text of the exception never ends
    place, text = failure(error, of_problem)
    state["failure"] = 1 + place
    state.report(text)
    kernel.end_process(0)
