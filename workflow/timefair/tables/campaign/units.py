"""Which clock repeats best: how much the time of an evaluation differs from run to run."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.tables.clocks import seconds_per_evaluation
from timefair.tables.runs import Runs
from timefair.tables.settings import CLOCKS, Analysis, Clock

ALL = "all"
KEYS = ["suite", "dimension", "function", "algorithm"]
MEANS = ["per_evaluation", "geometric_sd", "max_over_min"]
COLUMNS = [*KEYS, "clock", "runs", *MEANS, "best"]


def compared(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """For each algorithm, problem and clock: the spread of the time of an evaluation.

    ``per_evaluation`` is the geometric mean over the runs of all instances and rounds, in seconds,
    or multiples of the reference kernel; ``geometric_sd`` and ``max_over_min`` say how much it
    differs between runs. Rows of the function ``all`` have the geometric means of the rows above,
    of a suite and dimension. ``best`` marks the clock with the least ``geometric_sd``; none where
    one of the clocks tells nothing. NaN with fewer than two runs.
    """
    told = pd.concat([_by_clock(runs.frame, clock) for clock in CLOCKS], ignore_index=True)
    told = told.astype({"function": str})
    grouped = told.groupby([*KEYS, "clock"], sort=True)["log"]
    logs = pd.DataFrame(
        {
            "runs": grouped.count(),
            "per_evaluation": grouped.mean(),
            "geometric_sd": grouped.std(),
            "max_over_min": (grouped.max() - grouped.min()).where(grouped.count() > 1),
        }
    ).reset_index()
    rows = pd.concat([logs, _overall(logs)], ignore_index=True)
    rows[MEANS] = np.exp(rows[MEANS])
    least = rows.groupby(KEYS)["geometric_sd"].transform("min", skipna=False)
    return rows.assign(best=rows["geometric_sd"] == least)[COLUMNS]


def _by_clock(frame: pd.DataFrame, clock: Clock) -> pd.DataFrame:
    log = np.log(seconds_per_evaluation(frame, clock))
    return frame[KEYS].assign(clock=clock, log=log)


def _overall(logs: pd.DataFrame) -> pd.DataFrame:
    grouped = logs.groupby(["suite", "dimension", "clock"], sort=True)
    means = grouped[["geometric_sd", "max_over_min"]].mean().assign(runs=grouped["runs"].sum())
    return means.reset_index().assign(function=ALL, algorithm=ALL, per_evaluation=np.nan)
