"""Performance profile on expected seconds, from the table `profile`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from timefair.figures import panels, scales, style


def draw(frame: pd.DataFrame) -> Figure:
    """Share of problems within a factor of the best ERT, a panel a dimension.

    The left end of a curve is the share on which the algorithm is best, the right end the share
    that it solved at all.

    Parameters
    ----------
    frame : DataFrame
        The table `profile`.

    Raises
    ------
    ValueError
        If the table has no rows.
    """
    with style.applied():
        figure, grid = panels.grid(frame, functions=False)
        looks = style.looks(frame["algorithm"])
        left, right = scales.limits(frame["ratio"], margin=0.015)
        for panel in grid:
            ax = panel.axes
            for name, part in panels.by_algorithm(panel.rows):
                rows = part.sort_values("ratio")
                k = list(looks).index(name)
                ratio = np.append(rows["ratio"], right)  # flat beyond the panel's largest ratio
                fraction = np.append(rows["fraction"], rows["fraction"].iloc[-1])
                marks = style.marks(fraction > 0, k, len(looks))
                ax.step(
                    ratio,
                    fraction,
                    where="post",
                    markevery=marks,
                    **looks[name].line,
                )
            scales.set_log(ax, "x", (left, right))
            ax.set_ylim(-0.03, 1.03)
            ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
        figure.supxlabel("ERT in seconds, as a multiple of the best", fontsize=7.5)
        figure.supylabel("share of problems", fontsize=7.5)
        panels.legend(figure, looks)
    return figure
