"""All files of an archive, from the folder of a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from timefair.basics.errors import InputError
from timefair.campaign import collected, configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.extensions.archive.campaign_files import campaign_files
from timefair.extensions.archive.cards import cards
from timefair.extensions.archive.code import own_code, without_documents, workflow_code
from timefair.extensions.archive.compact import compact_files
from timefair.extensions.archive.deposit import Author, Deposit
from timefair.extensions.archive.member import Member
from timefair.extensions.archive.metadata import crate_metadata
from timefair.extensions.archive.origins import MeasuredWhere, measured_where

_COMPLETE = "records, tables, figures, report, code and machine"
_COMPACT = "thinned runs, some records, code and machine"


class Crate(NamedTuple):
    """The files of an archive with ascending paths, and the origin of its code."""

    members: list[Member]
    code: str
    runs: int


def crate_of(
    folder: Path,
    *,
    authors: Sequence[Author],
    license: str,
    title: str | None = None,
    published: date | None = None,
    compact: bool = False,
) -> Crate:
    """Describe a campaign as an archive; its files are not read yet.

    Parameters
    ----------
    folder
        ``results/NAME``.
    license
        License of the data, by its identifier in the list of SPDX.
    title
        By default, one with the campaign's name.
    published
        The date of publication; by default that of the last run.
    compact
        Whether the archive has only what the tables can be made of again; see `compact`.

    Raises
    ------
    InputError
        If the folder is not that of a complete campaign, no date is known, or the runs cannot be
        compact.
    """
    if not (folder / plan.SNAPSHOT).is_file():
        raise InputError(f"{folder}: there is no {plan.SNAPSHOT} in it; name results/NAME")
    campaign = configuration.restore(folder / plan.SNAPSHOT)
    results = f"results/{campaign.name}"
    files = campaign_files(folder, campaign, results)
    runs = collected.in_folder(folder, campaign)
    if compact:
        files = compact_files(files, folder, campaign, results)
    where = measured_where(runs)
    if published is None:
        if where.last is None:
            raise InputError("--date: missing; the campaign has no runs with times")
        published = where.last.date()
    deposit = Deposit(
        title or f"Benchmark of black-box optimizers: campaign {campaign.name} of timefair",
        _description(campaign, where, compact),
        authors,
        license,
        published,
    )
    code = workflow_code(where.commits)
    if compact:
        code = without_documents(code)
    own = own_code(campaign, folder.resolve().parents[1])
    described = cards(
        deposit, where, code, results, own=bool(own), tuned=bool(campaign.tuned), compact=compact
    )
    members = [*files, *code.members, *own, *described]
    paths = [member.path for member in members]
    members.append(crate_metadata(deposit, where, code, results, paths))
    return Crate(sorted(members, key=lambda member: member.path), code.origin, where.runs)


def _description(campaign: Campaign, where: MeasuredWhere, compact: bool) -> str:
    problems = campaign.problems
    algorithms = list(campaign.labels)
    sizes = (
        (len(problems.functions), "function"),
        (len(problems.dimensions), "dimension"),
        (len(problems.instances), "instance"),
    )
    counts = ", ".join(f"{number} {name}{'s' * (number != 1)}" for number, name in sizes)
    return (
        f"{where.runs} runs of {len(algorithms)} algorithms ({', '.join(algorithms)}) on the suite "
        f"{problems.suite} ({counts}), with {_COMPACT if compact else _COMPLETE}."
    )
