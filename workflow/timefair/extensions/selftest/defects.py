"""Defects that are injected on purpose, into a copy of the records or into the code of a table.

Each defect is made as consistent as possible: contradictions that a check would find at once are
removed, unless the defect is itself a contradiction.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd

from timefair.exhibits.registry import TABLES
from timefair.extensions.selftest import checks
from timefair.extensions.selftest.checks import Copy
from timefair.extensions.selftest.laws import ALGORITHMS, BUDGET_S, INVERTED, recorded
from timefair.extensions.selftest.staircase import LEVELS, VALUES, point
from timefair.records.status import Perturbation, StopReason
from timefair.rundata.runs import Runs

Row = dict[str, Any]
TIMES = ("wall_s", "real_s", "last_evaluation_s", "reaped_s")
LONGER_S = 5e-3
CONTENT = (
    "wall_s", "real_s", "evaluations", "launches", "completed_restarts", "best_f",
    "best_precision", "best_x", "launch_log", "launch_events", "events", "stop_reason",
    "last_evaluation_s", "overshoot_s", "reaped_s",
)  # fmt: skip
"""The columns that describe what a run did, without those that name it."""


# --- Changes of one run -----------------------------------------------------------------------


def _scaled(row: Row, factor: float) -> None:
    """Multiply all times of a run by a factor, and drop events and launches at T or later."""
    for name in TIMES:
        if row[name] is not None:
            row[name] *= factor
    row["wall_s"] = min(row["wall_s"], row["budget_s"])
    row["real_s"] = min(row["real_s"], row["budget_s"])
    for launch in row["launch_log"]:
        launch["start_s"] *= factor
        launch["end_s"] = min(launch["end_s"] * factor, row["wall_s"])
    for event in (*row["events"], *row["launch_events"]):
        event["time_s"] *= factor
    kept = [event for event in row["events"] if event["time_s"] < row["budget_s"]]
    if len(kept) < len(row["events"]):
        row["stop_reason"] = StopReason.TIME
    begun = [launch for launch in row["launch_log"] if launch["start_s"] < row["wall_s"]]
    row.update(launch_log=begun, launches=len(begun))
    row["evaluations"] = sum(launch["evaluations"] for launch in begun)
    _keep_events(row, kept)


def _keep_events(row: Row, events: list[Row]) -> None:
    """Replace the events of a run, and make its best values agree with them."""
    row["events"] = events
    row["launch_events"] = []
    best = events[-1]["precision"]
    level = int(np.argmin(np.abs(np.array(VALUES) - best)))
    row.update(best_f=best, best_precision=best, best_x=point(level).tolist())
    for number, launch in enumerate(row["launch_log"]):
        own = [event["precision"] for event in events if event["launch"] == number]
        if own:
            launch["best_precision"] = own[-1]
        else:
            launch["best_precision"] = max(launch["best_precision"], best)


def _many_events(one: Copy) -> Row:
    """A run with many events in one launch."""
    return max(one.of_algorithm("lognormal"), key=lambda row: len(row["events"]))


def _cell(one: Copy, label: str) -> list[Row]:
    return next(rows for job, rows in one.rows.items() if job.algorithm == label)


# --- Defects of records -----------------------------------------------------------------------


def clock_fast(one: Copy) -> None:
    """All recorded times are 1 % too long"""
    for row in one.all_runs():
        _scaled(row, 1.01)


def last_event_lost(one: Copy) -> None:
    """The last event of a run and its best value are lost"""
    row = _many_events(one)
    _keep_events(row, row["events"][:-1])


def run_twice(one: Copy) -> None:
    """A run is counted twice"""
    rows = _cell(one, "cheap")
    rows.append(dict(rows[0]))


def run_copied(one: Copy) -> None:
    """A run is recorded again under the number of another run"""
    rows = _cell(one, "cheap")
    rows[1] = rows[0] | {"run": rows[1]["run"]}


def late_truncation(one: Copy) -> None:
    """Runs are cut at T + 5 ms"""
    _cut_later(one, declared=False)


def deadline_moved(one: Copy) -> None:
    """Runs have the T of another campaign, which is 5 ms longer"""
    _cut_later(one, declared=True)


def _cut_later(one: Copy, *, declared: bool) -> None:
    """Add to the runs that ended at T what they would have found in the next milliseconds."""
    for row in one.all_runs():
        late_s = BUDGET_S + LONGER_S
        if declared:
            row["budget_s"] = late_s
        if row["stop_reason"] != StopReason.TIME:
            continue
        synthetic = ALGORITHMS[row["algorithm"]]
        names = {name: row[name] for name in ("algorithm", "seed")}
        longer = recorded(synthetic, late_s, names)
        for name in ("wall_s", "real_s", "evaluations", "launches", "launch_log", "stop_reason"):
            row[name] = longer[name]
        row["reaped_s"] = max(row["reaped_s"], late_s)
        row["last_evaluation_s"], row["overshoot_s"] = longer["wall_s"], 0.0
        _keep_events(row, longer["events"])


def events_of_another(one: Copy) -> None:
    """Two runs of a cell have each other's events"""
    first, second = _cell(one, "exponential")[:2]
    for name in CONTENT:
        first[name], second[name] = second[name], first[name]


