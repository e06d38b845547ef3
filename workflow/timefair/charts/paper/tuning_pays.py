"""Numbers of problems after which tuning pays off, with a strip for never."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from timefair.charts.paper import panels, scales, style
from timefair.charts.paper.notes import NothingToDraw

STRIP = 0.12
"""Height of the strip, as a share of the axis."""

STRIP_GREY = "#EDEDED"
MOST_TICKS = 6
"""Maximal number of targets that are named on the axis."""

SHIFT = 0.16
"""Distance between two algorithms at a target, as a share of the distance between two targets."""

WIDEST = 0.8
"""Maximal distance between the first and the last algorithm at a target, in the same unit."""


def draw(frame: pd.DataFrame) -> Figure:
    """Draw one panel per dimension, with a dot and a line per tuned variant at each target.

    Raises
    ------
    NothingToDraw
        If no algorithm was tuned, or if tuning never pays off.
    """
    if frame.empty:
        raise NothingToDraw("no algorithm was tuned")
    if not np.isfinite(frame[["problems", "problems_low"]]).any(axis=None):
        raise NothingToDraw("tuning never pays off")
    with style.applied():
        figure, grid = panels.grid(frame, functions=False)
        looks = panels.looks(frame, value="problems", within=["suite", "dimension", "target"])
        leading = [name for name, look in looks.items() if look.leads]
        step = min(SHIFT, WIDEST / len(leading))
        targets = sorted(frame["target"].unique(), reverse=True)
        shown = frame[["problems", "problems_low", "problems_high"]].to_numpy(dtype=np.float64)
        bottom, top = scales.limits(shown[np.isfinite(shown)], margin=0.08)
        ceiling = bottom * (top / bottom) ** (1 / (1 - STRIP))
        first = grid[0].axes
        scales.set_log(first, "y", (bottom, ceiling))
        first.set_yticks([tick for tick in first.get_yticks() if bottom <= tick <= top])
        first.set_ylim(bottom, ceiling)
        named = range(0, len(targets), -(-len(targets) // MOST_TICKS))
        first.set_xticks(named, [_text(targets[place]) for place in named])
        first.set_xlim(-0.6, len(targets) - 0.4)
        for panel in grid:
            _strip(panel.axes)
            for name, rows in panels.by_algorithm(panel.rows):
                places = np.array([targets.index(target) for target in rows["target"]], dtype=float)
                if looks[name].leads:
                    places += step * (leading.index(name) - (len(leading) - 1) / 2)
                _marks(panel.axes, places, rows, looks[name], (bottom, top, ceiling))
        figure.supxlabel("target precision (easy to hard)", fontsize=7.5)
        figure.supylabel("problems until tuning has paid off", fontsize=7.5)
        panels.legend(figure, looks)
    return figure


def _text(target: float) -> str:
    """The label of a target, in few letters."""
    short = target <= 0 or 0.01 <= target < 1000
    return f"{target:g}" if short else scales.power(target)


def _strip(ax: Axes) -> None:
    box = Rectangle((0, 1 - STRIP), 1, STRIP, color=STRIP_GREY, linewidth=0)
    box.set_transform(ax.transAxes)
    ax.add_patch(box)
    if ax.yaxis.get_tick_params().get("labelleft", True):
        ax.annotate(
            "never",
            (0, 1 - STRIP / 2),
            xytext=(-4, 0),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=6.5,
        )


def _marks(
    ax: Axes,
    places: NDArray[np.float64],
    rows: pd.DataFrame,
    look: style.Look,
    heights: tuple[float, float, float],
) -> None:
    bottom, top, ceiling = heights
    never = float(np.sqrt(top * ceiling))
    names = ["problems", "problems_low", "problems_high"]
    middle, low, high = (
        np.where(np.isinf(values), never, np.clip(values, bottom, top))
        for values in rows[names].to_numpy(dtype=np.float64).T
    )
    if look.leads:
        ax.vlines(places, low, high, color=look.color, linewidth=1.0)
    infinite = np.isinf(rows["problems"].to_numpy(dtype=np.float64))
    for kept, face in ((~infinite, look.color), (infinite, "white")):
        panels.curve(
            ax,
            places[kept],
            middle[kept],
            marker=look.marker,
            linestyle="",
            markerfacecolor=face,
            markeredgecolor=look.color,
            markersize=3.5,
            markeredgewidth=0.8,
        )
