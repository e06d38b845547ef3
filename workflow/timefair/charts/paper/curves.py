"""Curves on a logarithmic axis, one panel per function or dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from timefair.charts.paper import (
    groups,
    heat_map,
    panels,
    step_curves,
    style,
    target_lines,
    trajectories,
)

if TYPE_CHECKING:
    from timefair.charts.chart import Curves
    from timefair.charts.pages import Page

PROBLEM = ["suite", "dimension", "function"]


def draw(frame: pd.DataFrame, chart: Curves, page: Page) -> Figure:
    """Draw the curves of a page.

    Parameters
    ----------
    frame : DataFrame
        The table, with the rows of all pages.

    Raises
    ------
    ValueError
        If the table has no rows that the page shows.
    """
    every = chart.shown(frame)
    labels = chart.labels(frame)
    if page.overview and chart.scale == "log":
        return _map(every, chart, labels[1])
    shares = chart.scale == "share"
    if "observed" not in every:
        every = every.assign(observed=1.0)
    looks = _looks(every, chart)
    shown = page.rows(every)
    bands = {"low": _limits(shown, chart, chart.low), "high": _limits(shown, chart, chart.high)}
    if chart.scale == "log":
        limits = {column: bands[end] for end, column in (("low", chart.low), ("high", chart.high))}
        x_label, y_label = labels
        shown = shown.assign(**limits)
        return target_lines.draw(shown, chart, looks=looks, x_label=x_label, y_label=y_label)
    if shares:
        return _shares(shown.assign(**bands), chart, page, looks, labels)
    numbers = {"curve": shown[chart.y], **bands}
    if chart.logarithms:
        numbers = {name: 10.0**values for name, values in numbers.items()}
    shown = shown.assign(**numbers)
    cost_label, label = labels
    if page.overview:
        shown = groups.geometric_means(shown, chart.x, "curve").assign(low=np.nan, high=np.nan)
        label = f"{label}; geometric mean over the functions"
    return trajectories.draw(shown, looks=looks, cost_label=cost_label, label=label)


def _shares(
    shown: pd.DataFrame,
    chart: Curves,
    page: Page,
    looks: dict[str, style.Look],
    labels: tuple[str, str],
) -> Figure:
    if page.overview:
        shown = groups.shares(shown, chart.x)
    return step_curves.draw(
        panels.without_sole(shown, "function" if chart.functions else "dimension"),
        chart.x,
        looks=looks,
        functions=chart.functions,
        x_label=labels[0],
        label=labels[1],
    )


def _map(frame: pd.DataFrame, chart: Curves, label: str) -> Figure:
    what = f"{label} to the hardest target that was reached on the function, times the best"
    cells = _at_hardest(frame, chart)
    return heat_map.draw(cells, chart.y, label=what, never="not reached")


def _looks(frame: pd.DataFrame, chart: Curves) -> dict[str, style.Look]:
    """The looks of the algorithms.

    If there are many algorithms, only the leaders of the chart have ``leads=True``. For costs, the
    end of the curves is the hardest target reached.
    """
    places = [key for key in PROBLEM if key in frame]
    if chart.highest:
        highest = frame.groupby(frame["algorithm"].astype(str))[chart.y].max()
        return style.largest(frame, "algorithm", highest)
    if chart.scale == "log":
        ends = _at_hardest(frame, chart)
    else:
        last = frame.groupby([*places, "algorithm"], observed=True, sort=False)[chart.x]
        ends = frame[frame[chart.x].to_numpy() == last.transform("max").to_numpy()]
    return panels.looks(ends, value=chart.y, within=places, highest=chart.scale == "share")


def _at_hardest(frame: pd.DataFrame, chart: Curves) -> pd.DataFrame:
    """The rows of the hardest target that any algorithm reached on each function.

    If none was reached, those of the easiest target.
    """
    hardness = frame[chart.x] * (-1.0 if chart.decreasing else 1.0)
    ranked = frame.assign(hardness=hardness)
    reached = ranked[np.isfinite(ranked[chart.y])]
    wanted = ranked.groupby(PROBLEM)["hardness"].min()
    wanted.update(reached.groupby(PROBLEM)["hardness"].max())
    at = wanted.reindex(pd.MultiIndex.from_frame(frame[PROBLEM])).to_numpy()
    rows: pd.DataFrame = frame[hardness.to_numpy() == at]
    return rows


def _limits(frame: pd.DataFrame, chart: Curves, column: str) -> pd.Series[float]:
    if not column:
        return pd.Series(np.nan, index=frame.index)
    limits: pd.Series[float] = frame[column]
    return limits.where(frame["runs"] >= chart.least_runs) if chart.least_runs else limits