def launches_sum(one: Copy) -> None:
    """A launch of a run has one evaluation too many"""
    row = next(row for row in one.of_algorithm("restarted") if row["launches"] > 1)
    row["launch_log"][0]["evaluations"] += 1


def stream_shared(one: Copy) -> None:
    """All runs of a cell draw from one random stream, whatever their seeds"""
    rows = _cell(one, "exponential")
    for row in rows[1:]:
        row.update({name: rows[0][name] for name in CONTENT})


def evaluations_off(one: Copy) -> None:
    """Evaluations are counted from 2 instead of 1"""
    for row in one.all_runs():
        row["evaluations"] += 1
        row["launch_log"][0]["evaluations"] += 1
        for event in (*row["events"], *row["launch_events"]):
            event["evaluations"] += 1


def labels_swapped(one: Copy) -> None:
    """The labels of two algorithms are swapped"""
    first, second = INVERTED
    for job, rows in one.rows.items():
        if job.algorithm == first:
            other = replace(job, algorithm=second)
            one.rows[job], one.rows[other] = one.rows[other], rows
            for label, swapped in ((first, one.rows[job]), (second, one.rows[other])):
                for row in swapped:
                    row["algorithm"] = label


def unit_of_1000(one: Copy) -> None:
    """The times of events are in milliseconds"""
    for row in one.all_runs():
        for event in row["events"]:
            event["time_s"] *= 1000


def restarts_free(one: Copy) -> None:
    """The times of events begin again at 0 with each launch"""
    for row in one.of_algorithm("restarted"):
        for event in row["events"]:
            event["time_s"] -= row["launch_log"][event["launch"]]["start_s"]


def relaunch_free(one: Copy) -> None:
    """The time between two launches is not counted"""
    step_s = ALGORITHMS["restarted"].step_s
    for row in one.of_algorithm("restarted"):
        row["launch_events"] = []
        before, last = 0, len(row["launch_log"]) - 1
        for number, launch in enumerate(row["launch_log"]):
            saved_s = launch["start_s"] - step_s * before
            launch["start_s"] -= saved_s
            launch["end_s"] -= saved_s * (number < last)
            before += launch["evaluations"]
            for event in (event for event in row["events"] if event["launch"] == number):
                event["time_s"] -= saved_s


def instances_mixed(one: Copy) -> None:
    """The runs of two functions are mixed up"""
    cells = [rows for job, rows in one.rows.items() if job.algorithm == "lognormal"][:2]
    for first, second in zip(*cells, strict=True):
        for name in (*CONTENT, "seed"):
            first[name], second[name] = second[name], first[name]


def warm_cache(one: Copy) -> None:
    """A run begins with the best point of the run before it"""
    for before, row in zip(cell := _cell(one, "lognormal"), cell[1:], strict=False):
        known = before["best_precision"]
        later = [event for event in row["events"] if event["precision"] < known]
        start = row["events"][0] | {"precision": known}
        _keep_events(row, [start, *later[later[:1] == row["events"][:1] :]])


def rounded(one: Copy) -> None:
    """The times of events are rounded to milliseconds"""
    for row in one.all_runs():
        for event in (*row["events"], *row["launch_events"]):
            event["time_s"] = float(np.floor(1e3 * event["time_s"])) / 1e3
        for launch in row["launch_log"]:
            launch["start_s"] = float(np.floor(1e3 * launch["start_s"])) / 1e3


def after_the_end(one: Copy) -> None:
    """The best value of a run was found after T"""
    row = next(row for row in one.all_runs() if row["stop_reason"] == StopReason.TIME)
    row.update(best_f=VALUES[LEVELS], best_precision=VALUES[LEVELS], best_x=point(LEVELS).tolist())


def wrong_hour(one: Copy) -> None:
    """The time of day of an algorithm's runs is that of another time zone"""
    for row in one.of_algorithm("twin"):
        row["started_utc"] += timedelta(hours=1)


def cpu_for_wall(one: Copy) -> None:
    """CPU time is recorded instead of wall time"""
    for row in one.all_runs():
        _scaled(row, min(row["cpu_s"] / row["real_s"], 1.0))


def cpu_unit(one: Copy) -> None:
    """CPU time is counted in another unit"""
    for row in one.all_runs():
        row["cpu_s"] /= 100


def late_start(one: Copy) -> None:
    """The clock starts only at the first evaluation"""
    for row in one.all_runs():
        saved = row["events"][0]["time_s"]
        row["wall_s"] = max(row["wall_s"] - saved, 0.0) if row["wall_s"] < BUDGET_S else BUDGET_S
        for number, launch in enumerate(row["launch_log"]):
            launch["start_s"] -= saved * (number > 0)
            launch["end_s"] -= saved * (launch["end_s"] < BUDGET_S)
        for event in (*row["events"], *row["launch_events"]):
            event["time_s"] -= saved


