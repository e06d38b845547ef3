"""`timefair export xlsx`, and `timefair complexity`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from timefair.basics.errors import InputError
from timefair.cli.arguments import CONFIG, RESULTS, Declared, argument, one_thread, prepare_files
from timefair.extensions.metaheuristics import EVALUATIONS

DECLARED = Declared()
add_to = DECLARED.add_to
MOST_ROWS = 1_048_575  # of a sheet, below its heading


@DECLARED.command(
    "export xlsx",
    argument("folder", **RESULTS),
    argument("-o --output", "FILE", ".xlsx, to write; by default NAME.xlsx here", type=Path),
    help="all tables as a spreadsheet, one sheet per table",
    example="timefair export xlsx results/default --output default.xlsx",
)
def _export(arguments: argparse.Namespace) -> None:
    """Writes the tables of a campaign to one spreadsheet, one sheet per table with all rows and
    digits, and a first sheet that lists them. An infinite number is the text inf; a number that is
    not available is an empty cell.
    """
    import pandas as pd

    from timefair.campaign import configuration, plan
    from timefair.exhibits.registry import TABLES

    campaign = configuration.restore(arguments.folder / plan.SNAPSHOT)
    output = arguments.output or Path(f"{campaign.name}.xlsx")
    prepare_files([output], [".xlsx"])
    paths = {name: arguments.folder / "tables" / f"{name}.parquet" for name in TABLES}
    frames = {name: pd.read_parquet(path) for name, path in paths.items() if path.is_file()}
    if not frames:
        raise InputError(f"{arguments.folder}: has no tables; start snakemake and wait")
    listed = [
        (name, len(frame), TABLES[name].title + " (the first rows)" * (len(frame) > MOST_ROWS))
        for name, frame in frames.items()
    ]
    contents = pd.DataFrame(listed, columns=["table", "rows", "content"])
    with pd.ExcelWriter(output, engine="openpyxl") as writer:
        for name, frame in {"contents": contents, **frames}.items():
            shown = frame.head(MOST_ROWS)
            shown.to_excel(writer, sheet_name=name[:31], index=False, freeze_panes=(1, 0))
            for row in writer.sheets[name[:31]].iter_rows():
                for cell in row:
                    cell.data_type = "s" if cell.data_type == "f" else cell.data_type
    print(f"{output}: {len(frames)} tables")


@DECLARED.command(
    "complexity",
    argument("config", **CONFIG),
    argument(
        "--function", "N",
        "function that is evaluated; by default 18 of cec2017, or the first of the campaign",
        type=int,
    ),
    argument(
        "--evaluations", "N", f"evaluations of a run ({EVALUATIONS})", type=int,
        default=EVALUATIONS,
    ),
    help="measure the complexity of a campaign's algorithms by the protocol of CEC",
    example="timefair complexity mine.yaml --function 8 --evaluations 2000",
    exits={2: "the campaign is wrong, or an algorithm fails; one line per fault"},
)  # fmt: skip
def _measure(arguments: argparse.Namespace) -> None:
    """Measures T0, T1 and T2 of the CEC competitions for each algorithm of a campaign, in each of
    its dimensions, and writes them to results/NAME/complexity.json. The table complexity then has
    them when the tables are made. Nothing else should run on the machine.
    """
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
