"""Accuracy of the skewness rule for each algorithm, from the table `run_count_groups`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.charts.paper import style
from timefair.charts.paper.run_count import panels as parts

LINE_IN = 0.14
PANEL_IN = 0.35
MARGIN_IN = 0.4
LABELS_IN = 1.0


@parts.drawn_of_samples
def draw(frame: pd.DataFrame) -> Figure:
    """Draw a heat map of algorithms and columns of Table 1 per threshold and technique.

    Parameters
    ----------
    frame : DataFrame
        The table `run_count_groups`.
    """
    each = parts.pooled(frame, ["algorithm", "tau", "outliers"])
    taus, techniques = sorted(frame["tau"].unique()), parts.techniques(frame)
    lines = each["algorithm"].nunique()
    # If there are many algorithms, their lines are narrower and have no numbers.
    room = (style.HEIGHT_IN - MARGIN_IN) / len(taus) - PANEL_IN
    line_in = min(LINE_IN, room / max(lines, 3))
    height = MARGIN_IN + len(taus) * (PANEL_IN + line_in * max(lines, 3))
    figure = Figure(figsize=(style.WIDTH_IN, height), layout="constrained")
    grid = figure.subplots(len(taus), len(techniques), sharex=True, sharey=True, squeeze=False)
    cells = len(techniques) * len(parts.COLUMNS)
    numbers = parts.has_room((style.WIDTH_IN - LABELS_IN) / cells, line_in)
    for line, tau in zip(grid, taus, strict=True):
        for ax, outliers in zip(line, techniques, strict=True):
            rows = each[(each["tau"] == tau) & (each["outliers"] == outliers)]
            right = rows.set_index("algorithm")[[*parts.COLUMNS]]
            parts.heat(ax, 100.0 - right, right, numbers=numbers)
            ax.set_title(parts.title(outliers, tau))
    if not numbers:
        parts.scale(figure, grid)
    figure.supxlabel("accurate, or with so many percent of error, % of the samples", fontsize=7.5)
    return figure
