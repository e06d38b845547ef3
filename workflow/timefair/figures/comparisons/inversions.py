"""The ranking by evaluations against the ranking by time, from the table `rankings`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.figures.comparisons import slopes

KEYS = ["suite", "dimension", "criterion", "algorithm"]
PANELS = {
    "fixed budget": "fixed budget (median precision)",
    "fixed target": "fixed targets (ERT)",
}
POSITIONS = {"rank_by_evaluations": "by evaluations", "rank_by_time": "by time"}


def draw(frame: pd.DataFrame) -> Figure:
    """Ranks averaged over functions and targets, a panel a dimension and criterion.

    Parameters
    ----------
    frame : DataFrame
        The table `rankings`.

    Raises
    ------
    ValueError
        If the table has no rows.
    """
    averages = frame.groupby(KEYS, as_index=False)[list(POSITIONS)].mean()
    beside = averages.melt(KEYS, list(POSITIONS), var_name="position", value_name="average_rank")
    return slopes.draw(
        beside.assign(
            panel=beside["criterion"].map(PANELS), position=beside["position"].map(POSITIONS)
        )
    )
