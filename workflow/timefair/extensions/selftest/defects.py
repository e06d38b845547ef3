"""Injects defects into copies of records or the code of a table, and the checks that find them.

Each defect is made as consistent as possible: contradictions that a check would find at once are
removed, unless the defect is itself a contradiction.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from importlib import import_module
from math import isclose, isinf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.campaign.verify import verify
from timefair.exhibits.registry import TABLES
from timefair.extensions.selftest import answers, laws
from timefair.extensions.selftest.laws import ALGORITHMS, BUDGET_S, VALUES, point
from timefair.measure.launching import run_seed
from timefair.problems.base import ProblemName
from timefair.records.integrity import RUN_KEY, run_name
from timefair.records.schema import RUN_SCHEMA
from timefair.records.status import StopReason
from timefair.records.store import open_record, write_record
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

FUNCTIONS, RUNS = 2, 8
"""Number of functions and of runs of the campaign into whose records defects are injected."""

MOST_DELAY_S = 2e-3
"""Largest least delay of events; no event is recorded before the time that was drawn."""

FROM_RECORDS = 1e-9
"""Largest relative difference between two computations of the same number."""

CONTENT = (
    "wall_s", "real_s", "evaluations", "launches", "completed_restarts", "best_f",
    "best_precision", "best_x", "launch_log", "launch_events", "events", "stop_reason",
    "last_evaluation_s", "overshoot_s", "reaped_s",
)  # fmt: skip
"""The columns that describe what a run did, without those that name it."""

Row = dict[str, Any]


@dataclass
class Copy:
    """The records of a campaign: their measure keys, and the facts and runs of each job."""

    campaign: Campaign
    keys: plan.Keys
    facts: dict[plan.Job, dict[str, Any]]
    rows: dict[plan.Job, list[Row]]

    @classmethod
    def of(cls, folder: Path) -> Copy:
        """Read the records of a campaign's folder."""
        campaign = configuration.restore(folder / plan.SNAPSHOT)
        keys = plan.read_keys(folder, campaign)
        records = {
            job: open_record(folder / job.record(keys[job.algorithm, job.round]))
            for job in plan.jobs(campaign)
        }
        facts = {
            job: {name: value for name, value in record.facts.items() if name != "schema_version"}
            for job, record in records.items()
        }
        rows = {job: record.read().to_pylist() for job, record in records.items()}
        return cls(campaign, keys, facts, rows)

    def again(self) -> Copy:
        """Another copy, whose rows can be changed without changing this one."""
        return replace(self, rows=copy.deepcopy(self.rows))

    def of_algorithm(self, label: str) -> list[Row]:
        """The runs of an algorithm, in the order of its jobs."""
        return [row for job, rows in self.rows.items() if job.algorithm == label for row in rows]

    def cell(self, label: str) -> list[Row]:
        """The runs of the first job of an algorithm."""
        return next(rows for job, rows in self.rows.items() if job.algorithm == label)

    def all_runs(self) -> Iterator[Row]:
        """The runs of all algorithms."""
        for rows in self.rows.values():
            yield from rows

    def write(self, folder: Path) -> None:
        """Write the records as the measurement does, with checksums of their present content."""
        plan.write_snapshot(self.campaign, folder)
        plan.write_keys(self.keys, folder)
        for job, rows in self.rows.items():
            path = folder / job.record(self.keys[job.algorithm, job.round])
            path.parent.mkdir(parents=True, exist_ok=True)
            table = pa.Table.from_pylist(rows, schema=RUN_SCHEMA)
            write_record(path, table.to_batches(), self.facts[job])

    def runs(self) -> Runs:
        """The runs in the form that tables read; `InputError` if a run occurs twice."""
        return Runs.of(pa.Table.from_pylist(list(self.all_runs()), schema=RUN_SCHEMA))


# --- Checks: a clause about the first fault, empty if there is none -------------------------------


def by_verify(one: Copy) -> str:
    """Check by `timefair verify`: missing and duplicate runs, contradictions, best points."""
    with TemporaryDirectory(prefix="timefair-selftest-") as name:
        one.write(Path(name))
        lines: list[str] = []
        verify(Path(name), lines.append)
        return lines[0].replace(f"{name}/", "") if lines else ""


def by_seeds(one: Copy) -> str:
    """Check that each run has the seed that follows from its names."""
    for row in one.all_runs():
        problem = ProblemName(row["suite"], row["function"], row["dimension"], row["instance"])
        right = run_seed(one.campaign.seed, problem, row["algorithm"], row["run"])
        if row["seed"] != right:
            return f"{_named(row)} has not the seed of its names"
    return ""


