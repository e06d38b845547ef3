"""Average ranks under several criteria, from the table `ranks`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.figures import costs
from timefair.figures.comparisons import slopes

COSTS = ("seconds", "evaluations")


def draw(frame: pd.DataFrame) -> Figure:
    """Average rank by the mean and by each quantile, a panel a dimension and measure.

    Parameters
    ----------
    frame : DataFrame
        The table `ranks`.

    Raises
    ------
    ValueError
        If the table has no rows.
    """
    titles = {m: f"{costs.counted_in(frame, m)} to targets" for m in COSTS}
    titles["precision"] = "precision at the end"
    return slopes.draw(
        frame.assign(panel=frame["measure"].map(titles), position=frame["criterion"])
    )
