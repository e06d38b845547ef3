"""The figures of the run-count paper, from the tables of complete samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from timefair.basics.words import ALL
from timefair.exhibits.charts import panels, style

COLUMNS = ("true", "p0.5", "p1", "p5", "p10", "p15", "p20")  # columns of Table 1

TECHNIQUES = {"none": "no technique", "iqr": "IQR", "percentile": "percentiles", "mad": "MAD"}
TECHNIQUES["mad-mean"] = "MAD, mean"
PRINTED_TAUS = (0.05, 0.15)
NOTHING = "no cell has as many runs as a complete sample"
SHARED = {"sharex": True, "sharey": True}
CELL_IN = (0.2, 0.1)  # least width and height of a cell in which a number fits
DARK = 55.0  # percentage above which the number in a cell is white


def _two_taus(frame: pd.DataFrame) -> list[float]:
    """The thresholds in the paper's figures; if they are missing, the least and the greatest."""
    taus = sorted(frame["tau"].unique())
    printed = [tau for tau in taus if tau in PRINTED_TAUS]
    return printed if len(printed) == len(PRINTED_TAUS) else sorted({taus[0], taus[-1]})


def _techniques(frame: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(frame["outliers"]))


def _pooled(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    weighted = frame[[*COLUMNS]].mul(frame["samples"], axis=0)
    sums = pd.concat([frame[[*keys, "samples"]], weighted], axis=1).groupby(keys).sum()
    return sums[[*COLUMNS]].div(sums["samples"], axis=0).reset_index()


def _has_room(width_in: float, height_in: float) -> bool:
    return width_in >= CELL_IN[0] and height_in >= CELL_IN[1]


def _cells(
    grid: NDArray[Any], each: pd.DataFrame, taus: list[float], techniques: list[str]
) -> Iterator[tuple[Axes, pd.DataFrame]]:
    """The axes of each threshold and technique with their title, and their rows."""
    for line, tau in zip(grid, taus, strict=True):
        for ax, outliers in zip(line, techniques, strict=True):
            ax.set_title(f"{TECHNIQUES[outliers]}, τ = {tau:g}")
            yield ax, each[(each["tau"] == tau) & (each["outliers"] == outliers)]


def _heat(ax: Axes, wrong: pd.DataFrame, shown: pd.DataFrame, *, numbers: bool) -> None:
    from seaborn import color_palette, heatmap

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


def _scale(figure: Figure, axes: NDArray[Any]) -> None:
    shades = axes.flat[0].collections[0]
    bar = figure.colorbar(shades, ax=axes, fraction=0.02, pad=0.01, aspect=40)
    bar.set_label("not right, % of the samples", fontsize=7.5)
    bar.outline.set_visible(False)


ALGORITHM_LINE_IN, ALGORITHM_LABELS_IN = 0.14, 1.0
PANEL_IN, ALGORITHMS_MARGIN_IN = 0.35, 0.4


def algorithms(frame: pd.DataFrame) -> Figure:
    panels.require_rows(frame, NOTHING)
    each = _pooled(frame, ["algorithm", "tau", "outliers"])
    taus, techniques = sorted(frame["tau"].unique()), _techniques(frame)
    lines = each["algorithm"].nunique()
    # If there are many algorithms, their lines are narrower and have no numbers.
    room = (style.HEIGHT_IN - ALGORITHMS_MARGIN_IN) / len(taus) - PANEL_IN
    line_in = min(ALGORITHM_LINE_IN, room / max(lines, 3))
    height = ALGORITHMS_MARGIN_IN + len(taus) * (PANEL_IN + line_in * max(lines, 3))
    figure, grid = panels.figure_of(height, len(taus), len(techniques), **SHARED)
    cells = len(techniques) * len(COLUMNS)
    numbers = _has_room((style.WIDTH_IN - ALGORITHM_LABELS_IN) / cells, line_in)
    for ax, rows in _cells(grid, each, taus, techniques):
        right = rows.set_index("algorithm")[[*COLUMNS]]
        _heat(ax, 100.0 - right, right, numbers=numbers)
    if not numbers:
        _scale(figure, grid)
    panels.label(figure, "accurate, or with so many percent of error, % of the samples")
    return figure


def configurations(frame: pd.DataFrame) -> Figure:
    """Draw a box plot over the algorithms for each column of Table 1."""
    panels.require_rows(frame, NOTHING)
    each = _pooled(frame, ["algorithm", "tau", "outliers"])
    taus, techniques = _two_taus(frame), _techniques(frame)
    height = panels.MARGIN_IN + panels.PANEL_HEIGHT_IN * len(taus)
    figure, grid = panels.figure_of(height, len(taus), len(techniques), **SHARED)
    for ax, rows in _cells(grid, each, taus, techniques):
        _boxes(ax, rows[[*COLUMNS]])
    panels.label(
        figure,
        "true: accurate; p: or with so many percent of error",
        "accurate estimates, % of the samples",
    )
    return figure


def _boxes(ax: Axes, accuracy: pd.DataFrame) -> None:
    places = np.arange(accuracy.shape[1])
    black = {"color": "black", "linewidth": 0.7}
    ax.boxplot(
        accuracy.to_numpy(),
        positions=places,
        widths=0.6,
        whis=(0, 100),
        boxprops=black,
        whiskerprops=black,
        capprops=black,
        medianprops={"color": style.COLOURS[0], "linewidth": 1.6},
    )
    shift = np.linspace(-0.2, 0.2, len(accuracy)) if len(accuracy) > 1 else np.zeros(1)
    x = places + shift[:, np.newaxis]
    ax.plot(x.ravel(), accuracy.to_numpy().ravel(), "o", color="0.45", markersize=1.4, zorder=3)
    ax.set_xticks(places, accuracy.columns)
    ax.grid(visible=False, axis="x")


APART = 0.16


def dimensions(frame: pd.DataFrame) -> Figure:
    panels.require_rows(frame, NOTHING)
    each = _pooled(frame, ["dimension", "algorithm", "tau", "outliers"])
    techniques = _techniques(frame)
    looks = style.looks(f"τ = {tau:g}" for tau in frame["tau"].unique())
    figure, (grid,) = panels.figure_of(2.4, 1, len(techniques), sharey=True)
    for ax, outliers in zip(grid, techniques, strict=True):
        ax.set_title(TECHNIQUES[outliers])
        _bars(ax, each[each["outliers"] == outliers], looks)
    grid[0].set_ylim(bottom=0)
    panels.label(figure, y="not right, % of the samples")
    panels.label(figure, "dimension; mark and bar: median and quartiles over the algorithms")
    panels.legend(figure, looks, lines=False)
    return figure


def _bars(ax: Axes, rows: pd.DataFrame, looks: dict[str, style.Look]) -> None:
    dimensions = sorted(rows["dimension"].unique())
    shifts = APART * (np.arange(len(looks)) - (len(looks) - 1) / 2)
    for (tau, part), shift in zip(rows.groupby("tau"), shifts, strict=True):
        look = looks[f"τ = {tau:g}"]
        wrong = 100.0 - part.set_index("dimension")["true"]
        low, middle, high = (wrong.groupby("dimension").quantile(p) for p in (0.25, 0.5, 0.75))
        x = np.arange(len(dimensions)) + shift
        ax.vlines(x, low, high, color=look.color, linewidth=1.2)
        ax.plot(x, middle, look.marker, color=look.color)
    ax.set_xticks(range(len(dimensions)), [str(d) for d in dimensions])
    ax.set_xlim(-0.5, len(dimensions) - 0.5)
    ax.grid(visible=False, axis="x")


PROBLEM_LINE_IN, PROBLEMS_MARGIN_IN, PROBLEM_LABELS_IN = 0.15, 0.75, 0.6


def problems(frame: pd.DataFrame) -> Figure:
    panels.require_rows(frame, NOTHING)
    keys = ["suite", "function", "dimension", "tau", "outliers"]
    each = _pooled(frame, keys)
    each["wrong"] = 100.0 - each["true"]
    names = "f" + each["function"].astype(str)
    several = each["suite"].nunique() > 1
    each["problem"] = each["suite"].astype(str) + " " + names if several else names
    settings = [(t, o) for t in _two_taus(frame) for o in _techniques(frame)]
    lines = each["problem"].nunique()
    height = PROBLEMS_MARGIN_IN + PROBLEM_LINE_IN * max(lines, 4)
    figure, (grid,) = panels.figure_of(height, 1, len(settings), sharey=True)
    cells = len(settings) * each["dimension"].nunique()
    numbers = _has_room((style.WIDTH_IN - PROBLEM_LABELS_IN) / cells, PROBLEM_LINE_IN)
    for ax, (tau, outliers) in zip(grid, settings, strict=True):
        rows = each[(each["tau"] == tau) & (each["outliers"] == outliers)]
        wrong = rows.pivot_table(
            index="problem", columns="dimension", values="wrong", sort=False
        ).sort_index(axis="columns")
        _heat(ax, wrong, wrong, numbers=numbers)
        ax.set_title(f"{TECHNIQUES[outliers]}\nτ = {tau:g}")
    if not numbers:
        _scale(figure, grid)
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
    everywhere = frame[frame["dimension"] == ALL]
    looks = style.looks(frame["rule"].unique())
    suites = sorted(everywhere["suite"].unique())
    height = panels.MARGIN_IN + RULES_IN * len(suites)
    figure, grid = panels.figure_of(height, len(suites), len(RULE_PANELS), **SHARED)
    for line, suite in zip(grid, suites, strict=True):
        for ax, (column, title) in zip(line, RULE_PANELS.items(), strict=True):
            ax.set_title(title if len(suites) == 1 else f"{suite}\n{title}")
            _marks(ax, everywhere[everywhere["suite"] == suite], column, looks)
    panels.label(figure, "runs saved, %", "samples, or problems, %")
    panels.legend(figure, looks, lines=False)
    return figure


def _marks(ax: Axes, rows: pd.DataFrame, column: str, looks: dict[str, style.Look]) -> None:
    if rows[column].isna().all():
        ax.text(0.5, 0.5, "no such runs", ha="center", va="center", transform=ax.transAxes)
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
