"""Commands that make tables, pages and figures of collected runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from timefair.cli import foreign
from timefair.cli.common import RESULTS, Command, Commands, entry, one_thread
from timefair.cli.paths import prepare_files

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
        "of them.",
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
        "--campaign", type=Path, metavar="SNAPSHOT",
        help="the file of the campaign, if it is not RESULTS/campaign.json",
    )  # fmt: skip
    report.set_defaults(command=_report)

    tables = commands.add_parser(
        "make-tables",
        description="Makes all tables and figures of a campaign from its collected runs. "
        "Snakemake calls this command.",
        example="timefair make-tables results/default/collected/*.parquet \\\n"
        "    --campaign results/default/campaign.json --output results/default",
        parents=[campaign],
    )
    tables.add_argument(
        "collected", nargs="+", type=Path, metavar="COLLECTED", help="collected runs"
    )
    tables.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="for tables/ and figures/"
    )
    tables.add_argument(
        "--cores", type=int, default=1, metavar="N",
        help="number of processes that work at the same time (1)",
    )  # fmt: skip
    tables.set_defaults(command=_make_tables)


def _analyse(arguments: argparse.Namespace) -> int:
    one_thread()
    return foreign.analyse(arguments)


def _make_tables(arguments: argparse.Namespace) -> int:
    one_thread()
    from timefair.campaign import collected, configuration
    from timefair.cli.analysing import make_tables

    campaign = configuration.restore(arguments.campaign)
    folder = arguments.campaign.parent
    files = collected.chosen(arguments.collected, campaign, folder, whole=True)
    return make_tables(campaign, files, arguments.output, arguments.cores)


def _table(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.analysis import typeset
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


def _report(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.campaign import configuration
    from timefair.cli.analysing import make_report

    snapshot = arguments.campaign or arguments.folder / foreign.SNAPSHOT
    make_report(configuration.restore(snapshot), arguments.folder)
