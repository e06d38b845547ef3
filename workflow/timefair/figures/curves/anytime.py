"""Best precision over elapsed cost: the median and its interval, from the table `anytime`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.figures import costs, panels, trajectories


def draw(frame: pd.DataFrame, unit: str = "seconds") -> Figure:
    """Median trajectory with its interval, a panel a function and dimension.

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
    shown = panels.of_unit(frame, unit)
    return trajectories.draw(
        shown.assign(curve=shown["median"], low=shown["median_low"], high=shown["median_high"]),
        cost_label=costs.spent(frame, unit),
        label="best precision so far, median",
    )
