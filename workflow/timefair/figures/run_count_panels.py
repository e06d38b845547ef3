"""What the figures of the skewness rule share, drawn from the table `run_count_groups`."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from seaborn import color_palette, heatmap

COLUMNS = ("true", "p0.5", "p1", "p5", "p10", "p15", "p20")
"""Of Table 1: right, and right with so many percent of error allowed."""

TECHNIQUES = {"none": "no technique", "iqr": "IQR", "percentile": "percentiles", "mad": "MAD"}
TECHNIQUES["mad-mean"] = "MAD, mean"
PRINTED_TAUS = (0.05, 0.15)
NOTHING = "no cell has as many runs as a complete sample"
ROOM_IN = 0.2
"""Width of a cell that a number fits in."""


def two_taus(frame: pd.DataFrame) -> list[float]:
    """The thresholds that the paper's figures show; the least and the greatest without those."""
    taus = sorted(frame["tau"].unique())
    printed = [tau for tau in taus if tau in PRINTED_TAUS]
    return printed if len(printed) == len(PRINTED_TAUS) else sorted({taus[0], taus[-1]})


def techniques(frame: pd.DataFrame) -> list[str]:
    """The techniques against outliers, in the order of the table."""
    return list(dict.fromkeys(frame["outliers"]))


def title(outliers: str, tau: float | None = None) -> str:
    """Of a panel."""
    name = TECHNIQUES[outliers]
    return name if tau is None else f"{name}, τ = {tau:g}"


def pooled(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The columns of Table 1 over all samples with the same keys."""
    weighted = frame[[*COLUMNS]].mul(frame["samples"], axis=0)
    sums = pd.concat([frame[[*keys, "samples"]], weighted], axis=1).groupby(keys).sum()
    return sums[[*COLUMNS]].div(sums["samples"], axis=0).reset_index()


def darker_is_worse() -> Colormap:
    """Grey-readable: from white, nothing wrong, to dark."""
    return color_palette("light:#1F3B57", as_cmap=True)


def heat(ax: Axes, wrong: pd.DataFrame, shown: pd.DataFrame, *, cell_in: float) -> None:
    """A heat map of percentages, with the numbers of `shown` where they fit."""
    heatmap(
        wrong,
        ax=ax,
        vmin=0.0,
        vmax=100.0,
        cmap=darker_is_worse(),
        cbar=False,
        annot=shown.round().to_numpy() if cell_in >= ROOM_IN else False,
        fmt=".0f",
        annot_kws={"fontsize": 5.5},
        linewidths=0.4,
        linecolor="white",
    )
    ax.set(xlabel="", ylabel="")
    ax.tick_params(length=0)
    ax.tick_params(axis="x", rotation=0)
    ax.tick_params(axis="y", rotation=0)
    ax.grid(visible=False)
