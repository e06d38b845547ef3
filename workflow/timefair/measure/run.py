"""One run: fork its process, wait for its end, tell how it went, make its row of the record."""

from __future__ import annotations

import datetime
import os
import resource
import select
import signal
import sys
from dataclasses import dataclass
from typing import Any

from timefair.algorithms.base import Algorithm
from timefair.measure import child, idleness, kernel, leftovers
from timefair.measure.child import Allowance
from timefair.measure.interruption import SIGNALS
from timefair.measure.objective import NEVER, LaunchCode, Stop, now_ns
from timefair.measure.output import MOST, Output
from timefair.measure.scratch import scratch_folder
from timefair.measure.state import State
from timefair.problems.base import Problem
from timefair.records.status import COMPLETED, LaunchEnd, Status, StopReason

ATTEMPTS = 3
"""How often a run is tried whose process is killed from outside."""

FROM_OUTSIDE = (signal.SIGKILL, *SIGNALS)
"""What no algorithm does to itself by mistake."""

LATE_NS = 2_000_000_000
"""The parent ends a process that the kernel timer has not ended by then."""

_STOP_REASONS = {
    Stop.TARGET: StopReason.TARGET,
    Stop.TIME: StopReason.TIME,
    Stop.EVALUATIONS: StopReason.EVALUATIONS,
    Stop.ENDED: StopReason.ALGORITHM_ENDED,
}

_LAUNCH_ENDS = {
    LaunchCode.RETURNED: LaunchEnd.RETURNED,
    LaunchCode.TAU: LaunchEnd.TAU,
    LaunchCode.LAUNCH_TARGET: LaunchEnd.TARGET,
    LaunchCode.LAUNCH_CUT: LaunchEnd.CUT,
    LaunchCode.LAUNCH_FAILED: LaunchEnd.FAILED,
    LaunchCode.STAGNATED: LaunchEnd.STAGNATED,
}

Verdict = tuple[Status, StopReason, str | None]


@dataclass
class _Usage:
    """What the processes of a run used, added up."""

    cpu_s: float = 0.0
    switches: int = 0
    peak_memory_mb: float = 0.0
    run_queue_delay_ns: int | None = 0
    orphans_delay_ns: int = 0
    orphans: int = 0
    written_bytes: int | None = 0

    def add(
        self,
        usage: resource.struct_rusage,
        delay_ns: int | None,
        written_bytes: int | None,
        state: State,
    ) -> None:
        # Without the end of the process, where it told its CPU time when the run was over.
        self._add(usage, state["cpu_1"] / 1e9 or usage.ru_utime + usage.ru_stime, written_bytes)
        if delay_ns is None or self.run_queue_delay_ns is None or state["delay_0"] < 0:
            self.run_queue_delay_ns = None
        else:
            self.run_queue_delay_ns += delay_ns

    def add_orphan(self, orphan: kernel.Orphan) -> None:
        """A process that the run's own did not wait for, such as an external algorithm at T."""
        cpu_s = orphan.usage.ru_utime + orphan.usage.ru_stime
        self._add(orphan.usage, cpu_s, orphan.written_bytes)
        self.orphans_delay_ns += orphan.run_queue_delay_ns or 0
        self.orphans += 1

    def _add(self, usage: resource.struct_rusage, cpu_s: float, written_bytes: int | None) -> None:
        if self.written_bytes is None or written_bytes is None:
            self.written_bytes = None
        else:
            self.written_bytes += written_bytes
        self.cpu_s += cpu_s
        self.switches += usage.ru_nivcsw
        self.peak_memory_mb = max(self.peak_memory_mb, usage.ru_maxrss / 1024)


def measure_run(
    algorithm: Algorithm, problem: Problem, allowance: Allowance, seed: int
) -> dict[str, Any]:
    """Measure one run and describe it, in the columns of `records.schema` that are the run's own.

    The caller is the prepared parent, single-threaded where it can be: the run's process begins as
    its copy. A process that somebody else killed is repeated, up to `ATTEMPTS` times in all.
    """
    attempts = 1
    row = _attempt(algorithm, problem, allowance, seed)
    while row["status"] == Status.KILLED and attempts < ATTEMPTS:
        attempts += 1
        row = _attempt(algorithm, problem, allowance, seed)
    return row | {"attempts": attempts, "seed": seed}


