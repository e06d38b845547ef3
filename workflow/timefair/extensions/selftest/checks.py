"""The checks that have to find defects, and the copies of records that they read.

Some checks are those of timefair; the others need known answers. Each returns a clause about the
first fault that it finds in a copy of the records; the clause is empty if it finds none.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import isclose, isinf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from timefair.basics.errors import InputError
from timefair.campaign import collected, configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.campaign.verify import verify
from timefair.exhibits.registry import TABLES
from timefair.extensions.selftest import clock
from timefair.extensions.selftest.laws import ALGORITHMS, BUDGET_S
from timefair.measure.launching import run_seed
from timefair.problems.base import ProblemName
from timefair.records.integrity import RUN_KEY, run_name
from timefair.records.schema import RUN_SCHEMA
from timefair.records.status import Perturbation
from timefair.records.store import open_record, write_record
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

LONGEST_JOB = timedelta(minutes=1)
"""Upper limit of the duration of a job of the self-test, even on a busy machine."""


def _changed(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


@dataclass
class Copy:
    """The records of a campaign, and when it was measured.

    - `campaign`: the campaign that was measured.
    - `keys`: the measure keys of its records.
    - `facts`, `rows`: the facts and the runs of each job's record.
    - `began`, `ended`: the time of day before the first and after the last run.
    """

    campaign: Campaign
    keys: plan.Keys
    facts: dict[plan.Job, dict[str, Any]]
    rows: dict[plan.Job, list[dict[str, Any]]]
    began: datetime
    ended: datetime

    @classmethod
    def of(cls, folder: Path) -> Copy:
        """Read the records of a campaign's folder.

        The measurement began when its snapshot was last changed, or `LONGEST_JOB` before its oldest
        record was last changed if that is earlier. It ended when its newest record was changed.
        """
        campaign = configuration.restore(folder / plan.SNAPSHOT)
        keys = plan.read_keys(folder, campaign)
        paths = {
            job: folder / job.record(keys[job.algorithm, job.round]) for job in plan.jobs(campaign)
        }
        records = {job: open_record(path) for job, path in paths.items()}
        facts = {
            job: {name: value for name, value in record.facts.items() if name != "schema_version"}
            for job, record in records.items()
        }
        rows = {job: record.read().to_pylist() for job, record in records.items()}
        written = sorted(map(_changed, paths.values()))
        began = min(_changed(folder / plan.SNAPSHOT), written[0] - LONGEST_JOB)
        return cls(campaign, keys, facts, rows, began, written[-1])

    def again(self) -> Copy:
        """Another copy, whose rows can be changed without changing this one."""
        return Copy(
            self.campaign, self.keys, self.facts, copy.deepcopy(self.rows), self.began, self.ended
        )

    def of_algorithm(self, label: str) -> list[dict[str, Any]]:
        """The runs of an algorithm, in the order of its jobs."""
        return [row for job, rows in self.rows.items() if job.algorithm == label for row in rows]

    def all_runs(self) -> Iterator[dict[str, Any]]:
        """The runs of all algorithms."""
        for rows in self.rows.values():
            yield from rows

    def path(self, folder: Path, job: plan.Job) -> Path:
        """The path of a job's record in a folder."""
        return folder / job.record(self.keys[job.algorithm, job.round])

    def write(self, folder: Path) -> None:
        """Write the records as the measurement does, with checksums of their present content."""
        plan.write_snapshot(self.campaign, folder)
        plan.write_keys(self.keys, folder)
        for job, rows in self.rows.items():
            path = self.path(folder, job)
            path.parent.mkdir(parents=True, exist_ok=True)
            table = pa.Table.from_pylist(rows, schema=RUN_SCHEMA)
            write_record(path, table.to_batches(), self.facts[job])

    def runs(self) -> Runs:
        """The runs in the form that tables read; `InputError` if a run occurs twice."""
        return Runs.of(pa.Table.from_pylist(list(self.all_runs()), schema=RUN_SCHEMA))


MOST_RATE = 2e-3
"""Largest difference of the rates of two clocks that is not a fault."""

DELAYS_S = (0.0, 2e-3)
"""Limits of the least delay of events; no event is recorded before the time that was drawn."""

LEAST_RELAUNCH_S = 1e-6
"""Least time that a later launch adds; making its random stream alone takes longer."""

GRAINS_S = (1e-3, 1e-4, 1e-5, 1e-6)
"""Times of a clock that counts nanoseconds are not all multiples of one of these."""

BUSY = (0.5, 1.1)
"""Limits of the median ratio of CPU time to wall time on a core; the lower limit applies only to
algorithms that wait busily."""

ASIDE = timedelta(seconds=2)
"""Largest adjustment of the wall clock that is tolerated while the self-test measures."""

FROM_RECORDS = 1e-9
"""Largest relative difference between two computations of the same number."""


def _collected(one: Copy, folder: Path) -> str:
    """The first fault for which `timefair collect` refuses the records; empty if there is none."""
    for label in one.campaign.algorithms:
        try:
            collected.join(one.campaign, one.keys, folder, label)
        except InputError as error:
            return error.faults[0].replace(f"{folder}/", "")
    return ""


def by_collect(one: Copy) -> str:
    """Check by `timefair collect`: places, missing and duplicate runs, contradictions."""
    with TemporaryDirectory(prefix="timefair-selftest-") as name:
        one.write(Path(name))
        return _collected(one, Path(name))


def by_verify(one: Copy) -> str:
    """Check by `timefair verify`: the same, and the value of each best point."""
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
        if clause := clock.difference(row, ALGORITHMS[row["algorithm"]], BUDGET_S):
            return f"{_named(row)}: {clause}"
    return ""


