"""The figures of the run-count paper, from the tables of complete samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from timefair.basics.words import ALL
from timefair.exhibits.charts import panels, style

COLUMNS = ["true", "p0.5", "p1", "p5", "p10", "p15", "p20"]  # columns of Table 1

TECHNIQUES = {"none": "no technique", "iqr": "IQR", "percentile": "percentiles", "mad": "MAD"}
TECHNIQUES["mad-mean"] = "MAD, mean"
PRINTED_TAUS = (0.05, 0.15)
NOTHING = "no cell has as many runs as a complete sample"
SHARED = {"sharex": True, "sharey": True}
CELL_IN = 0.2, 0.1  # least width and height of a cell in which a number fits
DARK = 55.0  # percentage above which the number in a cell is white


def _two_taus(frame: pd.DataFrame) -> list[float]:
    """The thresholds in the paper's figures; if they are missing, the least and the greatest."""
    taus = sorted(frame["tau"].unique())
    printed = [tau for tau in taus if tau in PRINTED_TAUS]
    return printed if len(printed) == len(PRINTED_TAUS) else sorted({taus[0], taus[-1]})


def _pooled(frame: pd.DataFrame, *more: str) -> pd.DataFrame:
    """The shares of each threshold and technique, and of more keys, over all samples."""
    panels.require_rows(frame, NOTHING)
    keys = [*more, "tau", "outliers"]
    weighted = frame[COLUMNS].mul(frame["samples"], axis=0)
    sums = pd.concat([frame[[*keys, "samples"]], weighted], axis=1).groupby(keys).sum()
    return sums[COLUMNS].div(sums["samples"], axis=0).reset_index()


def _cells(
    grid: NDArray[Any],
    frame: pd.DataFrame,
    each: pd.DataFrame,
    taus: list[float],
    joint: str = ", ",
) -> Iterator[tuple[Axes, pd.DataFrame]]:
    """The axes of each threshold and technique with their title, and their rows."""
    settings = [(tau, outliers) for tau in taus for outliers in frame["outliers"].unique()]
    for ax, (tau, outliers) in zip(grid.ravel(), settings, strict=True):
        ax.set_title(f"{TECHNIQUES[outliers]}{joint}τ = {tau:g}")
        yield ax, each[(each["tau"] == tau) & (each["outliers"] == outliers)]


def _heat(
    figure: Figure,
    cells: Iterable[tuple[Axes, pd.DataFrame, pd.DataFrame]],
    size_in: tuple[float, float],
) -> bool:
    """Draw percentages that are not right, with the numbers that are shown if cells of this size
    have room for them, else with a scale of the colours; whether there are numbers."""
    from seaborn import color_palette, heatmap

    numbers = size_in[0] >= CELL_IN[0] and size_in[1] >= CELL_IN[1]
    for ax, wrong, shown in cells:
        heatmap(
            wrong,
            ax=ax,
            vmin=0.0,
            vmax=100.0,
            cmap=color_palette("light:#1F3B57", as_cmap=True),
            cbar=False,
            annot=shown.round() if numbers else None,
            fmt=".0f",
            annot_kws={"fontsize": 5.5},
            linewidths=0.4 if numbers else 0.0,
            linecolor="white",
        )
        there = wrong.to_numpy().ravel()
        for text, percent in zip(ax.texts, there[~np.isnan(there)], strict=False):
            text.set_color("white" if percent > DARK else "black")
        ax.set(xlabel="", ylabel="")
        ax.tick_params(length=0, rotation=0)
        ax.grid(visible=False)
    if not numbers:
        shades = ax.collections[0]
        bar = figure.colorbar(shades, ax=figure.axes, fraction=0.02, pad=0.01, aspect=40)
        bar.set_label("not right, % of the samples", fontsize=7.5)
        bar.outline.set_visible(False)
    return numbers


ALGORITHM_LINE_IN, ALGORITHM_LABELS_IN = 0.14, 1.0
PANEL_IN, ALGORITHMS_MARGIN_IN = 0.35, 0.4


def algorithms(frame: pd.DataFrame) -> Figure:
    each = _pooled(frame, "algorithm")
    taus, techniques = sorted(frame["tau"].unique()), frame["outliers"].nunique()
    lines = max(each["algorithm"].nunique(), 3)
    room = (style.HEIGHT_IN - ALGORITHMS_MARGIN_IN) / len(taus) - PANEL_IN
    line_in = min(ALGORITHM_LINE_IN, room / lines)
    height = ALGORITHMS_MARGIN_IN + len(taus) * (PANEL_IN + line_in * lines)
    figure, grid = panels.figure_of(height, len(taus), techniques, **SHARED)
    right = ((ax, of.set_index("algorithm")[COLUMNS]) for ax, of in _cells(grid, frame, each, taus))
    width_in = (style.WIDTH_IN - ALGORITHM_LABELS_IN) / (techniques * len(COLUMNS))
    _heat(figure, ((ax, 100.0 - share, share) for ax, share in right), (width_in, line_in))
    panels.label(figure, "accurate, or with so many percent of error, % of the samples")
    return figure


