"""How reliable an estimate is, stated and observed."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from timefair.exhibits.charts import panels, style
from timefair.exhibits.charts.panels import NothingToDraw

ESTIMATE = "median"
CURVES_IN = 1.75


def reliability(frame: pd.DataFrame) -> Drawing:
    """One line per error, one column of panels per number of runs, and one row per suite and
    held-out part. Each panel lists the skill and the AUC of its lines.
    """
    if frame.empty:
        raise NothingToDraw("no cell has as many runs as a complete sample")
    shown = frame[frame["estimate"] == ESTIMATE]
    looks = style.looks(_name(error) for error in shown["error_percent"].unique())
    lines = list(shown.groupby(["suite", "held_out"], sort=False))
    numbers = sorted(shown["n"].unique())
    height = panels.MARGIN_IN + CURVES_IN * len(lines)
    shared = {"sharex": True, "sharey": True}
    figure, grid = panels.figure_of(height, len(lines), len(numbers), **shared)
    several = shown["suite"].nunique() > 1
    for axes, ((suite, held_out), rows) in zip(grid, lines, strict=True):
        for ax, n in zip(axes, numbers, strict=True):
            head = f"{suite}, " if several else ""
            ax.set_title(f"{head}{n} runs, other {held_out}")
            _panel(ax, rows[rows["n"] == n], looks)
    panels.label(figure, "stated probability that the median is right, %", "observed, %")
    panels.legend(figure, looks)
    return figure


def _panel(ax: Axes, rows: pd.DataFrame, looks: dict[str, style.Look]) -> None:
    ax.plot([0, 100], [0, 100], color="0.6", linewidth=0.8)
    worth = []
    for error in sorted(rows["error_percent"].unique()):
        curve = rows[rows["error_percent"] == error].sort_values("bin")
        ax.plot(curve["stated_percent"], curve["observed_percent"], **looks[_name(error)].line)
        first = curve.iloc[0]
        worth.append(f"{error:g} %: skill {first['skill']:.2f}, AUC {first['auc']:.2f}")
    box = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.8}
    corner: dict[str, Any] = {"ha": "right", "va": "bottom", "transform": ax.transAxes}
    ax.text(0.99, 0.02, "\n".join(worth), fontsize=5.0, bbox=box, **corner)
    ax.set(xlim=(-3, 103), ylim=(-32, 103), xticks=(0, 50, 100), yticks=(0, 50, 100))


def _name(error: float) -> str:
    return f"within {error:g} %"