def failures_dropped(one: Copy) -> None:
    """Runs that reached no target are not in the records"""
    for rows in one.rows.values():
        rows[:] = [row for row in rows if row["stop_reason"] == StopReason.TARGET]


def perturbed_dropped(one: Copy) -> None:
    """The perturbed runs of one algorithm are not in its records"""
    _perturb(one)
    for job, rows in one.rows.items():
        if job.algorithm == "cheap":
            rows[:] = [row for row in rows if row["perturbation"] != Perturbation.PERTURBED]


def preparation_lost(one: Copy) -> None:
    """The preparation of an algorithm is recorded as 0 s"""
    for row in one.of_algorithm("cheap"):
        row["preparation_s"] = 0.0


def _perturb(one: Copy) -> None:
    """Mark the longest run of each cell as perturbed, so that there are perturbed runs."""
    for rows in one.rows.values():
        longest = max(rows, key=lambda row: row["wall_s"])
        longest.update(perturbation=Perturbation.PERTURBED, perturbed_by="selftest")


# --- Defects of tables ------------------------------------------------------------------------


@contextlib.contextmanager
def _instead(module: Any, name: str, value: object) -> Iterator[None]:
    """Replace an attribute of a module by another object inside the block."""
    own = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, own)


def failures_free(one: Copy) -> AbstractContextManager[None]:
    """The ERT does not include the cost of failures"""
    module = _module_of("ert")

    def successes_only(cost: Any, success: Any, axis: int = 0) -> Any:
        counted = np.where(success, cost, 0.0).sum(axis=axis)
        return counted / np.maximum(np.sum(success, axis=axis), 1)

    return _instead(module, "ert", successes_only)


def perturbed_left_in(one: Copy) -> AbstractContextManager[None]:
    """Perturbed runs of one algorithm are included, and those of the others are excluded"""
    _perturb(one)

    def unequally(runs: Runs, analysis: Any) -> Runs:
        if analysis.perturbed != "exclude":
            return runs
        spared = (runs.frame["algorithm"] == "cheap").to_numpy()
        return runs.where(~runs.perturbed | spared)

    return _instead(Runs, "wanted", unequally)


def targets_strict(one: Copy) -> AbstractContextManager[None]:
    """A target counts as reached only if the precision is below it"""
    own = Runs.runtimes

    def below(runs: Runs, unit: Any, targets: Any) -> Any:
        return own(runs, unit, np.asarray(targets) * (1 - 1e-12))

    return _instead(Runs, "runtimes", below)


def _module_of(table: str) -> Any:
    from importlib import import_module

    return import_module(TABLES[table].module)


# --- All of them ------------------------------------------------------------------------------

Inject = Callable[[Copy], AbstractContextManager[None] | None]

DEFECTS: Mapping[str, Inject] = {
    inject.__name__.replace("_", "-"): inject
    for inject in (
        clock_fast, last_event_lost, failures_free, perturbed_left_in, perturbed_dropped,
        run_twice, run_copied, late_truncation, deadline_moved, events_of_another, launches_sum,
        stream_shared, evaluations_off, labels_swapped, unit_of_1000, restarts_free,
        relaunch_free, instances_mixed, warm_cache, rounded, after_the_end, wrong_hour,
        cpu_for_wall, cpu_unit, late_start, failures_dropped, targets_strict, preparation_lost,
    )
}  # fmt: skip
"""The defects by name; the docstring of each function describes the defect."""

NOT_FOUND: Mapping[str, str] = {
    "preparation-lost": "nothing here has a preparation whose duration is known",
}
"""The defects that no check finds, and why."""


@dataclass(frozen=True)
class Injected:
    """A defect, and the findings of the checks that they do not have without it."""

    name: str
    wrong: str
    found: Mapping[str, str]


def injected(name: str, sound: Copy, already: Mapping[str, str]) -> Injected:
    """Inject a defect into a copy of sound records, and check the copy.

    - `name`: one of `DEFECTS`.
    - `sound`: the records as they were measured; they are not changed.
    - `already`: findings of the checks in the sound records; they are not counted.
    """
    inject, one = DEFECTS[name], sound.again()
    with inject(one) or nullcontext():
        found = checks.findings(one)
    new = {check: clause for check, clause in found.items() if check not in already}
    return Injected(name, str(inject.__doc__), new)


def table(results: list[Injected]) -> pd.DataFrame:
    """One row per defect: ``defect``, ``wrong``, ``found_by`` (checks), the first ``finding``."""
    rows = [
        (one.name, one.wrong, ", ".join(one.found), next(iter(one.found.values()), ""))
        for one in results
    ]
    return pd.DataFrame(rows, columns=["defect", "wrong", "found_by", "finding"])
