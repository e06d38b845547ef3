"""What the algorithms wrote and left behind: files, processes, names in the working directory."""

from __future__ import annotations

import pandas as pd

from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.records.status import Isolation
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

COUNTS = ("left_processes", "left_files")
SIZES = ("left_mb", "written_mb")
COLUMNS = (
    ALGORITHM,
    Column("runs", "number of runs"),
    Column(
        "with_processes",
        "runs that left a process running at their end; an external program that is cut at T "
        "counts",
    ),
    Column("with_files", "runs that left a file in their temporary folder"),
    Column("with_names", "runs during which files appeared or changed in folders that runs share"),
    Column("left_processes_max", "most processes that one run left"),
    Column("left_files_max", "most files that one run left"),
    Column("left_mb_max", "largest size of the files that one run left", "MB"),
    Column(
        "written_mb_max",
        "most that one run passed to write(), also to pipes; empty where the machine does not "
        "report it",
        "MB",
    ),
    Column("private", "runs with private views of the folders that algorithms write to"),
    Column("strict", "the same, with the algorithm in a process that does not hold the problem"),
    Column(
        "watched",
        "runs with shared folders, which were compared before and after, because the machine "
        "allows no private views",
    ),
    Column("shared", "runs with shared folders, because the campaign allows them"),
    Column("watched_because", "why the machine allows no private views, or `none`", text=True),
    Column(
        "appeared",
        "names of the files that appeared or changed in shared folders, separated by commas, or "
        "`none`",
        text=True,
    ),
    Column(
        "appeared_in_trial",
        "the same for the trial launch, which precedes all runs of a job",
        text=True,
    ),
)


@exhibit(
    "leftovers",
    question=questions.MEASUREMENT,
    title="Processes and files that the algorithms left",
    caption="""
    What the algorithms wrote and left behind: processes, files in their temporary folder, and files
    that appeared or changed in folders that runs share. Processes are ended and temporary files
    removed after the run; the other files stay. A run with private views of the folders
    leaves no such file.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="What the algorithms wrote and left behind. Processes: runs that left any when "
            "their own had ended, external programs at the end of the time included. Files: runs "
            "that left any in their temporary folder. Shared: runs during which files appeared or "
            "changed in folders that runs share. Written: by write(), also to pipes, at most "
            "in one run.",
            values=(
                Value("runs", "Runs"),
                Value("with_processes", "Processes"),
                Value("left_processes_max", "at most"),
                Value("with_files", "Files"),
                Value("left_files_max", "at most"),
                Value("left_mb_max", "MB, at most", decimals=1),
                Value("with_names", "Shared"),
                Value("written_mb_max", "Written, MB", decimals=1),
            ),
            rows=("algorithm",),
        )
    ],
    charged=False,
    complete=True,
)
def counted(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Files and processes that runs left behind, one row per algorithm."""
    frame = runs.frame
    counts = frame[["algorithm", *COUNTS, *SIZES]].assign(
        runs=1,
        with_processes=frame["left_processes"] > 0,
        with_files=frame["left_files"] > 0,
        with_names=frame["appeared"].notna(),
    )
    grouped = counts.groupby("algorithm")
    rows = grouped[["runs", "with_processes", "with_files", "with_names"]].sum().astype(int)
    for name in COUNTS:
        rows[f"{name}_max"] = grouped[name].max().fillna(0).astype(int)
    for name in SIZES:
        rows[f"{name}_max"] = grouped[name].max().astype(float)
    named = frame.groupby("algorithm")
    rows["watched"] = named["watched_because"].count()
    for kind in (Isolation.PRIVATE, Isolation.STRICT, Isolation.SHARED):
        counts[kind] = (frame["isolation"] == kind) & frame["watched_because"].isna()
        rows[kind] = counts.groupby("algorithm")[kind].sum()
    for name in ("watched_because", "appeared", "appeared_in_trial"):
        rows[name] = named[name].agg(_different)
    return rows.reset_index()[column_names(COLUMNS)]


def _different(names: pd.Series) -> str:
    return ", ".join(sorted(set(names.dropna()))) or "none"
