"""The files of a campaign that belong to an archive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from timefair.analysis import outputs
from timefair.basics.errors import InputError
from timefair.basics.extension import each
from timefair.campaign import plan
from timefair.campaign.configuration import Campaign
from timefair.extensions.archive.member import Member

_SHOWN = 3


def campaign_files(folder: Path, campaign: Campaign, within: str) -> list[Member]:
    """The records, collected runs, tables, figures and pages of a campaign that is complete.

    They include the records of searches for parameters, and the files with the runs that a stopping
    rule gave to rounds.

    Records of earlier versions of the campaign are omitted, and so are logs.

    Parameters
    ----------
    folder
        ``results/NAME``.
    within
        Folder of the files in the archive.

    Raises
    ------
    InputError
        If files are missing.
    """
    names = sorted(set(_names(folder, campaign)))
    if missing := [name for name in names if not (folder / name).is_file()]:
        more = len(missing) - _SHOWN
        lines = [f"{folder / name}: missing; {plan.AGAIN}" for name in missing[:_SHOWN]]
        raise InputError(*lines, *([f"and {more} more files: missing"] if more > 0 else []))
    return [Member(f"{within}/{name}", folder / name) for name in names]


def _names(folder: Path, campaign: Campaign) -> Iterator[str]:
    yield from (plan.SNAPSHOT, plan.KEYS, "report.html", "checklist.html", "tables/tables.tex")
    yield from each("files", campaign, folder)
    keys = plan.read_keys(folder, campaign)
    yield from (str(job.record(keys[job.algorithm, job.round])) for job in plan.jobs(campaign))
    yield from (str(plan.tuning_record(label, keys)) for label in campaign.tuned)
    if campaign.stopping.allocates:
        rounds = range(2, campaign.rounds + 1)
        yield from (str(plan.allocation_path(keys, round)) for round in rounds)
    for label in campaign.labels:
        yield f"collected/{label}.parquet"
    for path in outputs(campaign, "").values():
        yield path.lstrip("/")
