"""Restarts within the budget and speed, from the table `restarts`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from timefair.charts.pages import WHOLE, Page
from timefair.charts.paper import algorithm_lines, panels, scales, style
from timefair.charts.paper.placement import Placement

GAP_IN = 0.1
MARKER_IN = 0.05
MEASURES = (
    ("completed_restarts_mean", "completed restarts per run"),
    ("evaluations_per_s", "evaluations per second"),
    ("cpu_per_wall", "CPU time / wall clock"),
)


def draw(frame: pd.DataFrame, page: Page) -> Figure:
    """Draw completed restarts per run, evaluations per second and CPU share per function.

    If the figure has several pages, each page has one line per algorithm instead of one per
    function.

    Parameters
    ----------
    frame : DataFrame
        The table `restarts`.

    Raises
    ------
    ValueError
        If the table has no rows.
    """
    panels.require_rows(frame)
    scales_of = _scales(frame)
    if page != WHOLE:
        return algorithm_lines.draw(
            page.rows(frame),
            [algorithm_lines.Measure(*measure, scales_of[measure[0]]) for measure in MEASURES],
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
            layout=Placement(),
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
    """For each measure, the function that sets the scale of its axis."""
    restarts = float(frame["completed_restarts_mean"].fillna(0.0).max())
    speed = scales.limits(frame["evaluations_per_s"], margin=0.08)
    load = max(1.1, 1.1 * float(frame["cpu_per_wall"].max(skipna=True)))
    return {
        "completed_restarts_mean": lambda ax: _counts(ax, restarts),
        "evaluations_per_s": lambda ax: scales.set_log(ax, "x", speed),
        "cpu_per_wall": lambda ax: ax.set(xlim=(0, load)),
    }


def _counts(ax: Axes, largest: float) -> None:
    """Set an axis of counts: linear from 0 to 1, and logarithmic above."""
    ax.set_xscale("symlog", linthresh=1.0)
    top = max(largest, 1.0) * 1.5
    ax.set_xlim(-0.15, top)
    ax.xaxis.set_major_locator(FixedLocator([0, *(10.0**k for k in range(int(np.log10(top)) + 1))]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
