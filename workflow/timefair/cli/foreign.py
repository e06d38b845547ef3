"""Tables of runs that others have timed: imported, and analysed without Snakemake."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
from collections.abc import Sequence
from errno import ENAMETOOLONG
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from timefair.basics.errors import InputError
from timefair.basics.words import counted
from timefair.cli.common import Command

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.io.importing import Imported
    from timefair.io.table_read import Layout

TimedFormat = Literal["table", "benchopt", "ioh"]
FORMATS = get_args(TimedFormat)
"""The formats of data with times."""

SNAPSHOT, COLLECTED = "campaign.json", "collected"
"""In the folder of imported runs: the campaign that they would have come from, and the runs."""


def add_columns(command: Command) -> None:
    """Add the option that says which logged property of IOHprofiler has the seconds, and whether
    values are maximized.
    """
    command.add_argument(
        "--columns", default="", metavar="seconds=NAME,value=-raw_y",
        help="for IOHprofiler: seconds=NAME, the logged property with the seconds since the start "
        "of a run (default: times are not read); value=-raw_y if values are maximized, "
        "value=+raw_y if they are minimized (default: as the files state)",
    )  # fmt: skip


def add_options(command: Command) -> None:
    """Add the options that say where a table has its columns."""
    command.add_argument(
        "--columns", default="", metavar="NAME=COLUMN,...",
        help="columns of the file that have another name: seconds=time,value=best_f",
    )  # fmt: skip
    command.add_argument(
        "--set", default="", metavar="NAME=WORD,...",
        help="columns that the file does not have, with one word for all rows: dimension=10",
    )  # fmt: skip


def layout(arguments: argparse.Namespace) -> Layout:
    """Where a table has its columns, by the options."""
    from timefair.io.table_read import Layout

    return Layout.of(arguments.columns, arguments.set)


def import_table(
    path: Path,
    folder: Path,
    layout: Layout,
    settings: Path | None = None,
    format: TimedFormat = "table",
    others: Sequence[Path] = (),
) -> tuple[Campaign, list[Imported]]:
    """Write the runs of tables to a folder, one record per algorithm, and their campaign.

    Raises
    ------
    InputError
        If the table or the settings are wrong, or the folder has measured runs.
    """
    from timefair.campaign import foreign
    from timefair.io.importing import import_all

    if format == "ioh" and "seconds" not in layout.columns:
        raise InputError(
            "--columns: missing; write seconds=NAME, the logged property of IOHprofiler with the "
            "seconds since the start of a run"
        )
    chosen = foreign.settings(settings)
    _refuse_measured(folder)
    _refuse_file(folder)
    found = import_all(path, format, folder / COLLECTED, others=others, layout=layout)
    runs = foreign.ForeignRuns(
        format=format,
        path=shlex.join(map(str, (path, *others))),
        suite=found[0].suite,
        problems={problem for one in found for problem in one.runs},
        names={number: name for one in found for number, name in one.names.items()},
        algorithms={one.label: one.algorithm for one in found},
        columns=layout.columns,
        constants=layout.constants,
        runs=max(max(one.runs.values()) for one in found),
        budgets={budget for one in found for budget in one.budgets},
    )
    name = re.sub(r"[^A-Za-z0-9._+-]+", "_", folder.resolve().name).lstrip("._+-")[:80]
    campaign = foreign.campaign_of(runs, name or "analysis", chosen)
    _remove_left_over(folder, campaign)
    (folder / SNAPSHOT).write_text(campaign.snapshot(), encoding="utf-8")
    for record in (folder / COLLECTED).glob("*.parquet"):
        if record.stem not in runs.algorithms:
            record.unlink()  # of an earlier table in this folder
    return campaign, found


def _remove_left_over(folder: Path, campaign: Campaign) -> None:
    """Remove the tables and figures of an earlier analysis that the new one does not make."""
    from timefair.analysis import outputs
    from timefair.campaign import configuration

    try:
        before = configuration.restore(folder / SNAPSHOT)
    except InputError:  # there is none, or it is of another version
        return
    made = set(outputs(campaign, str(folder)).values())
    for path in set(outputs(before, str(folder)).values()) - made:
        Path(path).unlink(missing_ok=True)


def _refuse_file(folder: Path) -> None:
    """Raise `InputError` if there is a file where the folder would be; nothing is created."""
    there = next(part for part in (folder, *folder.absolute().parents) if part.exists())
    if not there.is_dir():
        raise InputError(f"{folder}: is not a folder, and cannot be created")


def _refuse_measured(folder: Path) -> None:
    """Raise `InputError` if a folder has a campaign that measured its runs."""
    try:
        content = json.loads((folder / SNAPSHOT).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == ENAMETOOLONG:
            raise
        content = None
    if not isinstance(content, dict) or content.get("algorithms") != {}:
        raise InputError(f"{folder}: has the results of a campaign; choose another folder")


def analyse(arguments: argparse.Namespace) -> int:
    """Import tables, and make all of their tables, figures and the report."""
    from timefair.campaign import configuration
    from timefair.cli import analysing
    from timefair.report import description

    path, others, where = Path(arguments.what), arguments.others, layout(arguments)
    folder = arguments.output or Path("results") / (path.name.partition(".")[0] or "analysis")
    # Arrow starts threads when it imports a table, and threads do not survive a fork. So this
    # process, of which others are forks, does not.

    def import_() -> None:
        settings, format = arguments.settings, arguments.format
        tell(path, *import_table(path, folder, where, settings, format, others))

    if status := analysing.forked([import_], 1):
        return status
    campaign, cores = configuration.restore(folder / SNAPSHOT), len(os.sched_getaffinity(0))
    collected = sorted((folder / COLLECTED).glob("*.parquet"))
    if status := analysing.make_tables(campaign, collected, folder, cores):
        return status
    if status := analysing.forked([partial(analysing.make_report, campaign, folder)], 1):
        return status
    print(*description.read(folder / "report.html"), folder / "report.html", sep="\n")
    return 0


def tell(path: Path, campaign: Campaign, found: Sequence[Imported]) -> None:
    """Print what was imported, and on the standard error what the reader should know of it."""
    runs = counted(sum(sum(one.runs.values()) for one in found), "run")
    problems = counted(len({problem for one in found for problem in one.runs}), "problem")
    print(
        f"{campaign.name}: {counted(len(found), 'algorithm')}, {runs} on {problems} of "
        f"{found[0].suite}, {found[0].origin}"
    )
    for caution in found[0].cautions:
        print(f"timefair: {path}: {caution}", file=sys.stderr)
