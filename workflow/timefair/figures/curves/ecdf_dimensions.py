"""Share of targets reached within a cost per dimension, from the table `ecdf_dimensions`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.figures import costs, panels, step_curves


def draw(frame: pd.DataFrame, unit: str = "seconds_per_dimension") -> Figure:
    """ECDF of runtimes over all functions, first over all dimensions, then a panel a dimension.

    Parameters
    ----------
    frame : DataFrame
        The table `ecdf_dimensions`.
    unit : str
        ``seconds_per_dimension`` or ``evaluations_per_dimension``.

    Raises
    ------
    ValueError
        If the table has no rows of this unit.
    """
    return step_curves.draw(
        panels.without_sole(panels.of_unit(frame, unit), "dimension"),
        "cost",
        functions=False,
        x_label=costs.spent(frame, unit),
        label="share of targets reached",
    )
