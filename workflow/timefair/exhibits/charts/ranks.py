"""Average ranks: critical-difference diagrams, lines of many algorithms, and slopes."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from timefair.exhibits.charts import panels, style
from timefair.exhibits.charts.chart import counted_in
from timefair.exhibits.charts.dots import LINE_IN, POINTS_PER_LINE
from timefair.exhibits.charts.pages import MANY
from timefair.exhibits.charts.panels import NothingToDraw
from timefair.exhibits.charts.style import Look

CRITERIA = (("precision", "Q.50"), ("seconds", "ERT"))
SHORT_NAME = 20
"""Number of characters up to which two diagrams are placed side by side."""

DIAGRAM_LINE_IN = 0.13
LINES_AROUND = 5.5
RULER = 1.9
TOP = 2.6
GAP = 0.017
"""Distance between a line and its label, as a share of the axis."""


def critical_difference(frame: pd.DataFrame) -> Figure:
    """Average ranks on an axis, and bars under algorithms that do not differ significantly.

    There is one panel per dimension and criterion, for the median precision at the end and the ERT
    in seconds. The diagrams are drawn by scikit-posthocs, with timefair's markers. If no critical
    difference is defined, one bar joins all algorithms. If there are many algorithms, each has a
    line, drawn by `rank_lines`.

    - `frame`: The table `ranks`. A criterion that it does not contain is omitted.
    """
    titles = {
        "precision": "median precision at the end",
        "seconds": f"ERT in {counted_in(frame, 'seconds')}",
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
        return _rank_lines(cells)
    with style.applied():
        looks = style.looks_in(frame)
        columns = 2 if len(cells) > 1 and max(map(len, looks)) <= SHORT_NAME else 1
        lines = -(-len(cells) // columns)
        height = DIAGRAM_LINE_IN * (len(looks) + LINES_AROUND)
        height = min(height * lines, style.HEIGHT_IN)
        figure = Figure(figsize=(style.WIDTH_IN, height), layout="constrained")
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


AROUND_IN = 0.9
LETTERS_PER_IN = 19.0
"""Letters of a title per inch; a title that is wider than its panel is broken into lines."""
CD_GREY = "#E4E4E4"


def _rank_lines(cells: Sequence[tuple[str, str, pd.DataFrame]]) -> Figure:
    """Draw average ranks as dots, with the algorithms ordered by their mean over all panels.

    The grey area covers ranks that differ from the best by no more than the critical difference.
    Algorithms in this area are in colour.

    - `cells`: For each panel, the space, the criterion and the rows. Rows have the columns
      ``algorithm``, ``average_rank`` and ``critical_difference``. An average rank may be NaN.
    """
    everything = pd.concat([rows for *_, rows in cells])
    mean = everything["average_rank"].groupby(everything["algorithm"].astype(str)).mean()
    order = {str(name): k for k, name in enumerate(mean.sort_values(kind="stable").index)}
    with style.applied():
        line_in = min(LINE_IN, (style.HEIGHT_IN - AROUND_IN) / len(order))
        height = AROUND_IN + line_in * len(order)
        figure = Figure(figsize=(style.WIDTH_IN, height), layout="constrained")
        axes = figure.subplots(1, len(cells), sharey=True, squeeze=False)[0]
        room = (style.WIDTH_IN - 1.0) / len(cells)
        for ax, (space, title, rows) in zip(axes, cells, strict=True):
            letters = max(int(LETTERS_PER_IN * room), 8)
            text = fill(f"{space}, {title}", letters, break_long_words=False)
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
        panels.label(
            figure,
            "average rank (1 is best); grey area: differs from the best by no more than the "
            "critical difference",
        )
    return figure


PANEL_IN = 1.2
RANK_IN = 0.09
MOST_IN = 3.6
"""Maximal height of a panel."""
APART = 0.05
RIGHT = 0.16
"""Room at the right of the last position."""
TITLE_IN = 0.5
"""Part of a panel's height for its title and the labels of its positions."""
TICK_IN = 0.11
"""Height that a tick label needs."""
STEPS = (1, 2, 5, 10, 20, 50, 100)
"""Possible numbers of ranks between two ticks."""

