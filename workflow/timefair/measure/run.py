"""One run: its process is forked, launches the algorithm until the run is over, and ends; its
parent waits for that, and makes the row of the record.

The objective, the loop of launches or the kernel timer ends the process; the algorithm cannot
prevent this by catching or ignoring anything.
"""

from __future__ import annotations

import contextlib
import datetime
import math
import os
import resource
import select
import signal
import sys
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.algorithm import Algorithm, PausableThread
from timefair.basics.errors import InputError, described, name_of
from timefair.basics.extension import Meter
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import SIGNALS, Keeper, ends_at_once
from timefair.measure import isolation
from timefair.measure.evaluation.objective import (
    EVENT,
    NEVER,
    LaunchCode,
    LaunchCut,
    Stop,
    cpu_ns,
    now_ns,
    vector_dtype,
)
from timefair.measure.evaluation.state import (
    Evaluators,
    Logs,
    SolverGone,
    Start,
    State,
    Unreadable,
    failure,
    take_output,
)
from timefair.measure.isolation import Views, scratch_folder
from timefair.measure.trial import (
    Companion,
    NoAnswer,
    elsewhere,
    of_a_return,
    of_a_timeout,
    point_of,
    stream,
)
from timefair.policies.restarts import UNLIMITED, Independent, Limit, RestartPolicy
from timefair.problems.problem import Problem
from timefair.records import consistency
from timefair.records.status import COMPLETED, LaunchEnd, Status, StopReason
from timefair.records.store import READINGS

GRACE_NS = 3_000_000  # from the deadline to the kernel timer: the objective can end the run itself
BATCH_GRACE_NS = 50_000_000  # with several cores: points that are ready count at the deadline
WARM_UP_EVALUATIONS = 100
WARM_UP_NS = 20_000_000  # the first evaluations after a fork are slower, so they are made before t0
ANSWER_NS = 5_000_000_000  # a problem that takes longer hangs, if the run's own time is not longer
LOADING_S = 600.0  # a run that has not loaded its modules after this time is killed


@dataclass(frozen=True)
class Allowance:
    """What one run may use.

    `time_ns` and `evaluations` are NEVER without such a budget. With `cpu`, the run's clock is the
    CPU time of its processes. `wall_ns` ends a run without a budget of wall-clock time. The run's
    clock adds `cost_ns` for each evaluation. `views` are its private folders; `keeper` ends what it
    leaves. `meters` read around it (`timefair.basics.extension`). `trace`: of its trial launch.
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
    trace: str = ""

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
class Confined:
    """An algorithm in processes of an extension (`Extension.isolation`), not in that of a run.

    Process `pid` holds the algorithm as long as the job lives, `core` is that of the process of a
    run, which only evaluates, and `keeper` ends what the algorithm's processes leave.
    """

    pid: int
    core: int
    keeper: Keeper | None

    def begin(self, state: State, seed: int) -> tuple[Algorithm, Callable[[], int]]:
        """The algorithm of a run, ready to be launched, and the CPU time of its process, in ns."""
        raise NotImplementedError


@dataclass(frozen=True)
class Fresh:
    """A process that forks runs which import the user's modules, ``because`` of what they lose."""

    companion: Companion
    because: str

    @property
    def pid(self) -> int:
        return self.companion.pid


def last_moment(start: Start, allowance: Allowance) -> int:
    return start.deadline if start.deadline != NEVER else start.t0 + allowance.wall_ns


