"""What the algorithms wrote and left behind: files, processes, names in the working folder."""

from __future__ import annotations

import pandas as pd

from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

COUNTS = ("left_processes", "left_files")
SIZES = ("left_mb", "written_mb")
COLUMNS = [
    *("algorithm", "runs", "with_processes", "with_files", "with_names"),
    *(f"{name}_max" for name in (*COUNTS, *SIZES)),
    "appeared",
]


def told(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """A row an algorithm.

    ``with_processes``, ``with_files``, ``with_names``: runs that left any process when their own
    had ended, any file in their temporary folder, or during which names appeared in the working
    folder; ``_max`` is the most of any one run. ``appeared`` has the different names, with a comma
    between runs, or says ``none``. What was left is ended or removed, except for those names.
    ``written_mb`` is what was handed to write(), to pipes as well; NaN where the machine does not
    tell. An external command that is cut at T counts as a process left.
    """
    frame = runs.frame
    told = frame[["algorithm", *COUNTS, *SIZES]].assign(
        runs=1,
        with_processes=frame["left_processes"] > 0,
        with_files=frame["left_files"] > 0,
        with_names=frame["appeared"].notna(),
    )
    grouped = told.groupby("algorithm")
    rows = grouped[["runs", "with_processes", "with_files", "with_names"]].sum().astype(int)
    for name in COUNTS:
        rows[f"{name}_max"] = grouped[name].max().fillna(0).astype(int)
    for name in SIZES:
        rows[f"{name}_max"] = grouped[name].max().astype(float)
    rows["appeared"] = frame.groupby("algorithm")["appeared"].agg(
        lambda names: ", ".join(sorted(set(names.dropna()))) or "none"
    )
    return rows.reset_index()[COLUMNS]