LABEL = "average rank (1 is best)"


def slopes(frame: pd.DataFrame) -> Figure:
    """Draw one line per algorithm, in one row of panels per dimension and one column per ``panel``.

    Lines are shifted a little against each other, so that equal ranks stay visible.

    - `frame`: With the columns ``suite``, ``dimension``, ``panel``, ``position``, ``algorithm`` and
      ``average_rank``; panels and positions are text, in the order of their first row.
    """
    panels.require_rows(frame)
    several = frame["suite"].nunique() > 1
    groups = list(frame.groupby(["suite", "dimension"], sort=True))
    columns = list(dict.fromkeys(frame["panel"]))
    with style.applied():
        within = ["suite", "dimension", "panel", "position"]
        looks = panels.looks(frame, value="average_rank", within=within, anywhere=True)
        room = (style.HEIGHT_IN - panels.MARGIN_IN) / len(groups)
        height = min(PANEL_IN + RANK_IN * len(looks), MOST_IN, room)
        figure = Figure(
            figsize=(
                style.COLUMN_IN if len(columns) == 1 else style.WIDTH_IN,
                panels.MARGIN_IN + height * len(groups),
            ),
            layout="constrained",
        )
        axes = figure.subplots(len(groups), len(columns), sharey=True, squeeze=False)
        for line, ((suite, dimension), part) in zip(axes, groups, strict=True):
            for ax, panel in zip(line, columns, strict=True):
                head = f"{suite} " if several else ""
                ax.set_title(f"{head}D = {dimension}, {panel}")
                _slopes(ax, part[part["panel"] == panel], looks)
        ranks = range(1, len(looks) + 1)
        axes[0, 0].set_ylim(len(looks) + 0.4, 0.6)
        apart = _apart(len(looks), height)
        axes[0, 0].set_yticks([1, *range(apart, len(looks) + 1, apart)] if apart > 1 else ranks)
        panels.label(figure, y=LABEL)
        if panels.nameable(figure, looks, height - TITLE_IN):
            for ax, (_, part) in zip(axes[:, -1], groups, strict=True):
                last = part[part["panel"] == columns[-1]].drop_duplicates("algorithm", keep="last")
                y = last.dropna(subset="average_rank").set_index("algorithm")["average_rank"]
                ends = {str(name): (ax.get_xlim()[1] - RIGHT, rank) for name, rank in y.items()}
                panels.name_ends(ax, looks, ends, height - TITLE_IN)
        else:
            panels.legend(figure, looks)
    return figure


def _apart(ranks: int, height_in: float) -> int:
    """Number of ranks between two ticks at which their labels do not touch."""
    least = TICK_IN * ranks / max(height_in - TITLE_IN, TICK_IN)
    return next((step for step in STEPS if step >= least), ranks)


def _slopes(ax: Axes, rows: pd.DataFrame, looks: dict[str, Look]) -> None:
    positions = list(dict.fromkeys(rows["position"]))
    width, others = APART * len(positions), []
    leading = [name for name, look in looks.items() if look.leads]
    for name, part in panels.by_algorithm(rows):
        x = np.array([positions.index(position) for position in part["position"]])
        if not looks[name].leads:
            others.append(np.array([x, part["average_rank"]]))
            continue
        shift = width * ((leading.index(name) + 0.5) / len(leading) - 0.5)
        ax.plot(x + shift, part["average_rank"], **looks[name].line)
    panels.in_background(ax, others)
    ax.set_xticks(range(len(positions)), positions)
    ax.set_xlim(-0.3, len(positions) - 1 + RIGHT)
    ax.grid(visible=False, axis="x")