@dataclass
class Launcher:
    """The process of a run. The restart policy of the run uses it as `Launches`.

    A process that loads all itself has functions instead: one returns the `problem`, the other one
    the `algorithm` and the seconds that this took.
    """

    algorithm: Any  # an `Algorithm`, when it is ready; before that, also `Confined`
    problem: Problem | Callable[[], Problem]
    allowance: Allowance
    state: State
    seed: int

    def live(self, parent: int) -> None:
        """Live from the fork to the end of the run, or of a launch that was killed at tau."""
        algorithm, problem, own = self.algorithm, self.problem, os.getpid()
        allowance, state, prepared_s, used_ns = self.allowance, self.state, 0.0, cpu_ns
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
            if callable(problem):
                problem = problem()
            else:
                kernel.limit_memory(allowance.memory_mb)
            self.timer = kernel.KillTimer()
            kernel.leave_for_others()
            if not self.made:
                state["kill_at"] = now_ns() + allowance.answer_ns
                self.timer.set(state["kill_at"])
            _warm_up(problem)
            if problem.reseed is not None:
                problem.reseed(self.seed + self.made)
            self.measurement = state.measurement(
                problem,
                cap=allowance.evaluations,
                final_target=problem.kind.ends_at(allowance.final_target),
                fail=lambda error: _fail(state, error, of_problem=True),
                evaluators=Evaluators(problem, allowance.cores) if allowance.evaluators else None,
                cores=allowance.evaluators or 1,
                cost=allowance.cost_ns,
                batches=state.batch_log,
            )
            self.objective = self.measurement.objective
            if callable(algorithm):
                state["kill_at"] = NEVER
                self.timer.set(NEVER)
                self.algorithm, prepared_s = algorithm()
                kernel.limit_memory(allowance.memory_mb)
            os.register_at_fork(after_in_child=self.measurement.disown)
            os.register_at_fork(after_in_child=lambda: kernel.die_with_parent(os.getppid()))
            self.stream: np.random.Generator | None = stream(self.seed, self.made)  # before t0
            if isinstance(algorithm, Confined):
                self.algorithm, used_ns = algorithm.begin(state, self.seed)
            self.start = state.start or self._begin_run(used_ns, prepared_s)
            if allowance.cpu:
                self.timer.set(self.start.wall + allowance.wall_ns)
                self.timer = kernel.KillTimer(cpu=True)
            last = last_moment(self.start, allowance)
            self.measurement.start(self.start.t0, last, allowance.cpu)
            allowance.restart.make(self)
        except BaseException as error:
            kernel.end_if_forked(own)
            _fail(state, error)
        kernel.end_process(1)

    def _begin_run(self, used_ns: Callable[[], int], prepared_s: float) -> Start:
        cpu, time_ns = self.allowance.cpu, self.allowance.time_ns
        delay, prepared = kernel.run_queue_delay_ns(), round(prepared_s * 1e9)
        switches = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
        memory_mb = round(kernel.resident_mb())
        used, t0 = used_ns(), now_ns(cpu)
        deadline, wall = NEVER if time_ns == NEVER else t0 + time_ns, now_ns() if cpu else 0
        delay = -1 if delay is None else delay
        start = Start(t0, deadline, used, delay, switches, prepared, wall, memory_mb)
        self.state.begin(start)
        return start

    @property
    def made(self) -> int:
        return int(self.state["launches"])

    def launch(
        self, limit: Limit = UNLIMITED, plateau: Limit = UNLIMITED, *, until_change: bool = False
    ) -> None:
        self._begin(limit, turn=_limits(plateau), until_change=until_change)
        self._solve()

    def begin(self, turn: Limit) -> PausableThread:
        def launch() -> None:
            self._begin(UNLIMITED, turn=_limits(turn), pause=begun.pause)
            self._solve()

        index, begun = self.made, PausableThread(launch)
        begun.go_on()
        begun.best = self.state.launches()["best"][index].item()
        return begun

    def finish(self) -> None:
        self.measurement.finish(Stop.ENDED)

    def _begin(self, limit: Limit, *, until_change: bool = False, **turn: Any) -> None:
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
        self.measurement.begin_launch(now, deadline, evaluations, **turn)

    def _solve(self) -> None:
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
                self.state.report(of_a_return(returned))
                self.finish()


def _limits(limit: Limit) -> tuple[int, int]:
    return round(min(limit.seconds * 1e9, NEVER)), int(min(limit.evaluations, NEVER))


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
    end, start = state.now_ns() + state["charge"], state.start
    state["end"], state["cpu_1"] = end, cpu_ns()
    if start is not None and end >= start.deadline:
        state["stop"] = Stop.TIME
        kernel.end_process(0)
    if isinstance(error, SolverGone):
        state["solver"], state["stop"] = error.args[0], Stop.SOLVER_ENDED
        kernel.end_process(0)
    state.report(f"{name_of(error)}: its text cannot be shown, because its __str__ does not return")
    state["stop"] = Stop.FAILURE  # if the text of the exception never ends
    state["stop"], text = failure(error, of_problem)
    state.report(text)
    kernel.end_process(0)


# --- Its parent ---------------------------------------------------------------------------------

MOST = 100_000  # number of bytes of a run's output that are kept
ATTEMPTS = 3  # number of attempts at a run whose process is killed from outside
FROM_OUTSIDE = (signal.SIGKILL, *SIGNALS)  # signals that no algorithm sends to itself by mistake

