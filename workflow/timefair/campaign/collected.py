"""The collected files of a campaign, and the finished runs that it keeps after a change.

The key of a record covers the number of runs in its round, and its name the instances of its job.
If these change, the runs are the same: their seeds depend on their own numbers. Jobs therefore take
runs from earlier records that differ from the planned ones in nothing else.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path, PurePosixPath
from typing import Any

from timefair.basics.errors import InputError
from timefair.basics.extension import added_keys
from timefair.basics.words import counted
from timefair.campaign import plan, provenance
from timefair.campaign.configuration import Campaign
from timefair.records import integrity
from timefair.records.integrity import Place
from timefair.records.store import MEND, Record, open_record

ROOM = "collected"  # their folder, relative to ``results/<campaign>/``
OUTDATED = f"has runs of another configuration or of other code; delete it, and {plan.AGAIN}"
LEFT_OVER = "left over: not in the campaign, and not read; delete if no longer needed"


def join(
    campaign: Campaign, keys: plan.Keys, folder: Path, label: str, output: Path | None = None
) -> Path:
    """Join the planned records of an algorithm; the file. Errors are those of `records.collect`."""
    from timefair.records.collect import collect

    output = output or folder / ROOM / f"{label}.parquet"
    records = {
        folder / job.record(keys[label, job.round]): Place(key=keys[label, job.round], **vars(job))
        for job in plan.jobs(campaign)
        if job.algorithm == label
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    allowed = campaign.statistics.mixed == "allow"
    collect(label, records, plan.expected_runs(campaign), output, allow_mixed=allowed)
    return output


def in_folder(folder: Path, campaign: Campaign) -> list[Path]:
    """The files of a campaign's algorithms in ``results/NAME``; errors are those of `chosen`."""
    files = sorted((folder / ROOM).glob("*.parquet"))
    if not files:
        raise InputError(f"{folder}: has no collected runs; start snakemake and wait until it ends")
    return chosen(files, campaign, folder)


def chosen(
    files: Iterable[Path], campaign: Campaign, folder: Path, *, whole: bool = False
) -> list[Path]:
    """The files whose algorithms the campaign names; one line names the others.

    `files` may be in any folder; `folder` is ``results/<campaign>`` with the last plan; `whole`:
    whether a file has to join all planned records of its algorithm. `InputError` if a file is
    damaged, contains another algorithm than its name says, or joins records that are not planned;
    or if the campaign names none of the algorithms.
    """
    planned = planned_records(campaign, folder)
    kept: list[Path] = []
    others: dict[str, Path] = {}
    faults: list[str] = []
    for path in files:
        try:
            record = open_record(path)
            label = label_of(record)
        except InputError as error:
            faults += error.faults
            continue
        if label not in campaign.labels:
            others[label] = path
            continue
        kept.append(path)
        if planned is not None and is_outdated(record, planned[label], whole=whole):
            faults.append(f"{path}: {OUTDATED}")
    if faults:
        raise InputError(*faults)
    if others:
        line = f"{', '.join(map(str, others.values()))}: {LEFT_OVER}"
        if not kept:
            raise InputError(f"{line}; the campaign has {', '.join(campaign.labels)}")
        print(f"timefair: {line}", file=sys.stderr)
    return kept


def label_of(record: Record) -> str:
    """The only algorithm of a file; `InputError` if there are others than its name says."""
    column = record.read(("algorithm",))["algorithm"]
    labels = {str(label) for label in column.unique().to_pylist()}
    labels = labels or {str(record.facts.get("algorithm"))}
    wanted = record.path.stem if record.path.parent.name == ROOM else min(labels)
    if labels != {wanted}:
        found = ", ".join(sorted(labels))
        said = f"not the runs of {wanted}: it holds those of {found}"
        raise InputError(f"{record.path}: {said}; {MEND}")
    return labels.pop()


def planned_records(campaign: Campaign, folder: Path) -> dict[str, set[PurePosixPath]] | None:
    """The records of each algorithm, relative to the folder; None if nothing was planned there."""
    if not (folder / plan.KEYS).is_file():
        return None
    keys = plan.read_keys(folder, campaign)
    found: dict[str, set[PurePosixPath]] = {label: set() for label in campaign.labels}
    for job in plan.jobs(campaign):
        found[job.algorithm].add(job.record(keys[job.algorithm, job.round]))
    return found


def is_outdated(record: Record, planned: set[PurePosixPath], *, whole: bool = False) -> bool:
    """Whether a file joins other records than those that are planned."""
    joined = {relative(PurePosixPath(one["path"])) for one in record.facts.get("records", ())}
    return bool(joined) and (joined != planned if whole else not joined <= planned)


def relative(path: Path | PurePosixPath) -> PurePosixPath:
    """The path of a record, relative to ``results/<campaign>/``."""
    return PurePosixPath(*path.parts[-len(PurePosixPath(plan.RECORD).parts) :])


_RECORD = re.compile(r"records/([^/]+)/[0-9a-f]+/f(\d+)_d(\d+)_i([\d_-]+)_r(\d+)\.parquet")
_FIRST = (".rule", ".policy", ".use")  # ends of keys that others depend on, which are listed first
_SHOWN = 3  # maximal number of changes that are listed
_RunName = tuple[str, int, int, int, int]  # (algorithm, function, dimension, instance, run)


def takes_earlier_runs(campaign: Campaign) -> bool:
    """Whether its jobs take runs from earlier records: not with a stopping rule or with blocks."""
    return campaign.stopping.rule == "fixed" and campaign.block is None