def given_up(problem: Problem, allowance: Allowance, seed: int) -> dict[str, Any]:
    """Describe a run, as `measure_run` does, that ended the process measuring it at each attempt.

    Its results were lost with that process.
    """
    state, now = State(), now_ns()
    try:
        return {
            "status": Status.KILLED,
            "stop_reason": StopReason.FAILURE,
            "message": f"the process that measured it was killed in each of {ATTEMPTS} attempts",
            "started_utc": datetime.datetime.now(datetime.UTC),
            **_result(state, allowance, problem, StopReason.FAILURE, now),
            **_resources(state, _Usage(run_queue_delay_ns=None), 0.0, allowance.cores),
            **leftovers.NONE._asdict(),
            "attempts": ATTEMPTS,
            "seed": seed,
        }
    finally:
        state.close()


def _attempt(
    algorithm: Algorithm, problem: Problem, allowance: Allowance, seed: int
) -> dict[str, Any]:
    before = leftovers.names_here()
    with scratch_folder() as scratch:
        row = _row(algorithm, problem, allowance, seed)
        return row | leftovers.look(scratch, before)._asdict()


def _row(algorithm: Algorithm, problem: Problem, allowance: Allowance, seed: int) -> dict[str, Any]:
    state = State()
    usage = _Usage()
    started = datetime.datetime.now(datetime.UTC)
    try:
        while True:
            wait_status = _process(algorithm, problem, allowance, state, seed, usage)
            reaped = now_ns()
            verdict = _verdict(state, allowance, wait_status, reaped)
            if verdict is not None:
                break
            state.close_open_launch(LaunchCode.TAU, min(reaped, state["deadline"]))
        status, reason, message = verdict
        result = _result(state, allowance, problem, reason, reaped)
        return {
            "status": status,
            "stop_reason": reason,
            "message": message,
            "started_utc": started,
            **result,
            **_resources(state, usage, result["wall_s"], allowance.cores),
        }
    finally:
        state.close()


def _process(
    algorithm: Algorithm,
    problem: Problem,
    allowance: Allowance,
    state: State,
    seed: int,
    usage: _Usage,
) -> int:
    """Fork a process for the run, see it to its end and sweep what it left. Its wait status."""
    sys.stdout.flush()
    sys.stderr.flush()
    parent, output = os.getpid(), Output()
    pid = os.fork()
    if pid == 0:
        child.live(parent, algorithm, problem, allowance, state, seed)
    pidfd = os.pidfd_open(pid)
    try:
        _wait_for_exit(pidfd, pid, state, output)
        delay_ns, written = kernel.run_queue_delay_ns(pid), kernel.written_bytes(pid)  # a zombie
        orphans = kernel.end_group_and_orphans(pid)
        _, wait_status, rusage = os.wait4(pid, 0)
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        kernel.end_group_and_orphans(pid)
        os.waitpid(pid, 0)
        raise
    finally:
        os.close(pidfd)
        if output.cut():
            cut = f"timefair: the run printed more than {MOST} bytes; the rest is cut off"
            print(cut, file=sys.stderr, flush=True)
    usage.add(rusage, delay_ns, written, state)
    for orphan in orphans:
        usage.add_orphan(orphan)
    return wait_status