LATE_NS = 50_000_000  # after it, the parent ends a process that the kernel timer should have ended
CHILDREN_NS = 20_000_000  # so often CPU time of a run's children is added to a clock of CPU time
MEMORY_NS = 100_000_000  # so often the memory of a run's processes is summed, if it has several
_POLL_NS = 1_000_000_000
CPU_MARGIN_S = 0.02  # tolerated difference of CPU times of the kernel and of the process
LEAST_CPU = 0.25  # smaller share of the time that it had: a run killed at T gets a remark
LIMIT_S = 600.0  # time for computing values without noise

_STOP_REASONS = {
    Stop.TARGET: StopReason.TARGET,
    Stop.TIME: StopReason.TIME,
    Stop.EVALUATIONS: StopReason.EVALUATIONS,
    Stop.ENDED: StopReason.ALGORITHM_ENDED,
}

_FAILURES = {Stop.FAILURE: Status.RAISED, Stop.OUT_OF_MEMORY: Status.OUT_OF_MEMORY}

_LAUNCH_ENDS = (  # by `LaunchCode`; None: the launch was open
    *(None, LaunchEnd.RETURNED, LaunchEnd.TAU, LaunchEnd.TARGET, LaunchEnd.CUT, LaunchEnd.FAILED),
    LaunchEnd.STAGNATED,
)

Subject = Algorithm | Confined | Fresh  # to fork, or a process that holds it or forks for it

Verdict = tuple[Status, StopReason, str | None]

_WALL_LIMIT = Status.WALL_LIMIT, StopReason.FAILURE, "its budget was not used in time"


def measure_run(
    algorithm: Subject, problem: Problem, allowance: Allowance, seed: int, give_up: bool = False
) -> dict[str, Any]:
    """Measure one run in a fork, again if it is killed from outside, and describe it, in the
    columns of `records.schema` of its own. `give_up`: it has ended its parent in each attempt.
    """
    if give_up:
        run = _Run(algorithm, problem, allowance, seed)
        return {
            "status": Status.KILLED,
            "stop_reason": StopReason.FAILURE,
            "message": f"the process that measured it was killed in each of {ATTEMPTS} attempts",
            "started_utc": datetime.datetime.now(datetime.UTC),
            **run._unwritten(None, now_ns()),
            **run._resources(None, 0.0),
            **allowance.views.columns(),
            **isolation.NOTHING_LEFT,
            "attempts": ATTEMPTS,
            "seed": seed,
        }
    for attempt in range(1, ATTEMPTS + 1):
        before = isolation.fingerprint(allowance.views.watched)
        with scratch_folder() as scratch:
            row = _Run(algorithm, problem, allowance, seed).row()
            left = isolation.look(scratch, allowance.views.watched, before)
        row |= allowance.views.columns() | left | {"attempts": attempt, "seed": seed}
        if row["status"] != Status.KILLED:
            break
    return row


# --- The processes of a run ---------------------------------------------------------------------


