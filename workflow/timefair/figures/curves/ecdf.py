"""Share of targets reached within a cost, from the table `ecdf`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.figures import costs, panels, step_curves


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
    return step_curves.draw(
        panels.without_sole(panels.of_unit(frame, unit), "function"),
        "cost",
        functions=True,
        x_label=costs.spent(frame, unit),
        label="share of (target, instance, run) reached",
    )
