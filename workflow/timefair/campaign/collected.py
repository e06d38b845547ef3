"""The collected files of a campaign: those of the algorithms that its configuration names.

Files of algorithms that were removed or renamed stay in the folder. No command reads them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from timefair.basics.errors import InputError
from timefair.campaign import plan
from timefair.campaign.configuration import Campaign
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

    `files` may be in any folder; `folder` is ``results/<campaign>`` with the last plan, with whose
    records those that files join are compared; `whole`: whether a file has to join all of them.
    `InputError` if a file is damaged, contains another algorithm than its name says, or joins
    records that are not planned; or if the campaign names none of the algorithms.
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
    in_place = record.path.parent.name == ROOM
    wanted = {record.path.stem} if in_place else labels
    if len(labels) != 1 or labels != wanted:
        of = " of ".join(("", *filter(None, wanted))) if in_place else " of one algorithm"
        found = ", ".join(sorted(labels))
        raise InputError(f"{record.path}: not the runs{of}: it holds those of {found}; {MEND}")
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