@dataclass
class _Run:
    """A run, with its processes that have ended: `own`, and those for which it did not wait."""

    algorithm: Subject
    problem: Problem
    allowance: Allowance
    seed: int
    own: list[kernel.Orphan] = field(default_factory=list)
    orphans: list[kernel.Orphan] = field(default_factory=list)
    printed = 0

    @property
    def cpu_ns(self) -> int:
        return round(sum(one.cpu_s for one in (*self.own, *self.orphans)) * 1e9)

    def row(self) -> dict[str, Any]:
        allowance, problem = self.allowance, self.problem
        started, forked = datetime.datetime.now(datetime.UTC), now_ns()
        with contextlib.closing(State.of(problem)) as state:
            self.state = state
            try:
                ends = [begin() for begin in allowance.meters]
                try:
                    verdict = self._live_through()
                finally:
                    told = {name: value for end in ends for name, value in end().items()}
                reaped, logs = self._gone(), state.logs()
                try:
                    logs = completed(logs, problem)
                except InputError as error:
                    logs = logs._replace(vectors=None, recommended=None)
                    if verdict[0] == Status.OK:
                        verdict = Status.RAISED, StopReason.FAILURE, str(error)
                result = self._result(state, logs, verdict[1], reaped)
                clause = self._contradiction(result, logs, forked)
            except Unreadable as error:
                reaped, clause = self._gone(), str(error)
            if clause is not None:
                verdict = Status.INCONSISTENT, StopReason.FAILURE, clause
                result = self._unwritten(state.start, reaped)
            core_s = result["real_s"] * allowance.cores
            is_confined = isinstance(self.algorithm, Confined)
            helpers = state["solvers"] if is_confined else allowance.evaluators
            row: dict[str, Any] = {
                **dict(zip(("status", "stop_reason", "message"), verdict, strict=True)),
                "started_utc": started,
                **result,
                **self._resources(state.start, core_s),
                "left_processes": max(len(self.orphans) - helpers, 0),
            }
            if allowance.meters:
                row[READINGS] = told
            if allowance.cpu and abs(row["cpu_s"] - row["real_s"]) <= 2 * CPU_MARGIN_S:
                row["cpu_s"] = row["real_s"]  # without the end of the process
            remark = None
            if isinstance(self.algorithm, Fresh):
                of_run_s = state.start.prepared / 1e9 if state.start else 0.0
                row["preparation_s"] = self.algorithm.companion.told[0] + of_run_s
                lost = self.algorithm.because
                remark = (
                    f"its modules were imported again, because forks would lose or share {lost}"
                )
            if row["status"] == Status.NO_EVALUATION and row["message"] is None:
                row["message"] = of_a_timeout(allowance.trace)
            if row["status"] == Status.OK:
                row["message"] = _waited(row) or _outside(row["best_x"], problem) or remark
            return row

    def _contradiction(self, result: dict[str, Any], logs: Logs, forked: int) -> str | None:
        state, start = self.state, self.state.start
        each = self.allowance.cost_ns / self.allowance.cores
        if start is not None and (start.wall or start.t0) < forked:
            return "it started before its process"
        f_opt = None if math.isnan(self.problem.f_opt) else self.problem.f_opt
        if (found := consistency.contradiction(result | {"f_opt": f_opt})) is not None:
            return found
        if state["charge"] < each * state["evaluations"]:
            return "its evaluations were not charged"
        for log in (logs.events, logs.launch_events, logs.vectors):
            if log is not None and (log["time"] < np.floor(each * log["evaluations"])).any():
                return "an event is from before its evaluations were charged"
        return None

    def _unwritten(self, start: Start | None, reaped: int) -> dict[str, Any]:
        with contextlib.closing(State.of(self.problem)) as blank:
            if start is not None:
                blank.begin(start)
            return self._result(blank, blank.logs(), StopReason.FAILURE, reaped)

    def _result(self, state: State, logs: Logs, reason: StopReason, reaped: int) -> dict[str, Any]:
        allowance, problem = self.allowance, self.problem
        start, last = state.start or Start(state["end"] or reaped), state["last"]
        t0 = start.t0
        stopped = state["end"] or reaped + state["charge"]
        end = min(stopped, start.deadline)
        best_f, best_x = state.best(problem.dimension)
        events, launch_bests = logs.events, logs.launches["best"]
        vectors, recommended = logs.vectors, logs.recommended
        if problem.kind.rated and vectors is not None:
            events, best_f = events_of(vectors, problem)
            launch_bests = np.full(len(logs.launches), np.inf)
            known = (events["launch"] >= 0) & (events["launch"] < len(launch_bests))
            np.minimum.at(launch_bests, events["launch"][known], events["precision"][known])
            launch_bests = np.minimum.accumulate(launch_bests)  # of the run, after each launch
        best = events["precision"][-1].item() if events.size else math.inf
        unknown_end = LaunchEnd.FAILED if reason == StopReason.FAILURE else LaunchEnd.CUT
        launches = []
        for row, launch_best in zip(logs.launches, launch_bests.tolist(), strict=True):
            if (code := row["code"].item()) not in range(len(_LAUNCH_ENDS)):
                raise Unreadable(f"a launch ended in an unknown way, {code}")
            is_open = code == LaunchCode.OPEN
            made = state["evaluations"] if is_open else int(row["last"])
            launch = {
                "start_s": (int(row["start"]) - t0) / 1e9,
                "end_s": ((end if is_open else min(int(row["end"]), end)) - t0) / 1e9,
                "evaluations": int(row["earlier"]) + made - int(row["first"]),
                "best_precision": max(launch_best, best),  # its last event may be uncommitted
                "end": _LAUNCH_ENDS[code] or unknown_end,
            }
            launches.append(launch)
        of_constraints = "constraint_evaluations" in problem.kind.names
        return {
            "budget_s": None if allowance.time_ns == NEVER else allowance.time_ns / 1e9,
            "budget_evaluations": None if allowance.evaluations == NEVER else allowance.evaluations,
            "evaluation_cost_s": allowance.cost_ns / 1e9,
            "wall_s": (end - t0) / 1e9,
            "real_s": (min(stopped - state["charge"], start.deadline) - t0) / 1e9,
            "charged_s": state["charge"] / 1e9,
            "evaluations": state["evaluations"],
            "launches": len(launches),
            "completed_restarts": sum(launch["end"] in COMPLETED for launch in launches),
            "best_f": best_f,
            "best_x": best_x,
            "best_precision": best,
            "constraint_evaluations": state["constraint_evaluations"] if of_constraints else None,
            "noise_free_f": None if recommended is None else of_the_best(vectors, events),
            "last_evaluation_s": (last - t0) / 1e9 if last else None,
            "overshoot_s": max(last - start.deadline, 0) / 1e9,
            "reaped_s": (reaped - t0) / 1e9,
            "launch_log": launches,
            "batches": _batches(logs, state["evaluations"]),
            "vectors": None if vectors is None else _rows(vectors, outputs=vectors["outputs"]),
            "recommendations": None
            if recommended is None
            else _rows(recommended, noise_free=recommended["outputs"][:, 0]),
            "launch_events": None
            if problem.kind.rated
            else _rows(logs.launch_events, precision=logs.launch_events["precision"]),
            "events": _rows(events, precision=events["precision"]),
        }

    def _resources(self, start: Start | None, core_s: float) -> dict[str, Any]:
        """Resources that the processes used since t0, and how they were perturbed.

        The delay that is attributed to others is at most the part of `core_s`, the time of the
        run's cores, in which they did not compute for it.
        """
        before, own, orphans = start or Start(0), self.own, self.orphans
        every = [*own, *orphans]
        cpu_s = max(sum(one.cpu_s for one in every) - before.cpu / 1e9, 0.0)
        delays_ns = [one.run_queue_delay_ns for one in own]
        written = [one.written_bytes for one in every]
        delay_s = foreign_s = None
        if own and None not in delays_ns:
            delay_s = max(sum(filter(None, delays_ns)) - max(before.delay, 0), 0) / 1e9
            waited_s = delay_s + sum(one.run_queue_delay_ns or 0 for one in orphans) / 1e9
            foreign_s = min(waited_s, max(core_s - cpu_s, 0.0))
        return {
            "cpu_s": cpu_s,
            "involuntary_switches": max(sum(one.switches for one in every) - before.switches, 0),
            "peak_memory_mb": max((one.peak_memory_mb for one in every), default=0.0),
            "run_queue_delay_s": delay_s,
            "foreign_delay_s": foreign_s,
            "written_mb": None if None in written else sum(filter(None, written)) / 1e6,
            "left_processes": len(orphans),
        }

    def _pass_on(self) -> None:
        """Pass the beginning of what the run prints, into a file in memory, on to stderr."""
        left, fd = MOST - self.printed, self.state.output_fd
        text = os.pread(fd, left + 1, 0)
        os.ftruncate(fd, 0)
        os.lseek(fd, 0, os.SEEK_SET)
        if left and text:
            self.printed = min(self.printed + len(text), MOST)
            with contextlib.suppress(OSError):
                os.write(2, text[:MOST])
            if len(text) > left:
                cut = f"timefair: the run printed more than {MOST} bytes; the rest is cut off"
                print(cut, file=sys.stderr, flush=True)

    def _live_through(self) -> Verdict:
        while True:
            wait_status = self._process()
            reaped = self._gone()
            verdict = _verdict(self.state, self.allowance, wait_status, reaped)
            if verdict is not None:
                return verdict
            assert self.state.start is not None
            end = min(reaped + self.state["charge"], self.state.start.deadline)
            self.state.close_open_launch(LaunchCode.TAU, end)

    def _gone(self) -> int:
        """When its last process was gone, by the run's clock if it has started, without charge."""
        start = self.state.start
        if start is None or not start.wall:
            return now_ns()
        return self.cpu_ns + 10_000  # the kernel gives microseconds

    def _process(self) -> int:
        """Fork a process for the run, await its end and clean up; return its wait status."""
        sys.stdout.flush()
        sys.stderr.flush()
        algorithm, state, keeper = self.algorithm, self.state, self.allowance.keeper
        parent = os.getpid()
        spared = [algorithm.pid] if isinstance(algorithm, Confined | Fresh) else []
        spared += [keeper.number] if keeper else []
        if isinstance(algorithm, Fresh):
            memory = state.numbers, state.recommended_dimension
            request = (self.problem.name.instance, self.seed, tempfile.gettempdir(), memory)
            pid, loading_s = algorithm.companion.forked(request, state.fds), LOADING_S
        elif pid := os.fork():
            loading_s = 0.0
        else:
            Launcher(algorithm, self.problem, self.allowance, state, self.seed).live(parent)
        pidfd = os.pidfd_open(pid)
        try:
            if self.allowance.cpu:
                state["elsewhere"] = self.cpu_ns
            self._wait_for_exit(pidfd, pid, loading_s, spared)
            orphans = kernel.end_group_and_orphans(pid, spared)
            own = kernel.reaped(pid)
            orphans += keeper.sweep() if keeper else []
        except BaseException:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                kernel.end_group_and_orphans(pid, spared)
                os.waitpid(pid, 0)
            raise
        finally:
            os.close(pidfd)
            self._pass_on()
        wait_status, start = own.wait_status, state.start
        own = own._replace(cpu_s=_cpu_s(state, own.cpu_s, self.allowance.cores, reaped=now_ns()))
        if isinstance(algorithm, Confined):  # its solvers, which are among the orphans, computed
            own = own._replace(cpu_s=0.0, written_bytes=0)
        if start and start.delay < 0:
            own = own._replace(run_queue_delay_ns=None)
        self.own.append(own)
        self.orphans += orphans
        for orphan in orphans:
            if state["stop"] == Stop.SOLVER_ENDED and orphan.pid == state["solver"]:
                wait_status = orphan.wait_status
        return wait_status

    def _wait_for_exit(
        self, pidfd: int, pid: int, loading_s: float, spared: Collection[int]
    ) -> None:
        """Wait until the process, which may load for `loading_s`, is a zombie; end it if its timer
        has failed, or if the processes of the run exceed the memory limit.
        """
        state, allowance = self.state, self.allowance
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        before = state["elsewhere"] - self._of_orphans()
        forked = now_ns() + round(loading_s * 1e9)
        most_ns = CHILDREN_NS if allowance.cpu else MEMORY_NS if allowance.memory_mb else _POLL_NS
        excess = None
        wait_ns = min(allowance.time_ns, most_ns) + allowance.grace_ns + LATE_NS
        while not poll.poll(wait_ns / 1e6):
            self._pass_on()
            start = state.start
            left_ns = _latest(start, allowance, forked) + LATE_NS - now_ns()
            if start is not None and start.wall:
                used_ns = self._count_children(pid, before)
                left_ns = start.wall + allowance.wall_ns + LATE_NS - now_ns()
                if used_ns >= _latest(start, allowance, forked):
                    left_ns = 0
            excess = self._excess(start, spared)
            wait_ns = 0 if excess else min(left_ns, most_ns)
            if wait_ns <= 0:
                os.kill(pid, signal.SIGKILL)
                break
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        if excess and state["stop"] == Stop.RUNNING:
            state["stop"] = Stop.OUT_OF_MEMORY
            state["end"] = state.now_ns() + state["charge"]
            state.report(excess)

    def _excess(self, start: Start | None, spared: Collection[int]) -> str | None:
        """How the processes of the run together exceed its memory limit; None if they do not."""
        most, keeper = self.allowance.memory_mb, self.allowance.keeper
        if start is None or most is None:
            return None
        pids = [*kernel.descendants(skip=spared)]
        pids += kernel.descendants(keeper.number) if keeper else []
        most_mb = most + start.memory_mb
        if len(pids) == 1 or (used_mb := kernel.memory_mb(pids, most_mb)) <= most_mb:
            return None
        used = f"its {len(pids)} processes used {used_mb - start.memory_mb:.0f} MB together"
        return f"{used} (limits.memory_mb: {most:g})"

    def _count_children(self, pid: int, before: int) -> int:
        """Add the CPU time of the run's children to its clock; return what the clock shows.
        `before`: CPU time before this process, less that of orphans.
        """
        state = self.state
        below = kernel.cpu_ns_below(pid) + self._of_orphans()
        state["elsewhere"] = max(state["elsewhere"], before + below)
        with contextlib.suppress(OSError):  # it has just ended
            return kernel.cpu_ns_of(pid) + before + below + int(state["charge"])
        return 0

    def _of_orphans(self) -> int:
        """CPU time of the orphans of this job's runs, which are children of the keeper."""
        keeper = self.allowance.keeper
        return 0 if keeper is None else kernel.cpu_ns_below(keeper.number)


