"""Expected running time against the relative target, from the table `ert_relative`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from timefair.figures.runtimes import ert


def draw(frame: pd.DataFrame, unit: str = "seconds") -> Figure:
    """The figure `ert` with the share that is left of the way from start to best.

    Parameters
    ----------
    frame : DataFrame
        The table `ert_relative`.
    unit : str
        ``seconds`` or ``evaluations``.

    Raises
    ------
    ValueError
        If the table has no rows.
    """
    figure = ert.draw(frame, unit)
    figure.supxlabel("share left of the way from start to best (easy to hard)", fontsize=7.5)
    return figure
