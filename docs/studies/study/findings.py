"""What the page says of the tables, before it is written as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

COSTS_S = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
"""Evaluation costs of the page's tables; each is in the table `cost_map`."""

SHORT = 0.1
"""A short budget, as a share of the largest known one."""


TENTHS = 10
MOST_NAMED = 3


class Leader(NamedTuple):
    """The best algorithm of a cell of the cost map.

    Attributes
    ----------
    budget_s
        Of a run, evaluation costs included.
    best
        Its label; empty if the runs do not show it.
    share
        Average share of the targets that it reaches.
    tied
        Labels that may be as good, as `cost_map` writes them; empty for a sure lead.
    """

    budget_s: float
    best: str
    share: float
    tied: str

    @property
    def is_sure(self) -> bool:
        return bool(self.best) and not self.tied

    @property
    def tied_in_short(self) -> str:
        """The labels in `tied`, or how many there are if they are more than `MOST_NAMED`."""
        named, _, more = self.tied.partition(" and ")
        count = len(named.split(", ")) + (int(more.split()[0]) if more.endswith(" more") else 0)
        return self.tied if count <= MOST_NAMED else f"{count} optimizers"


class Crossing(NamedTuple):
    """At which evaluation costs the order of a pair changes, over functions and targets.

    Attributes
    ----------
    cells
        Number of (function, target) cells with a change from the winner by time at low costs to
        the winner by evaluations at high costs.
    median_s, low_s, high_s
        Median and quartiles of the cost of this change over the cells; NaN without cells.
    """

    cells: int
    median_s: float
    low_s: float
    high_s: float


def speeds(frame: pd.DataFrame) -> pd.Series:
    """How fast the machine was in each tenth of the campaign, by the reference kernel.

    Parameters
    ----------
    frame
        One row per run, with ``core``, ``started_utc`` and ``reference_before_s``.

    Returns
    -------
    pandas.Series
        For each tenth of the time, from 0 to 9, the median time of the kernel before the runs,
        divided by its median on the same core; tenths without runs are left out.
    """
    known = frame.dropna(subset=["reference_before_s", "started_utc"])
    cores = known["core"].fillna(-1)
    relative = known["reference_before_s"] / known.groupby(cores)["reference_before_s"].transform(
        "median"
    )
    passed = (known["started_utc"] - known["started_utc"].min()).dt.total_seconds()
    longest = passed.max()
    tenth = np.minimum(passed / longest * TENTHS, TENTHS - 1).astype(int) if longest else 0 * passed
    return relative.groupby(tenth).median()


def known_until_s(cost_map: pd.DataFrame, dimension: int, cost_s: float) -> float:
    """The largest budget up to which every run is known; `inf`: every budget."""
    return float(_at(cost_map, dimension, cost_s)["known_until_s"].iloc[0])


def leader(
    cost_map: pd.DataFrame, dimension: int, cost_s: float, part: float = 1.0
) -> Leader | None:
    """The best algorithm by the share of the targets at the largest known budget of the map.

    Parameters
    ----------
    part
        The largest known budget is multiplied by it.

    Returns
    -------
    Leader or None
        None if the map knows no budget.
    """
    known = _at(cost_map, dimension, cost_s)
    known = known[known["known"].astype(bool)]
    known = known[known["budget_s"] <= known["budget_s"].max() * part * (1 + 1e-6)]
    if known.empty:
        return None
    row = known.loc[known["budget_s"].idxmax()]
    return Leader(float(row["budget_s"]), _text(row["best"]), row["value"], _text(row["tied"]))


def _at(cost_map: pd.DataFrame, dimension: int, cost_s: float) -> pd.DataFrame:
    by_share = cost_map[(cost_map["measure"] == "share") & (cost_map["dimension"] == dimension)]
    rows = by_share[by_share["evaluation_cost_s"] == cost_s]
    if rows.empty:
        raise ValueError(f"{cost_s} s: is no evaluation cost of the table cost_map")
    return rows


def rank_reversals(
    table: pd.DataFrame, dimension: int, *, over_all: bool, significant: bool = True
) -> pd.DataFrame:
    """Rows of the table `rank_reversals`, the surest first.

    Parameters
    ----------
    over_all
        Rows for all functions together at a fixed budget; or rows of single functions.
    """
    rows = table[(table["dimension"] == dimension) & ((table["function"] == "all") == over_all)]
    if significant:
        rows = rows[rows["significant"].astype(bool)]
    return rows.sort_values("p_adjusted", kind="stable")


def crossing(
    crossovers: pd.DataFrame, dimension: int, by_time: str, by_evaluations: str
) -> Crossing:
    """The crossings of a pair on all functions and targets of a dimension."""
    rows = crossovers[
        (crossovers["dimension"] == dimension)
        & (crossovers["better_below"] == by_time)
        & (crossovers["better_above"] == by_evaluations)
    ]
    at = rows["turns_at_s"].dropna()
    return Crossing(len(at), at.median(), at.quantile(0.25), at.quantile(0.75))


def portfolios(table: pd.DataFrame, dimension: int) -> Iterator[pd.Series]:
    """The best algorithm alone, the portfolios of two, and the virtual best, in seconds."""
    rows = table[(table["dimension"] == dimension) & (table["unit"] == "seconds")]
    kept = (rows["size"] <= 2) | (rows["arrangement"] == "virtual best")
    for _, row in rows[kept].iterrows():
        yield row


def best_pair(table: pd.DataFrame, dimension: int) -> pd.Series:
    """The portfolio of two on one core that reaches the most on functions it was not chosen by."""
    pairs = [row for row in portfolios(table, dimension) if row["size"] == 2 and row["cores"] == 1]
    return max(pairs, key=lambda row: (row["held_out"], row["any_time"]))


def _text(value: object) -> str:
    return "" if pd.isna(value) else str(value)  # type: ignore[call-overload]