def by_draws(one: Copy) -> str:
    """Check that the events of each run are those that follow from its seed."""
    for row in one.all_runs():
        if clause := answers.difference(row, ALGORITHMS[row["algorithm"]], BUDGET_S):
            return f"{_named(row)}: {clause}"
    return ""


def by_delay(one: Copy) -> str:
    """Check that the clock starts when the algorithm does, and that it has the right unit."""
    for label, found in _biases(one).items():
        if not 0 <= found.delay_s <= MOST_DELAY_S:
            return f"{label}: events are recorded {1e6 * found.delay_s:.0f} us after they are drawn"
    return ""


def by_rate(one: Copy) -> str:
    """Check that recorded times grow at the same rate as drawn times."""
    for label, found in _biases(one).items():
        if abs(found.median_rate - 1) > answers.MOST_RATE:
            return f"{label}: recorded times are {found.median_rate:.4f} times the drawn ones"
    return ""


def by_erts(one: Copy) -> str:
    """Check that the table `ert` agrees with the costs in the records, including failures."""
    frame = TABLES["ert"](one.runs(), Analysis.of(one.campaign.settings_of("ert")))
    by_cell: dict[tuple[str, int], list[Row]] = {}
    for run in one.all_runs():
        by_cell.setdefault((run["algorithm"], run["function"]), []).append(run)
    for row in frame.to_dict("records"):
        if clause := _wrong_ert(row, by_cell[row["algorithm"], row["function"]]):
            place = f"{row['algorithm']} on f{row['function']}, target {row['target']:.3g}"
            return f"table ert: {place}: {clause}"
    return ""


def _wrong_ert(row: Mapping[Any, Any], runs: list[Row]) -> str:
    for unit, cost, column in (
        ("time_s", "wall_s", "ert_s"),
        ("evaluations", "evaluations", "ert_evaluations"),
    ):
        total, successes = 0.0, 0
        for run in runs:
            reached = [e[unit] for e in run["events"] if e["precision"] <= row["target"]]
            total += reached[0] if reached else run[cost]
            successes += bool(reached)
        right, value = total / successes if successes else float("inf"), row[column]
        if not (isclose(value, right, rel_tol=FROM_RECORDS) or (isinf(value) and isinf(right))):
            return f"{column} is {value:.6g}, and {right:.6g} by the records"
    return ""


def _biases(one: Copy) -> dict[str, answers.Bias]:
    return {
        label: answers.bias(one.of_algorithm(label), synthetic)
        for label, synthetic in ALGORITHMS.items()
    }


def _named(row: Row) -> str:
    return f"{row['algorithm']} {run_name(tuple(row[name] for name in RUN_KEY))}"


CHECKS: Mapping[str, Callable[[Copy], str]] = {
    "verify": by_verify,
    "seeds": by_seeds,
    "draws": by_draws,
    "delay": by_delay,
    "rate": by_rate,
    "erts": by_erts,
}
"""The checks by name. The first one applies to any campaign; the others need known answers."""


def findings(one: Copy) -> dict[str, str]:
    """The finding of each check that finds something, by the name of the check.

    The error of a table that refuses the records is a finding, too.
    """
    found = {}
    for name, check in CHECKS.items():
        try:
            clause = check(one)
        except InputError as error:
            clause = error.faults[0]
        except ValueError as error:  # of the statistics: events that are out of order
            clause = str(error)
        if clause:
            found[name] = clause
    return found


# --- Defects of records ---------------------------------------------------------------------------


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


def clock_fast(one: Copy) -> None:
    """All recorded times are 1 % too long"""
    for row in one.all_runs():
        for name in ("wall_s", "real_s", "last_evaluation_s", "reaped_s"):
            row[name] *= 1.01
        row["wall_s"] = min(row["wall_s"], row["budget_s"])
        row["real_s"] = min(row["real_s"], row["budget_s"])
        for launch in row["launch_log"]:
            launch["start_s"] *= 1.01
            launch["end_s"] = min(launch["end_s"] * 1.01, row["wall_s"])
        for event in (*row["events"], *row["launch_events"]):
            event["time_s"] *= 1.01
        kept = [event for event in row["events"] if event["time_s"] < row["budget_s"]]
        if len(kept) < len(row["events"]):
            row["stop_reason"] = StopReason.TIME
        begun = [launch for launch in row["launch_log"] if launch["start_s"] < row["wall_s"]]
        row.update(launch_log=begun, launches=len(begun))
        row["evaluations"] = sum(launch["evaluations"] for launch in begun)
        _keep_events(row, kept)


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