def _latest(start: Start | None, allowance: Allowance, forked: int) -> int:
    if start is None:
        return forked + allowance.answer_ns
    return last_moment(start, allowance) + allowance.grace_ns


def _cpu_s(state: State, used_s: float, cores: int, reaped: int) -> float:
    """CPU time of a process. Its own report is preferred: it excludes the teardown."""
    reported_s = state["cpu_1"] / 1e9
    if not reported_s or (state.start is not None and state.start.wall):
        return used_s
    end = state["end"] - state["charge"]
    teardown_s = max(reaped - end, 0) / 1e9 * cores
    return reported_s if 0 <= used_s - reported_s <= teardown_s + CPU_MARGIN_S else used_s


def _verdict(state: State, allowance: Allowance, wait_status: int, reaped: int) -> Verdict | None:
    """The outcome of an ended process; None if only its launch is over and the run continues."""
    start, stop, exit_code = state.start, state["stop"], os.waitstatus_to_exitcode(wait_status)
    if stop in _FAILURES:
        return _FAILURES[stop], StopReason.FAILURE, state.message
    if stop not in (Stop.RUNNING, Stop.SOLVER_ENDED):
        if stop not in _STOP_REASONS:
            raise Unreadable(f"it stopped for an unknown reason, {stop}")
        if stop == Stop.TIME and allowance.time_ns == NEVER:
            return _WALL_LIMIT
        status = _content(state)
        message = state.message if status == Status.NO_EVALUATION else None
        return status, _STOP_REASONS[stop], message
    if exit_code == -signal.SIGKILL and start is None and reaped >= state["kill_at"]:
        within = f"{allowance.answer_ns / 1e9:g} s"
        hangs = f"the problem did not return a value within {within}, before the clock started"
        return Status.NO_EVALUATION, StopReason.FAILURE, hangs
    if exit_code == -signal.SIGKILL and start is not None:
        latest = _latest(start, allowance, start.t0)
        if state["kill_at"] <= reaped and state["kill_at"] < latest:
            return None
        if reaped >= latest:  # ended by the kernel timer or by this process
            if start.deadline == NEVER:
                return _WALL_LIMIT
            return _content(state), StopReason.TIME_KILLED, None
        if start.wall and now_ns() >= start.wall + allowance.wall_ns:
            return _WALL_LIMIT
    if -exit_code in FROM_OUTSIDE:
        name = signal.Signals(-exit_code).name
        return Status.KILLED, StopReason.FAILURE, f"{name} from outside"
    if exit_code < 0:
        named = -exit_code in set(signal.Signals)  # real-time signals have no names
        name = signal.Signals(-exit_code).name if named else f"signal {-exit_code}"
        return Status.CRASHED, StopReason.FAILURE, name
    return Status.EXITED, StopReason.FAILURE, f"exit code {exit_code}"