_UNREADABLE = (InputError, LookupError, TypeError, ValueError)
"""Errors for a record that is damaged or of another program."""


def earlier_records(
    campaign: Campaign, job: plan.Job, record: Path
) -> Iterator[tuple[plan.Span, Record]]:
    """The other records, than that at the job's own path, that can be read, with whatever keys, and
    have runs of its function and dimension on some of its instances, under its label or under one
    that the campaign does not have; each with the numbers of its runs.
    """
    if not takes_earlier_runs(campaign):
        return
    for room in record.parents[2].iterdir():
        if room.name != job.algorithm and room.name in campaign.algorithms:
            continue
        for path in sorted(room.glob(f"*/f{job.function}_d{job.dimension}_i*_r*.parquet")):
            other = job_of(path)
            if path == record or other is None or not {*other.instances} & {*job.instances}:
                continue
            with suppress(*_UNREADABLE):
                found = open_record(path)
                asked = found.facts["campaign"]
                yield plan.span_of(asked["runs"], asked["rounds"], other.round), found


def finished(
    campaign: Campaign, keys: plan.Keys, folder: Path, *, changed: bool = False
) -> Iterator[str]:
    """Lines on the finished runs in ``results/<campaign>``: how many are kept, in planned records
    or taken of earlier ones, and which are not, because they are measured again or of no algorithm
    of the campaign; nothing without any, or if only `changed` ones matter and all are planned.
    """
    recorded = taken = 0
    lacking: set[_RunName] = set()
    rooms = sorted((folder / "records").glob("*/*/"))
    for job in plan.jobs(campaign) if rooms else ():
        runs = [*product(job.instances, plan.runs_of_round(campaign, job.round))]
        if (folder / job.record(keys[job.algorithm, job.round])).exists():
            recorded += len(runs)
        else:
            lacking |= {(job.algorithm, job.function, job.dimension, *run) for run in runs}
    lost: dict[_RunName, str] = {}
    parts = provenance.decisive(campaign, campaign.algorithms) if lacking else {}
    for room in rooms if lacking else ():
        label, why, names = _room(campaign, parts, room)
        if why:
            lost |= dict.fromkeys(names, why)
        else:
            found = lacking & {(label, *name[1:]) for name in names}
            taken += len(found)
            lacking -= found
    not_kept = Counter(
        (name[0], why)
        for name, why in lost.items()
        if name in lacking or name[0] not in campaign.algorithms
    )
    kept = recorded + taken
    if (done := kept + not_kept.total()) and (taken or not_kept or not changed):
        wanted = plan.cell_count(campaign) * campaign.runs
        yield (
            f"finished      {kept} of {done} finished runs are kept; "
            f"{counted(wanted - kept, 'is', 'are')} to be measured"
        )
    for (label, why), count in sorted(not_kept.items()):
        yield f"not kept      {count} finished run(s) of {label}: {why}"


def _room(
    campaign: Campaign, parts: Mapping[str, Mapping[str, Any]], room: Path
) -> tuple[str, str, set[_RunName]]:
    """The present label of the algorithm in a folder of records, why its runs are not kept (empty
    if they are), and the names of the runs.
    """
    label = room.parent.name
    records = [(path, job) for path in room.glob("*.parquet") if (job := job_of(path)) is not None]
    try:
        facts = open_record(records[0][0]).facts
        asked = facts["campaign"]
        span = partial(plan.span_of, asked["runs"], asked["rounds"])
        runs = {
            (label, job.function, job.dimension, instance, run)
            for _, job in records
            for instance in job.instances
            for run in range(*span(job.round)[1:])
        }
        of_round = span(records[0][1].round)
    except _UNREADABLE:
        return label, "", set()
    was = asked["algorithms"].get(label, {}).get("formerly") or label
    formerly = (name for name, spec in campaign.algorithms.items() if spec.formerly == was)
    now = label if label in campaign.algorithms else next(formerly, None)
    if now is None:
        why = f"it is not in the campaign; to keep them under a new label, write formerly: {was}"
    elif takes_earlier_runs(campaign) and facts["key"] == provenance.key_of(parts[now], of_round):
        return now, "", runs
    else:
        why = _why(campaign, label, facts) if now == label else f"{now} has other settings or code"
    return label, why, runs


def job_of(path: Path | PurePosixPath) -> plan.Job | None:
    """The job whose record should be at a path, if there is one."""
    if match := _RECORD.fullmatch(str(relative(path))):
        label, function, dimension, instances, round = match.groups()
        with suppress(ValueError):  # instances that run backwards
            chunk = plan.parse_instances(instances)
            return plan.Job(label, int(function), int(dimension), chunk, int(round))
    return None


def _why(campaign: Campaign, label: str, facts: Mapping[str, Any]) -> str:
    more = ("formerly", *added_keys("algorithms"))
    both = facts["campaign"], campaign.model_dump(mode="json")
    was, now = (integrity.decisive_settings(asked, label, more) for asked in both)
    names = sorted({*was, *now}, key=lambda name: (not name.endswith(_FIRST), name))
    pairs = ((name, was.get(name), now.get(name)) for name in names)
    changes = [f"{name}: {old}, now {new}" for name, old, new in pairs if old != new]
    if not changes and facts["code"] != provenance.measure_code(campaign, label):
        changes.append("its code, or the code that measures it, has changed")
    if len(changes) > _SHOWN:
        changes[_SHOWN:] = [f"and {len(changes) - _SHOWN} more changes"]
    return "; ".join(changes) or "the software, another algorithm, or the planned runs have changed"
