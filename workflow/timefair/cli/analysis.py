"""Commands that make tables, pages and figures of collected runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.cli.common import Command, Commands, entry, one_thread, refuse_mixed
from timefair.cli.paths import prepare_files, prepare_folder, read_svg, read_table

if TYPE_CHECKING:
    import pandas as pd

    from timefair.campaign.configuration import Campaign
    from timefair.tables.registry import Table
    from timefair.tables.runs import Runs


def add_to(commands: Commands, campaign: Command) -> None:
    """Add the commands of this module."""
    tabulate = commands.add_parser(
        "tabulate",
        help="make one table",
        description="Makes one table of the collected runs, with the targets and statistics of "
        "the campaign, and writes it twice. Work of minutes says how far it is.",
        example="timefair tabulate ert results/default/collected/*.parquet \\\n"
        "    --campaign results/default/campaign.json --output ert.csv ert.parquet",
        parents=[campaign],
    )
    tabulate.add_argument("table", metavar="TABLE", help="its name, such as ert")
    tabulate.add_argument(
        "collected", nargs="+", type=Path, metavar="COLLECTED", help="collected runs"
    )
    tabulate.add_argument(
        "--output", required=True, nargs=2, type=Path, metavar=("CSV", "PARQUET"), help="to write"
    )
    tabulate.set_defaults(command=_tabulate)

    checklist = commands.add_parser(
        "checklist",
        help="fill the reporting checklist of time-fair",
        description="Answers the reporting checklist of the time-fair paper from the campaign and "
        "its records, as one HTML page without script or network.",
        example="timefair checklist results/default/collected/*.parquet \\\n"
        "    --campaign results/default/campaign.json --output checklist.html",
        parents=[campaign],
    )
    checklist.add_argument(
        "collected", nargs="+", type=Path, metavar="COLLECTED", help="collected runs"
    )
    checklist.add_argument("--output", required=True, type=Path, metavar="HTML", help="to write")
    checklist.set_defaults(command=_checklist)

    typeset = commands.add_parser(
        "typeset",
        help="print tables as LaTeX, and a document of them all",
        description="Prints tables as LaTeX for a paper, and tables.tex, a document that inputs "
        "them all. No number is computed again.",
        example="timefair typeset results/default/tables/ert.parquet \\\n"
        "    --campaign results/default/campaign.json --output .",
        parents=[campaign],
    )
    typeset.add_argument("tables", nargs="*", type=Path, metavar="PARQUET", help="named TABLE")
    typeset.add_argument("--output", required=True, type=Path, metavar="FOLDER", help="to write in")
    typeset.set_defaults(command=_typeset)

    report = commands.add_parser(
        "report",
        help="make the page that a person reads",
        description="Makes one HTML page of the tables and figures of a campaign: who wins, by how "
        "much, how sure, and for whom, with sortable tables, the machine and the checklist. It "
        "needs no network and nothing beside it.",
        example="timefair report results/default/tables/*.parquet \\\n"
        "    --figures results/default/figures/*.svg \\\n"
        "    --campaign results/default/campaign.json --output report.html",
        parents=[campaign],
    )
    report.add_argument("tables", nargs="*", type=Path, metavar="PARQUET", help="named TABLE")
    report.add_argument(
        "--figures", nargs="*", type=Path, default=[], metavar="SVG", help="named FIGURE"
    )
    report.add_argument("--output", required=True, type=Path, metavar="HTML", help="to write")
    report.set_defaults(command=_report)

    draw = commands.add_parser(
        "draw",
        help="draw one figure from its table",
        description="Draws one figure from the table that it belongs to, in one or more formats, "
        "by the ending of each file.",
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


def _tabulate(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.campaign import configuration
    from timefair.tables import files
    from timefair.tables.registry import TABLES

    table = entry("TABLE", arguments.table, TABLES)
    campaign = configuration.restore(arguments.campaign)
    runs = _together(arguments.collected, campaign)
    prepare_files(arguments.output, (".csv", ".parquet"))
    frame = _made(table, runs, campaign)
    for path in arguments.output:
        files.write(frame, path)


def _checklist(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.campaign import configuration
    from timefair.report.checklist_page import page
    from timefair.tables import files
    from timefair.tables.registry import TABLES

    campaign = configuration.restore(arguments.campaign)
    runs = _together(arguments.collected, campaign)
    prepare_files([arguments.output])
    frame = _made(TABLES["checklist"], runs, campaign)
    text = page(files.as_rows(frame), campaign.name, frame.attrs["disturbed"])
    arguments.output.write_text(text, encoding="utf-8")


def _typeset(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.campaign import configuration
    from timefair.tables import latex
    from timefair.tables.layouts import layouts_of
    from timefair.tables.registry import TABLES
    from timefair.tables.settings import Analysis

    campaign = configuration.restore(arguments.campaign)
    tables = _tables(arguments.tables)
    prepare_folder(arguments.output)
    budget = campaign.budget.model_dump(exclude={"final_target"})
    setting = latex.Setting(Analysis.of(campaign.analysis_settings), **budget)
    for name, frame in tables.items():
        table = TABLES[name]
        tex = latex.typeset(table, frame, layouts_of(table, frame), setting)
        (arguments.output / f"{name}.tex").write_text(tex, encoding="utf-8")
    everything = latex.document(tables)
    (arguments.output / "tables.tex").write_text(everything, encoding="utf-8")


def _report(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.campaign import configuration
    from timefair.figures.registry import FIGURES
    from timefair.report.page import page

    campaign = configuration.restore(arguments.campaign)
    tables = _tables(arguments.tables)
    figures = {entry("SVG", path.stem, FIGURES).name: read_svg(path) for path in arguments.figures}
    prepare_files([arguments.output])
    arguments.output.write_text(page(tables, figures, campaign), encoding="utf-8")


def _draw(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.figures import style
    from timefair.figures.registry import FIGURES

    draw = entry("FIGURE", arguments.figure, FIGURES)
    frame = read_table(arguments.table, draw.table)
    prepare_files(arguments.output, style.METADATA)
    style.save(draw(frame), *arguments.output)


def _together(collected: Sequence[Path], campaign: Campaign) -> Runs:
    """The runs of some files, if they may be in one table."""
    from timefair.tables.runs import Runs

    together = Runs.read(collected)
    refuse_mixed(together.origins, campaign)
    return together


def _made(table: Table, runs: Runs, campaign: Campaign) -> pd.DataFrame:
    from timefair.tables.settings import Analysis

    return table(runs, Analysis.of(campaign.settings_of(table.name)))


def _tables(paths: Sequence[Path]) -> dict[str, pd.DataFrame]:
    """Tables by the names of their files."""
    from timefair.tables.registry import TABLES

    names = {path: entry("PARQUET", path.stem, TABLES).name for path in paths}
    return {name: read_table(path, name) for path, name in names.items()}
