"""Performance profiles on the ERT, from the table `profile` or one of its kind."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.figures import costs, step_curves


def draw(frame: pd.DataFrame, unit: str = "seconds") -> Figure:
    """Share of problems within a factor of the best ERT, a panel a dimension.

    The left end of a curve is the share on which the algorithm is best, the right end the share
    that it solved at all.

    Parameters
    ----------
    frame : DataFrame
        The table `profile`, `profile_evaluations` or `profile_quality`.
    unit : str
        What the ERT is in: ``seconds`` or ``evaluations``.

    Raises
    ------
    ValueError
        If the table has no rows.
    """
    return step_curves.draw(
        frame,
        "ratio",
        functions=False,
        x_label=f"ERT in {costs.counted_in(frame, unit)}, as a multiple of the best",
        label="share of problems",
    )
