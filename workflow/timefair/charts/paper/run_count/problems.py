"""Share of wrong estimates of the skewness rule per problem, from `run_count_groups`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.charts.paper import style
from timefair.charts.paper.run_count import panels as parts

LINE_IN = 0.15
MARGIN_IN = 0.75
LABELS_IN = 0.6


@parts.drawn_of_samples
def draw(frame: pd.DataFrame) -> Figure:
    """Draw a heat map of functions and dimensions, one panel per threshold and technique.

    Parameters
    ----------
    frame : DataFrame
        The table `run_count_groups`.
    """
    keys = ["suite", "function", "dimension", "tau", "outliers"]
    each = parts.pooled(frame, keys)
    each["wrong"] = 100.0 - each["true"]
    each["problem"] = _problems(each)
    settings = [(t, o) for t in parts.two_taus(frame) for o in parts.techniques(frame)]
    lines = each["problem"].nunique()
    figure = Figure(
        figsize=(style.WIDTH_IN, MARGIN_IN + LINE_IN * max(lines, 4)), layout="constrained"
    )
    grid = figure.subplots(1, len(settings), sharey=True, squeeze=False)[0]
    cells = len(settings) * each["dimension"].nunique()
    numbers = parts.has_room((style.WIDTH_IN - LABELS_IN) / cells, LINE_IN)
    for ax, (tau, outliers) in zip(grid, settings, strict=True):
        rows = each[(each["tau"] == tau) & (each["outliers"] == outliers)]
        wrong = rows.pivot_table(
            index="problem", columns="dimension", values="wrong", sort=False
        ).sort_index(axis="columns")
        parts.heat(ax, wrong, wrong, numbers=numbers)
        ax.set_title(f"{parts.TECHNIQUES[outliers]}\nτ = {tau:g}")
    if not numbers:
        parts.scale(figure, grid)
    inside = "; in the cells: not right, % of the samples" if numbers else ""
    figure.supxlabel(f"dimension{inside}", fontsize=7.5)
    figure.supylabel("function", fontsize=7.5)
    return figure


def _problems(rows: pd.DataFrame) -> pd.Series:
    """Labels of the functions, with the suite if there are several suites."""
    names = "f" + rows["function"].astype(str)
    return names if rows["suite"].nunique() == 1 else rows["suite"].astype(str) + " " + names
