"""Own-time factors at which an algorithm keeps its position."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from timefair.exhibits.charts import panels, style
from timefair.exhibits.charts.panels import NothingToDraw

FACTORS = (1e-4, 1e4)  # ends of the longest axis
LINE_IN, AROUND_IN = 0.13, 0.4
INSIDE = 1.35
"""Where an arrow begins that shows that a bar goes on, as a factor from the end of the axis."""


def positions(frame: pd.DataFrame) -> Drawing:
    panels.require_rows(frame)
    if frame["algorithm"].nunique() == 1:
        raise NothingToDraw("There is one algorithm: nothing to compare.")
    looks = panels.looks(frame, value="position", within=["suite", "dimension"])
    numbers = frame[["holds_from", "holds_to", "measured_factor"]].to_numpy(dtype=np.float64)
    ends = numbers[np.isfinite(numbers) & (numbers > 0)]
    bounds = panels.limits(np.clip([*ends, 0.1, 10.0], *FACTORS), margin=0.1)
    figure, grid = panels.grid(
        frame, functions=False, height_in=AROUND_IN + LINE_IN * frame["algorithm"].nunique()
    )
    panels.set_log(grid[0].axes, "x", bounds, ticks=5)
    order = frame.groupby(frame["algorithm"].astype(str))["position"].mean()
    levels = {str(name): k for k, name in enumerate(order.sort_values(kind="stable").index)}
    for panel in grid:
        panel.axes.axvline(1.0, color="0.5", linewidth=0.6, zorder=0.5)
        for row in panel.rows.to_dict("records"):
            name = str(row["algorithm"])
            _bar(panel.axes, row, looks[name], levels[name], bounds)
    panels.label(figure, "factor of the algorithm's own time, others as measured")
    panels.rows(figure, grid, {name: looks[name] for name in levels}, lines=False)
    return figure


def _bar(
    ax: Axes, row: Mapping[Hashable, Any], look: style.Look, level: int, bounds: tuple[float, float]
) -> None:
    low, high = (float(np.clip(row[name], *bounds)) for name in ("holds_from", "holds_to"))
    ax.hlines([level], [low], [high], color=look.color, linewidth=2.2)
    for end, beyond, sign, inward in (
        (low, row["holds_from"] < bounds[0], "<", INSIDE),
        (high, row["holds_to"] > bounds[1], ">", 1 / INSIDE),
    ):
        if beyond:
            ax.plot([end * inward], [level], sign, color=look.color, markersize=4.0)
    if bounds[0] <= row["measured_factor"] <= bounds[1]:
        ax.plot(
            [row["measured_factor"]], [level], "D", markersize=3.4, markerfacecolor="white",
            markeredgecolor=look.color, markeredgewidth=0.9,
        )  # fmt: skip
    ax.plot([1.0], [level], **{**look.line, "linestyle": ""})
