"""Marks of algorithms on lines: values with intervals, quantiles, restarts and average ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from textwrap import fill
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from numpy.typing import NDArray

from timefair.exhibits.charts import maps, panels, style
from timefair.exhibits.charts.chart import counted_in
from timefair.exhibits.charts.pages import LEAST_RUNS, MANY, WHOLE, Page
from timefair.exhibits.charts.panels import NothingToDraw
from timefair.exhibits.charts.style import Look
from timefair.records.rundata.problems import quantile_name

AROUND_IN = 0.9

Measure: TypeAlias = tuple[str, str, Callable[[Axes], object]]
"""A column, the label of its axis and what sets its scale; only finite values have a dot."""


def _lines_of(names: Sequence[str], panels_beside: int) -> tuple[Figure, Sequence[Axes]]:
    """Panels with a line for each name, the first on top."""
    line_in, size = panels.line_of(len(names), AROUND_IN)
    height = AROUND_IN + line_in * len(names)
    figure, (axes,) = panels.figure_of(height, 1, panels_beside, sharey=True)
    axes[0].set_yticks(range(len(names)), names, fontsize=size)
    axes[0].set_ylim(len(names) - 0.4, -0.6)
    for ax in axes:
        ax.tick_params(axis="y", length=0)
    return figure, axes


def algorithm_lines(frame: pd.DataFrame, measures: Sequence[Measure]) -> Figure:
    """One panel per measure, one line per algorithm in alphabetical order, with a dot for each row
    of the frame and a bar at their median."""
    panels.require_rows(frame)
    names = sorted(set(frame["algorithm"].astype(str)))
    level = frame["algorithm"].astype(str).map(names.index).to_numpy()
    figure, axes = _lines_of(names, len(measures))
    for ax, (column, label, scale) in zip(axes, measures, strict=True):
        values = frame[column].to_numpy(dtype=np.float64)
        scale(ax)
        ax.plot(values, level, "o", color=style.OTHER.color, markersize=2.0)
        middle = pd.Series(values).groupby(level).median()
        ax.plot(middle, middle.index, "|", color=style.COLOURS[0], markersize=5.0)
        ax.set_xlabel(label)
        ax.grid(visible=False, axis="y")
    spaces = frame[["suite", "dimension"]].drop_duplicates()
    of = f", D = {spaces['dimension'].iloc[0]}" if len(spaces) == 1 else ""
    panels.label(figure, f"dot: a function{of or ' and dimension'}; bar: their median")
    return figure


TITLE_AND_AXIS_IN = 0.4
DOT_LINE_IN = 0.13


def overhead(frame: pd.DataFrame, page: Page) -> Figure:
    """Draw the time per evaluation with its quartiles."""
    looks = panels.looks(frame, value="overhead_s", within=["suite", "dimension", "function"])
    numbers = ["overhead_s", "overhead_s_low", "overhead_s_high"]
    shown, floor = panels.floored(page.rows(frame), *numbers)
    bounds = panels.limits(shown["overhead_s"], margin=0.06)
    label = panels.with_zero("overhead per evaluation in seconds of wall clock", floor)
    if page.overview:
        measure = ("overhead_s", label, partial(panels.set_log, axis="x", bounds=bounds))
        return algorithm_lines(shown, [measure])
    figure, grid = panels.grid(shown, height_in=TITLE_AND_AXIS_IN + DOT_LINE_IN * len(looks))
    panels.set_log(grid[0].axes, "x", bounds, ticks=5)
    for panel in grid:
        for name, values in panels.numbers_by_algorithm(panel.rows, numbers):
            look, level = looks[name], [list(looks).index(name)] * len(values)
            low, high = np.clip(values[:, 1:], *bounds).T
            panel.axes.hlines(level, low, high, color=look.color)
            dots = {**look.line, "linestyle": "", "clip_on": False}
            panel.axes.plot(
                np.where(np.isfinite(values[:, 0]), values[:, 0], np.nan), level, **dots
            )
    panels.label(figure, label)
    panels.rows(figure, grid, looks, lines=False)
    return figure


QUANTILE_LINE_IN = 0.15
INTERVAL_WIDTH = 6.0
LIMITS = ("precision_low", "precision_high")


def quantiles(frame: pd.DataFrame, page: Page) -> Figure:
    """Draw a line from the lowest to the highest quantile per algorithm; the one nearest to the
    median has a marker, and an infinite one an arrow."""
    probabilities = sorted(frame["quantile"].unique())
    middle = min(probabilities, key=lambda p: abs(p - 0.5), default=0.5)
    medians = frame[frame["quantile"] == middle]
    if page.overview:
        called = quantile_name(middle)
        what = f"{called} of the precision at the end, times the best on the function"
        return maps.of_precisions(medians, what)
    looks = panels.looks(medians, value="precision", within=["suite", "dimension", "function"])
    enough = frame["runs"] >= LEAST_RUNS
    frame = page.rows(frame.assign(**{limit: frame[limit].where(enough) for limit in LIMITS}))
    frame, floor = panels.floored(frame, "precision", *LIMITS)
    height = TITLE_AND_AXIS_IN + QUANTILE_LINE_IN * len(looks)
    figure, grid = panels.grid(frame, height_in=height)
    bounds = panels.limits(frame["precision"], margin=0.06)
    panels.set_log(grid[0].axes, "x", bounds, ticks=5)
    thin = max(0.5, 4.5 - len(looks) / 25)
    edge = {"marker": ">", "linestyle": "", "clip_on": False}
    for panel in grid:
        columns = ["quantile", "precision", *LIMITS]
        for name, numbers in panels.numbers_by_algorithm(panel.rows, columns):
            look, level = looks[name], list(looks).index(name)
            p, x, low, high = numbers.T
            draw = partial(_at_level, panel.axes, level, color=look.color)
            interval = np.clip([*low[p == middle], *high[p == middle]], *bounds)
            wide = {"linewidth": INTERVAL_WIDTH, "solid_capstyle": "butt"}
            draw(interval, alpha=2 * style.BAND_ALPHA, **wide)
            right = np.minimum(x, bounds[1])
            ends = np.array([right.min(), right.max()])
            draw(ends, linestyle=look.linestyle, linewidth=1.2 if look.leads else 0.5)
            known = np.isfinite(x)
            for chosen, marker, size in ((p != middle, "|", 6.0), (p == middle, look.marker, 4.5)):
                small = size if look.leads else min(size, thin)
                draw(x[chosen & known], marker=marker, linestyle="", markersize=small)
            if not known.all():
                draw(np.array([1.0]), transform=panel.axes.get_yaxis_transform(), **edge)
    named = (quantile_name(p) + " (marker)" * bool(p == middle) for p in probabilities)
    label = f"best precision at the end of the run: {', '.join(named)}"
    panels.label(figure, panels.with_zero(label, floor))
    panels.rows(figure, grid, looks, lines=True)
    return figure


def _at_level(ax: Axes, level: float, x: NDArray[np.float64], **look: Any) -> None:
    panels.curve(ax, x, np.full(x.size, level), **look)


GAP_IN = 0.1
MARKER_IN = 0.05


def restarts(frame: pd.DataFrame, page: Page) -> Figure:
    """Draw restarts, speed and CPU share per function; of several pages, per algorithm."""
    panels.require_rows(frame)
    measures = _measures(frame)
    if page != WHOLE or frame["algorithm"].nunique() >= MANY:
        return algorithm_lines(page.rows(frame), measures)
    groups = panels.spaces(frame)
    lines = [part["function"].nunique() for *_, part in groups]
    looks = style.looks_in(frame)
    line_in = GAP_IN + MARKER_IN * len(looks)
    height = min(0.75 + sum(line_in * n + 0.4 for n in lines), style.HEIGHT_IN)
    shared: dict[str, Any] = {"sharex": "col", "height_ratios": lines}
    figure, axes = panels.figure_of(height, len(groups), len(measures), **shared)
    for ax, (*_, scale) in zip(axes[0], measures, strict=True):
        scale(ax)
    for line, (suite, title, part) in zip(axes, groups, strict=True):
        functions = sorted(part["function"].unique())
        called = [panels.called(frame, suite, function) for function in functions]
        for ax, (measure, *_) in zip(line, measures, strict=True):
            for name, rows in panels.by_algorithm(part):
                look, k = looks[name], list(looks).index(name)
                shift = 0.8 * ((k + 0.5) / len(looks) - 0.5)
                level = np.array([functions.index(f) for f in rows["function"]]) + shift
                ax.plot(rows[measure], level, **{**look.line, "linestyle": ""})
            ax.set_ylim(len(functions) - 0.5, -0.5)
            ax.set_yticks(range(len(functions)), called if ax is line[0] else [])
        line[0].set_title(title, loc="left")
    for ax, (_, label, _) in zip(axes[-1], measures, strict=True):
        ax.set_xlabel(label)
    figure.align_xlabels()
    panels.legend(figure, looks, lines=False)
    return figure


def _measures(frame: pd.DataFrame) -> list[Measure]:
    top = max(float(frame["completed_restarts_mean"].fillna(0.0).max()), 1.0) * 1.5
    load = max(1.1, 1.1 * float(frame["cpu_per_wall"].max(skipna=True)))
    speed = panels.limits(frame["evaluations_per_s"], margin=0.08)

    def counts(ax: Axes) -> None:
        ax.set_xscale("symlog", linthresh=1.0)
        ax.set_xlim(-0.15, top)
        ticks = [0, *(10**k for k in range(int(np.log10(top)) + 1))]
        ax.set_xticks(ticks, map(str, ticks))
        ax.xaxis.set_minor_locator(NullLocator())

    set_speed = partial(panels.set_log, axis="x", bounds=speed)
    return [
        ("completed_restarts_mean", "completed restarts per run", counts),
        ("evaluations_per_s", "evaluations per second", set_speed),
        ("cpu_per_wall", "CPU time / wall clock", lambda ax: ax.set(xlim=(0, load))),
    ]


SHORT_NAME = 20  # number of characters up to which two diagrams are placed side by side

DIAGRAM_LINE_IN = 0.13
LINES_AROUND = 5.5
RULER = 1.9
TOP = 2.6
GAP = 0.017  # distance between a line and its label, as a share of the axis


def critical_difference(frame: pd.DataFrame) -> Figure:
    """Average ranks on an axis, and bars under algorithms that do not differ significantly: all of
    them if no critical difference is defined. With many algorithms, each has a line."""
    titles = {
        ("precision", "Q.50"): "median precision at the end",
        ("seconds", "ERT"): f"ERT in {counted_in(frame, 'seconds')}",
    }
    frame = frame[frame["measure"] != "evaluations"]
    cells = [
        (space, title, rows)
        for _, space, part in panels.spaces(frame)
        for (measure, criterion), title in titles.items()
        for rows in [part[(part["measure"] == measure) & (part["criterion"] == criterion)]]
        if not rows.empty
    ]
    if not cells:
        raise NothingToDraw(panels.NO_ROWS)
    if frame["algorithm"].nunique() >= MANY:
        return _rank_lines(cells)
    looks = style.looks_in(frame)
    columns = 2 if len(cells) > 1 and max(map(len, looks)) <= SHORT_NAME else 1
    lines = -(-len(cells) // columns)
    height = DIAGRAM_LINE_IN * (len(looks) + LINES_AROUND)
    height = min(height * lines, style.HEIGHT_IN)
    figure, grid = panels.figure_of(height, lines, columns)
    axes = grid.ravel()
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


LETTERS_PER_IN = 16.0  # letters of a title per inch; wider ones are broken into lines
CD_GREY = "#E4E4E4"


def _rank_lines(cells: Sequence[tuple[str, str, pd.DataFrame]]) -> Figure:
    """Draw average ranks as dots, in the order of their means over all panels, of which `cells` are
    the space, the criterion and the rows."""
    everything = pd.concat([rows for *_, rows in cells])
    mean = everything["average_rank"].groupby(everything["algorithm"].astype(str)).mean()
    order = {str(name): k for k, name in enumerate(mean.sort_values(kind="stable").index)}
    figure, axes = _lines_of(list(order), len(cells))
    room = (style.WIDTH_IN - 1.0) / len(cells)
    for ax, (space, title, rows) in zip(axes, cells, strict=True):
        letters = max(int(LETTERS_PER_IN * room), 8)
        ax.set_title(fill(f"{space}, {title}", letters, break_long_words=False))
        rank = rows["average_rank"].to_numpy(dtype=np.float64)
        level = rows["algorithm"].astype(str).map(order).to_numpy()
        difference = float(rows["critical_difference"].iloc[0])
        best = np.nanmin(rank, initial=np.inf)
        if np.isfinite(best + difference):
            ax.axvspan(best, best + difference, color=CD_GREY, linewidth=0, zorder=0)
        ax.plot(rank, level, "o", color=style.COLOURS[0], markersize=3.4)
        ax.set_xlim(0, len(order) + 1)
    panels.label(
        figure,
        "average rank (1 is best); grey area: differs from the best by no more than the "
        "critical difference",
    )
    return figure


PANEL_IN = 1.2
RANK_IN = 0.09
MOST_IN = 3.6  # maximal height of a panel
APART = 0.05
RIGHT = 0.16  # room at the right of the last position
TITLE_IN = 0.5  # part of a panel's height for its title and the labels of its positions
TICK_IN = 0.11  # height that a tick label needs


def slopes(frame: pd.DataFrame) -> Figure:
    """Draw one line per algorithm, shifted a little, in one row of panels per dimension and one
    column per ``panel``. Panels and positions are text, in the order of their first row."""
    panels.require_rows(frame)
    groups = panels.spaces(frame)
    columns = list(dict.fromkeys(frame["panel"]))
    within = ["suite", "dimension", "panel", "position"]
    looks = panels.looks(frame, value="average_rank", within=within, anywhere=True)
    room = (style.HEIGHT_IN - panels.MARGIN_IN) / len(groups)
    height = min(PANEL_IN + RANK_IN * len(looks), MOST_IN, room)
    width = style.COLUMN_IN if len(columns) == 1 else style.WIDTH_IN
    whole = panels.MARGIN_IN + height * len(groups)
    figure, axes = panels.figure_of(whole, len(groups), len(columns), width, sharey=True)
    for line, (_, space, part) in zip(axes, groups, strict=True):
        for ax, panel in zip(line, columns, strict=True):
            ax.set_title(f"{space}, {panel}")
            _slopes(ax, part[part["panel"] == panel], looks)
    axes[0, 0].set_ylim(len(looks) + 0.4, 0.6)
    apart = -(-TICK_IN * len(looks) // max(height - TITLE_IN, TICK_IN))  # so that no labels touch
    axes[0, 0].set_yticks(range(1, len(looks) + 1, int(apart)))
    panels.label(figure, y="average rank (1 is best)")
    if panels.nameable(figure, looks, height - TITLE_IN):
        for ax, (*_, part) in zip(axes[:, -1], groups, strict=True):
            last = part[part["panel"] == columns[-1]].drop_duplicates("algorithm", keep="last")
            y = last.dropna(subset="average_rank").set_index("algorithm")["average_rank"]
            ends = {str(name): (ax.get_xlim()[1] - RIGHT, rank) for name, rank in y.items()}
            panels.name_ends(ax, looks, ends, height - TITLE_IN)
    else:
        panels.legend(figure, looks)
    return figure


def _slopes(ax: Axes, rows: pd.DataFrame, looks: dict[str, Look]) -> None:
    positions = list(dict.fromkeys(rows["position"]))
    leading = [name for name, look in looks.items() if look.leads]
    panel = panels.Panel(ax, rows.assign(place=rows["position"].map(positions.index)), "")
    for name, numbers in panels.leading(panel, ["place", "average_rank"], looks):
        shift = APART * len(positions) * ((leading.index(name) + 0.5) / len(leading) - 0.5)
        ax.plot(numbers[:, 0] + shift, numbers[:, 1], **looks[name].line)
    ax.set_xticks(range(len(positions)), positions)
    ax.set_xlim(-0.3, len(positions) - 1 + RIGHT)
    ax.grid(visible=False, axis="x")
