"""Audits an algorithm: measures how it behaves in five runs on the bbob suite.

Four have one seed and a budget of evaluations, one of them on a problem that checks every point and
one on a slow problem; the fifth has a budget of time.
"""

from __future__ import annotations

import dataclasses
import mmap
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from timefair.algorithms import libraries
from timefair.algorithms.algorithm import Algorithm
from timefair.basics import threads
from timefair.basics.errors import InputError
from timefair.basics.extension import elsewhere
from timefair.campaign import configuration
from timefair.machine.linux import kernel
from timefair.measure.run import Allowance, measure_run
from timefair.measure.runner import in_new_interpreter
from timefair.measure.trial import evaluation_cost_s, prepare, run_seed
from timefair.policies.restarts import NoRestart
from timefair.problems.problem import Problem, takes
from timefair.problems.suites import SUITES
from timefair.records.status import Status, StopReason
from timefair.statistics.samples import Floats

SLOW_S = 1e-4  # minimal time of an evaluation of the slow problem


@dataclass(frozen=True)
class Subject:
    label: str
    use: str
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class AuditSettings:
    """The problem and the budgets; `wall_s` ends a run with a budget of evaluations."""

    function: int = 8
    dimension: int = 10
    evaluations: int = 2000
    time_s: float = 0.2
    wall_s: float = 20.0

    def faults(self) -> list[str]:
        lines = SUITES["bbob"].faults([self.function], [self.dimension], [1])
        budgets = ("evaluations", "time_s", "wall_s")
        return lines + [f"{key}: should be above 0" for key in budgets if getattr(self, key) <= 0]

    @property
    def problem(self) -> Problem:
        return SUITES["bbob"].problem(self.function, self.dimension, 1)


Row = dict[str, Any]
COLUMNS = (
    "algorithm", "use", "status", "evaluations", "ended_early", "deterministic", "by_the_clock",
    "inside", "farthest", "batches", "evaluation_us", "overhead", "stopped_by",
    "last_evaluation_ms", "gone_ms", "cpu_per_wall", "waited", "message",
)  # fmt: skip
"""The columns of docs/reference/audit.md; None if a run was too short to determine the value.

`status` and `message` are those of the first run that was not ``ok``.
"""


def watched(problem: Problem) -> tuple[Problem, Floats]:
    """A problem that checks points, and the largest distance outside the bounds, in units of their
    width, shape ``(1,)``, in memory that outlives the run; NaN counts as inf.
    """
    lower, upper = problem.lower, problem.upper
    farthest: Floats = np.frombuffer(mmap.mmap(-1, 8), dtype=np.float64)

    def evaluate(x: Floats) -> Any:
        outside = np.max(np.maximum(lower - x, x - upper) / (upper - lower))
        if not outside <= farthest[0]:
            farthest[0] = np.inf if np.isnan(outside) else outside
        return problem.evaluate(x)

    return dataclasses.replace(problem, evaluate=evaluate, native=None), farthest


def slow(problem: Problem) -> Problem:
    def evaluate(x: Floats) -> Any:
        end = time.perf_counter() + SLOW_S
        value = problem.evaluate(x)
        while time.perf_counter() < end:
            pass
        return value

    return dataclasses.replace(problem, evaluate=evaluate, native=None)


def subjects(words: Iterable[str]) -> list[Subject]:
    """The algorithms of campaign files, of libraries, and named ones; one InputError for all."""
    found: list[Subject] = []
    for word in words:
        if word.endswith((".yaml", ".yml")):
            campaign = configuration.load(Path(word))
            specs = campaign.algorithms.items()
            lacking = "has an environment of its own, which audit does not use; leave it out"
            if own := [label for label in campaign.algorithms if elsewhere(campaign, label)]:
                raise InputError(*(f"{word}: algorithms.{label}: {lacking}" for label in own))
            found += [Subject(label, spec.use, spec.arguments) for label, spec in specs]
        elif word in libraries.LIBRARIES:
            entries = libraries.LIBRARIES[word].available().items()
            uses = [f"{word}:{name}" for name, missing in entries if not missing]
            found += [Subject(use, use) for use in uses if not _faults(Subject(use, use))]
        else:
            found.append(Subject(word, word))
    if faults := [line for each in found for line in _faults(each)]:
        raise InputError(*faults)
    return found