def _content(state: State) -> Status:
    if state["evaluations"] == 0:
        return Status.NO_EVALUATION
    if state["events"] == 0 and state["vectors"] == 0:
        return Status.NO_FINITE_VALUE
    return Status.OK


# --- The row of a run ---------------------------------------------------------------------------


def _outside(best_x: list[float] | None, problem: Problem) -> str | None:
    if best_x is None or problem.name.suite.startswith("bbob"):
        return None
    x = np.asarray(best_x)
    if ((problem.lower <= x) & (x <= problem.upper)).all():
        return None
    return "its best point is outside the bounds, which the function does not enforce"


def _waited(row: dict[str, Any]) -> str | None:
    cpu_s, had_s = row["cpu_s"], row["real_s"] - (row["foreign_delay_s"] or 0.0)
    is_late = (row["last_evaluation_s"] or 0.0) > row["wall_s"] / 2
    if row["stop_reason"] != StopReason.TIME_KILLED or is_late or cpu_s >= LEAST_CPU * had_s:
        return None
    return (
        f"killed at T after {row['evaluations']} evaluations, with {cpu_s:.2g} s of CPU time in "
        f"{had_s:.2g} s: it waited, and its result may not show what the algorithm can do"
    )


def _rows(log: NDArray[np.void], **numbers: NDArray[Any]) -> list[dict[str, Any]]:
    columns = {name: log[name] for name in ("launch", "evaluations")}
    columns |= {"time_s": log["time"] / 1e9, **numbers}
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in values]


