"""Checks whether the records in a folder are reliable: reads every record and writes nothing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa

from timefair.basics.disk import regular
from timefair.basics.errors import InputError, described
from timefair.basics.extension import each
from timefair.basics.words import counted
from timefair.campaign import collected, configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.problems import suites
from timefair.problems.problem import Problem
from timefair.problems.suites import Refutation
from timefair.records.collect import checked_parts
from timefair.records.integrity import (
    CONSENT,
    STARTED,
    Measured,
    Origins,
    Place,
    RunKey,
    differing_software,
    machine_kinds,
    mixed,
    several_hosts,
    spared,
)
from timefair.records.schema import PUBLISHED
from timefair.records.store import MEND, Record, open_record, read_journal

Say = Callable[[str], None]
_PROBLEM = ("suite", "function", "dimension", "instance")
OF_POINTS = (*_PROBLEM, "run", "best_f", "noise_free_f", "best_x", "vectors")
"""The columns that `Reevaluation.look` reads."""

ROUNDING = 1e-12  # relative difference that another processor or mathematical library may cause


def _differs(row: Mapping[str, Any], now: float | str, what: str) -> str:
    """A line on a run whose best point, or set of vectors, now has another value, or raises."""
    return (
        f"f{row['function']} D={row['dimension']} instance {row['instance']}, run {row['run']}:"
        f" the {what} was recorded with {row['best_f']!r} and now gives {now}; "
        "restore the function and the packages of the measurement, or measure again"
    )


class Reevaluation:
    """Evaluates best points in this process until `limit_s` seconds are used up.

    `found` counts points whose value is the recorded one (``same``), or is up to `ROUNDING`
    (``rounded``), ``different`` ones, those of functions that give another value at each call
    (``noisy``), and those that are ``skipped`` for lack of time or of the function.
    """

    def __init__(self, limit_s: float) -> None:
        self.found = Counter[str]()
        self._left_s = limit_s
        self._problems: dict[tuple[str, int, int, int], Problem | None] = {}

    def look(self, runs: pa.Table, parameters: Mapping[str, object], say: Say) -> None:
        """Evaluate the best points of runs with `OF_POINTS`, without noise if possible, and compute
        the quality again that follows from vectors.
        """
        for row in runs.select(OF_POINTS).to_pylist():
            if row["best_x"] is not None:
                problem = self._problem(row, parameters) if self._left_s > 0 else None
                begun, kind = time.monotonic(), "skipped"
                if problem is not None:
                    kind = self._evaluated(problem, row, say)
                    self._left_s -= time.monotonic() - begun
                self.found[kind] += 1
            problem = self._problem(row, parameters) if row["vectors"] else None
            if problem is not None and problem.kind.rated:
                vectors = np.array([one["outputs"] for one in row["vectors"]])
                try:
                    now = float(np.min(problem.kind.quality(vectors)))
                except ValueError:  # vectors that the problem does not have
                    now = np.nan
                if not abs(now - row["best_f"]) <= ROUNDING * abs(row["best_f"]):
                    say(_differs(row, now, "set of vectors"))

    def _evaluated(self, problem: Problem, row: dict[str, Any], say: Say) -> str:
        if row["noise_free_f"] is None:
            if problem.reseed is not None:
                return "noisy"
        elif problem.noise_free is not None:
            row = {**row, "best_f": row["noise_free_f"]}
            problem = replace(problem, evaluate=problem.noise_free)
        x, recorded = np.array(row["best_x"], dtype=np.float64), row["best_f"]
        now: float | str
        try:
            now = problem.value(x)
            if now == recorded:
                return "same"
            if problem.value(x) != now:
                return "noisy"
            if abs(now - recorded) <= ROUNDING * abs(recorded):
                return "rounded"
        except Exception as error:
            now = described(error)
        say(_differs(row, now, "best point"))
        return "different"

    def _problem(self, row: Mapping[str, Any], parameters: Mapping[str, object]) -> Problem | None:
        """The problem of a run; None if its suite is not available here."""
        key = (row["suite"], row["function"], row["dimension"], row["instance"])
        if key not in self._problems:
            try:
                self._problems[key] = suites.find(key[0], parameters).problem(*key[1:])
            except Exception:  # a suite or library that is missing, or does not have the problem
                self._problems[key] = None
        return self._problems[key]

    def __str__(self) -> str:
        count = self.found
        done = count["same"] + count["rounded"] + count["different"]
        others = {
            "rounded": "to rounding",
            "noisy": "of noisy functions",
            "skipped": "not evaluated",
        }
        more = [f"{count[kind]} {what}" for kind, what in others.items() if count[kind]]
        found = [f"{count['same']} of {done} best points evaluate to the recorded value", *more]
        return ", ".join(found) if count else ""


_ROOMS = ("tuning", collected.ROOM, "records")  # of a campaign's runs, in the order of reading
_IMPORT_AGAIN = "analyse the tables of the runs again"


def verify(target: Path, say: Say, points_s: float = 60.0) -> Inspection:
    """Check every record, collected file and journal in the folder of a campaign, or in another.

    `say` gets one line for each problem. Best points are evaluated for `points_s`. Returns what was
    found: its `problems`, their number, and the last line. `InputError` if there is nothing to
    check.
    """

    def below(suffix: str) -> list[Path]:
        if target.is_file():
            return [target] if target.name.endswith(suffix) else []
        return [path for room in rooms for path in sorted(room.rglob(f"*{suffix}"))]

    if not target.exists():
        raise InputError(f"{target}: there is no such file or folder")
    snapshot = target / plan.SNAPSHOT
    rooms = [target / room for room in _ROOMS] if snapshot.exists() else [target]
    records, journals = below(".parquet"), below(".parquet.journal")
    if not (records or journals or snapshot.exists()):
        raise InputError(f"{target}: contains no records")
    inspection = Inspection(say, Reevaluation(points_s), snapshot)
    for path in records:
        inspection.at_file(path)
    for path in journals:
        inspection.at_journal(path)
    inspection.at_the_whole(target)
    return inspection


class Inspection:
    """The files that were checked so far; collected ones first: they name records that count."""

    def __init__(self, say: Say, points: Reevaluation, snapshot: Path) -> None:
        self._say, self._points = say, points
        self._campaign: Campaign | None = None
        self._planned: dict[str, set[PurePosixPath]] | None = None
        self.problems = self._files = self._runs = 0
        self._missing: int | None = None  # runs; None: not of a campaign
        self._collected: set[str] = set()  # labels of algorithms with a file
        self._settled: dict[str, set[RunKey]] = {}  # runs that are there, or that a rule spared
        self._measured: dict[str, Measured] = {}
        self._added: tuple[str, ...] = ()
        self._refuted: dict[Refutation, bool] = {}  # and whether others have measured it
        self._searches: set[str] = set()  # checksums of the records of searches
        self._left_over: list[Path] = []
        if snapshot.exists():
            try:
                self._campaign = configuration.restore(snapshot)
                self._planned = collected.planned_records(self._campaign, snapshot.parent)
            except InputError as error:
                self._problem(str(error))

    def at_file(self, path: Path) -> None:
        self._files += 1
        try:
            record = open_record(path)
            if "collected" in record.facts or PUBLISHED in record.facts:
                self._at_collected(record)
            elif "trace" in record.facts.get("tuning", {}):  # a tuned variant has the result alone
                self._at_search(record)
            else:
                self._at_record(record)
        except InputError as error:
            for fault in error.faults:
                self._problem(fault)
        except Exception as error:  # what is in the file may be anything
            self._problem(f"{path}: not a record of timefair ({described(error)}); {MEND}")

    def _at_search(self, record: Record) -> None:
        if not str(record.facts.get("key")).startswith(record.path.stem):
            raise InputError(f"{record.path}: not the record of this name: its key differs; {MEND}")
        self._read(record, None)
        self._searches.add(record.checksum)

    def _at_collected(self, record: Record) -> None:
        label = collected.label_of(record)
        if self._campaign is not None and label not in self._campaign.labels:
            self._left_over.append(record.path)
            self._read(record, None, counts=False)
            return
        if self._planned is not None and collected.is_outdated(record, self._planned[label]):
            raise InputError(f"{record.path}: {collected.OUTDATED}")
        planned = set() if self._campaign is None else plan.expected_runs(self._campaign)
        self._counted(label, record, None, planned)
        self._collected.add(label)

    def _at_record(self, record: Record) -> None:
        path = record.path.absolute()
        job = collected.job_of(path)  # that it should be of
        place = None if job is None else Place(key=path.parent.name, **vars(job))
        label = collected.label_of(record) if job is None else job.algorithm
        of_plan = True
        if self._planned is not None and place is not None:
            of_plan = collected.relative(record.path) in self._planned.get(label, ())
            if label not in self._planned:
                self._left_over.append(record.path)
        if not of_plan or label in self._collected:
            self._read(record, place, counts=False)
            return
        planned = set[RunKey]()
        if job is not None and self._campaign is not None and job.round <= self._campaign.rounds:
            runs = product(job.instances, plan.runs_of_round(self._campaign, job.round))
            planned = {(job.function, job.dimension, *run) for run in runs}
        self._counted(label, record, place, planned)

    def at_journal(self, path: Path) -> None:
        again = f"{plan.AGAIN} to measure"
        try:
            content = read_journal(regular(path).read_bytes())
        except (InputError, OSError) as error:
            self._problem(f"{path}: {error.strerror}" if isinstance(error, OSError) else str(error))
            return
        if content.owner is None and path.stat().st_size:
            self._problem(f"{path}: its header cannot be read; {again} its runs again")
        if content.damaged:
            self._problem(f"{path}: {counted(content.damaged, 'damaged run')}; {again} them again")

    def at_the_whole(self, target: Path) -> None:
        """Faults that are found only after all files were read: missing runs, and mixed records."""
        origins = {label: one.origins for label, one in self._measured.items()}
        if self._left_over:
            first, more = self._left_over[0], len(self._left_over) - 1
            others = f" and {counted(more, 'other file')}" if more else ""
            self._say(f"{first}{others}: {collected.LEFT_OVER}")
        if self._campaign is not None:
            expected, labels = plan.expected_runs(self._campaign), self._campaign.algorithms
            self._missing = sum(len(expected - self._settled.get(k, set())) for k in labels)
        if self._missing:
            self._problem(f"{target}: {counted(self._missing, 'run')} missing; {plan.AGAIN}")
        for label in () if self._campaign is None else self._campaign.published:
            if not (path := target / collected.ROOM / f"{label}.parquet").exists():
                self._problem(f"{path}: missing; {plan.AGAIN}")
        for label in () if self._campaign is None else self._campaign.tuned:
            named = {one["checksum"] for one in origins.get(label, Origins()).tuning}
            if label in origins and (not named or named - self._searches):
                said = "the search for the parameters of its runs is not there"
                self._problem(f"{target}: {label}: {said}; delete its records and {plan.AGAIN}")
        for wrong in suites.least(self._refuted):
            remedy = "in the data and import them" if self._refuted[wrong] else "and measure"
            self._problem(f"{target}: {wrong}; the optimum is wrong: correct it {remedy} again")
        if caution := several_hosts(origins):
            self._say(f"{target}: {caution}")
        if self._campaign is None or self._campaign.statistics.mixed == "refuse":
            for clause in mixed(origins):
                self._problem(f"{target}: {clause}; {CONSENT}")
        if self._campaign is not None:
            try:
                found = each("verifying", self._campaign, target, self._measured, self._say)
                self._added = tuple(found)
            except InputError as error:
                self._problem(str(error))

    def __str__(self) -> str:
        origins = [one.origins for one in self._measured.values()]
        missing = "" if self._missing is None else f" ({self._missing} missing)"
        digests = len({code for one in origins for code in one.code})
        told = filter(None, (str(self._points), *self._added, counted(self.problems, "problem")))
        return (
            f"{counted(self._files, 'file')}, {counted(self._runs, 'run')}{missing}, "
            f"{counted(digests, 'code digest')} of {counted(len(origins), 'algorithm')}, "
            f"{counted(len(machine_kinds(origins)), 'kind')} of machine, "
            f"differing software: {', '.join(differing_software(origins)) or 'none'}; "
            f"{'; '.join(told)}"
        )

    def _counted(
        self, label: str, record: Record, place: Place | None, planned: set[RunKey]
    ) -> None:
        seen = self._read(record, place)
        self._runs += len(seen)
        if PUBLISHED in record.facts:  # of no machine and no code that could differ
            return
        decided = record.facts.get("stopping", ())
        settled = self._settled.setdefault(label, set())
        settled.update(seen, spared(planned - seen, seen, decided))
        one = self._measured.setdefault(label, Measured())
        one.origins.add(record.facts)
        one.runs |= seen
        one.decided = [*one.decided, *decided]
        runs = record.read(STARTED)
        times = runs["started_utc"].drop_null().to_pylist()
        one.origins.started(record.facts, runs)
        one.started = min([*times, one.started] if one.started else times, default=one.started)

    def _read(self, record: Record, place: Place | None, *, counts: bool = True) -> set[RunKey]:
        """The keys of its runs; if it `counts`, their best points are evaluated. `InputError` if
        the runs do not agree with the path.
        """
        seen: set[RunKey] = set()

        def say(found: str) -> None:
            self._problem(f"{record.path}: {found}")

        for runs in checked_parts(record, place, seen):
            if counts:
                parameters: Mapping[str, object] = {}
                if self._campaign is not None:
                    parameters = self._campaign.problems.parameters
                elif "campaign" in record.facts:
                    parameters = record.facts["campaign"]["problems"]["parameters"]
                self._points.look(runs, parameters, say)
                found = map(suites.refutation, runs.select(suites.COLUMNS).to_pylist())
                self._refuted |= dict.fromkeys(filter(None, found), PUBLISHED in record.facts)
        return seen

    def _problem(self, line: str) -> None:
        self.problems += 1
        if self._campaign is not None and self._campaign.is_foreign:
            line = line.replace(plan.AGAIN, _IMPORT_AGAIN)
        self._say(line)
