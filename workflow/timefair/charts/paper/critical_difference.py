"""Critical-difference diagrams of average ranks, from the table `ranks`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from timefair.charts import costs
from timefair.charts.pages import MANY
from timefair.charts.paper import rank_lines, style
from timefair.charts.paper.notes import NothingToDraw
from timefair.charts.paper.placement import Placement
from timefair.charts.paper.style import Look

CRITERIA = (("precision", "Q.50"), ("seconds", "ERT"))
SHORT_NAME = 20
"""Number of characters up to which two diagrams are placed side by side."""

LINE_IN = 0.13
LINES_AROUND = 5.5
RULER = 1.9
TOP = 2.6
GAP = 0.017
"""Distance between a line and its label, as a share of the axis."""


def draw(frame: pd.DataFrame) -> Figure:
    """Average ranks on an axis, and bars under algorithms that do not differ significantly.

    There is one panel per dimension and criterion, for the median precision at the end and the ERT
    in seconds. The diagrams are drawn by scikit-posthocs, with timefair's markers. If no critical
    difference is defined, one bar joins all algorithms. If there are many algorithms, each has a
    line, drawn by `rank_lines`.

    Parameters
    ----------
    frame : DataFrame
        The table `ranks`. A criterion that it does not contain is omitted.

    Raises
    ------
    ValueError
        If the table has no row of these criteria.
    """
    titles = {
        "precision": "median precision at the end",
        "seconds": f"ERT in {costs.counted_in(frame, 'seconds')}",
    }
    frame = frame[frame["measure"] != "evaluations"]
    several = frame["suite"].nunique() > 1
    cells = [
        ((f"{suite} " if several else "") + f"D = {dimension}", titles[measure], rows)
        for (suite, dimension), part in frame.groupby(["suite", "dimension"], sort=True)
        for measure, criterion in CRITERIA
        for rows in [part[(part["measure"] == measure) & (part["criterion"] == criterion)]]
        if not rows.empty
    ]
    if not cells:
        raise NothingToDraw("nothing to draw: the table has no rows")
    if frame["algorithm"].nunique() >= MANY:
        return rank_lines.draw(cells)
    with style.applied():
        looks = style.looks_in(frame)
        columns = 2 if len(cells) > 1 and max(map(len, looks)) <= SHORT_NAME else 1
        lines = -(-len(cells) // columns)
        height = LINE_IN * (len(looks) + LINES_AROUND)
        height = min(height * lines, style.HEIGHT_IN)
        figure = Figure(figsize=(style.WIDTH_IN, height), layout=Placement())
        axes = figure.subplots(lines, columns, squeeze=False).ravel()
        for ax in axes[len(cells) :]:
            ax.set_visible(False)
        for ax, (space, title, rows) in zip(axes, cells, strict=False):
            ax.set_title(f"{space}, {title}")
            ranks = rows.set_index(rows["algorithm"].astype(str))["average_rank"]
            if ranks.isna().any():
                ax.set_axis_off()
                ax.text(0.5, 0.5, "no function was run with every algorithm", ha="center")
            else:
                _diagram(ax, ranks, float(rows["critical_difference"].iloc[0]), looks)
    return figure


def _diagram(ax: Axes, ranks: pd.Series, difference: float, looks: dict[str, Look]) -> None:
    from scikit_posthocs import critical_difference_diagram

    last = max(len(ranks), 2)
    gap = GAP * (last - 1)
    apart = np.abs(np.subtract.outer(ranks.to_numpy(), ranks.to_numpy()))
    differ = pd.DataFrame(np.where(apart > difference, 0.0, 1.0), ranks.index, ranks.index)
    drawn = critical_difference_diagram(
        ranks,
        differ,
        ax=ax,
        color_palette={name: looks[name].color for name in ranks.index},
        label_fmt_left="{label}  {rank:.2f}",
        label_fmt_right="{rank:.2f}  {label}",
        label_props={"fontsize": 6.5},
        marker_props={"s": 0},
        elbow_props={"linewidth": 0.8},
        crossbar_props={"linewidth": 1.8, "solid_capstyle": "butt"},
        text_h_margin=gap,
    )
    for (bar,) in drawn["crossbars"]:
        bar.set_xdata(np.sort(bar.get_xdata()))  # its ends are in the arbitrary order of a set
    for label in drawn["labels"]:
        label.set_color("black")
    for name, rank in ranks.items():
        look = looks[str(name)]
        ax.plot(rank, 0, marker=look.marker, color=look.color, zorder=4, clip_on=False)
    if np.isfinite(difference):
        ends = [1, 1 + difference]
        ax.plot(ends, [RULER, RULER], "|-", color="black", linewidth=0.8, clip_on=False)
        ax.text(ends[1] + gap, RULER, f"CD = {difference:.2f}", va="center", fontsize=6.5)
    ax.grid(visible=False)
    ax.spines["top"].set(visible=True, bounds=(1, last))
    ax.set_xlim(1 - gap, last + gap)
    ax.set_ylim(top=TOP)
    ax.set_xticks(range(1, last + 1))
