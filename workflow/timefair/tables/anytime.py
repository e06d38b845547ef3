"""Best-so-far precision over elapsed seconds and over evaluations."""

from __future__ import annotations

import pandas as pd

from timefair.statistics.anytime import quantile_band
from timefair.tables.runs import UNITS, Runs
from timefair.tables.settings import Analysis

KEYS = ("suite", "dimension", "function", "algorithm")
COLUMNS = [*KEYS, "runs", "unit", "cost", "median", "low", "high"]


def trajectories(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Median and band of the best precision so far, over the runs of all instances.

    ``cost`` is in ``unit`` (seconds or evaluations), on one grid for the whole campaign, evenly
    spaced in the logarithm. ``median``, ``low`` and ``high`` are precisions; `inf` where so many
    runs had no value yet. A run that has ended keeps its best.
    """
    parts = []
    for unit in UNITS:
        grid = runs.cost_grid(unit)
        best = runs.best_so_far(unit, grid)
        for names, members in runs.groups(KEYS):
            band = quantile_band(best[members], *analysis.band)
            part = {**names, "runs": len(members), "unit": unit, "cost": grid}
            parts.append(
                pd.DataFrame({**part, "median": band.median, "low": band.low, "high": band.high})
            )
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(parts, ignore_index=True)[COLUMNS]
