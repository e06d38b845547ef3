"""Commands that make tables, pages and figures of collected runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.basics.errors import InputError
from timefair.cli.analysing import forked
from timefair.cli.common import Command, Commands, entry, one_thread, refuse_mixed
from timefair.cli.paths import prepare_files, prepare_folder, read_picture, read_table

if TYPE_CHECKING:
    import pandas as pd

    from timefair.campaign.configuration import Campaign
    from timefair.rundata.runs import Runs


COLLECTED: dict[str, Any] = {
    "nargs": "+",
    "type": Path,
    "metavar": "COLLECTED",
    "help": "collected runs",
}
"""An argument that several commands take."""


def add_to(commands: Commands, campaign: Command) -> None:
    """Add the commands of this module."""
    analyse = commands.add_parser(
        "analyse",
        help="make the tables and figures of one room of exhibits",
        description="Makes every table and figure of one room (a group of exhibits) that the "
        "campaign selects, in one process. Files whose code, settings and runs have not changed "
        "stay as they are. Snakemake calls this command once per room.",
        example="timefair analyse runtimes results/default/collected/*.parquet \\\n"
        "    --campaign results/default/campaign.json --output results/default",
        parents=[campaign],
    )
    analyse.add_argument("room", metavar="ROOM", help="its name, such as runtimes")
    analyse.add_argument("collected", **COLLECTED)
    analyse.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="for tables/ and figures/"
    )
    analyse.set_defaults(command=forked, work=_analyse)

    tabulate = commands.add_parser(
        "tabulate",
        help="make one table",
        description="Makes one table of the collected runs, with the targets and statistics of "
        "the campaign, and writes it as CSV and as Parquet. Runs of several campaigns can be in "
        "one table if each algorithm has its own label. Work that takes minutes reports its "
        "progress.",
        example="timefair tabulate ert results/default/collected/*.parquet \\\n"
        "    --campaign results/default/campaign.json --output ert.csv ert.parquet",
        parents=[campaign],
    )
    tabulate.add_argument("table", metavar="TABLE", help="its name, such as ert")
    tabulate.add_argument("collected", **COLLECTED)
    tabulate.add_argument(
        "--output", required=True, nargs=2, type=Path, metavar=("CSV", "PARQUET"), help="to write"
    )
    tabulate.set_defaults(command=_tabulate)

    typeset = commands.add_parser(
        "typeset",
        help="write tables as LaTeX",
        description="Writes tables as LaTeX for a paper. The numbers are rounded and not computed "
        "again.",
        example="timefair typeset results/default/tables/ert.parquet \\\n"
        "    --campaign results/default/campaign.json --output .",
        parents=[campaign],
    )
    typeset.add_argument("tables", nargs="*", type=Path, metavar="PARQUET", help="named TABLE")
    typeset.add_argument("--output", required=True, type=Path, metavar="FOLDER", help="to write in")
    typeset.set_defaults(command=_typeset)

    draw = commands.add_parser(
        "draw",
        help="draw one figure from its table",
        description="Draws one figure from its table, in one or more formats, which are chosen by "
        "the endings of the files. If a figure needs several pages, these files have its overview, "
        "and its other pages are beside them, such as ert_D5.pdf.",
        example="timefair draw ert --table results/default/tables/ert.parquet --output ert.pdf",
    )
    draw.add_argument("figure", metavar="FIGURE", help="its name, such as ert")
    draw.add_argument(
        "--table", required=True, type=Path, metavar="PARQUET", help="the table it is drawn from"
    )
    draw.add_argument(
        "--output", required=True, nargs="+", type=Path, metavar="FILE", help=".pdf, .svg, .png"
    )
    draw.set_defaults(command=_draw)

    report = commands.add_parser(
        "report",
        help="make the report page",
        description="Makes one HTML page from the tables and figures of a campaign. The page "
        "states which algorithm wins, by how much, how certain this is, and in which situations. "
        "It has sortable tables, the machine and the reporting checklist, and needs no network and "
        "no other file.",
        example="timefair report results/default/tables/*.parquet \\\n"
        "    --figures results/default/figures/*.svg \\\n"
        "    --campaign results/default/campaign.json --output report.html",
        parents=[campaign],
    )
    report.add_argument("tables", nargs="*", type=Path, metavar="PARQUET", help="named TABLE")
    report.add_argument(
        "--figures", nargs="*", type=Path, default=[], metavar="FILE", help=".svg or .png"
    )
    report.add_argument("--output", required=True, type=Path, metavar="HTML", help="to write")
    report.add_argument(
        "--checklist", type=Path, metavar="HTML", help="also write the checklist as a separate page"
    )
    report.add_argument(
        "--document", type=Path, metavar="TEX", help="also write a LaTeX document of all tables"
    )
    report.set_defaults(command=forked, work=_report)


def _analyse(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.analysis.room import Room
    from timefair.campaign import configuration
    from timefair.exhibits.registry import TABLES
    from timefair.records.store import open_record

    rooms = {table.room: table for table in TABLES.values()}
    entry("ROOM", arguments.room, rooms)
    campaign = configuration.restore(arguments.campaign)
    for folder in (arguments.output, arguments.output / "tables"):
        prepare_folder(folder)
    Room(
        arguments.room,
        campaign,
        arguments.output,
        lambda: _together(arguments.collected, campaign),
        [open_record(path).checksum for path in arguments.collected],
    ).make()


def _tabulate(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.campaign import configuration, registration
    from timefair.exhibits import files
    from timefair.exhibits.registry import TABLES
    from timefair.rundata.settings import Analysis

    table = entry("TABLE", arguments.table, TABLES)
    campaign = configuration.restore(arguments.campaign)
    runs = _together(arguments.collected, campaign)
    prepare_files(arguments.output, (".csv", ".parquet"))
    settings = campaign.settings_of(table.name)
    settings |= registration.settings(campaign, arguments.campaign.parent)
    frame = table(runs, Analysis.of(settings))
    for path in arguments.output:
        files.write(frame, path, table.exhibit.columns)


def _typeset(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.analysis.room import typeset
    from timefair.campaign import configuration

    campaign = configuration.restore(arguments.campaign)
    tables = _tables(arguments.tables)
    prepare_folder(arguments.output)
    for name, frame in tables.items():
        (arguments.output / f"{name}.tex").write_text(
            typeset(name, frame, campaign), encoding="utf-8"
        )


def _draw(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.charts.paper import style
    from timefair.exhibits.registry import FIGURES

    draw = entry("FIGURE", arguments.figure, FIGURES)
    frame = read_table(arguments.table, draw.table)
    for page in draw.pages_of(frame):
        files = [path.with_stem(page.file(path.stem)) for path in arguments.output]
        prepare_files(files, style.METADATA)
        style.save(draw(frame, page), *files)


def _report(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair import latex
    from timefair.campaign import configuration
    from timefair.exhibits import files
    from timefair.exhibits.registry import FIGURES
    from timefair.report import checklist_page
    from timefair.report.page import page

    campaign = configuration.restore(arguments.campaign)
    tables = _tables(arguments.tables)
    others = {page.file(name) for name in FIGURES for page in campaign.pages_of(name) if page.name}
    pictures = {  # of figures with several pages, the overview
        entry("--figures", path.stem, FIGURES).name: read_picture(path)
        for path in arguments.figures
        if path.stem not in others
    }
    outputs = (arguments.output, arguments.checklist, arguments.document)
    prepare_files(path for path in outputs if path is not None)
    arguments.output.write_text(page(tables, pictures, campaign), encoding="utf-8")
    if arguments.checklist is not None:
        if "checklist" not in tables:
            raise InputError("--checklist: needs the table checklist.parquet among the tables")
        frame = tables["checklist"]
        text = checklist_page.page(files.as_rows(frame), campaign.name, frame.attrs["disturbed"])
        arguments.checklist.write_text(text, encoding="utf-8")
    if arguments.document is not None:
        text = latex.document(campaign.table_names)
        arguments.document.write_text(text, encoding="utf-8")


def _together(collected: Sequence[Path], campaign: Campaign) -> Runs:
    """The runs of some files, if they may be in one table."""
    from timefair.rundata.runs import Runs

    together = Runs.read(collected)
    refuse_mixed(together.origins, campaign)
    return together


def _tables(paths: Sequence[Path]) -> dict[str, pd.DataFrame]:
    """Tables by the names of their files."""
    from timefair.exhibits.registry import TABLES

    names = {path: entry("PARQUET", path.stem, TABLES).name for path in paths}
    return {name: read_table(path, name) for path, name in names.items()}