def _faults(subject: Subject) -> list[str]:
    use, parameters = subject.use, subject.parameters
    if lines := libraries.faults(use, parameters):
        return lines
    if not takes(libraries.variables(use, parameters), SUITES["bbob"].variables):
        return [f"{use} is not for continuous variables, and the audit is on bbob"]
    if SUITES["bbob"].task not in libraries.tasks(use, parameters):
        return [f"{use} is not for one objective, and the audit is on bbob"]
    return []


def look_at(subject: Subject, setting: AuditSettings) -> Row:
    try:
        return in_new_interpreter(_prepared, subject, setting)
    except ChildProcessError:
        return _row(subject, Status.CRASHED, message="its preparation ended the process")


def _row(subject: Subject, status: str, **known: Any) -> Row:
    names = {"algorithm": subject.label, "use": subject.use, "status": str(status)}
    return dict.fromkeys(COLUMNS) | names | known


def _prepared(subject: Subject, setting: AuditSettings) -> Row:
    kernel.adopt_orphans()
    algorithm = libraries.load(subject.use, subject.parameters)
    prepare(algorithm, setting.problem)
    if lost := threads.lost():
        message = f"its module starts {lost}, which the forked runs of the audit would lose"
        return _row(subject, Status.NO_EVALUATION, message=message)
    row = audit(subject, algorithm, setting)
    declared = libraries.batches(subject.use, subject.parameters)
    return row if declared is None else row | {"batches": declared}


def audit(subject: Subject, algorithm: Algorithm, setting: AuditSettings) -> Row:
    problem = setting.problem
    seed = run_seed(1, problem.name, subject.use, 1)
    checking, farthest = watched(problem)
    wall_ns = round(setting.wall_s * 1e9)
    allowance = Allowance(evaluations=setting.evaluations, wall_ns=wall_ns, restart=NoRestart())
    *rows, slowed = (
        measure_run(algorithm, each, allowance, seed)
        for each in (checking, problem, problem, slow(problem))
    )
    timed = measure_run(algorithm, problem, Allowance(time_ns=round(setting.time_s * 1e9)), seed)
    wrong = next((row for row in (*rows, timed) if row["status"] != Status.OK), timed)
    known = _stopping(timed, setting.time_s)
    if all(row["evaluations"] for row in rows):
        _, bare_s = evaluation_cost_s(problem.evaluate, problem)
        least_s = min(row["cpu_s"] / row["evaluations"] for row in rows[1:])
        known |= {"evaluation_us": 1e6 * least_s, "overhead": least_s / bare_s}
        known |= {"inside": bool(farthest[0] == 0), "farthest": float(farthest[0])}
        if known.setdefault("deterministic", _same_events(rows)):
            known["by_the_clock"] = not _same_events([*rows, slowed])
    return _row(
        subject,
        wrong["status"],
        evaluations=min(row["evaluations"] for row in rows),
        ended_early=all(row["stop_reason"] == StopReason.ALGORITHM_ENDED for row in rows),
        batches=any(row["batches"] for row in rows),
        message=None if wrong["status"] == Status.OK else wrong["message"],
        **known,
    )


def _same_events(rows: Iterable[Mapping[str, Any]]) -> bool:
    rows = list(rows)
    common = min(row["evaluations"] for row in rows)
    in_full = all(row["status"] != Status.WALL_LIMIT for row in rows)
    if in_full and any(row["evaluations"] != common for row in rows):
        return False
    seen = [
        [(e["evaluations"], e["precision"]) for e in row["events"] if e["evaluations"] <= common]
        for row in rows
    ]
    return all(events == seen[0] for events in seen)


def _stopping(row: Mapping[str, Any], time_s: float) -> dict[str, Any]:
    if row["stop_reason"] not in (StopReason.TIME, StopReason.TIME_KILLED):
        return {}
    waited_s = row["run_queue_delay_s"]
    return {
        "stopped_by": str(row["stop_reason"]),
        "last_evaluation_ms": 1e3 * row["overshoot_s"],
        "gone_ms": 1e3 * (row["reaped_s"] - time_s),
        "cpu_per_wall": row["cpu_s"] / row["wall_s"],
        "waited": None if waited_s is None else min(waited_s / row["wall_s"], 1.0),
    }
