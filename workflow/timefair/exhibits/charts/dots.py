"""Marks of algorithms on lines: values with intervals, quantiles, and measures of restarts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from timefair.exhibits.charts import maps, panels, style
from timefair.exhibits.charts.curves import SOLVED
from timefair.exhibits.charts.pages import LEAST_RUNS, WHOLE, Page

LINE_IN = 0.15
AROUND_IN = 0.9
POINTS_PER_LINE = 0.88
"""Size of text as a share of the height of its line."""


@dataclass(frozen=True)
class Measure:
    """A column with its axis.

    - `column`: Column of the table; values that are not finite have no dot.
    - `label`: Label of the axis.
    - `scale`: Sets scale and limits of the axis.
    """

    column: str
    label: str
    scale: Callable[[Axes], None]


def algorithm_lines(frame: pd.DataFrame, measures: Sequence[Measure]) -> Figure:
    """One panel per measure, one line per algorithm in alphabetical order, the median as a bar.

    - `frame`: With the column ``algorithm`` and those of the measures; one row per cell.
    """
    panels.require_rows(frame)
    lines = {name: k for k, name in enumerate(sorted(set(frame["algorithm"].astype(str))))}
    level = frame["algorithm"].astype(str).map(lines).to_numpy()
    with style.applied():
        line_in = min(LINE_IN, (style.HEIGHT_IN - AROUND_IN) / len(lines))
        height = AROUND_IN + line_in * len(lines)
        figure = Figure(figsize=(style.WIDTH_IN, height), layout="constrained")
        axes = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
        for ax, measure in zip(axes, measures, strict=True):
            values = frame[measure.column].to_numpy(dtype=np.float64)
            measure.scale(ax)
            ax.plot(values, level, "o", color=style.OTHER.color, markersize=2.0)
            middle = pd.Series(values).groupby(level).median()
            ax.plot(middle, middle.index, "|", color=style.COLOURS[0], markersize=5.0)
            ax.set_xlabel(measure.label)
            ax.grid(visible=False, axis="y")
        size = min(6.5, POINTS_PER_LINE * 72 * line_in)
        axes[0].set_yticks(list(lines.values()), list(lines), fontsize=size)
        axes[0].set_ylim(len(lines) - 0.4, -0.6)
        for ax in axes:
            ax.tick_params(axis="y", length=0)
        spaces = frame[["suite", "dimension"]].drop_duplicates()
        of = f", D = {spaces['dimension'].iloc[0]}" if len(spaces) == 1 else ""
        panels.label(figure, f"dot: a function{of or ' and dimension'}; bar: their median")
    return figure


TITLE_AND_AXIS_IN = 0.4
DOT_LINE_IN = 0.13


def overhead(frame: pd.DataFrame, page: Page) -> Figure:
    """Draw the time per evaluation of each algorithm with its quartiles, the first one on top.

    Zero is drawn at the left end of the axis, which the label states. An algorithm without a
    finite value has no dot. An overview has one line per algorithm, with a dot for each function.
    """
    label = "overhead per evaluation in seconds of wall clock"
    looks = panels.looks(frame, value="overhead_s", within=["suite", "dimension", "function"])
    shown = page.rows(frame)
    if page.overview:
        return _lines(shown, "overhead_s", label)
    numbers = ["overhead_s", "overhead_s_low", "overhead_s_high"]
    with style.applied():
        figure, grid = panels.grid(shown, height_in=TITLE_AND_AXIS_IN + DOT_LINE_IN * len(looks))
        bounds = panels.limits(shown["overhead_s"], margin=0.06)
        floor = bounds[0] if (shown[numbers] <= 0).any(axis=None) else None
        panels.set_log(grid[0].axes, "x", bounds, ticks=5)
        for panel in grid:
            for name, part in panels.by_algorithm(panel.rows):
                look, level = looks[name], list(looks).index(name)
                x, *limits = (panels.raised(part[column], floor) for column in numbers)
                low, high = (np.clip(limit, *bounds) for limit in limits)
                panel.axes.hlines(np.full(x.shape, level), low, high, color=look.color)
                known = x[np.isfinite(x)]
                panel.axes.plot(
                    known, np.full(known.shape, level), **{**look.line, "linestyle": ""},
                    clip_on=False,
                )  # fmt: skip
        at_left = "; 0 drawn at the left end" if floor else ""
        panels.label(figure, f"{label}{at_left}")
        panels.rows(figure, grid, looks, lines=False)
    return figure


def _lines(frame: pd.DataFrame, x: str, label: str) -> Figure:
    floor = panels.zero_floor(frame[x])
    values = panels.raised(frame[x], floor)
    bounds = panels.limits(values, margin=0.06)
    measure = Measure(x, panels.with_zero(label, floor), lambda ax: panels.set_log(ax, "x", bounds))
    return algorithm_lines(frame.assign(**{x: values}), [measure])


QUANTILE_LINE_IN = 0.15
INTERVAL_WIDTH = 6.0
LIMITS = ("precision_low", "precision_high")


def quantiles(frame: pd.DataFrame, page: Page) -> Figure:
    """Draw a line from the lowest to the highest quantile per algorithm, one panel per function.

    An overview is a heat map of the quantile nearest to the median.

    The quantile nearest to the median has the algorithm's marker and a pale bar for its interval;
    the others have a tick. An arrow at the right edge marks an infinite quantile.
    """
    probabilities = sorted(frame["quantile"].unique())
    middle = min(probabilities, key=lambda p: abs(p - 0.5), default=0.5)
    medians = frame[frame["quantile"] == middle]
    if page.overview:
        floored = medians.assign(precision=medians["precision"].clip(lower=SOLVED))
        what = f"{_name(middle)} of the precision at the end, times the best on the function"
        return maps.times_the_best(
            floored, "precision", label=what, never="no finite value", levels=maps.PRECISIONS
        )
    looks = panels.looks(medians, value="precision", within=["suite", "dimension", "function"])
    enough = frame["runs"] >= LEAST_RUNS
    frame = page.rows(frame.assign(**{limit: frame[limit].where(enough) for limit in LIMITS}))
    with style.applied():
        thin = max(0.5, 4.5 - len(looks) / 25)
        height = TITLE_AND_AXIS_IN + QUANTILE_LINE_IN * len(looks)
        figure, grid = panels.grid(frame, height_in=height)
        floor = panels.zero_floor(frame["precision"])
        bounds = panels.limits(panels.raised(frame["precision"], floor), margin=0.06)
        panels.set_log(grid[0].axes, "x", bounds, ticks=5)
        for panel in grid:
            ax = panel.axes
            columns = ["quantile", "precision", *LIMITS]
            for name, numbers in panels.numbers_by_algorithm(panel.rows, columns):
                look, level = looks[name], list(looks).index(name)
                p, x, low, high = numbers.T
                x, is_middle = panels.raised(x, floor), p == middle
                interval = np.concatenate([low[is_middle], high[is_middle]])
                if np.isnan(interval).any():
                    interval = interval[:0]
                panels.curve(
                    ax,
                    np.clip(panels.raised(interval, floor), *bounds),
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
        panels.label(figure, panels.with_zero(label, floor))
        panels.rows(figure, grid, looks, lines=True)
    return figure


def _name(p: float) -> str:
    """The name of a quantile such as ``Q.10``: two digits, or more if needed."""
    digits = f"{p:.2f}" if round(p, 2) == p else f"{p:g}"
    return "Q" + digits.removeprefix("0")


GAP_IN = 0.1
MARKER_IN = 0.05
MEASURES = (
    ("completed_restarts_mean", "completed restarts per run"),
    ("evaluations_per_s", "evaluations per second"),
    ("cpu_per_wall", "CPU time / wall clock"),
)


def restarts(frame: pd.DataFrame, page: Page) -> Figure:
    """Draw completed restarts per run, evaluations per second and CPU share per function.

    If the figure has several pages, each has one line per algorithm instead of per function.
    """
    panels.require_rows(frame)
    scales_of = _scales(frame)
    if page != WHOLE:
        return algorithm_lines(
            page.rows(frame), [Measure(*measure, scales_of[measure[0]]) for measure in MEASURES]
        )
    several = frame["suite"].nunique() > 1
    groups = list(frame.groupby(["suite", "dimension"], sort=True))
    lines = [part["function"].nunique() for _, part in groups]
    with style.applied():
        looks = style.looks_in(frame)
        line_in = GAP_IN + MARKER_IN * len(looks)
        figure = Figure(
            figsize=(
                style.WIDTH_IN,
                min(0.75 + sum(line_in * n + 0.4 for n in lines), style.HEIGHT_IN),
            ),
            layout="constrained",
        )
        axes = figure.subplots(
            len(groups), len(MEASURES), sharex="col", squeeze=False, height_ratios=lines
        )
        for ax, (measure, _) in zip(axes[0], MEASURES, strict=True):
            scales_of[measure](ax)
        for row, ((suite, dimension), part) in enumerate(groups):
            functions = sorted(part["function"].unique())
            for column, (measure, label) in enumerate(MEASURES):
                ax = axes[row, column]
                for name, rows in panels.by_algorithm(part):
                    look, k = looks[name], list(looks).index(name)
                    shift = 0.8 * ((k + 0.5) / len(looks) - 0.5)
                    level = np.array([functions.index(f) for f in rows["function"]]) + shift
                    ax.plot(rows[measure], level, **{**look.line, "linestyle": ""})
                ax.set_ylim(len(functions) - 0.5, -0.5)
                ax.set_yticks(range(len(functions)))
                called = [panels.called(frame, suite, f) for f in functions] if column == 0 else []
                ax.set_yticklabels(called)
                if row + 1 == len(groups):
                    ax.set_xlabel(label)
                if column == 0:
                    head = f"{suite} " if several else ""
                    ax.set_title(f"{head}D = {dimension}", loc="left")
        figure.align_xlabels()
        panels.legend(figure, looks, lines=False)
    return figure


def _scales(frame: pd.DataFrame) -> dict[str, Callable[[Axes], None]]:
    restarts = float(frame["completed_restarts_mean"].fillna(0.0).max())
    speed = panels.limits(frame["evaluations_per_s"], margin=0.08)
    load = max(1.1, 1.1 * float(frame["cpu_per_wall"].max(skipna=True)))
    return {
        "completed_restarts_mean": lambda ax: _counts(ax, restarts),
        "evaluations_per_s": lambda ax: panels.set_log(ax, "x", speed),
        "cpu_per_wall": lambda ax: ax.set(xlim=(0, load)),
    }


def _counts(ax: Axes, largest: float) -> None:
    ax.set_xscale("symlog", linthresh=1.0)
    top = max(largest, 1.0) * 1.5
    ax.set_xlim(-0.15, top)
    ax.xaxis.set_major_locator(FixedLocator([0, *(10.0**k for k in range(int(np.log10(top)) + 1))]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