def after_the_end(one: Copy) -> None:
    """The best value of a run was found after T"""
    row = next(row for row in one.all_runs() if row["stop_reason"] == StopReason.TIME)
    row.update(best_f=VALUES[-1], best_precision=VALUES[-1], best_x=point(laws.LEVELS).tolist())


def last_event_lost(one: Copy) -> None:
    """The last event of a run and its best value are lost"""
    row = max(one.of_algorithm("lognormal"), key=lambda row: len(row["events"]))
    _keep_events(row, row["events"][:-1])


def evaluations_off(one: Copy) -> None:
    """Evaluations are counted from 2 instead of 1"""
    for row in one.all_runs():
        row["evaluations"] += 1
        row["launch_log"][0]["evaluations"] += 1
        for event in (*row["events"], *row["launch_events"]):
            event["evaluations"] += 1


def stream_shared(one: Copy) -> None:
    """All runs of a cell draw from one random stream, whatever their seeds"""
    rows = one.cell("exponential")
    for row in rows[1:]:
        row.update({name: rows[0][name] for name in CONTENT})


def run_twice(one: Copy) -> None:
    """A run is counted twice"""
    rows = one.cell("exponential")
    rows.append(dict(rows[0]))


def run_copied(one: Copy) -> None:
    """A run is recorded again under the number of another run"""
    rows = one.cell("exponential")
    rows[1] = rows[0] | {"run": rows[1]["run"]}


def labels_swapped(one: Copy) -> None:
    """The labels of two algorithms are swapped"""
    first, second = "exponential", "lognormal"
    for job, rows in one.rows.items():
        if job.algorithm == first:
            other = replace(job, algorithm=second)
            one.rows[job], one.rows[other] = one.rows[other], rows
            for label, swapped in ((first, one.rows[job]), (second, one.rows[other])):
                for row in swapped:
                    row["algorithm"] = label


def failures_dropped(one: Copy) -> None:
    """Runs that reached no target are not in the records"""
    for rows in one.rows.values():
        rows[:] = [row for row in rows if row["stop_reason"] == StopReason.TARGET]


# --- Defects of tables ----------------------------------------------------------------------------


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

    def successes_only(cost: Any, success: Any, axis: int = 0) -> Any:
        counted = np.where(success, cost, 0.0).sum(axis=axis)
        return counted / np.maximum(np.sum(success, axis=axis), 1)

    return _instead(import_module(TABLES["ert"].module), "ert", successes_only)


def targets_strict(one: Copy) -> AbstractContextManager[None]:
    """A target counts as reached only if the precision is below it"""
    own = Runs.runtimes

    def below(runs: Runs, unit: Any, targets: Any) -> Any:
        return own(runs, unit, np.asarray(targets) * (1 - 1e-12))

    return _instead(Runs, "runtimes", below)


# --- All of them ----------------------------------------------------------------------------------

Inject = Callable[[Copy], AbstractContextManager[None] | None]

DEFECTS: Mapping[str, Inject] = {
    inject.__name__.replace("_", "-"): inject
    for inject in (
        clock_fast, late_start, after_the_end, last_event_lost, evaluations_off, stream_shared,
        run_twice, run_copied, labels_swapped, failures_dropped, failures_free, targets_strict,
    )
}  # fmt: skip
"""The defects by name; the docstring of each function describes the defect."""


def injected(name: str, sound: Copy, already: Mapping[str, str]) -> dict[str, str]:
    """What the checks find in a copy of sound records with a defect, and not ``already`` without.

    The sound records are not changed.
    """
    one = sound.again()
    with DEFECTS[name](one) or nullcontext():
        found = findings(one)
    return {check: clause for check, clause in found.items() if check not in already}


def defects_found(bench: answers.Bench) -> tuple[dict[str, str], pd.DataFrame]:
    """What the checks find in sound records, and one row per defect.

    Its columns are ``defect``, ``wrong``, ``found_by`` (checks) and the first ``finding``.
    """
    bench.measure("defects", laws.campaign(FUNCTIONS, bench.seed + 100, RUNS))
    sound = Copy.of(bench.folder / "defects")
    already = findings(sound)
    rows = []
    for number, (name, inject) in enumerate(DEFECTS.items(), start=1):
        found = injected(name, sound, already)
        rows.append((name, inject.__doc__, ", ".join(found), next(iter(found.values()), "")))
        bench.say("injected", number, len(DEFECTS))
    return already, pd.DataFrame(rows, columns=["defect", "wrong", "found_by", "finding"])
