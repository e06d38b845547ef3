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
from timefair.cli.common import RESULTS, Command, Commands, entry, one_thread, refuse_mixed
from timefair.cli.paths import (
    prepare_files,
    prepare_folder,
    read_picture,
    read_table,
    state_of,
)

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.rundata.runs import Runs


ONLY: dict[str, Any] = {
    "nargs": "+",
    "default": (),
    "metavar": "LABEL",
    "help": "algorithms whose runs are used; by default all",
}
"""An option of two commands."""


def add_to(commands: Commands, campaign: Command) -> None:
    """Add the commands of this module."""
    analyse = commands.add_parser(
        "analyse",
        help="analyse tables of your own runs: all tables, figures and the report",
        description="Analyses files with runs that you have timed yourself: imports them as "
        "`timefair import table` does, and makes all default tables, the figures and the report, "
        "without Snakemake. Several files count as one table, so one machine must have timed all "
        "of them. Files whose code, settings and runs have not changed stay as they are.",
        example="timefair export table results/default --output runs.csv\n"
        "timefair analyse runs.csv --output results/runs",
    )
    analyse.add_argument("what", metavar="FILE", help="a table (.csv, .parquet)")
    analyse.add_argument("others", nargs="*", type=Path, metavar="FILE", help="more tables")
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
    analyse.set_defaults(command=_analyse)

    table = commands.add_parser(
        "table",
        help="print or write a table of a campaign",
        description="Prints a table, or writes it to a file. A table that the campaign has not "
        "requested is made from its collected runs, with its targets and statistics.",
        example="timefair table results/default ert\n"
        "timefair table results/default ert --output ert.tex",
    )
    table.add_argument("folder", **RESULTS)
    table.add_argument("table", metavar="TABLE", help="name of the table, such as ert")
    table.add_argument(
        "-o", "--output", type=Path, metavar="FILE",
        help="file to write: .csv, .parquet or .tex; by default the table is printed",
    )  # fmt: skip
    table.add_argument("--only", **ONLY)
    table.set_defaults(command=_table)

    figure = commands.add_parser(
        "figure",
        help="draw a figure of a campaign",
        description="Draws a figure from its table, which is made if the campaign has not "
        "requested it. If a figure needs several pages, the file has its overview, and its other "
        "pages are beside it, such as ert_D5.pdf.",
        example="timefair figure results/default ert --output ert.pdf",
    )
    figure.add_argument("folder", **RESULTS)
    figure.add_argument("figure", metavar="FIGURE", help="name of the figure, such as ert")
    figure.add_argument(
        "-o", "--output", type=Path, metavar="FILE",
        help="file to write: .pdf, .svg or .png; by default FIGURE.pdf here",
    )  # fmt: skip
    figure.add_argument("--only", **ONLY)
    figure.set_defaults(command=_figure)

    report = commands.add_parser(
        "report",
        help="make the report page of a campaign again",
        description="Makes report.html from the tables and figures of a campaign, and "
        "checklist.html and tables/tables.tex. The page states which algorithm wins, by how much, "
        "how certain this is, and in which situations. It has sortable tables, the machine and the "
        "reporting checklist, and needs no network and no other file.",
        example="timefair report results/default",
    )
    report.add_argument("folder", **RESULTS)
    report.add_argument(
        "--cores", type=int, default=1, metavar="N",
        help="number of processes that may make the page at the same time (1)",
    )  # fmt: skip
    report.add_argument(
        "--campaign", type=Path, metavar="SNAPSHOT",
        help="the file of the campaign, if it is not RESULTS/campaign.json",
    )  # fmt: skip
    report.set_defaults(command=_report, work=_make_report)

    room = commands.add_parser(
        "make-room",
        description="Makes every table and figure of one room (a group of exhibits) of a campaign, "
        "in one process. Files whose code, settings and runs have not changed stay as they are.",
        example="timefair make-room runtimes results/default/collected/*.parquet \\\n"
        "    --campaign results/default/campaign.json --output results/default",
        parents=[campaign],
    )
    room.add_argument("room", metavar="ROOM", help="a room, such as runtimes")
    room.add_argument("collected", nargs="+", type=Path, metavar="COLLECTED", help="collected runs")
    room.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="for tables/ and figures/"
    )
    room.set_defaults(command=forked, work=_analyse_room)


def _analyse(arguments: argparse.Namespace) -> int:
    one_thread()
    return foreign.analyse(arguments)


