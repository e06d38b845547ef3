"""Commands that make tables, pages and figures of collected runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.basics.errors import InputError
from timefair.basics.garbage import uncollected
from timefair.cli import foreign
from timefair.cli.analysing import forked
from timefair.cli.common import Command, Commands, entry, one_thread, refuse_mixed
from timefair.cli.paths import (
    prepare_files,
    prepare_folder,
    read_picture,
    read_table,
    state_of,
)

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
        help="analyse tables of your own runs: all tables, figures and the report",
        description="Analyses files with runs that you have timed yourself: imports them as "
        "`timefair import table` does, and makes all default tables, the figures and the report, "
        "without Snakemake. Several files count as one table, so one machine must have timed all "
        "of them. With --campaign, makes every table and figure of one room (a group of "
        "exhibits) of a campaign, in one process; Snakemake calls this once per room. Files whose "
        "code, settings and runs have not changed stay as they are.",
        example="timefair export table results/default/collected/*.parquet \\\n"
        "    --campaign results/default/campaign.json --output runs.csv\n"
        "timefair analyse runs.csv --output results/runs\n"
        "timefair analyse runtimes results/default/collected/*.parquet \\\n"
        "    --campaign results/default/campaign.json --output results/default",
    )
    analyse.add_argument(
        "what",
        metavar="FILE",
        help="a table (.csv, .parquet); with --campaign: a room, such as runtimes",
    )
    analyse.add_argument(
        "collected",
        **COLLECTED | {"nargs": "*", "help": "more tables; with --campaign: collected runs"},
    )
    analyse.add_argument(
        "-o", "--output", type=Path, metavar="FOLDER",
        help="for tables/, figures/ and report.html; by default results/ and the name of the file",
    )  # fmt: skip
    analyse.add_argument(
        "--format", choices=foreign.FORMATS, default="table",
        help="format of the file: a table of runs, results of benchopt, or a folder or archive of "
        "IOHprofiler with a logged property of seconds",
    )  # fmt: skip
    foreign.add_options(analyse)
    analyse.add_argument(
        "--settings", type=Path, metavar="YAML",
        help="settings of the analysis, as in a campaign file: targets, statistics, tables, "
        "figures",
    )  # fmt: skip
    analyse.add_argument(
        "--campaign",
        type=Path,
        metavar="SNAPSHOT",
        help="make a room of the campaign results/NAME/campaign.json",
    )
    analyse.set_defaults(command=_analyse, work=_analyse_room)

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
    tabulate.add_argument("table", metavar="TABLE", help="name of the table, such as ert")
    tabulate.add_argument("collected", **COLLECTED)
    tabulate.add_argument(
        "--output",
        required=True,
        nargs=2,
        type=Path,
        metavar=("CSV", "PARQUET"),
        help="files to write",
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
    typeset.add_argument(
        "tables",
        nargs="*",
        type=Path,
        metavar="PARQUET",
        help="tables, each in a file TABLE.parquet",
    )
    typeset.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="folder to write to"
    )
    typeset.set_defaults(command=_typeset)

    draw = commands.add_parser(
        "draw",
        help="draw one figure from its table",
        description="Draws one figure from its table, in one or more formats, which are chosen by "
        "the endings of the files. If a figure needs several pages, these files have its overview, "
        "and its other pages are beside them, such as ert_D5.pdf.",
        example="timefair draw ert --table results/default/tables/ert.parquet --output ert.pdf",
    )
    draw.add_argument("figure", metavar="FIGURE", help="name of the figure, such as ert")
    draw.add_argument(
        "--table", required=True, type=Path, metavar="PARQUET", help="table from which it is drawn"
    )
    draw.add_argument(
        "--output",
        required=True,
        nargs="+",
        type=Path,
        metavar="FILE",
        help="files to write (.pdf, .svg, .png)",
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
    report.add_argument(
        "tables",
        nargs="*",
        type=Path,
        metavar="PARQUET",
        help="tables, each in a file TABLE.parquet",
    )
    report.add_argument(
        "--figures",
        nargs="*",
        type=Path,
        default=[],
        metavar="FILE",
        help="images of the figures (.svg or .png)",
    )
    report.add_argument("--output", required=True, type=Path, metavar="HTML", help="page to write")
    report.add_argument(
        "--checklist", type=Path, metavar="HTML", help="also write the checklist as a separate page"
    )
    report.add_argument(
        "--document", type=Path, metavar="TEX", help="also write a LaTeX document of all tables"
    )
    report.add_argument(
        "--cores", type=int, default=1, metavar="N",
        help="number of processes that may make the page at the same time (1)",
    )  # fmt: skip
    report.set_defaults(command=forked, work=_report)


def _analyse(arguments: argparse.Namespace) -> int | None:
    if arguments.campaign is not None:
        foreign.refuse_options(arguments, "without --campaign")
        for name in ("collected", "output"):
            if not getattr(arguments, name):
                raise InputError(f"{name}: missing; a room needs its runs and --output")
        return forked(arguments)
    one_thread()
    return foreign.analyse(arguments)


def _analyse_room(arguments: argparse.Namespace) -> None:
    from timefair.campaign import collected, configuration
    from timefair.exhibits.registry import TABLES

    rooms = {table.room: table for table in TABLES.values()}
    entry("ROOM", arguments.what, rooms)
    campaign = configuration.restore(arguments.campaign)
    folder = arguments.campaign.parent
    files = collected.chosen(arguments.collected, campaign, folder, whole=True)
    make_room(arguments.what, campaign, files, arguments.output)


def make_room(room: str, campaign: Campaign, collected: Sequence[Path], folder: Path) -> None:
    """Make the tables and figures of a room in ``tables/`` and ``figures/`` of a folder."""
    from timefair.analysis import outputs
    from timefair.analysis.room import Room
    from timefair.records.store import open_record

    for path in (folder, folder / "tables"):
        prepare_folder(path)
    outputs.remove_marks(folder, room)
    Room(
        room,
        campaign,
        folder,
        lambda: together(collected, campaign),
        [open_record(path).checksum for path in collected],
    ).make()


def _tabulate(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.campaign import collected, configuration, registration
    from timefair.exhibits import files
    from timefair.exhibits.registry import TABLES
    from timefair.rundata.settings import Analysis

    table = entry("TABLE", arguments.table, TABLES)
    campaign = configuration.restore(arguments.campaign)
    folder = arguments.campaign.parent
    runs = together(collected.chosen(arguments.collected, campaign, folder), campaign)
    prepare_files(arguments.output, (".csv", ".parquet"))
    settings = campaign.settings_of(table.name)
    settings |= registration.settings(campaign, folder)
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
    from timefair.campaign import configuration

    make_report(
        configuration.restore(arguments.campaign), arguments.tables, arguments.figures,
        arguments.output, arguments.checklist, arguments.document, arguments.cores,
    )  # fmt: skip


def make_report(
    campaign: Campaign,
    tables_of: Sequence[Path],
    figures: Sequence[Path],
    output: Path,
    checklist: Path | None = None,
    document: Path | None = None,
    cores: int = 1,
) -> None:
    """Write the report and, if requested, the checklist and a document of all tables."""
    from timefair import latex
    from timefair.analysis import outputs
    from timefair.exhibits import files
    from timefair.exhibits.registry import FIGURES
    from timefair.report import checklist_page
    from timefair.report.page import page

    tables = _tables(tables_of)
    others = {page.file(name) for name in FIGURES for page in campaign.pages_of(name) if page.name}
    pictures = {  # of figures with several pages, the overview
        entry("--figures", path.stem, FIGURES).name: read_picture(path)
        for path in figures
        if path.stem not in others
    }
    prepare_files(path for path in (output, checklist, document) if path is not None)
    outputs.remove_marks(output.parent, outputs.REPORT)
    with uncollected():
        text = page(tables, pictures, campaign, cores)
    output.write_text(text, encoding="utf-8")
    if checklist is not None:
        if "checklist" not in tables:
            raise InputError("--checklist: needs the table checklist.parquet among the tables")
        frame = tables["checklist"]
        text = checklist_page.page(files.as_rows(frame), campaign.name, frame.attrs["disturbed"])
        checklist.write_text(text, encoding="utf-8")
    if document is not None:
        text = latex.document(campaign.table_names)
        document.write_text(text, encoding="utf-8")


def together(collected: Sequence[Path], campaign: Campaign) -> Runs:
    """The runs of some files, if they may be in one table; a process reads them once."""
    runs = _read(tuple(collected), tuple(map(state_of, collected)))
    refuse_mixed(runs.origins, campaign, runs.nodes)
    foreign.refuse_several_clocks(runs, campaign)
    return runs


@lru_cache(1)
def _read(collected: tuple[Path, ...], states: tuple[object, ...]) -> Runs:
    """The runs of files in these states."""
    from timefair.rundata.runs import Runs

    return Runs.read(collected)


def _tables(paths: Sequence[Path]) -> dict[str, pd.DataFrame]:
    """Tables by the names of their files."""
    from timefair.exhibits.registry import TABLES

    names = {path: entry("PARQUET", path.stem, TABLES).name for path in paths}
    return {name: read_table(path, name) for path, name in names.items()}
