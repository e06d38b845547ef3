"""Best precision over elapsed cost, from the table `anytime`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from timefair.figures import panels, scales, style

LABEL = {"seconds": "elapsed wall clock in seconds", "evaluations": "evaluations"}


def draw(frame: pd.DataFrame, unit: str = "seconds") -> Figure:
    """Median trajectory with a band of quantiles over runs, a panel a function and dimension.

    A curve begins where half of the runs have a value. The scale of y is each panel's own.

    Parameters
    ----------
    frame : DataFrame
        The table `anytime`.
    unit : str
        ``seconds`` or ``evaluations``.

    Raises
    ------
    ValueError
        If the table has no rows of this unit.
    """
    shown = frame[frame["unit"] == unit]
    with style.applied():
        figure, grid = panels.grid(shown, share_y=False)
        looks = style.looks(shown["algorithm"])
        numbers = ["median", "low", "high"]
        floor = scales.zero_floor(shown[numbers])
        begun = shown[np.isfinite(shown["median"])]
        costs = scales.limits(begun["cost"], margin=0.02)
        for panel in grid:
            ax = panel.axes
            drawn = panel.rows[np.isfinite(panel.rows["median"])]
            bottom, top = scales.limits(scales.raised(drawn[numbers], floor))
            for name, part in panels.by_algorithm(drawn):
                rows = part.sort_values("cost")
                look, k = looks[name], list(looks).index(name)
                cost = rows["cost"].to_numpy()
                ax.fill_between(
                    cost,
                    scales.raised(rows["low"], floor),
                    np.minimum(scales.raised(rows["high"], floor), top),
                    color=look.color,
                    alpha=style.BAND_ALPHA,
                    linewidth=0,
                    step="post",
                )
                marks = style.marks(np.ones(len(rows), dtype=bool), k, len(looks))
                median = scales.raised(rows["median"], floor)
                ax.step(cost, median, where="post", markevery=marks, **look.line)
            scales.set_log(ax, "x", costs)
            scales.set_log(ax, "y", (bottom, top))
        figure.supxlabel(LABEL[unit], fontsize=7.5)
        figure.supylabel(scales.with_zero("best precision so far", floor), fontsize=7.5)
        panels.legend(figure, looks)
    return figure