def events_of(vectors: NDArray[np.void], problem: Problem) -> tuple[NDArray[np.void], float]:
    """The events at which the best value so far decreases, and the last value; `inf` without.
    `Unreadable` if a number is not finite, or a vector is none of the problem's.
    """
    outputs = vectors["outputs"]
    if not np.isfinite(outputs).all():
        raise Unreadable("a vector has a number that is not finite")
    try:
        best = np.minimum.accumulate(problem.kind.quality(outputs))
    except ValueError as error:
        raise Unreadable(str(error)) from None
    precision = np.array([problem.precision(value) for value in best.tolist()])
    falls = np.diff(precision, prepend=np.inf) < 0
    events = np.zeros(falls.sum(), dtype=EVENT)
    events[["launch", "evaluations", "time"]] = vectors[["launch", "evaluations", "time"]][falls]
    events["precision"] = precision[falls]
    return events, float(best[falls][-1]) if events.size else np.inf


def of_the_best(vectors: NDArray[np.void] | None, events: NDArray[np.void]) -> float:
    if vectors is None:
        return math.inf
    last = vectors["evaluations"] == events["evaluations"][-1:]
    return float(vectors["outputs"][last, 1].min(initial=math.inf))


def completed(logs: Logs, problem: Problem) -> Logs:
    """Replace the points in the logs by their values without noise, found in a separate process.

    Recommended rows have points, and so do vectors, besides the measured value, if the problem's
    kind is ``later``. A recommended point without a finite value is dropped. `InputError` if the
    function raises, is too slow, or gives no finite value for the point of a vector.
    """
    if logs.recommended is None:
        return logs
    vectors, recommended = logs.vectors, logs.recommended
    of_recommended = _values(problem, recommended["outputs"])
    if vectors is not None and problem.kind.later:
        measured, points = vectors["outputs"][:, :1], vectors["outputs"][:, 1:]
        of_vectors = _values(problem, points)
        wrong = of_vectors[~np.isfinite(of_vectors)]
        if wrong.size:
            raise InputError(f"the noise-free function gave {wrong[0]}; it should be finite")
        vectors = _with_numbers(vectors, np.column_stack([measured, of_vectors]))
    recommended = _with_numbers(recommended, of_recommended[:, np.newaxis])
    finite = np.isfinite(of_recommended)
    return logs._replace(vectors=vectors, recommended=recommended[finite])


