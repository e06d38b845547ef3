"""Ranks over the cost, and empirical attainment functions."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Drawing

from timefair.basics.words import ALL
from timefair.exhibits.charts import panels, style
from timefair.exhibits.charts.chart import spent as cost_label
from timefair.exhibits.charts.pages import COLUMNS, LINES
from timefair.exhibits.charts.panels import NothingToDraw

RANK_HEIGHT_IN = 2.2
MAP_IN = 1.45


def ranks(frame: pd.DataFrame) -> Drawing:
    frame = panels.of_one_unit(frame)
    if frame["algorithm"].nunique() < 2:
        raise NothingToDraw("There is one algorithm: nothing to rank.")
    within = ["suite", "dimension", "cost"]
    looks = panels.looks(frame, value="average_rank", within=within, anywhere=True)
    names = list(looks)
    first = frame["average_rank"] <= frame.groupby(within)["average_rank"].transform("min") + 1e-9
    limits = ["average_rank_low", "average_rank_high"]
    if len(names) > 2:
        frame = frame.assign(**{name: frame[name].where(first) for name in limits})
    figure, grid = panels.grid(frame, functions=False, height_in=RANK_HEIGHT_IN)
    panels.set_log(grid[0].axes, "x", panels.limits(frame["cost"], margin=0.02))
    worst = float(frame["average_rank"].max())
    room = 0.05 * max(worst - 1, 1)
    grid[0].axes.set_ylim(worst + room, 1 - room)
    grid[0].axes.set_yticks([t for t in grid[0].axes.get_yticks() if 1 <= t <= worst + room])
    for panel in grid:
        for name, numbers in panels.leading(panel, ["cost", "average_rank", *limits], looks):
            (cost, place, low, high), look = numbers.T, looks[name]
            panels.band(panel.axes, cost, low, high, color=look.color, alpha=style.BAND_ALPHA)
            marks = style.marks(np.ones(cost.size, bool), names.index(name), len(names))
            panels.curve(panel.axes, cost, place, **look.line, markevery=marks)
    unit = str(frame["unit"].iloc[0])
    panels.label(figure, cost_label(frame, unit), "average rank by the median precision")
    panels.legend(figure, looks)
    return figure


def surfaces(frame: pd.DataFrame) -> Drawing:
    frame = panels.of_one_unit(frame)
    frame = frame[frame["function"].astype(str) == ALL]
    spaces = panels.spaces(frame)
    most, lines = COLUMNS * max(LINES // 2 // len(spaces), 1), []
    for _, space, rows in spaces[:LINES]:
        parts = dict(panels.by_algorithm(rows))
        best = sorted(parts, key=lambda name: -parts[name]["share"].mean())[:most]
        lines += panels.in_lines([(f"{name}\n{space}", parts[name]) for name in best], COLUMNS)
    return _maps(frame, lines, "share", "Blues", (0.0, 1.0), "share of runs")


def difference(frame: pd.DataFrame) -> Drawing:
    if frame.empty:
        raise NothingToDraw("There is one algorithm: nothing to compare.")
    frame = panels.of_one_unit(frame)
    frame = frame.assign(function=frame["function"].astype(str))
    single = frame[frame["function"] != ALL]
    count = len(single.drop_duplicates(["suite", "dimension", "function"]))
    shown = single if count <= COLUMNS * LINES else frame[frame["function"] == ALL]
    several = frame["dimension"].nunique() > 1 or frame["suite"].nunique() > 1
    pairs = frame[["algorithm_a", "algorithm_b"]].astype(str).drop_duplicates()
    lines: list[list[tuple[str, pd.DataFrame]]] = []
    for suite, space, part in panels.spaces(shown):
        named = []
        for function in sorted(part["function"].unique(), key=lambda text: (len(text), text)):
            rows = part[part["function"] == function]
            title = f"{panels.called(frame, suite, function)}, {space}"
            if several and len(pairs) > 1:
                title += "\n{} − {}".format(*rows[["algorithm_a", "algorithm_b"]].iloc[0])
            named.append((title, rows))
        if len(named) == 1 and lines and len(lines[-1]) < COLUMNS and several:
            lines[-1] += named
        else:
            lines += panels.in_lines(named, panels.columns_of(len(named)))
    if len(pairs) == 1:
        a, b = pairs.iloc[0]
        label = f"share of runs of {a}\nminus that of {b}"
    else:
        label = "share of runs: first minus second"
    most = max(np.ceil(10 * shown["difference"].abs().max()) / 10, 0.1)
    return _maps(frame, lines, "difference", "RdBu", (-most, most), label)


def _maps(
    frame: pd.DataFrame,
    lines: list[list[tuple[str, pd.DataFrame]]],
    value: str,
    colours: str,
    limits: tuple[float, float],
    label: str,
) -> Drawing:
    figure, grid = panels.placed(lines, height_in=MAP_IN)
    axes = [panel.axes for panel in grid]
    panels.set_log(axes[0], "x", (frame["cost"].min(), frame["cost"].max()))
    panels.set_log(axes[0], "y", (frame["precision"].min(), frame["precision"].max()))
    for panel in grid:
        table = panel.rows.pivot_table(index="precision", columns="cost", values=value)
        panel.axes.grid(visible=False)
        mesh = panel.axes.pcolormesh(
            table.columns.to_numpy(), table.index.to_numpy(), table.to_numpy(), cmap=colours,
            vmin=limits[0], vmax=limits[1], shading="nearest", rasterized=True,
        )  # fmt: skip
    bar = figure.colorbar(mesh, ax=axes, location="top", fraction=0.03, aspect=40, pad=0.02)
    bar.set_label(label)
    bar.outline.set_visible(False)
    unit = str(frame["unit"].iloc[0])
    panels.label(figure, cost_label(frame, unit), "best precision so far")
    return figure
