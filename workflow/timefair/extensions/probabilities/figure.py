"""The probability that each algorithm is the best, as a map of functions."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.basics.together import ALL
from timefair.exhibits.charts import costs, maps, panels
from timefair.exhibits.charts.panels import NothingToDraw

LEVELS = (
    *((0.01, "≤ 1 %", "#f2f2f2"), (0.05, "≤ 5 %", "#deebf7"), (0.2, "≤ 20 %", "#a8cee4")),
    *((0.5, "≤ 50 %", "#6fb0d7"), (0.95, "≤ 95 %", "#2f79b5"), (1.0, "> 95 %", "#08306b")),
)
"""Upper limits of the levels, their labels in the legend, and their colours."""


def probability_map(frame: pd.DataFrame) -> Figure:
    """One line per algorithm, the most probable one on top; one column per function, ``all`` last.

    Rows in seconds are drawn if there are any; NaN leaves a cell empty.
    """
    panels.require_rows(frame)
    unit = "seconds" if (frame["unit"] == "seconds").any() else "evaluations"
    shown = frame[frame["unit"] == unit]
    if shown["algorithm"].nunique() == 1:
        raise NothingToDraw("There is one algorithm: nothing to compare.")
    shown = shown.assign(
        algorithm=shown["algorithm"].astype(str), function=shown["function"].astype(str)
    )
    places = shown["function"].map(lambda name: (name == ALL, int(name) if name != ALL else 0))
    shown = shown.assign(place=places).sort_values("place", kind="stable")
    over = shown["function"] == ALL
    average = shown.groupby("algorithm")["p_best"].mean()
    together = shown[over].groupby("algorithm")["p_best"].mean()
    lines = pd.DataFrame({ALL: together, "each": average}).fillna(0.0)
    lines = lines.sort_values([ALL, "each"], ascending=False, kind="stable")
    return maps.mapped(
        shown,
        "p_best",
        list(lines.index),
        [most for most, _, _ in LEVELS],
        [(words, colour) for _, words, colour in LEVELS],
        f"probability of the lowest expected running time in {costs.counted_in(frame, unit)}",
    )
