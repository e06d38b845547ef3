"""Average ranks of many algorithms: a line per algorithm, a panel per dimension and criterion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from timefair.charts.paper import panels, style
from timefair.charts.paper.algorithm_lines import LINE_IN, POINTS_PER_LINE
from timefair.charts.paper.placement import Placement

AROUND_IN = 0.9
LETTERS_PER_IN = 19.0
"""Letters of a title per inch; a title that is wider than its panel is broken into lines."""
CD_GREY = "#E4E4E4"


def draw(cells: Sequence[tuple[str, str, pd.DataFrame]]) -> Figure:
    """Draw average ranks as dots, with the algorithms ordered by their mean over all panels.

    The grey area covers ranks that differ from the best by no more than the critical difference.
    Algorithms in this area are in colour.

    Parameters
    ----------
    cells : sequence
        For each panel, the space, the criterion and the rows. Rows have the columns ``algorithm``,
        ``average_rank`` and ``critical_difference``. An average rank may be NaN.
    """
    everything = pd.concat([rows for *_, rows in cells])
    mean = everything["average_rank"].groupby(everything["algorithm"].astype(str)).mean()
    order = {str(name): k for k, name in enumerate(mean.sort_values(kind="stable").index)}
    with style.applied():
        line_in = min(LINE_IN, (style.HEIGHT_IN - AROUND_IN) / len(order))
        height = AROUND_IN + line_in * len(order)
        figure = Figure(figsize=(style.WIDTH_IN, height), layout=Placement())
        axes = figure.subplots(1, len(cells), sharey=True, squeeze=False)[0]
        room = (style.WIDTH_IN - 1.0) / len(cells)
        for ax, (space, title, rows) in zip(axes, cells, strict=True):
            text = _broken(f"{space}, {title}", int(LETTERS_PER_IN * room))
            longest = max(text.split("\n"), key=len)
            ax.set_title(text, fontsize=panels.title_size(longest, room))
            rank = rows["average_rank"].to_numpy(dtype=np.float64)
            level = rows["algorithm"].astype(str).map(order).to_numpy()
            difference = float(rows["critical_difference"].iloc[0])
            best = np.nanmin(rank, initial=np.inf)
            limit = best + difference if np.isfinite(difference) else np.inf
            if np.isfinite(limit):
                ax.axvspan(best, limit, color=CD_GREY, linewidth=0, zorder=0)
            near = rank <= limit
            size = min(3.6, 72 * line_in * 0.6)
            ax.plot(rank[near], level[near], "o", color=style.COLOURS[0], markersize=size)
            ax.plot(rank[~near], level[~near], "o", color="#999999", markersize=size)
            ax.set_xlim(0, len(order) + 1)
            ax.tick_params(axis="y", length=0)
        letters = min(6.5, POINTS_PER_LINE * 72 * line_in)
        axes[0].set_yticks(list(order.values()), list(order), fontsize=letters)
        axes[0].set_ylim(len(order) - 0.4, -0.6)
        figure.supxlabel(
            "average rank (1 is best); grey area: differs from the best by no more than the "
            "critical difference",
            fontsize=7.5,
        )
    return figure


def _broken(text: str, letters: int) -> str:
    """Break a title into lines of at most `letters` letters, as far as its words allow."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(f"{lines[-1]} {word}") <= max(letters, 8):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)
