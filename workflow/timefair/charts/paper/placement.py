"""Places the panels of a figure, as large as the text around them allows."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import PlaceHolderLayoutEngine
from matplotlib.text import Text
from numpy.typing import NDArray

from timefair.charts.paper.recording import Ruler
from timefair.charts.paper.style import SETTINGS

PAD_IN = 3 / 72
"""Space around panels, labels and the legend; that of matplotlib's constrained layout."""
TICK_IN = SETTINGS["xtick.major.size"] / 72
"""Length of a tick: a panel without tick labels needs this space at the left and the bottom."""
GUESS_IN = (0.28, 0.02, 0.17, 0.12)
"""Text at the left, right, bottom and top of a panel, before it is measured."""
SAME_IN = 0.4
"""A panel whose size changes by less keeps its ticks, so its text is not measured again."""
LEAST_IN = 0.1
"""Width and height of a panel if the text leaves no room for it."""

BREAKS = (r"(?<=;) ", r"(?<=;) | (?=\()", r"(?<=[;:]) | (?=\()", " ")
"""Where a label is broken into lines, the best places first."""

Sides = NDArray[np.float64]
"""Pixels at the left, right, bottom and top."""


class Placement(PlaceHolderLayoutEngine):
    """Layout of a grid of panels, with a legend above and labels at the left and the bottom.

    The result is that of matplotlib's constrained layout for such a figure, but each text is
    measured once and no system of constraints is solved. Labels that are longer than the figure
    are broken into lines.
    """

    def __init__(self) -> None:
        super().__init__(adjust_compatible=True, colorbar_gridspec=False)

    def execute(self, fig: Figure) -> None:
        """Place the visible panels and the labels.

        Parameters
        ----------
        fig : Figure
            The figure. Its visible axes are cells of one grid.
        """
        panels = [ax for ax in fig.axes if ax.get_visible()]
        if not panels:
            return
        ruler = Ruler(fig.bbox.width, fig.bbox.height, fig.dpi)
        outside = _outside(fig, ruler)
        sizes = _place(fig, panels, np.full((len(panels), 4), GUESS_IN) * fig.dpi, outside)
        for _ in range(2):
            around = np.array([_around(ax, ruler) for ax in panels])
            before, sizes = sizes, _place(fig, panels, around, outside)
            if np.abs(sizes - before).max() < SAME_IN * fig.dpi:
                return


def _outside(fig: Figure, ruler: Ruler) -> Sides:
    """Space that the labels and the legend of the figure need, with their padding."""
    width, height, pad = fig.bbox.width, fig.bbox.height, PAD_IN * fig.dpi
    left = bottom = top = 0.0
    for legend in fig.legends:
        top = max(top, legend.get_window_extent(ruler).height + 2 * pad)
    labels = {(text.get_text(), text.get_rotation()): text for text in fig.texts}
    if below := labels.get((fig.get_supxlabel(), 0.0)):
        _break_lines(below, ruler, width - 2 * pad)
        below.set_y(pad / height)
        bottom = below.get_window_extent(ruler).height + 2 * pad
    if beside := labels.get((fig.get_supylabel(), 90.0)):
        _break_lines(beside, ruler, height - 2 * pad)
        box = beside.get_window_extent(ruler)
        half = box.height / 2 + pad
        middle = np.clip((bottom + height - top) / 2, half, max(half, height - half))
        beside.set_position((pad / width, middle / height))
        left = box.width + 2 * pad
    return np.array([left, 0.0, bottom, top])


def _around(ax: Axes, ruler: Ruler) -> Sides:
    """Space that the text of a panel needs around its axes."""
    unclipped = [artist for artist in (*ax.texts, *ax.lines) if not artist.get_clip_on()]
    box = ax.get_window_extent(ruler)
    full = ax.get_tightbbox(ruler, bbox_extra_artists=unclipped, for_layout_only=True) or box
    tick = TICK_IN * ruler.dpi
    return np.array(
        [
            max(box.x0 - full.x0, tick),
            full.x1 - box.x1,
            max(box.y0 - full.y0, tick),
            full.y1 - box.y1,
        ]
    )


def _place(fig: Figure, panels: list[Axes], around: Sides, outside: Sides) -> Sides:
    """Give all panels one size, or sizes in the ratios of the grid; returns them in pixels."""
    spec = panels[0].get_subplotspec()
    assert spec is not None
    cells = spec.get_gridspec()
    spans = [ax.get_subplotspec() for ax in panels]
    columns = np.array([span.colspan.start for span in spans if span is not None])
    rows = np.array([span.rowspan.start for span in spans if span is not None])
    pad = PAD_IN * fig.dpi
    across = _shares(
        (outside[0], fig.bbox.width - outside[1]),
        _largest(around[:, 0], columns, cells.ncols) + pad,
        _largest(around[:, 1], columns, cells.ncols) + pad,
        np.array(cells.get_width_ratios()),
        LEAST_IN * fig.dpi,
    )
    down = _shares(
        (outside[3], fig.bbox.height - outside[2]),
        _largest(around[:, 3], rows, cells.nrows) + pad,
        _largest(around[:, 2], rows, cells.nrows) + pad,
        np.array(cells.get_height_ratios()),
        LEAST_IN * fig.dpi,
    )
    width, height = fig.bbox.width, fig.bbox.height
    sizes = []
    for ax, column, row in zip(panels, columns, rows, strict=True):
        (x, w), (y, h) = across[column], down[row]
        ax.set_position((x / width, 1 - (y + h) / height, w / width, h / height))
        ax.set_in_layout(True)
        sizes.append((w, h))
    return np.array(sizes)


def _largest(values: Sides, lines: NDArray[np.int_], count: int) -> Sides:
    """The largest value on each of `count` lines, 0 on those without any."""
    found = np.zeros(count)
    np.maximum.at(found, lines, values)
    return found


def _shares(
    ends: tuple[float, float], before: Sides, after: Sides, ratios: Sides, least: float
) -> Sides:
    """Start and length of each cell between two ends, with text before and after it."""
    room = ends[1] - ends[0] - before.sum() - after.sum()
    lengths = np.maximum(room * ratios / ratios.sum(), least)
    steps = before + lengths + after
    starts = ends[0] + np.cumsum(steps) - lengths - after
    return np.column_stack([starts, lengths])


def _break_lines(text: Text, ruler: Ruler, most: float) -> None:
    """Break a label that is longer than `most` pixels into lines."""

    def length(line: str) -> float:
        return ruler.get_text_width_height_descent(line, text.get_fontproperties(), False)[0]

    lines = text.get_text().split("\n")
    if max(map(length, lines)) > most:
        text.set_text("\n".join(part for line in lines for part in _broken(line, length, most)))


def _broken(line: str, length: Callable[[str], float], most: float) -> list[str]:
    """Lines of at most a length, broken at punctuation if that is enough."""
    parts = [line]
    for place in BREAKS:
        parts = []
        for words in re.split(place, line):
            if parts and length(f"{parts[-1]} {words}") <= most:
                parts[-1] += f" {words}"
            else:
                parts.append(words)
        if max(map(length, parts)) <= most:
            break
    return parts