def _analyse_room(arguments: argparse.Namespace) -> None:
    from timefair.campaign import collected, configuration
    from timefair.exhibits.registry import TABLES

    rooms = {table.room: table for table in TABLES.values()}
    entry("ROOM", arguments.room, rooms)
    campaign = configuration.restore(arguments.campaign)
    folder = arguments.campaign.parent
    files = collected.chosen(arguments.collected, campaign, folder, whole=True)
    make_room(arguments.room, campaign, files, arguments.output)


def make_room(room: str, campaign: Campaign, collected: Sequence[Path], folder: Path) -> None:
    """Make the tables and figures of a room in ``tables/`` and ``figures/`` of a folder."""
    from timefair.analysis import outputs
    from timefair.analysis.room import Room
    from timefair.records.store import open_record

    for path in (folder, folder / "tables"):
        prepare_folder(path)
    outputs.remove_marks(folder, room)
    outputs.write_captions(campaign, room, folder)
    Room(
        room,
        campaign,
        folder,
        lambda: together(collected, campaign),
        [open_record(path).checksum for path in collected],
    ).make()


def _table(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.analysis.room import typeset
    from timefair.exhibits import files
    from timefair.exhibits.registry import TABLES
    from timefair.interface.results import Results

    results, name, output = Results(arguments.folder), arguments.table, arguments.output
    entry("TABLE", name, TABLES)
    campaign = results.campaign
    if output is not None:
        prepare_files([output], (".csv", ".parquet", ".tex"))
    frame = results.table(name, arguments.only)
    if output is None:
        print(frame.to_string(index=False, float_format="{:.4g}".format))
    elif output.suffix == ".tex":
        output.write_text(typeset(name, frame, campaign), encoding="utf-8")
    else:
        files.write(frame, output, TABLES[name].exhibit.columns)


def _figure(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.charts import style
    from timefair.exhibits.registry import FIGURES
    from timefair.interface.results import Results

    results = Results(arguments.folder)
    draw = entry("FIGURE", arguments.figure, FIGURES)
    output = arguments.output or Path(f"{arguments.figure}.pdf")
    prepare_files([output], style.METADATA)
    frame = results.table(draw.table, arguments.only)
    files = [(page, output.with_stem(page.file(output.stem))) for page in draw.pages_of(frame)]
    prepare_files(path for _, path in files)
    for page, path in files:
        style.save(draw(frame, page), path)
        print(path)


def _report(arguments: argparse.Namespace) -> int | None:
    arguments.campaign = _snapshot(arguments)
    return forked(arguments)


def _snapshot(arguments: argparse.Namespace) -> Path:
    snapshot: Path = arguments.campaign or arguments.folder / foreign.SNAPSHOT
    return snapshot


def _make_report(arguments: argparse.Namespace) -> None:
    from timefair.campaign import configuration

    campaign = configuration.restore(_snapshot(arguments))
    make_report(campaign, arguments.folder, arguments.cores)


def make_report(campaign: Campaign, folder: Path, cores: int = 1) -> None:
    """Write the report, the checklist and a document of all tables, of the tables in a folder."""
    from timefair import latex
    from timefair.analysis import outputs
    from timefair.exhibits import files
    from timefair.exhibits.registry import FIGURES
    from timefair.report import checklist_page
    from timefair.report.page import page

    paths = {name: folder / "tables" / f"{name}.parquet" for name in campaign.made_tables}
    tables = {name: read_table(path, name) for name, path in paths.items() if path.exists()}
    if not tables:
        raise InputError(f"{folder}: has no tables; start snakemake and wait until it ends")
    others = {page.file(name) for name in FIGURES for page in campaign.pages_of(name) if page.name}
    pictures = {  # of figures with several pages, the overview
        entry("figure", path.stem, FIGURES).name: read_picture(path)
        for path in map(Path, outputs.pictures(campaign, str(folder)))
        if path.stem not in others and path.exists()
    }
    document = folder / "tables" / "tables.tex"
    prepare_files([folder / "report.html", folder / "checklist.html", document])
    outputs.remove_marks(folder, outputs.REPORT)
    with uncollected():
        text = page(tables, pictures, campaign, cores)
    (folder / "report.html").write_text(text, encoding="utf-8")
    if (frame := tables.get("checklist")) is not None:
        text = checklist_page.page(files.as_rows(frame), campaign.name, frame.attrs["disturbed"])
        (folder / "checklist.html").write_text(text, encoding="utf-8")
    document.write_text(latex.document(campaign.table_names), encoding="utf-8")


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
