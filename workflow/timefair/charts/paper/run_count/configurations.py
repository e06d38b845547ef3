"""How far the accuracy of the skewness rule differs among algorithms, from `run_count_groups`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from timefair.charts.paper import panels, style
from timefair.charts.paper.placement import Placement
from timefair.charts.paper.run_count import panels as parts


@parts.drawn_of_samples
def draw(frame: pd.DataFrame) -> Figure:
    """Draw a box plot over the algorithms for each column of Table 1.

    There is one panel per threshold and technique.

    Parameters
    ----------
    frame : DataFrame
        The table `run_count_groups`.
    """
    keys = ["algorithm", "tau", "outliers"]
    each = parts.pooled(frame, keys)
    taus, techniques = parts.two_taus(frame), parts.techniques(frame)
    figure = Figure(
        figsize=(style.WIDTH_IN, panels.MARGIN_IN + panels.PANEL_HEIGHT_IN * len(taus)),
        layout=Placement(),
    )
    grid = figure.subplots(len(taus), len(techniques), sharex=True, sharey=True, squeeze=False)
    for line, tau in zip(grid, taus, strict=True):
        for ax, outliers in zip(line, techniques, strict=True):
            ax.set_title(parts.title(outliers, tau))
            chosen = (each["tau"] == tau) & (each["outliers"] == outliers)
            _boxes(ax, each.loc[chosen, [*parts.COLUMNS]])
    figure.supylabel("accurate estimates, % of the samples", fontsize=7.5)
    figure.supxlabel("true: accurate; p: or with so many percent of error", fontsize=7.5)
    return figure


def _boxes(ax: Axes, accuracy: pd.DataFrame) -> None:
    places = np.arange(accuracy.shape[1])
    black = {"color": "black", "linewidth": 0.7}
    ax.boxplot(
        accuracy.to_numpy(),
        positions=places,
        widths=0.6,
        whis=(0, 100),
        boxprops=black,
        whiskerprops=black,
        capprops=black,
        medianprops={"color": style.COLOURS[0], "linewidth": 1.6},
    )
    shift = np.linspace(-0.2, 0.2, len(accuracy)) if len(accuracy) > 1 else np.zeros(1)
    x = places + shift[:, np.newaxis]
    ax.plot(x.ravel(), accuracy.to_numpy().ravel(), "o", color="0.45", markersize=1.4, zorder=3)
    ax.set_xticks(places, accuracy.columns)
    ax.grid(visible=False, axis="x")
