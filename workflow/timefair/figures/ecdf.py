"""Share of targets reached within a cost, from the table `ecdf`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.figures import panels, scales, style

LABEL = {"seconds": "wall clock in seconds", "evaluations": "evaluations"}


def draw(frame: pd.DataFrame, unit: str = "seconds") -> Figure:
    """ECDF of runtimes, first over all functions, then a panel a function; for each dimension.

    Parameters
    ----------
    frame : DataFrame
        The table `ecdf`.
    unit : str
        ``seconds`` or ``evaluations``.

    Raises
    ------
    ValueError
        If the table has no rows of this unit.
    """
    shown = frame[frame["unit"] == unit]
    if shown["function"].nunique() == 2:  # one function: the panel for all would be the same
        shown = shown[shown["function"] != "all"]
    with style.applied():
        figure, grid = panels.grid(shown)
        looks = style.looks(shown["algorithm"])
        begun = shown[shown["fraction"] > 0]
        costs = scales.limits((shown if begun.empty else begun)["cost"], margin=0.02)
        for panel in grid:
            ax = panel.axes
            for name, part in panels.by_algorithm(panel.rows):
                rows = part.sort_values("cost")
                rows = rows[rows["cost"] >= costs[0]]
                k = list(looks).index(name)
                marks = style.marks(rows["fraction"].to_numpy() > 0, k, len(looks))
                ax.step(
                    rows["cost"],
                    rows["fraction"],
                    where="post",
                    markevery=marks,
                    **looks[name].line,
                )
            scales.set_log(ax, "x", costs)
            ax.set_ylim(-0.03, 1.03)
            ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
        figure.supxlabel(LABEL[unit], fontsize=7.5)
        figure.supylabel("share of (target, instance, run) reached", fontsize=7.5)
        panels.legend(figure, looks)
    return figure
