"""Measures recorded runs again; compares them and their circumstances. A run whose only limit is a
number of evaluations repeats bit for bit. With a limit in seconds, only the part before the clock
ended a run or launch, or changed a problem, is compared.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain, zip_longest
from math import ceil
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from timefair.basics.disk import short
from timefair.basics.errors import InputError
from timefair.basics.extension import added_keys
from timefair.basics.sections import format_ranges
from timefair.campaign import collected, configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.campaign.plan import Job
from timefair.machine.linux.kernel import interruptible
from timefair.measure.isolation import held_cores
from timefair.measure.job import Prepared, runner, seed_of
from timefair.policies import stopping_rules
from timefair.records.integrity import RUN_KEY, SHARED, run_name
from timefair.records.schema import PUBLISHED, RUN_SCHEMA, SCHEMA_VERSION
from timefair.records.status import ENDED_BY_TIME, Status
from timefair.records.store import MEND, Record, open_record

LOST = (Status.KILLED, Status.INCONSISTENT)
"""Statuses of runs without a result that could be compared."""

_CELL = ("function", "dimension")
_ORIGINS = ("campaign", "code", "machine")


class RecordedRun(NamedTuple):
    """A run from its record: its row, the instances of its cell, ascending, its configuration, code
    digest, machine, possible measure keys, and the length of its launches, None without a schedule.
    """

    path: Path
    row: Mapping[str, Any]
    instances: tuple[int, ...]
    campaign: Mapping[str, Any]
    code: str
    machine: Mapping[str, Any]
    keys: tuple[str, ...]
    schema_version: int
    length: int | None = None

    @property
    def label(self) -> str:
        return str(self.row["algorithm"])

    @property
    def threads(self) -> int:
        spec = self.campaign.get("algorithms", {}).get(self.label)
        if spec is None:
            raise InputError(f"{self.path}: its campaign has no algorithm {self.label!r}; {MEND}")
        return int(spec.get("threads", 1))

    @property
    def job(self) -> Job:
        """The job that measured it; of a collected file, one with all its instances."""
        row = self.row
        return Job(self.label, row["function"], row["dimension"], self.instances, row["round"])

    def __str__(self) -> str:
        return f"{run_name(tuple(self.row[name] for name in RUN_KEY))} of {self.label}"


def chosen_run(path: Path, wanted: Mapping[str, int | None]) -> RecordedRun:
    """Read one run of a record or collected file, with all checksums. `wanted` has the numbers of
    `RUN_KEY`; None for any. `InputError` if it is damaged, no measured run, or not just one
    matches.
    """
    record = open_record(path)
    if PUBLISHED in record.facts:
        raise InputError(f"{path}: holds published data; only measured runs can be replayed")
    if "trace" in record.facts.get("tuning", {}):
        raise InputError(
            f"{path}: is the record of a search for parameters; name a record of the comparison"
        )
    origin = _origin(record)
    given = {name: number for name, number in wanted.items() if number is not None}
    rows, parts = [], []
    for part in record.row_groups():
        parts.append(part.select(RUN_KEY).to_pandas())
        for name, number in given.items():
            part = part.filter(pc.equal(part[name], number))
        rows += part.slice(0, 2).to_pylist()
    keys = pd.concat(parts)
    if len(rows) != 1:
        raise InputError(_not_one(path, keys, given))
    (row,) = rows
    if row["status"] in LOST:
        raise InputError(f"{path}: the status of this run is {row['status']}; choose another run")
    for one in record.facts.get("schedule", []):
        if all(one[name] == row[name] for name in one.keys() & row.keys()):
            origin["length"] = one["length"]
    of_cell = (keys[list(_CELL)] == [row[name] for name in _CELL]).all(axis=1)
    instances = tuple(sorted(set(keys["instance"][of_cell].tolist())))
    return RecordedRun(path, row, instances, **origin)


def _not_one(path: Path, keys: pd.DataFrame, given: Mapping[str, int]) -> str:
    known = {name: format_ranges(set(keys[name].tolist())) for name in RUN_KEY}
    for name, number in given.items():
        if number not in set(keys[name]):
            return f"--{name}: {number} is not in {path}; it has {known[name] or 'none'}"
    if not (keys[list(given)] == list(given.values())).all(axis=1).any():
        return f"{path}: has no such run; runs of this problem may have ended earlier"
    several = [name for name in RUN_KEY if name not in given and keys[name].nunique() > 1]
    if not several:
        return f"{path}: has this run twice; {MEND}"
    choices = " ".join(f"--{name} ({known[name]})" for name in several)
    return f"{path}: has several such runs; choose one by {choices}"


def _origin(record: Record) -> dict[str, Any]:
    facts, path = record.facts, record.path
    version = {"schema_version": facts["schema_version"]}
    if "collected" not in facts:
        if lacking := [name for name in (*_ORIGINS, "key") if facts.get(name) is None]:
            raise InputError(f"{path}: its metadata have no {lacking[0]}; it cannot be replayed")
        return {name: facts[name] for name in _ORIGINS} | {"keys": (facts["key"],)} | version
    collected = facts["collected"]
    if name := differing_origin(record):
        folder = os.path.commonpath([source.parent for source in joined_records(record)])
        raise InputError(
            f"{path}: joins records that differ in {name}; name the record of the run, in {folder}"
        )
    keys = tuple(collected["key"])
    return {name: collected[name][0] for name in _ORIGINS} | {"keys": keys} | version


def differing_origin(record: Record) -> str:
    """Which of campaign, code and machine differs in the records of a collected file; or empty."""
    collected = record.facts.get("collected")
    if not collected:
        return ""
    differing = (n for n in _ORIGINS if len(collected[n]) != 1 or collected[n][0] is None)
    return next(differing, "")


def joined_records(record: Record) -> list[Path]:
    """The former folder of the records of a collected file; empty for a record."""
    sources = record.facts.get("records", [])
    return [Path(os.path.normpath(record.path.parent / source["path"])) for source in sources]


class RunPlace(NamedTuple):
    path: Path
    function: int
    dimension: int
    instance: int
    run: int

    def read(self) -> RecordedRun:
        numbers = self._asdict()
        return chosen_run(numbers.pop("path"), numbers)


class Stratum(NamedTuple):
    """The runs of one algorithm: how many have a result, and none; and those to replay."""

    label: str
    runs: int
    lost: int
    sampled: tuple[RunPlace, ...]


def sample(folder: Path, share: float, rng: np.random.Generator) -> list[Stratum]:
    """Choose runs of ``results/NAME`` at random, the same share, in (0, 1], of each algorithm, at
    least one: of the collected files, else of the planned records. Where a collected file joins
    records of several campaigns, code versions or machines, these count, if they are there.
    `InputError` if there is no record, one is damaged, or no run can be replayed.
    """
    every: dict[str, list[RunPlace | None]] = {}
    for label, place in chain.from_iterable(map(_runs, _files(folder))):
        every.setdefault(label, []).append(place)
    found = []
    for label, runs in sorted(every.items()):
        places = [place for place in runs if place is not None]
        if places:
            size = min(ceil(share * len(places)), len(places))
            chosen = sorted(rng.choice(len(places), size, replace=False))
            lost, sampled = len(runs) - len(places), tuple(places[k] for k in chosen)
            found.append(Stratum(label, len(places), lost, sampled))
    if not found:
        raise InputError(f"{folder}: has no measured runs that can be replayed")
    return found


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; name results/NAME")
    snapshot, planned = folder / plan.SNAPSHOT, None
    campaign = configuration.restore(snapshot) if snapshot.exists() else None
    if files := sorted((folder / collected.ROOM).rglob("*.parquet")):
        return files if campaign is None else collected.chosen(files, campaign, folder)
    files = sorted((folder / "records").rglob("*.parquet"))
    if campaign is not None:
        planned = collected.planned_records(campaign, folder)
    if planned is not None:
        wanted = set[PurePosixPath]().union(*planned.values())
        files = [path for path in files if collected.relative(path) in wanted]
    if not files:
        raise InputError(f"{folder}: contains no records; name results/NAME")
    return files


def _runs(path: Path) -> Iterator[tuple[str, RunPlace | None]]:
    """The algorithm of each run, and its place, None for a lost one."""
    record = open_record(path)
    if PUBLISHED in record.facts:
        return
    joined = joined_records(record) if differing_origin(record) else []
    if joined and all(one.is_file() for one in joined):
        for one in joined:
            yield from _runs(one)
        return
    for part in record.row_groups(("algorithm", "status", *RUN_KEY)):
        for row in part.to_pylist():
            place = RunPlace(path, **{name: row[name] for name in RUN_KEY})
            yield row["algorithm"], None if row["status"] in LOST else place


Row = Mapping[str, Any]  # the columns of `records.schema` of one run

_OF_EVENT = ("launch", "evaluations", "precision")
_OF_LAUNCH = ("evaluations", "best_precision", "end")
_OUTCOME = (
    "status", "stop_reason", "evaluations", "launches", "completed_restarts", "best_f",
    "best_precision", "best_x",
)  # fmt: skip
_ADDED_LATER = ("best_x", "batches")  # columns that older records lack


class Difference(NamedTuple):
    what: str
    recorded: str
    again: str


class Likeness(NamedTuple):
    """The extent of the comparison of two runs, evaluations and events of each, and the first
    difference, None without one. `in_full` is False if the clock ended one of them, or a launch.
    """

    evaluations: int
    events: int
    in_full: bool
    difference: Difference | None


def likeness(
    recorded: Row, again: Row, launches_by_clock: bool, changes_by_clock: bool = False
) -> Likeness:
    rows = (recorded, again)
    in_full = not (launches_by_clock or changes_by_clock or any(map(_ended_by_clock, rows)))
    common = min(row["evaluations"] for row in rows)
    if launches_by_clock:
        common = min(common, _same_launches(*rows))
    if changes_by_clock:
        common = min(common, *map(_before_changes, rows))
    events = [
        [event for event in row["events"] if in_full or event["evaluations"] <= common]
        for row in rows
    ]
    difference = _first_difference("event", events, _OF_EVENT, _event, start=1)
    if difference is None and in_full:
        difference = _of_the_rest(recorded, again)
    elif difference is None and not launches_by_clock:
        difference = _of_the_end(recorded, again)
    return Likeness(common, min(map(len, events)), in_full, difference)


def _before_changes(row: Row) -> int:
    later = (v["evaluations"] for v in row["vectors"] or () if v["outputs"][1] > 0)
    first = next(later, None)
    return int(row["evaluations"] if first is None else max(first - 2, 0))


def _ended_by_clock(row: Row) -> bool:
    return row["stop_reason"] in ENDED_BY_TIME or row["status"] == Status.WALL_LIMIT


def _first_difference(
    what: str,
    both: Iterable[Sequence[Row]],
    names: Sequence[str],
    told: Callable[[Row], str],
    start: int = 0,
) -> Difference | None:
    """The first index, from `start`, at which a name differs or one of the two has ended."""
    for number, (one, other) in enumerate(zip_longest(*both), start):
        if one is None or other is None or any(one[name] != other[name] for name in names):
            texts = (f"no further {what}" if row is None else told(row) for row in (one, other))
            return Difference(f"{what} {number}", *texts)
    return None


def _event(event: Row) -> str:
    return (
        f"launch {event['launch']}, evaluation {event['evaluations']}, "
        f"precision {event['precision']!r}, at {event['time_s']:.6f} s"
    )


def _of_the_rest(recorded: Row, again: Row) -> Difference | None:
    launches = (row["launch_log"] for row in (recorded, again))
    if difference := _first_difference("launch", launches, _OF_LAUNCH, _launch):
        return difference
    for name in (*_OUTCOME, "batches"):
        lacking = name in _ADDED_LATER and recorded[name] is None
        if not lacking and recorded[name] != again[name]:
            return Difference(name, str(recorded[name]), str(again[name]))
    return None


def _launch(launch: Row) -> str:
    return (
        f"{launch['evaluations']} evaluations, best precision {launch['best_precision']!r}, "
        f"{launch['end']}"
    )


def _of_the_end(recorded: Row, again: Row) -> Difference | None:
    shorter, longer = sorted((recorded, again), key=lambda row: row["evaluations"])
    if _ended_by_clock(shorter) or shorter["evaluations"] == longer["evaluations"]:
        return None
    ends = (f"{row['stop_reason']}, {row['evaluations']} evaluations" for row in (recorded, again))
    return Difference("end", *ends)


def outcome(row: Row) -> str:
    message = f" ({row['message']})" if row["message"] else ""
    return (
        f"{row['status']}{message}, ended by {row['stop_reason']} after {row['evaluations']} "
        f"evaluations and {row['wall_s']:.3f} s, best precision {row['best_precision']!r}"
    )


def _same_launches(recorded: Row, again: Row) -> int:
    """Evaluations up to the first launch whose length or end differs between the two runs."""
    done = 0
    for one, other in zip(_in_sequence(recorded), _in_sequence(again), strict=False):
        if one[1] is None or one != other:
            return done + min(one[0], other[0])
        done += one[0]
    return done


def _in_sequence(row: Row) -> Iterator[tuple[int, str | None]]:
    """Evaluations and end of the launches, up to the first that was paused, whose end is None."""
    done = 0
    for launch, following in zip_longest(row["launch_log"], row["launch_log"][1:]):
        if following is not None and launch["end_s"] > following["start_s"]:
            before = [e["evaluations"] for e in row["events"] if e["time_s"] < following["start_s"]]
            yield max(before, default=done) - done, None
            return
        yield launch["evaluations"], launch["end"]
        done += launch["evaluations"]


_MACHINE = (
    "cpu", "architecture", "cores", "memory_mb", "libc", "kernel", "hostname", "numpy_instructions",
    "blas",
)  # fmt: skip
"""The facts of the machine that are compared, in this order."""

_PYTHON = ("python", "python_implementation")


def _change(topic: str, name: str, recorded: str, now: str) -> str:
    return f"{topic:<11}{name}: {recorded} recorded, {now} now".rstrip()


def circumstances(
    recorded: Mapping[str, Any], now: Mapping[str, Any], code: tuple[str, str]
) -> Iterator[str]:
    """Differences in code, software and machine, as far as the facts of both are known."""
    if code[0] != code[1]:
        yield _change("code", "digest", *map(short, code))
        yield from _differing("code", recorded, now, ("commit", "package_commit"))
    yield from _differing("software", recorded, now, _PYTHON)
    named, named_now = recorded.get("versions") or {}, now.get("versions") or {}
    yield from _differing("software", named, named_now, sorted({*named, *named_now}))
    others, others_now = _packages(recorded), _packages(now)
    rest = {*others, *others_now} - {_plain(name) for name in {*named, *named_now}}
    rest = rest if others and others_now else set()  # a record may not list them
    yield from _differing("software", others, others_now, sorted(rest))
    yield from _differing("machine", recorded, now, _MACHINE)


def _differing(
    topic: str, recorded: Mapping[str, Any], now: Mapping[str, Any], names: Iterable[str]
) -> Iterator[str]:
    for name in names:
        one, other = recorded.get(name), now.get(name)
        shown = ["none" if value is None else str(value) for value in (one, other)]
        if one != other and not (topic == "machine" and "none" in shown):
            yield _change(topic, name, *shown)


def same_versions(recorded: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    then, here = (
        {**(machine.get("versions") or {}), "timefair": None, "python": machine.get("python")}
        for machine in (recorded, now)
    )
    return then == here


def _packages(machine: Mapping[str, Any]) -> dict[str, str]:
    return {_plain(name): version for name, version in (machine.get("packages") or {}).items()}


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


_DECISIVE = (*SHARED, "restart", "isolation", "timing", "runs", "rounds")
"""Keys of a campaign that determine what a run measures, and which runs there are."""


def campaign_of(recorded: RecordedRun) -> Campaign:
    """The recorded campaign with the settings that decided the run; other algorithms need not be
    installed. `InputError` if this version or the installed packages do not allow it.
    """
    campaign, row = recorded.campaign, recorded.row
    left_out = {"stopping"} if is_compared(recorded) else set()
    asked = {name: campaign[name] for name in _DECISIVE if name in {*campaign} - left_out}
    places = {
        "functions": [row["function"]],
        "dimensions": [row["dimension"]],
        "instances": list(recorded.instances),
        "names": {},
    }
    try:
        asked |= {
            "name": campaign["name"],
            "problems": campaign["problems"] | places,
            "algorithms": _seeded(campaign["algorithms"], recorded.label),
        }
    except (KeyError, TypeError):
        raise InputError(f"{recorded.path}: its campaign lacks the algorithm") from None
    return configuration.parse(asked)


def _seeded(algorithms: Mapping[str, Any], label: str) -> dict[str, Any]:
    """One algorithm and, under the label whose seeds it has, a copy that names this label. Keys of
    extensions determine no run; those without a value may be of one that is not installed.
    """
    sections = (key for key, kind in added_keys("algorithms").items() if isinstance(kind, type))
    left_out = {"tuned", *sections}
    asked = algorithms[label].items()
    spec = {key: value for key, value in asked if value is not None and key not in left_out}
    seeds = label
    while isinstance(algorithms[seeds], Mapping) and algorithms[seeds].get("seed_as"):
        seeds = algorithms[seeds]["seed_as"]
    if seeds == label:
        return {label: spec}
    former = algorithms[seeds].get("formerly")
    return {label: spec | {"seed_as": seeds}, seeds: spec | {"seed_as": None, "formerly": former}}


def is_compared(recorded: RecordedRun) -> bool:
    rule = recorded.campaign.get("stopping", {}).get("rule")
    rules = stopping_rules()
    return rule in rules and rules[rule].compares


def measured_again(prepared: Prepared, recorded: RecordedRun) -> Row:
    """The run in its own columns of `records.schema`; no file is written."""
    row, job = recorded.row, recorded.job
    instance, run = row["instance"], row["run"]
    seed = seed_of(prepared, job, instance, run)
    cores = prepared.campaign.cores_of(job.algorithm)
    if recorded.length is not None:
        prepared.change(prepared.campaign.with_length(job.algorithm, recorded.length))
    with (
        interruptible(),
        held_cores(cores) as held,
        runner(prepared, job, held, recorded.path.parent) as running,
    ):
        measured = running(instance, run, seed)
    again: Row = pa.RecordBatch.from_pylist([measured], schema=RUN_SCHEMA).to_pylist()[0]
    return again


class Finding(StrEnum):
    IDENTICAL = "identical bit for bit"
    AGREES = "in agreement as far as the clock allows"
    DIFFERENT = "different"
    UNDECIDED = "could not be compared"


NOTHING = "code, software, parameters, seed and machine are as recorded"


class Verdict(NamedTuple):
    """A recorded run, its repetition, and the present differences from the facts in the record."""

    recorded: RecordedRun
    again: Row
    likeness: Likeness
    changes: tuple[str, ...]

    @property
    def finding(self) -> Finding:
        seeds = (self.recorded.row["seed"], self.again["seed"])
        if self.likeness.difference is not None or seeds[0] != seeds[1]:
            return Finding.DIFFERENT
        if self.likeness.in_full:
            return Finding.IDENTICAL
        return Finding.AGREES if self.likeness.evaluations else Finding.UNDECIDED

    @property
    def same(self) -> bool:
        return self.finding in (Finding.IDENTICAL, Finding.AGREES)

    def lines(self) -> Iterator[str]:
        like, row = self.likeness, self.recorded.row
        extent = f"{like.events} events in {like.evaluations} evaluations"
        said = {
            Finding.IDENTICAL: f"identical, bit for bit: {extent}",
            Finding.AGREES: f"identical as far as the clock allows a comparison: {extent}",
            Finding.DIFFERENT: f"different, the seed alone; {extent} are the same",
            Finding.UNDECIDED: "not compared: the clock ended one of the runs before their first "
            "evaluation",
        }[self.finding]
        if like.difference is not None:
            said = f"different, {like.difference.what} first"
        yield f"{self.recorded}: {said}"
        if like.difference is not None:
            yield from _side_by_side(*like.difference)
        if like.difference is not None or not like.in_full:
            yield from _side_by_side("run", outcome(row), outcome(self.again))
        yield from self.changes
        if not self.changes:
            yield NOTHING


def _side_by_side(what: str, recorded: str, again: str) -> Iterator[str]:
    yield f"  {what}, recorded: {recorded}"
    yield f"  {what}, again:    {again}"


def replay(recorded: RecordedRun, prepared: Prepared | None = None) -> Verdict:
    """Measure a recorded run again, and compare; `InputError` if it cannot be measured here.
    `prepared`: of the campaign of such a run, of the same dimension.
    """
    campaign = campaign_of(recorded)
    prepared = prepared or Prepared(campaign)
    again = measured_again(prepared, recorded)
    by_clock = bool(campaign.restart_of(recorded.label).seconds_key)
    like = likeness(recorded.row, again, by_clock, campaign.changes_by_clock)
    return Verdict(recorded, again, like, tuple(_changes(recorded, prepared, again["seed"])))


def _changes(recorded: RecordedRun, prepared: Prepared, seed: int) -> Iterator[str]:
    """What differs from the record; the measure key only if nothing else can be the reason, as the
    key covers all that determines a measurement, of other algorithms and searches, too.
    """
    now = prepared.origin(recorded.label)
    then, here = recorded.machine, now["machine"]
    yield from circumstances(then, here, (recorded.code, now["code"]))
    explained = recorded.code != now["code"] or not same_versions(then, here)
    is_tuned = recorded.campaign["algorithms"][recorded.label].get("tuned") is not None
    comparable = recorded.schema_version == SCHEMA_VERSION and not is_tuned
    if comparable and not explained and not is_compared(recorded):
        key = prepared.key(recorded.job)
        if key not in recorded.keys:
            former = " or ".join(map(short, recorded.keys))
            yield _change("parameters", "key of the configuration", former, short(key))
    if (former_seed := recorded.row["seed"]) != seed:
        yield _change("seed", "of the run", str(former_seed), str(seed))


class Replayed(NamedTuple):
    finding: Finding
    lines: tuple[str, ...]


def replay_all(places: Sequence[RunPlace]) -> list[Replayed]:
    """Replay runs of one algorithm, which is prepared once per campaign and dimension."""
    prepared: dict[tuple[str, int], Prepared] = {}
    found = []
    for place in places:
        try:
            recorded = place.read()
            key = (str(recorded.campaign), recorded.row["dimension"])
            if key not in prepared:
                prepared[key] = Prepared(campaign_of(recorded))
            verdict = replay(recorded, prepared[key])
        except InputError as error:
            found.append(Replayed(Finding.UNDECIDED, error.faults))
        else:
            found.append(Replayed(verdict.finding, tuple(verdict.lines())))
    return found


def counts_of(found: Sequence[Replayed]) -> str:
    counts = Counter(each.finding for each in found)
    return ", ".join(f"{counts[finding]} {finding}" for finding in Finding if counts[finding])
