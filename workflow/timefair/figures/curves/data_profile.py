"""Share of problems solved within an expected cost, from the table `data_profile`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.figures import costs, panels, step_curves

SIMPLEX_GRADIENTS = "evaluations / (dimension + 1)"


def draw(frame: pd.DataFrame, unit: str = "seconds") -> Figure:
    """Data profiles, first over all dimensions, then a panel a dimension.

    Parameters
    ----------
    frame : DataFrame
        The table `data_profile`.
    unit : str
        ``seconds``, ``seconds_per_dimension`` or ``simplex_gradients``.

    Raises
    ------
    ValueError
        If the table has no rows of this unit.
    """
    name = SIMPLEX_GRADIENTS if unit == "simplex_gradients" else costs.counted_in(frame, unit)
    return step_curves.draw(
        panels.without_sole(panels.of_unit(frame, unit), "dimension"),
        "cost",
        functions=False,
        x_label=f"ERT in {name}",
        label="share of problems",
    )
