"""All runs of each algorithm on each function, as box plots."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.cbook import boxplot_stats
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure as Drawing

from timefair.exhibits import questions
from timefair.exhibits.charts import maps, panels, style
from timefair.exhibits.charts.chart import LEADERS, Picture
from timefair.exhibits.charts.pages import Page
from timefair.exhibits.exhibit import Figure, exhibit
from timefair.records.rundata.problems import precision_at_the_end
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

PROBLEM = ["suite", "dimension", "function"]
FILL = 0.35  # opacity of a box; its median is opaque, and visible if all runs of the box are equal


@exhibit(
    question=questions.QUALITY,
    figures=Figure(
        "boxplots",
        "Box plots of the precision at the end",
        "Best precision at the end of all runs, with the runs of all instances pooled: median, "
        "quartiles, whiskers to the last run within 1.5 times the width of the box on the "
        "logarithmic axis, and the runs beyond as dots, in the order of the legend. Lower is "
        "better. Runs without a finite value are at the upper edge. Each panel has its own "
        "scale.",
        Picture(
            f"{__name__}:boxes",
            "functions",
            on_paper="An overview is a map of all functions: the median of each algorithm as a "
            f"multiple of the least median. {LEADERS}",
        ),
    ),
)
def boxplots(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Precision at the end of every run

    The best precision of every run at its end, which the box plots show. A run that reached the
    final target has 0.

    INSTANCE_CELL
    run: number of the run
    precision [precision]: best precision of the run; 0 if it reached the final target, `inf`
        without a finite value
    """
    rows = runs.frame.assign(precision=precision_at_the_end(runs))
    return rows.sort_values([*PROBLEM, "instance", "algorithm", "run"], ignore_index=True)


def boxes(frame: pd.DataFrame, page: Page) -> Drawing:
    panels.require_rows(frame)
    names = [*PROBLEM, "algorithm"]
    medians = frame.groupby(names, observed=True)["precision"].median().reset_index()
    medians.attrs = frame.attrs
    if page.overview:
        what = "median precision at the end, times the best on the function"
        return maps.of_precisions(medians, what)
    looks = panels.looks(medians, value="precision", within=PROBLEM)
    shown, floor = panels.floored(page.rows(frame), "precision")
    figure, grid = panels.grid(shown, share_y=False)
    for panel in grid:
        bounds = panels.limits(panel.rows["precision"], margin=0.06)
        panels.set_log(panel.axes, "y", bounds)
        _boxes(panel, bounds, looks)
        panel.axes.tick_params(axis="x", length=0, labelbottom=False)
        panel.axes.grid(visible=False, axis="x")
    grid[0].axes.set_xlim(-0.7, len(looks) - 0.3)
    panels.label(figure, y=panels.with_zero("best precision at the end of the run", floor))
    panels.legend(figure, looks, lines=False)
    return figure


def _boxes(panel: panels.Panel, bounds: tuple[float, float], looks: dict[str, style.Look]) -> None:
    """Of the logarithms; those of matplotlib itself take minutes for thousands of boxes."""
    samples = dict(panels.by_algorithm(panel.rows))
    logs = [np.log10(part["precision"].clip(*bounds).to_numpy()) for part in samples.values()]
    found, ax = boxplot_stats(logs), panel.axes
    place = np.array([list(looks).index(name) for name in samples], dtype=float)
    colours = [looks[name].color for name in samples]
    low, high, q1, q3, median = (
        10.0 ** np.array([of[key] for of in found])
        for key in ("whislo", "whishi", "q1", "q3", "med")
    )
    ax.vlines(place, low, high, colors=colours, linewidth=0.6)
    fill = [to_rgba(colour, FILL) for colour in colours]
    ax.bar(place, q3 - q1, 0.7, q1, color=fill, edgecolor=colours, linewidth=0.6)
    ax.hlines(median, place - 0.35, place + 0.35, colors=colours, linewidth=1.4, clip_on=False)
    beyond = [len(of["fliers"]) for of in found]
    heights = 10.0 ** np.concatenate([of["fliers"] for of in found])
    ax.scatter(np.repeat(place, beyond), heights, c=np.repeat(colours, beyond), s=1.5, linewidths=0)
