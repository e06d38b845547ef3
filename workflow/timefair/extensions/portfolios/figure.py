"""Algorithms that share the budget."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D

from timefair.exhibits.charts import panels, style
from timefair.exhibits.charts.panels import NothingToDraw

LINE_IN, LEAST_LINE_IN = 0.33, 0.15
AROUND_IN, TITLE_IN = 0.85, 0.35
TEXT_SIZE, LEAST_TEXT_SIZE = 6.5, 3.5
WORDS_IN = 3.0  # maximal width of the names of the lines
TWO_IN = 0.25  # height of a line from which its name may have two lines
LETTER_EM = 0.6  # width of a letter


def portfolio_lines(frame: pd.DataFrame) -> Drawing:
    panels.require_rows(frame)
    if not (frame["size"] > 1).any():
        raise NothingToDraw("There is one algorithm: nothing to combine.")
    base, alone = frame["held_out"] - frame["gain"], frame["size"] == 1
    ends = {
        end: (base + frame[f"gain_{end}"]).where(~alone, frame[f"held_out_{end}"])
        for end in ("low", "high")
    }
    frame = frame.assign(base=base, **ends)
    spaces = [(space, panels.of_one_unit(rows)) for _, space, rows in panels.spaces(frame)]
    lines = sum(len(rows) for _, rows in spaces)
    around = AROUND_IN + TITLE_IN * len(spaces)
    line_in = min(LINE_IN, max((style.HEIGHT_IN - around) / lines, LEAST_LINE_IN))
    height = min(around + line_in * lines, style.HEIGHT_IN)
    shares: dict[str, Any] = {"height_ratios": [len(rows) for _, rows in spaces]}
    figure, grid = panels.figure_of(height, len(spaces), 1, **shares)
    values = pd.concat([rows for _, rows in spaces])[["share", "held_out", "base", "low", "high"]]
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = max(0.04 * (high - low), 0.005)
    for ax, (space, rows) in zip(axes := grid[:, 0], spaces, strict=True):
        unit, budget = rows["unit"].iloc[0], float(rows["budget"].iloc[0])
        limit = f"{budget:.3g} s" if unit == "seconds" else f"{budget:,.0f} evaluations"
        ax.set_title(f"{space}, {limit} per run")
        ax.set_xlim(max(low - room, -0.01), min(high + room, 1.01))
        ax.tick_params(labelbottom=ax is axes[-1])
        _panel(ax, rows, line_in)
    panels.label(figure, "share of (function, target) pairs reached")
    panels.legend_of(figure, _handles(frame))
    return figure


def _panel(ax: Axes, rows: pd.DataFrame, line_in: float) -> None:
    named = [_words(row) for row in rows.to_dict("records")]
    apart = ":\n" if line_in >= TWO_IN else ": "
    names = [apart.join(word for word in words if word) for words in named]
    longest = max(len(line) for name in names for line in name.split("\n"))
    size = min(TEXT_SIZE, WORDS_IN * 72 / (LETTER_EM * longest), 40 * line_in)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_yticks(range(len(rows)), names, fontsize=max(size, LEAST_TEXT_SIZE))
    ax.tick_params(axis="y", length=0)
    for y, row in enumerate(rows.to_dict("records")):
        colour = style.COLOURS[0] if isinstance(row["members"], str) else style.OTHER.color
        if isinstance(row["members"], str):
            if row["size"] > 1:
                ax.plot(2 * [row["base"]], [y - 0.25, y + 0.25], color=style.COLOURS[1], lw=1.4)
            ax.plot([row["low"], row["high"]], [y, y], color=colour)
        ax.plot(row["share"], y, "o", color=colour, markerfacecolor="white", markersize=4.2)
        ax.plot(row["held_out"], y, "o", color=colour, markersize=3.2)


def _words(row: dict[Any, Any]) -> tuple[str, str]:
    if not isinstance(row["members"], str):
        return f"virtual best of {row['size']}", ""
    if row["size"] == 1:
        return "single best", row["members"]
    kind = f"{row['size']} {'in ' * (row['arrangement'] == 'slices')}{row['arrangement']}"
    kind += f" on {row['cores']} cores" * (row["cores"] > 1)
    members = row["members"].split(", ")
    if row["arrangement"] == "in turn":
        shares = row["shares"].split(", ")
        members = [f"{name} {share}" for name, share in zip(members, shares, strict=True)]
    return kind, " + ".join(members)


def _handles(frame: pd.DataFrame) -> list[Line2D]:
    blue, orange = style.COLOURS[:2]
    hollow = Line2D(
        [], [], color=blue, marker="o", linestyle="", markerfacecolor="white", markersize=4.2,
        label="functions of the choice",
    )  # fmt: skip
    if not frame["held_out"].notna().any():
        return [hollow]
    return [
        hollow,
        Line2D([], [], color=blue, marker="o", markersize=3.2, label="other functions"),
        Line2D([], [], color=orange, linewidth=1.4, label="single best, other functions"),
    ]
