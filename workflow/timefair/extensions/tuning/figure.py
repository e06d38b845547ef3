"""Numbers of problems after which tuning pays off, with a strip for never."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import ScaledTranslation, Transform

from timefair.exhibits.charts import curves, panels, scales, style
from timefair.exhibits.charts.panels import NothingToDraw

PROBLEMS = ["problems", "problems_low", "problems_high"]
STRIP = 0.12
"""Height of the strip, as a share of the axis."""

STRIP_GREY = "#EDEDED"
SHIFT_PT = 5.0
"""Distance between two algorithms at a target in points."""

WIDEST = 0.8
"""Maximal distance between the first and the last of them, as a share of that of two targets."""

SIDES = 0.2
"""Margin of the targets."""

AROUND_PANEL_IN = 0.6
"""Width of the labels beside a panel."""


def tuning_pays(frame: pd.DataFrame) -> Figure:
    """Draw one panel per dimension, with a dot and a line per tuned variant at each target.

    Raises `NothingToDraw` if no algorithm was tuned, or if tuning never pays off.
    """
    if frame.empty:
        raise NothingToDraw("no algorithm was tuned")
    if not np.isfinite(frame[PROBLEMS[:2]]).any(axis=None):
        raise NothingToDraw("tuning never pays off")
    with style.applied():
        figure, grid = panels.grid(frame, functions=False)
        looks = panels.looks(frame, value="problems", within=["suite", "dimension", "target"])
        leading = [name for name, look in looks.items() if look.leads]
        shown = frame[PROBLEMS].to_numpy(dtype=np.float64)
        bottom, top = scales.limits(shown[np.isfinite(shown)], margin=0.08)
        ceiling = bottom * (top / bottom) ** (1 / (1 - STRIP))
        first = grid[0].axes
        scales.set_log(first, "y", (bottom, ceiling))
        first.set_yticks([tick for tick in first.get_yticks() if bottom <= tick <= top])
        first.set_ylim(bottom, ceiling)
        curves.set_targets(first, frame, "target", margin=SIDES)
        step = min(SHIFT_PT, WIDEST * _apart_pt(figure, first, frame) / len(leading))
        for panel in grid:
            _strip(panel.axes)
            for name, rows in panels.by_algorithm(panel.rows):
                aside = 0.0
                if looks[name].leads:
                    aside = step / 72 * (leading.index(name) - (len(leading) - 1) / 2)
                shift = ScaledTranslation(aside, 0, figure.dpi_scale_trans)
                _marks(panel.axes, shift, rows, looks[name], (bottom, top, ceiling))
        panels.label(
            figure, "target precision (easy to hard)", "problems until tuning has paid off"
        )
        panels.legend(figure, looks)
    return figure


def _apart_pt(figure: Figure, ax: Axes, frame: pd.DataFrame) -> float:
    """About the least distance between two targets on the axis, in points; at most twice that of
    the first and the last one from the ends.
    """
    spec = ax.get_subplotspec()
    columns = spec.get_gridspec().ncols if spec else 1
    targets = np.unique(frame["target"])
    at = (ax.transScale + ax.transLimits).transform(np.column_stack([targets, 1 + 0 * targets]))
    ends = 2 * min(at[:, 0].min(), 1 - at[:, 0].max())
    least = np.abs(np.diff(at[:, 0])).min(initial=ends)
    return float(72 * least * (figure.get_figwidth() / columns - AROUND_PANEL_IN))


def _strip(ax: Axes) -> None:
    box = Rectangle((0, 1 - STRIP), 1, STRIP, color=STRIP_GREY, linewidth=0)
    box.set_transform(ax.transAxes)
    ax.add_patch(box)
    if ax.yaxis.get_tick_params().get("labelleft", True):
        ax.annotate(
            "never", (0, 1 - STRIP / 2), xytext=(-4, 0), xycoords="axes fraction",
            textcoords="offset points", ha="right", va="center", fontsize=6.5,
        )  # fmt: skip


def _marks(
    ax: Axes, shift: Transform, rows: pd.DataFrame, look: style.Look, heights: tuple[float, ...]
) -> None:
    bottom, top, ceiling = heights
    never = float(np.sqrt(top * ceiling))
    middle, low, high = (
        np.where(np.isinf(values), never, np.clip(values, bottom, top))
        for values in rows[PROBLEMS].to_numpy(dtype=np.float64).T
    )
    places = rows["target"].to_numpy(dtype=np.float64)
    shifted = ax.transData + shift
    if look.leads:
        ax.vlines(places, low, high, color=look.color, linewidth=1.0, transform=shifted)
    infinite = np.isinf(rows["problems"].to_numpy(dtype=np.float64))
    for kept, face in ((~infinite, look.color), (infinite, "white")):
        panels.curve(
            ax, places[kept], middle[kept], transform=shifted, marker=look.marker, linestyle="",
            markerfacecolor=face, markeredgecolor=look.color, markersize=3.5, markeredgewidth=0.8,
        )  # fmt: skip