def configurations(frame: pd.DataFrame) -> Figure:
    """Draw a box plot over the algorithms for each column of Table 1."""
    each, taus = _pooled(frame, "algorithm"), _two_taus(frame)
    height = panels.MARGIN_IN + panels.PANEL_HEIGHT_IN * len(taus)
    figure, grid = panels.figure_of(height, len(taus), frame["outliers"].nunique(), **SHARED)
    black = {"color": "black", "linewidth": 0.7}
    for ax, rows in _cells(grid, frame, each, taus):
        accuracy, places = rows[COLUMNS].to_numpy(), np.arange(len(COLUMNS))
        ax.boxplot(
            accuracy,
            positions=places,
            widths=0.6,
            whis=(0, 100),
            medianprops={"color": style.COLOURS[0], "linewidth": 1.6},
            boxprops=black,
            whiskerprops=black,
            capprops=black,
        )
        shift = np.linspace(-0.2, 0.2, len(accuracy)) * (len(accuracy) > 1)
        x = places + shift[:, np.newaxis]
        ax.plot(x.ravel(), accuracy.ravel(), "o", color="0.45", markersize=1.4, zorder=3)
        ax.set_xticks(places, COLUMNS)
        ax.grid(visible=False, axis="x")
    panels.label(
        figure,
        "true: accurate; p: or with so many percent of error",
        "accurate estimates, % of the samples",
    )
    return figure


APART = 0.16


def dimensions(frame: pd.DataFrame) -> Figure:
    each = _pooled(frame, "dimension", "algorithm")
    each["wrong"] = 100.0 - each["true"]
    looks = style.looks(f"τ = {tau:g}" for tau in frame["tau"].unique())
    shifts = APART * (np.arange(len(looks)) - (len(looks) - 1) / 2)
    techniques = frame["outliers"].unique()
    figure, (grid,) = panels.figure_of(2.4, 1, len(techniques), sharey=True)
    for ax, outliers in zip(grid, techniques, strict=True):
        ax.set_title(TECHNIQUES[outliers])
        rows = each[each["outliers"] == outliers]
        for (tau, part), shift in zip(rows.groupby("tau"), shifts, strict=True):
            look, wrong = looks[f"τ = {tau:g}"], part.groupby("dimension")["wrong"]
            low, middle, high = (wrong.quantile(p) for p in (0.25, 0.5, 0.75))
            x = np.arange(len(middle)) + shift
            ax.vlines(x, low, high, color=look.color, linewidth=1.2)
            ax.plot(x, middle, look.marker, color=look.color)
        named = sorted(rows["dimension"].unique())
        ax.set_xticks(range(len(named)), map(str, named))
        ax.set_xlim(-0.5, len(named) - 0.5)
        ax.grid(visible=False, axis="x")
    grid[0].set_ylim(bottom=0)
    panels.label(
        figure,
        "dimension; mark and bar: median and quartiles over the algorithms",
        "not right, % of the samples",
    )
    panels.legend(figure, looks, lines=False)
    return figure


PROBLEM_LINE_IN, PROBLEMS_MARGIN_IN, PROBLEM_LABELS_IN = 0.15, 0.75, 0.6


def problems(frame: pd.DataFrame) -> Figure:
    each, taus = _pooled(frame, "suite", "function", "dimension"), _two_taus(frame)
    each["wrong"] = 100.0 - each["true"]
    head = each["suite"].astype(str) + " " if each["suite"].nunique() > 1 else ""
    each["problem"] = head + "f" + each["function"].astype(str)
    height = PROBLEMS_MARGIN_IN + PROBLEM_LINE_IN * max(each["problem"].nunique(), 4)
    settings = len(taus) * frame["outliers"].nunique()
    figure, grid = panels.figure_of(height, 1, settings, sharey=True)
    cells = []
    for ax, rows in _cells(grid, frame, each, taus, "\n"):
        table = rows.pivot_table("wrong", "problem", "dimension", sort=False)
        table = table.sort_index(axis="columns")
        cells.append((ax, table, table))
    width_in = (style.WIDTH_IN - PROBLEM_LABELS_IN) / (settings * each["dimension"].nunique())
    numbers = _heat(figure, cells, (width_in, PROBLEM_LINE_IN))
    inside = "; in the cells: not right, % of the samples" if numbers else ""
    panels.label(figure, f"dimension{inside}", "function")
    return figure


RULE_PANELS = {
    "accurate_percent": "accurate mean,\ncomplete sample",
    "accurate_independent_percent": "accurate mean,\nindependent runs",
    "kept_median_percent": "median within width,\nindependent runs",
    "kept_mean_percent": "mean within width,\nindependent runs",
    "winner_independent_percent": "best algorithm,\nindependent runs",
}
FIXED = "fixed n"
CONTROLS = (FIXED, "random n")
RULES_IN = 2.1


def rules(frame: pd.DataFrame) -> Figure:
    """Draw a mark per rule and setting over the runs saved, for all dimensions; a line joins fixed
    numbers of runs."""
    panels.require_rows(frame, NOTHING)
    looks = style.looks(frame["rule"].unique())
    suites = list(frame[frame["dimension"] == ALL].groupby("suite", sort=True))
    height = panels.MARGIN_IN + RULES_IN * len(suites)
    figure, grid = panels.figure_of(height, len(suites), len(RULE_PANELS), **SHARED)
    for line, (suite, rows) in zip(grid, suites, strict=True):
        for ax, (column, title) in zip(line, RULE_PANELS.items(), strict=True):
            ax.set_title(title if len(suites) == 1 else f"{suite}\n{title}")
            if rows[column].isna().all():
                ax.text(0.5, 0.5, "no such runs", ha="center", transform=ax.transAxes)
            for name, look in looks.items():
                part = rows[rows["rule"] == name].sort_values("saved_percent")
                ax.plot(
                    part["saved_percent"],
                    part[column],
                    look.marker,
                    color=look.color,
                    linestyle="-" if name == FIXED else "",
                    linewidth=0.8,
                    markerfacecolor="white" if name in CONTROLS else look.color,
                    zorder=1 if name in CONTROLS else 2,
                )
    panels.label(figure, "runs saved, %", "samples, or problems, %")
    panels.legend(figure, looks, lines=False)
    return figure
