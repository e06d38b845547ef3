"""Common parts of the tables of shares over the cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.exhibits.exhibit import Column
from timefair.exhibits.layout import Layout, Points, Value

PROBLEMS = Column(
    "problems", "number of cases (problem and target) that were run with every algorithm"
)
LIMITS = (
    Column(
        "low",
        "lower limit at this point of the curve, from a bootstrap of the runs within each "
        "instance; empty if an instance has a single run",
    ),
    Column("high", "upper limit at this point of the curve"),
)
OBSERVED = Column(
    "observed",
    "share of the runs that were observed up to `cost`, or had nothing left to reach. Below 1, the "
    "budget (or the end of published data) has cut off the others, and the row counts only what "
    "they had reached",
)
SHARE = Value("fraction", "Share", "high", interval=("low", "high"), decimals=2)
BOOTSTRAP = "Brackets: {confidence} bootstrap interval."


def costs_layout(what: str, key: str, observed: str = "") -> Layout:
    """The printed form of a share over costs: four points, one row per value of a key.

    `observed` is as in `Layout`.
    """
    return Layout(
        caption=f"{what}.",
        brackets=BOOTSTRAP,
        values=(SHARE,),
        rows=(key, "algorithm"),
        columns="cost",
        points=(Points("cost", (0.001, 0.01, 0.1, 1.0), relative=True),),
        observed=observed,
    )


def until_cut(
    part: dict[str, Any],
    known: NDArray[np.float64],
    end: float,
    limits: Iterable[str] = (),
) -> dict[str, Any]:
    """A part of a table up to a cost, with the column `OBSERVED`.

    Parameters
    ----------
    part
        The columns of the part; ``cost`` rises.
    known
        Cost up to which the results of each run are known, shape (runs,).
    end
        The last cost; the first row is always there.
    limits
        Columns that are NaN from the first cut on.
    """
    cost = part["cost"]
    before = np.searchsorted(np.sort(known), cost * (1 - 1e-9))
    part = part | {"observed": 1 - before / len(known)}
    part |= {name: np.where(before > 0, np.nan, part[name]) for name in limits}
    points = max(int(np.searchsorted(cost, end * (1 + 1e-9), side="right")), 1)
    return {
        name: value[:points] if isinstance(value, np.ndarray) else value
        for name, value in part.items()
    }


def last_cut(known: NDArray[np.float64]) -> float:
    """The largest finite cost up to which a run is known; `inf` if every run is known forever."""
    return float(known[np.isfinite(known)].max(initial=0.0)) or np.inf