def _with_numbers(rows: NDArray[np.void], numbers: NDArray[np.float64]) -> NDArray[np.void]:
    changed = np.empty(len(rows), dtype=vector_dtype(numbers.shape[1]))
    changed[["launch", "evaluations", "time"]] = rows[["launch", "evaluations", "time"]]
    changed["outputs"] = numbers
    return changed


def _values(problem: Problem, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of each point; NaN for a point that is not finite."""
    noise_free = problem.noise_free
    assert noise_free is not None

    def evaluate() -> list[float]:
        try:
            return [
                float(noise_free(x.copy())) if np.isfinite(x).all() else math.nan for x in points
            ]
        except Exception as error:
            raise InputError(f"the noise-free function raised {described(error)}") from error

    try:
        return np.array(elsewhere(evaluate, LIMIT_S) if len(points) else [], dtype=np.float64)
    except NoAnswer:
        fault = f"the noise-free function ended its process or took longer than {LIMIT_S:g} s"
        raise InputError(fault) from None


def _batches(logs: Logs, evaluations: int) -> list[dict[str, int]] | None:
    """The batches of a run, of a cut one the points that were evaluated; None if they are unknown,
    as after pauses, or if several threads evaluate.
    """
    first_of = logs.launches["first"]
    if logs.batches is None or logs.launches["earlier"].any():
        return None
    ends = np.append(first_of[1:], evaluations)
    found: list[tuple[int, int, int]] = []
    end = 0
    for first, size, count in logs.batches.tolist():
        if first < end:
            return None
        begun = first + size * (count - 1)
        made = min(size, int(ends[first_of.searchsorted(begun, side="right") - 1]) - begun)
        found += [(first, size, count - (made < size))] * (count > (made < size))
        found += [(begun, made, 1)] * (0 < made < size)
        end = begun + made
    return [dict(zip(consistency.BATCH_FIELDS, row, strict=True)) for row in found]
