"""Commands that make tables, pages, figures and exports of collected runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.cli.common import Commands, entry, one_thread
from timefair.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from timefair.config import Campaign
    from timefair.records.integrity import Origins
    from timefair.tables.registry import Table


def add_to(commands: Commands, campaign: argparse.ArgumentParser) -> None:
    """Add the commands of this module."""
    tabulate = commands.add_parser("tabulate", help="make one table", parents=[campaign])
    tabulate.add_argument("table", metavar="TABLE")
    tabulate.add_argument("collected", nargs="+", type=Path, metavar="COLLECTED")
    tabulate.add_argument("--output", required=True, nargs=2, type=Path, metavar=("CSV", "PARQUET"))
    tabulate.set_defaults(command=_tabulate)

    checklist = commands.add_parser(
        "checklist", help="fill the reporting checklist of time-fair", parents=[campaign]
    )
    checklist.add_argument("collected", nargs="+", type=Path, metavar="COLLECTED")
    checklist.add_argument("--output", required=True, type=Path, metavar="HTML")
    checklist.set_defaults(command=_checklist)

    typeset = commands.add_parser(
        "typeset", help="print tables as LaTeX, and a document of them all", parents=[campaign]
    )
    typeset.add_argument("tables", nargs="*", type=Path, metavar="PARQUET", help="named TABLE")
    typeset.add_argument("--output", required=True, type=Path, metavar="FOLDER")
    typeset.set_defaults(command=_typeset)

    draw = commands.add_parser("draw", help="draw one figure from its table")
    draw.add_argument("figure", metavar="FIGURE")
    draw.add_argument("--table", required=True, type=Path, metavar="PARQUET")
    draw.add_argument(
        "--output", required=True, nargs="+", type=Path, metavar="FILE", help=".pdf, .svg, .png"
    )
    draw.set_defaults(command=_draw)

    export = commands.add_parser("export", help="write the runs for another tool to read")
    formats = export.add_subparsers(title="formats", required=True, metavar="FORMAT")
    coco = formats.add_parser("coco", help="COCO's data format, for cocopp", parents=[campaign])
    coco.add_argument("collected", nargs="+", type=Path, metavar="COLLECTED")
    coco.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="one folder an algorithm in it"
    )
    coco.add_argument(
        "--cost", choices=("evaluations", "seconds"), default="evaluations",
        help="what is written as evaluations; seconds in microseconds",
    )  # fmt: skip
    coco.set_defaults(command=_export_coco)


def _tabulate(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair import config
    from timefair.tables import files
    from timefair.tables.registry import TABLES

    table = entry("TABLE", arguments.table, TABLES)
    campaign = config.restore(arguments.campaign)
    frame = _made(table, campaign, arguments.collected)
    for path in arguments.output:
        files.write(frame, path)


def _checklist(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair import config
    from timefair.formats.checklist_page import page
    from timefair.tables.registry import TABLES

    campaign = config.restore(arguments.campaign)
    frame = _made(TABLES["checklist"], campaign, arguments.collected)
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    text = page(rows, campaign.name, frame.attrs["disturbed"])
    arguments.output.write_text(text, encoding="utf-8")


def _typeset(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair import config
    from timefair.tables import files, latex
    from timefair.tables.layouts import layouts_of
    from timefair.tables.registry import TABLES
    from timefair.tables.settings import Analysis

    campaign = config.restore(arguments.campaign)
    budget = campaign.budget.model_dump(exclude={"final_target"})
    setting = latex.Setting(Analysis.of(campaign.analysis_settings), **budget)
    for path in arguments.tables:
        table = entry("PARQUET", path.stem, TABLES)
        frame = files.read(path)
        tex = latex.typeset(table, frame, layouts_of(table, frame), setting)
        (arguments.output / f"{table.name}.tex").write_text(tex, encoding="utf-8")
    everything = latex.document(path.stem for path in arguments.tables)
    (arguments.output / "tables.tex").write_text(everything, encoding="utf-8")


def _draw(arguments: argparse.Namespace) -> None:
    one_thread()
    import pandas as pd

    from timefair.figures import style
    from timefair.figures.registry import FIGURES

    draw = entry("FIGURE", arguments.figure, FIGURES)
    style.save(draw(pd.read_parquet(arguments.table)), *arguments.output)


def _export_coco(arguments: argparse.Namespace) -> None:
    from timefair import config
    from timefair.formats.coco import FINAL_TARGET, write_coco
    from timefair.records.store import read_runs

    campaign = config.restore(arguments.campaign)
    final_target = min(FINAL_TARGET, *campaign.targets)
    runs = read_runs(arguments.collected)
    _refuse_mixed(_origins(arguments.collected), campaign)
    write_coco(runs, arguments.output, arguments.cost, final_target=final_target)


def _made(table: Table, campaign: Campaign, collected: Sequence[Path]) -> pd.DataFrame:
    """A table of all runs of a campaign."""
    from timefair.tables import runs
    from timefair.tables.settings import Analysis

    together = runs.Runs.of(runs.load(collected))
    _refuse_mixed(together.origins, campaign)
    return table(together, Analysis.of(campaign.settings_of(table.name)))


def _origins(collected: Sequence[Path]) -> dict[str, Origins]:
    """Where the runs of each algorithm come from."""
    from timefair.records.integrity import Origins
    from timefair.records.store import open_record

    origins: dict[str, Origins] = {}
    for path in collected:
        facts = open_record(path).facts
        origins.setdefault(facts.get("algorithm", path.stem), Origins()).add(facts)
    return origins


def _refuse_mixed(origins: Mapping[str, Origins], campaign: Campaign) -> None:
    """Raise `InputError` if runs should not be compared, unless the campaign says that they may."""
    from timefair.records.integrity import CONSENT, mixed

    clauses = mixed(origins)
    if clauses and campaign.statistics.mixed == "refuse":
        raise InputError(*(f"{clause}; {CONSENT}" for clause in clauses))
    for clause in clauses:
        print(f"timefair: mixed, as the campaign allows: {clause}", file=sys.stderr)