def _wait_for_exit(pidfd: int, pid: int, state: State, output: Output) -> None:
    """Return when the process is a zombie. The kernel timer ends it; if not, this does."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    while not poll.poll(1000):
        output.cut()
        if state["kill_at"] != NEVER and now_ns() > state["kill_at"] + LATE_NS:
            os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def explained(row: dict[str, Any], trial: str) -> dict[str, Any]:
    """A run with a message why it made no evaluation, if it made none and has no message.

    Parameters
    ----------
    row
        As `measure_run` makes it.
    trial
        What `preparation.prepare` returned.
    """
    if row["status"] != Status.NO_EVALUATION or row["message"] is not None:
        return row
    return row | {"message": idleness.of_a_timeout(trial)}


def _verdict(state: State, allowance: Allowance, wait_status: int, reaped: int) -> Verdict | None:
    """How an ended process went; None when only its launch is over and the run goes on."""
    stop, exit_code = state["stop"], os.waitstatus_to_exitcode(wait_status)
    if stop == Stop.FAILURE:
        return child.FAILURES[state["failure"] - 1], StopReason.FAILURE, state.message
    if stop != Stop.RUNNING:
        status = _content(state)
        message = state.message if status == Status.NO_EVALUATION else None
        return status, _STOP_REASONS[Stop(stop)], message
    if exit_code == -signal.SIGKILL and reaped >= state["kill_at"]:  # the kernel timer, or we
        if not state["t0"]:
            within = f"{allowance.answer_ns / 1e9:g} s"
            hangs = f"the problem did not return a value within {within}, before the clock started"
            return Status.NO_EVALUATION, StopReason.FAILURE, hangs
        if state["kill_at"] < child.last_moment(state, allowance) + allowance.grace_ns:
            return None
        if state["deadline"] == NEVER:
            return Status.WALL_LIMIT, StopReason.FAILURE, "its evaluations were not used in time"
        return _content(state), StopReason.TIME_KILLED, None
    if -exit_code in FROM_OUTSIDE:
        name = signal.Signals(-exit_code).name
        return Status.KILLED, StopReason.FAILURE, f"{name} from outside"
    if exit_code < 0:
        return Status.CRASHED, StopReason.FAILURE, signal.Signals(-exit_code).name
    return Status.EXITED, StopReason.FAILURE, f"exit code {exit_code}"


def _content(state: State) -> Status:
    """The status of a run that ended in order, by what it found."""
    if state["evaluations"] == 0:
        return Status.NO_EVALUATION
    if state["events"] == 0:
        return Status.NO_FINITE_VALUE
    return Status.OK


def _result(
    state: State, allowance: Allowance, problem: Problem, reason: StopReason, reaped: int
) -> dict[str, Any]:
    """What the run used and reached."""
    t0, last = state["t0"] or reaped, state["last"]
    end = min(state["end"] or reaped, state["deadline"])
    events = state.events()
    best_f, best_x = state.best(problem.dimension)
    launches = _launch_log(state, t0, end, failed=reason == StopReason.FAILURE)
    return {
        "budget_s": None if allowance.time_ns == NEVER else allowance.time_ns / 1e9,
        "budget_evaluations": None if allowance.evaluations == NEVER else allowance.evaluations,
        "wall_s": (end - t0) / 1e9,
        "evaluations": state["evaluations"],
        "launches": len(launches),
        "completed_restarts": sum(launch["end"] in COMPLETED for launch in launches),
        "best_f": best_f,
        "best_x": best_x,
        "best_precision": float(events["precision"][-1]) if len(events) else float("inf"),
        "last_evaluation_s": (last - t0) / 1e9 if last else None,
        "overshoot_s": max(last - state["deadline"], 0) / 1e9,
        "reaped_s": (reaped - t0) / 1e9,
        "launch_log": launches,
        "events": [
            {"restart": k, "evaluations": n, "time_s": ns / 1e9, "precision": precision}
            for k, n, ns, precision in events.tolist()
        ],
    }


def _launch_log(state: State, t0: int, end: int, failed: bool) -> list[dict[str, Any]]:
    log = []
    for row in state.launches():
        code = LaunchCode(int(row["code"]))
        is_open = code == LaunchCode.OPEN
        last = state["evaluations"] if is_open else int(row["last"])
        log.append(
            {
                "start_s": (int(row["start"]) - t0) / 1e9,
                "end_s": ((end if is_open else min(int(row["end"]), end)) - t0) / 1e9,
                "evaluations": int(row["earlier"]) + last - int(row["first"]),
                "best_precision": float(row["best"]),
                "end": _LAUNCH_ENDS.get(code, LaunchEnd.FAILED if failed else LaunchEnd.CUT),
            }
        )
    return log


def _resources(state: State, usage: _Usage, wall_s: float, cores: int) -> dict[str, Any]:
    """What the run's processes used since t0, and how they were disturbed.

    Processes of one run also wait for each other, such as an external algorithm and the process
    that evaluates for it. Others can be blamed for no more than all of them waited, and for no
    more than what the run's cores did not compute for it. With several cores there is an evaluator
    for each, which is no process of the algorithm's.
    """
    cpu_s = max(usage.cpu_s - state["cpu_0"] / 1e9, 0.0)
    delay_s = foreign_s = None
    if usage.run_queue_delay_ns is not None:
        delay_s = max(usage.run_queue_delay_ns - state["delay_0"], 0) / 1e9
        waited_s = delay_s + usage.orphans_delay_ns / 1e9
        foreign_s = min(waited_s, max(wall_s * cores - cpu_s, 0.0))
    return {
        "cpu_s": cpu_s,
        "involuntary_switches": max(usage.switches - state["switches_0"], 0),
        "peak_memory_mb": usage.peak_memory_mb,
        "run_queue_delay_s": delay_s,
        "foreign_delay_s": foreign_s,
        "written_mb": None if usage.written_bytes is None else usage.written_bytes / 1e6,
        "left_processes": max(usage.orphans - (cores if cores > 1 else 0), 0),
    }
