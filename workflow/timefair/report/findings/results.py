"""The result of each algorithm on a function, with an interval from its runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import isnan

import pandas as pd

from timefair.basics.words import duration, number
from timefair.report.evidence import Evidence, Space
from timefair.rundata.frames import quantile_name
from timefair.statistics.runtimes import decisive_target

COST = {"seconds": "ert_s", "evaluations": "ert_evaluations"}


@dataclass(frozen=True)
class Result:
    """The result of one algorithm on one function: a value (smaller is better) and its interval.

    Attributes
    ----------
    algorithm
        Label of the algorithm.
    value, low, high
        The value and its limits, NaN if they are unknown.
    runs, successes
        Number of runs, and number of successful ones.
    """

    algorithm: str
    value: float
    low: float
    high: float
    runs: int
    successes: int = 0

    def in_words(self, unit: str, clock: str, digits: int = 3) -> str:
        """The value and its interval."""
        text = partial(duration, clock=clock) if unit == "seconds" else number
        limits = (
            ""
            if isnan(self.low)
            else f" [{text(self.low, digits=digits)}, {text(self.high, digits=digits)}]"
        )
        return text(self.value, digits=digits) + limits


def by_cost(
    evidence: Evidence, space: Space, unit: str
) -> Iterator[tuple[int, float, list[Result]]]:
    """For each function, a target and the expected costs to it.

    The target is the hardest one that half of the runs of some algorithm reached, or else any run.
    """
    rows = evidence.of("ert", space)
    if rows.empty:
        return
    rows = rows[rows[COST[unit]].notna()]  # published data have no seconds
    for function, every in rows.groupby("function"):
        rates = every.pivot_table("success_rate", "algorithm", "target", observed=True)
        target = decisive_target(rates.columns.to_numpy(), rates.to_numpy())
        if target is None:
            continue
        at = every[every["target"] == target]
        yield int(str(function)), target, list(_results(at, COST[unit]))


def precisions_at(
    evidence: Evidence, space: Space, criterion: str
) -> Iterator[tuple[int, list[Result]]]:
    """For each function, a quantile of the precisions at the end, from the table `quantiles`."""
    rows = evidence.of("quantiles", space)
    if rows.empty:
        return
    rows = rows[rows["quantile"].map(lambda p: quantile_name(float(p))) == criterion]
    for function, at in rows.groupby("function"):
        yield int(str(function)), list(_results(at, "precision"))


def _results(rows: pd.DataFrame, column: str) -> Iterator[Result]:
    ends = (column, f"{column}_low", f"{column}_high")
    for row in rows.to_dict("records"):
        value, low, high = (float(row[end]) for end in ends)
        yield Result(
            str(row["algorithm"]), value, low, high, int(row["runs"]), int(row.get("successes", 0))
        )
