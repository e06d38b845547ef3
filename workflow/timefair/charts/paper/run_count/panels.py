"""Common parts of the figures of the skewness rule, drawn from the table `run_count_groups`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from timefair.charts.paper import style
from timefair.charts.paper.notes import NothingToDraw

Draw: TypeAlias = Callable[[pd.DataFrame], Figure]

COLUMNS = ("true", "p0.5", "p1", "p5", "p10", "p15", "p20")
"""Columns of Table 1: right, and right within an error of the given percentage."""

TECHNIQUES = {"none": "no technique", "iqr": "IQR", "percentile": "percentiles", "mad": "MAD"}
TECHNIQUES["mad-mean"] = "MAD, mean"
PRINTED_TAUS = (0.05, 0.15)
NOTHING = "no cell has as many runs as a complete sample"
CELL_IN = (0.2, 0.1)
"""Least width and height of a cell in which a number fits."""
DARK = 55.0
"""Percentage above which the number in a cell is white."""


def drawn_of_samples(draw: Draw) -> Draw:
    """Decorate a function that draws complete samples: it refuses an empty table."""

    @wraps(draw)
    def drawn(frame: pd.DataFrame) -> Figure:
        if frame.empty:
            raise NothingToDraw(NOTHING)
        with style.applied():
            return draw(frame)

    return drawn


def two_taus(frame: pd.DataFrame) -> list[float]:
    """The thresholds in the paper's figures; if they are missing, the least and the greatest."""
    taus = sorted(frame["tau"].unique())
    printed = [tau for tau in taus if tau in PRINTED_TAUS]
    return printed if len(printed) == len(PRINTED_TAUS) else sorted({taus[0], taus[-1]})


def techniques(frame: pd.DataFrame) -> list[str]:
    """The techniques against outliers, in the order of the table."""
    return list(dict.fromkeys(frame["outliers"]))


def title(outliers: str, tau: float | None = None) -> str:
    """The title of a panel."""
    name = TECHNIQUES[outliers]
    return name if tau is None else f"{name}, τ = {tau:g}"


def pooled(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The columns of Table 1 over all samples with the same keys."""
    weighted = frame[[*COLUMNS]].mul(frame["samples"], axis=0)
    sums = pd.concat([frame[[*keys, "samples"]], weighted], axis=1).groupby(keys).sum()
    return sums[[*COLUMNS]].div(sums["samples"], axis=0).reset_index()


def has_room(width_in: float, height_in: float) -> bool:
    """Whether a number fits in a cell."""
    return width_in >= CELL_IN[0] and height_in >= CELL_IN[1]


def heat(ax: Axes, wrong: pd.DataFrame, shown: pd.DataFrame, *, numbers: bool) -> None:
    """Draw a heat map from white (none wrong) to dark (all wrong), with the numbers of `shown`."""
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


def scale(figure: Figure, axes: NDArray[Any]) -> None:
    """Add a colour bar that explains the shades of heat maps without numbers."""
    shades = axes.flat[0].collections[0]
    bar = figure.colorbar(shades, ax=axes, fraction=0.02, pad=0.01, aspect=40)
    bar.set_label("not right, % of the samples", fontsize=7.5)
    bar.outline.set_visible(False)
