"""The files that the rules of the analysis make, as Snakemake has to know them.

The names of marks contain the digest of the code and the settings with which tables, figures and
the report were made. Snakemake therefore makes them again after any change, even without its own
metadata: in copied results, or after `.snakemake` was deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.analysis.ledger import Ledger
from timefair.campaign import plan, provenance
from timefair.exhibits.registry import FIGURES, TABLES, FigureEntry, Table

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

Flag = Callable[..., str]
"""A function that marks the path of an output, such as Snakemake's ``report``."""

MADE = ".made"
"""Folder of the marks and of the ledgers, in the same folder as ``tables`` and ``figures``."""

REPORT = "report"
"""What the mark of the report is called; the others are called like their rooms."""

SHOWN = ("svg", "png", "pdf")
"""Formats of a figure for Snakemake's report: the first that the campaign makes."""


def of_room(
    campaign: Campaign, room: str, results: str, folder: Path, report: Flag, update: Flag
) -> dict[str, str]:
    """The outputs of the rule that analyses one room, each under a name of its own.

    Parameters
    ----------
    campaign
        The campaign, with the requested tables and figures.
    room
        As in `exhibits.registry.Table.room`.
    results
        ``results/<campaign>``.
    folder
        The same folder on the disk: a module may have a prefix.
    report, update
        Snakemake's flags: for its report, and for files that a job may leave as they are.
    """
    files: dict[str, str] = {}
    for name in campaign.made_tables:
        table = TABLES[name]
        if table.room != room:
            continue
        stem = f"{results}/tables/{name}"
        shown = _report(campaign, table, caption(folder, f"table_{name}"), "Tables", "table")
        files[f"{name}_csv"] = update(report(f"{stem}.csv", **shown))
        files[f"{name}_parquet"] = update(f"{stem}.parquet")
        if name in campaign.table_names:
            files[f"{name}_tex"] = update(f"{stem}.tex")
    for name in campaign.figure_names:
        figure = FIGURES[name]
        if figure.room != room:
            continue
        shown = _report(campaign, figure, caption(folder, name), "Figures", "figure")
        for page in campaign.pages_of(name):
            flags = {**shown, "labels": {**shown["labels"], "page": page.label}}
            for ending in campaign.figures.formats:
                path = f"{results}/figures/{page.file(name)}.{ending}"
                if ending == _shown(campaign):
                    path = report(path, **flags)
                files[f"{page.file(name)}_figure_{ending}"] = update(path)
    return files


def caption(folder: Path, name: str) -> str:
    """The file with the caption of a figure, or of ``table_<name>``, for Snakemake's report.

    `folder` is as for `of_room`. The job of the room writes the file; Snakemake reads it when it
    makes its report.
    """
    return str(folder.absolute() / MADE / "captions" / f"{name}.rst")


def write_captions(campaign: Campaign, room: str, folder: Path) -> None:
    """Write the captions of all tables and figures of a room, as reStructuredText."""
    from timefair.exhibits.exhibit import plain

    tables = [name for name in campaign.made_tables if TABLES[name].room == room]
    figures = [name for name in campaign.figure_names if FIGURES[name].room == room]
    captions = {f"table_{name}": TABLES[name].exhibit.caption for name in tables}
    captions |= {name: FIGURES[name].figure.printed_caption for name in figures}
    (folder / MADE / "captions").mkdir(parents=True, exist_ok=True)
    for name, text in captions.items():
        Path(caption(folder, name)).write_text(plain(text).replace("`", "``") + "\n", "utf-8")


def priority(room: str, folder: Path, files: int) -> float:
    """The priority of a room's job: the longest begins first, so that all cores end together.

    It is the CPU time in seconds that the room took earlier. If that is unknown, it is the number
    of its files, which is larger, so that such a room begins before the others.

    Parameters
    ----------
    room
        As in `exhibits.registry.Table.room`.
    folder
        ``results/<campaign>``.
    files
        Number of files that the room makes.
    """
    return Ledger(ledger(folder, room), settings={}).cpu_s() or float(files)


def ledger(folder: Path, room: str) -> Path:
    """The file in which a room records how it made its files; `folder` is as for `priority`."""
    return folder / MADE / f"{room}.json"


def pictures(campaign: Campaign, results: str) -> list[str]:
    """The figures that the page can show, if there is a format for it.

    Of a figure with several pages, this is the overview.
    """
    first = _shown(campaign)
    if first == "pdf":
        return []
    return [f"{results}/figures/{name}.{first}" for name in campaign.figure_names]


def _shown(campaign: Campaign) -> str:
    return next(ending for ending in SHOWN if ending in campaign.figures.formats)


def _report(
    campaign: Campaign, entry: Table | FigureEntry, caption: str, kind: str, label: str
) -> dict[str, Any]:
    return {
        "caption": caption,
        "category": entry.family,
        "subcategory": kind,
        "labels": {
            label: entry.title,
            "seconds": campaign.statistics.time,
            "disturbed runs": campaign.timing.disturbed,
        },
    }


def marks(
    campaign: Campaign, results: str, registered: Mapping[str, Any], records: object
) -> dict[str, str]:
    """The mark of each room, and of the report.

    Parameters
    ----------
    campaign, results
        As for `of_room`.
    registered
        The settings that the registration adds, as `registration.settings`.
    records
        The planned records. Rooms that were made of other records are made again.
    """
    planned = provenance.key_of(records)
    keys = {
        room: provenance.key_of(provenance.room_key(campaign, room, registered), planned)
        for room in campaign.rooms
    }
    keys[REPORT] = provenance.report_key(campaign, registered)
    return {
        what: f"{results}/{MADE}/{what}.{plan.short_key(key)}.done" for what, key in keys.items()
    }


def remove_marks(folder: Path, what: str) -> None:
    """Remove the marks of a room, or of the report, before it is made with another key.

    `folder` is ``results/<campaign>``.
    """
    for path in (folder / MADE).glob(f"{what}.*.done"):
        path.unlink()
