"""Best precision over elapsed cost: the mean logarithm, from the table `anytime`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.figures import costs, panels, trajectories


def draw(frame: pd.DataFrame, unit: str = "seconds") -> Figure:
    """Mean of the logarithm with its interval, drawn as a precision: the geometric mean.

    A curve begins where every run has a value. The scale of y is each panel's own.

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
    shown = panels.of_unit(frame, unit)
    return trajectories.draw(
        shown.assign(
            curve=10.0 ** shown["mean_log10"],
            low=10.0 ** shown["mean_log10_low"],
            high=10.0 ** shown["mean_log10_high"],
        ),
        cost_label=costs.spent(frame, unit),
        label="best precision so far, geometric mean",
    )
