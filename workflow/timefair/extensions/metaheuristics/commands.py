"""`timefair export xlsx`, and `timefair complexity`."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from timefair.basics.errors import InputError
from timefair.cli.common import CONFIG, RESULTS, Commands, one_thread
from timefair.extensions.metaheuristics import EVALUATIONS


def add_to(commands: Commands) -> None:
    xlsx = commands.choices["export"].commands.add_parser(
        "xlsx",
        help="all tables as a spreadsheet, one sheet per table",
        description="Writes the tables of a campaign to one spreadsheet, one sheet per table with "
        "all rows and digits, and a first sheet that lists them. An infinite number is the text "
        "inf; a number that is not available is an empty cell.",
        example="timefair export xlsx results/default --output default.xlsx",
    )
    xlsx.add_argument("folder", **RESULTS)
    xlsx.output("FILE", ".xlsx, to write; by default NAME.xlsx here")
    xlsx.set_defaults(command=_export)
    measure = commands.add_parser(
        "complexity",
        help="measure the complexity of a campaign's algorithms by the protocol of CEC",
        description="Measures T0, T1 and T2 of the CEC competitions for each algorithm of a "
        "campaign, in each of its dimensions, and writes them to results/NAME/complexity.json. "
        "The table complexity then has them when the tables are made. Nothing else should run on "
        "the machine.",
        example="timefair complexity mine.yaml --function 8 --evaluations 2000",
        exits={2: "the campaign is wrong, or an algorithm fails; one line per fault"},
    )
    measure.add_argument("config", **CONFIG)
    measure.add_argument(
        "--function", type=int, metavar="N",
        help="function that is evaluated; by default 18 of cec2017, or the first of the campaign",
    )  # fmt: skip
    measure.add_argument(
        "--evaluations", type=int, default=EVALUATIONS, metavar="N",
        help=f"evaluations of a run ({EVALUATIONS})",
    )  # fmt: skip
    measure.set_defaults(command=_measure)


def _measure(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.campaign import configuration
    from timefair.extensions.metaheuristics import complexity

    if arguments.evaluations < 1:
        raise InputError(f"--evaluations: {arguments.evaluations}: should be above 0")
    campaign = configuration.load(arguments.config)
    folder = Path("results") / campaign.name
    complexity.measure(campaign, arguments.function, arguments.evaluations, folder, _say)


def _say(row: Mapping[str, Any]) -> None:
    t0, t1, t2 = row["t0_s"], row["t1_s"], sum(row["t2_s"]) / len(row["t2_s"])
    print(
        f"{row['algorithm']}, D = {row['dimension']}: T0 {t0:.3g} s, T1 {t1:.3g} s, "
        f"T2 {t2:.3g} s, (T2 - T1)/T0 {(t2 - t1) / t0:.3g}",
        flush=True,
    )


MOST_ROWS = 1_048_575  # of a sheet, below its heading


def _export(arguments: argparse.Namespace) -> None:
    import pandas as pd
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    from timefair.campaign import configuration, plan
    from timefair.cli.common import prepare_files
    from timefair.exhibits.registry import TABLES

    campaign = configuration.restore(arguments.folder / plan.SNAPSHOT)
    output = arguments.output or Path(f"{campaign.name}.xlsx")
    prepare_files([output], [".xlsx"])
    paths = {name: arguments.folder / "tables" / f"{name}.parquet" for name in TABLES}
    made = {name: path for name, path in paths.items() if path.is_file()}
    if not made:
        raise InputError(f"{arguments.folder}: has no tables; start snakemake and wait")
    book = Workbook(write_only=True)

    def cells(sheet: Any, values: Any, *, bold: bool = False) -> None:
        row = []
        for value in values:
            cell = WriteOnlyCell(sheet, _plain(value))
            if cell.data_type == "f":
                cell.data_type = "s"
            if bold:
                cell.font = Font(bold=True)
            row.append(cell)
        sheet.append(row)

    first = book.create_sheet("contents")
    cells(first, ("table", "rows", "content"), bold=True)
    for name, path in made.items():
        frame = pd.read_parquet(path)
        shown = frame.head(MOST_ROWS)
        said = f" (the first {MOST_ROWS} rows)" if len(shown) < len(frame) else ""
        cells(first, (name, len(frame), TABLES[name].title + said))
        sheet = book.create_sheet(name[:31])
        sheet.freeze_panes = "A2"
        cells(sheet, shown.columns, bold=True)
        for values in shown.itertuples(index=False):
            cells(sheet, values)
    book.save(output)
    print(f"{output}: {len(made)} tables")


def _plain(value: Any) -> Any:
    import numpy as np
    import pandas as pd

    if value is None or value is pd.NA:
        return None
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float):
        return None if math.isnan(value) else value if math.isfinite(value) else str(value)
    return value
