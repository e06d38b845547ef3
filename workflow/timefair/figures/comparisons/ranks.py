"""Average ranks under several criteria, from the table `ranks`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.figures.comparisons import slopes

PANELS = {
    "precision": "precision at the end",
    "seconds": "seconds to targets",
    "evaluations": "evaluations to targets",
}


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
    return slopes.draw(
        frame.assign(panel=frame["measure"].map(PANELS), position=frame["criterion"])
    )
