"""Share of targets reached with restarts, from the table `restarted_curves`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from timefair.figures import costs, panels, step_curves

END_GREY = "#808080"


def draw(frame: pd.DataFrame, unit: str = "seconds") -> Figure:
    """Distribution of the runtime with restarts, first over all functions, then a panel a function.

    The vertical line is the end of the longest run: what lies beyond follows from the runs.

    Parameters
    ----------
    frame : DataFrame
        The table `restarted_curves`.
    unit : str
        ``seconds`` or ``evaluations``.

    Raises
    ------
    ValueError
        If the table has no rows of this unit.
    """
    shown = panels.without_sole(panels.of_unit(frame, unit), "function")
    figure = step_curves.draw(
        shown.assign(low=np.nan, high=np.nan),
        "cost",
        functions=True,
        x_label=f"{costs.spent(frame, unit)} (vertical line: end of the longest run)",
        label="share of targets reached with restarts",
    )
    for axes in figure.axes:
        axes.axvline(shown["longest_run"].max(), color=END_GREY, linewidth=0.7, zorder=1)
    return figure
