"""How often an algorithm restarts within its budget, and how fast it evaluates."""

from __future__ import annotations

import pandas as pd

from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

KEYS = ("suite", "dimension", "function", "algorithm")
COLUMNS = [
    *KEYS,
    "runs",
    "launches_mean",
    "completed_restarts_mean",
    "evaluations_per_s",
    "s_per_evaluation",
    "cpu_per_wall",
]


def within_budget(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Launches and completed restarts a run, and speed, for each function and algorithm.

    ``evaluations_per_s`` and its inverse are of all runs together: the algorithm's own time and
    that of the objective. ``cpu_per_wall`` is above 1 where an algorithm computes in parallel. NaN
    where a denominator is 0.
    """
    frame = runs.frame
    grouped = frame.groupby(list(KEYS), sort=True)
    sums = grouped[["wall_s", "cpu_s", "evaluations"]].sum()
    means = grouped[["launches", "completed_restarts"]].mean()
    wall = sums["wall_s"].where(sums["wall_s"] > 0)
    evaluations = sums["evaluations"].where(sums["evaluations"] > 0)
    rows = pd.DataFrame(
        {
            "runs": grouped.size(),
            "launches_mean": means["launches"],
            "completed_restarts_mean": means["completed_restarts"],
            "evaluations_per_s": sums["evaluations"] / wall,
            "s_per_evaluation": sums["wall_s"] / evaluations,
            "cpu_per_wall": sums["cpu_s"] / wall,
        }
    )
    return rows.reset_index()[COLUMNS]
