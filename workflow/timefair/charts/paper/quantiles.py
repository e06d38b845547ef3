"""Quantiles of the precision at the end of a run, from the table `quantiles`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from timefair.charts.pages import LEAST_RUNS, Page
from timefair.charts.paper import groups, heat_map, panels, scales, style

TITLE_AND_AXIS_IN = 0.4
LINE_IN = 0.15
INTERVAL_WIDTH = 6.0
LIMITS = ("precision_low", "precision_high")


def draw(frame: pd.DataFrame, page: Page) -> Figure:
    """Draw a line from the lowest to the highest quantile per algorithm, one panel per function.

    An overview is a heat map of the quantile nearest to the median.

    The quantile nearest to the median has the algorithm's marker and a pale bar for its interval;
    the others have a tick. An arrow at the right edge marks an infinite quantile.

    Parameters
    ----------
    frame : DataFrame
        The table `quantiles`.

    Raises
    ------
    ValueError
        If the table has no rows.
    """
    probabilities = sorted(frame["quantile"].unique())
    middle = min(probabilities, key=lambda p: abs(p - 0.5), default=0.5)
    medians = frame[frame["quantile"] == middle]
    if page.overview:
        floored = medians.assign(precision=medians["precision"].clip(lower=groups.SOLVED))
        what = f"{_name(middle)} of the precision at the end, times the best on the function"
        return heat_map.draw(
            floored, "precision", label=what, never="no finite value", levels=heat_map.PRECISIONS
        )
    looks = panels.looks(medians, value="precision", within=["suite", "dimension", "function"])
    enough = frame["runs"] >= LEAST_RUNS
    frame = page.rows(frame.assign(**{limit: frame[limit].where(enough) for limit in LIMITS}))
    with style.applied():
        thin = max(0.5, 4.5 - len(looks) / 25)
        height = TITLE_AND_AXIS_IN + LINE_IN * len(looks)
        figure, grid = panels.grid(frame, height_in=height)
        floor = scales.zero_floor(frame["precision"])
        bounds = scales.limits(scales.raised(frame["precision"], floor), margin=0.06)
        scales.set_log(grid[0].axes, "x", bounds, ticks=5)
        for panel in grid:
            ax = panel.axes
            columns = ["quantile", "precision", *LIMITS]
            for name, numbers in panels.numbers_by_algorithm(panel.rows, columns):
                look, level = looks[name], list(looks).index(name)
                p, x, low, high = numbers.T
                x, is_middle = scales.raised(x, floor), p == middle
                interval = np.concatenate([low[is_middle], high[is_middle]])
                if np.isnan(interval).any():
                    interval = interval[:0]
                panels.curve(
                    ax,
                    np.clip(scales.raised(interval, floor), *bounds),
                    np.full(interval.size, level),
                    color=look.color,
                    alpha=2 * style.BAND_ALPHA,
                    linewidth=INTERVAL_WIDTH,
                    solid_capstyle="butt",
                )
                right = np.minimum(x, bounds[1])
                panels.curve(
                    ax,
                    np.array([right.min(), right.max()]),
                    np.array([level, level]),
                    color=look.color,
                    linestyle=look.linestyle,
                    linewidth=1.2 if look.leads else 0.5,
                )
                for chosen, marker, size in ((~is_middle, "|", 6.0), (is_middle, look.marker, 4.5)):
                    marks = x[chosen & np.isfinite(x)]
                    panels.curve(
                        ax,
                        marks,
                        np.full(marks.size, level),
                        marker=marker,
                        linestyle="",
                        color=look.color,
                        markersize=size if look.leads else min(size, thin),
                    )
                if not np.isfinite(x).all():
                    panels.curve(
                        ax,
                        np.array([1.0]),
                        np.array([level]),
                        marker=">",
                        linestyle="",
                        transform=ax.get_yaxis_transform(),
                        color=look.color,
                        clip_on=False,
                    )
        names = ", ".join(_name(p) + (" (marker)" if p == middle else "") for p in probabilities)
        label = f"best precision at the end of the run: {names}"
        figure.supxlabel(scales.with_zero(label, floor), fontsize=7.5)
        panels.rows(figure, grid, looks, lines=True)
    return figure


def _name(p: float) -> str:
    """The name of a quantile such as ``Q.10``: two digits, or more if needed."""
    digits = f"{p:.2f}" if round(p, 2) == p else f"{p:g}"
    return "Q" + digits.removeprefix("0")
