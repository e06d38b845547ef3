"""Best-so-far precision over elapsed cost."""

from __future__ import annotations

import pandas as pd

from timefair.statistics.anytime import log_mean_band, median_band, quantile_band
from timefair.tables.published import told_in
from timefair.tables.runs import PER_DIMENSION, UNITS, Runs
from timefair.tables.settings import Analysis
from timefair.tables.stacked import stacked

KEYS = ("suite", "dimension", "function", "algorithm")
CURVES = (
    *("median", "low", "high", "median_low", "median_high"),
    *("mean_log10", "mean_log10_low", "mean_log10_high"),
)
COLUMNS = [*KEYS, "runs", "unit", "cost", *CURVES]

SOLVED = 1e-8
"""The precision at which COCO takes a problem to be solved."""


def trajectories(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Median and mean of the best precision so far, over the runs of all instances.

    ``cost`` is in ``unit`` (seconds or evaluations, also per dimension), on one grid for the whole
    campaign, evenly spaced in the logarithm. ``median``, ``low`` and ``high`` are precisions: the
    band holds single runs; `inf` where so many runs had no value yet. ``median_low`` and
    ``median_high`` are the interval of the median, NaN for too few runs. ``mean_log10`` is the mean
    of the decimal logarithm, with its interval; NaN until every run has a value. Precisions below
    the hardest target, or below 1e-8 if that is harder, count as that. A run that has ended keeps
    its best. Published data count in evaluations alone.
    """
    floor = min([SOLVED, *(target for target in analysis.targets if target > 0)])
    parts = []
    for unit in (*UNITS, *PER_DIMENSION):
        told = told_in(runs, unit)
        grid = told.cost_grid(unit)
        best = told.best_so_far(unit, grid)
        for names, members in told.groups(KEYS):
            reached = best[members]
            runs_band = quantile_band(reached, *analysis.band)
            median = median_band(reached, analysis.confidence)
            mean = log_mean_band(reached, floor=floor, confidence=analysis.confidence)
            part = {**names, "runs": len(members), "unit": unit, "cost": grid}
            curves = (
                *(median.curve, runs_band.low, runs_band.high, median.low, median.high),
                *(mean.curve, mean.low, mean.high),
            )
            parts.append(part | dict(zip(CURVES, curves, strict=True)))
    return stacked(parts, COLUMNS)
