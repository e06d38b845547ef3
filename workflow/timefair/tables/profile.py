"""Performance profiles on the ERT in seconds."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.statistics.profiles import performance_profile, performance_ratios
from timefair.tables import ert
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

TIMER_RESOLUTION_S = 1e-9
"""The clock counts nanoseconds; no time is taken to be shorter."""

POINTS = 201
COLUMNS = ["suite", "dimension", "algorithm", "problems", "ratio", "fraction"]


def of_ert_s(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Share of problems on which an algorithm's ERT is at most ``ratio`` times the best one.

    A problem is a (function, instance, target) of one suite and dimension, ``problems`` how many
    there are; those that nobody solved stay among them, those that were not run with every
    algorithm do not. ``ratio`` is a common grid from 1 to the largest finite ratio, evenly spaced
    in the logarithm.
    """
    times = ert.by_instance(runs, analysis)
    parts = []
    for (suite, dimension), part in times.groupby(["suite", "dimension"]):
        costs = part.pivot(
            index=["function", "instance", "target"], columns="algorithm", values="ert_s"
        ).dropna()
        ratios = performance_ratios(costs.to_numpy(), floor=TIMER_RESOLUTION_S)
        largest = max(ratios[np.isfinite(ratios)].max(initial=1.0), 2.0)
        grid = np.geomspace(1.0, largest, POINTS)
        grid[-1] = largest
        fractions = performance_profile(ratios, grid)
        for column, algorithm in enumerate(costs.columns):
            parts.append(
                pd.DataFrame(
                    {
                        "suite": suite,
                        "dimension": dimension,
                        "algorithm": algorithm,
                        "problems": len(costs),
                        "ratio": grid,
                        "fraction": fractions[:, column],
                    }
                )
            )
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(parts, ignore_index=True)[COLUMNS]