def by_delay(one: Copy) -> str:
    """Check that the clock starts when the algorithm does, and that it has the right unit."""
    least_s, most_s = DELAYS_S
    for label, found in _biases(one).items():
        if not least_s <= found.delay_s <= most_s:
            return f"{label}: events are recorded {1e6 * found.delay_s:.0f} us after they are drawn"
        adds = LEAST_RELAUNCH_S <= found.each_relaunch_s <= most_s
        if found.relaunch_s.size and not adds:
            return f"{label}: a later launch adds {1e6 * found.each_relaunch_s:.0f} us"
    return ""


def by_rate(one: Copy) -> str:
    """Check that recorded times grow at the same rate as drawn times."""
    for label, found in _biases(one).items():
        if abs(found.median_rate - 1) > MOST_RATE:
            return f"{label}: recorded times are {found.median_rate:.4f} times the drawn ones"
    return ""


def by_grain(one: Copy) -> str:
    """Check that times are recorded with the resolution of the clock."""
    times = np.array([event["time_s"] for row in one.all_runs() for event in row["events"]])
    for grain_s in GRAINS_S:
        multiples = times / grain_s
        if np.abs(multiples - np.rint(multiples)).max() < 1e-6:
            return f"all times are multiples of {grain_s:g} s"
    return ""


def by_budget(one: Copy) -> str:
    """Check that each run has the budget T of the campaign."""
    for row in one.all_runs():
        if not isclose(row["budget_s"], BUDGET_S, rel_tol=FROM_RECORDS):
            return f"{_named(row)} has T = {row['budget_s']:g} s, not {BUDGET_S:g} s"
    return ""


def by_moments(one: Copy) -> str:
    """Check that runs began while the self-test measured, and ran one at a time on each core."""
    by_core: dict[int | None, list[tuple[float, float, str]]] = {}
    for row in one.all_runs():
        began = row["started_utc"]
        if not one.began - ASIDE <= began <= one.ended + ASIDE:
            return f"{_named(row)} began at {began:%Y-%m-%d %H:%M} UTC, outside of the measurement"
        start = began.timestamp()
        by_core.setdefault(row["core"], []).append((start, start + row["reaped_s"], _named(row)))
    for runs in by_core.values():
        for (_, end, first), (start, _, second) in pairwise(sorted(runs)):
            if start < end - 2e-3:  # milliseconds are recorded
                return f"{first} and {second} were measured on one core at the same time"
    return ""


def by_cpu(one: Copy) -> str:
    """Check that algorithms that wait busily used about as much CPU time as wall time."""
    least, most = BUSY
    for label, synthetic in ALGORITHMS.items():
        share = float(np.median([_cpu_share(row) for row in one.of_algorithm(label)]))
        if share > most or (share < least and not synthetic.sleeps):
            return f"{label}: CPU time is {share:.2f} times the wall time on a core"
    return ""


def _cpu_share(row: Mapping[str, Any]) -> float:
    """CPU time of a run divided by the wall time in which it did not wait for a core."""
    had_s = row["real_s"] - (row["foreign_delay_s"] or 0.0)
    return float(row["cpu_s"] / max(had_s, row["cpu_s"] / 2, 1e-4))


def by_counts(one: Copy) -> str:
    """Check that tables count the right runs, with and without perturbed ones."""
    for perturbed in ("flag", "exclude"):
        kept = Counter(
            (row["algorithm"], row["function"])
            for row in one.all_runs()
            if perturbed == "flag" or row["perturbation"] != Perturbation.PERTURBED
        )
        settings = one.campaign.settings_of("success") | {"perturbed": perturbed}
        frame = TABLES["success"](one.runs(), Analysis.of(settings))
        for row in frame.to_dict("records"):
            label, function = row["algorithm"], row["function"]
            if row["runs"] != (wanted := kept[label, function]):
                omitted = " without perturbed runs" * (perturbed == "exclude")
                place = f"table success{omitted}: {label} on f{function}"
                return f"{place} has {row['runs']} runs, not {wanted}"
    return ""


def by_erts(one: Copy) -> str:
    """Check that the table `ert` agrees with the costs in the records, including failures."""
    frame = TABLES["ert"](one.runs(), Analysis.of(one.campaign.settings_of("ert")))
    by_cell: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for run in one.all_runs():
        by_cell.setdefault((run["algorithm"], run["function"]), []).append(run)
    for row in frame.to_dict("records"):
        if clause := _wrong_ert(row, by_cell[row["algorithm"], row["function"]]):
            place = f"{row['algorithm']} on f{row['function']}, target {row['target']:.3g}"
            return f"table ert: {place}: {clause}"
    return ""


def _wrong_ert(row: Mapping[Any, Any], runs: list[Mapping[str, Any]]) -> str:
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


def _biases(one: Copy) -> dict[str, clock.Bias]:
    return {
        label: clock.bias(one.of_algorithm(label), synthetic)
        for label, synthetic in ALGORITHMS.items()
    }


def _named(row: Mapping[str, Any]) -> str:
    return f"{row['algorithm']} {run_name(tuple(row[name] for name in RUN_KEY))}"


CHECKS: Mapping[str, Callable[[Copy], str]] = {
    "collect": by_collect,
    "verify": by_verify,
    "seeds": by_seeds,
    "draws": by_draws,
    "delay": by_delay,
    "rate": by_rate,
    "grain": by_grain,
    "budget": by_budget,
    "moments": by_moments,
    "cpu": by_cpu,
    "counts": by_counts,
    "erts": by_erts,
}
"""The checks by name. The first two apply to any campaign; the others need known answers."""


def findings(one: Copy) -> dict[str, str]:
    """The finding of each check, by its name; checks that find nothing are omitted.

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
