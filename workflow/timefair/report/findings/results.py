"""The result of each algorithm on a function, with an interval from its runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite, isnan

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact

from timefair.report.evidence import Evidence, Space
from timefair.report.words import duration, number
from timefair.rundata.measures import quantile_name
from timefair.statistics.targets import decisive_target

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
    level
        p-value of Fisher's test up to which an algorithm without a success is behind; 0: never.
    """

    algorithm: str
    value: float
    low: float
    high: float
    runs: int
    successes: int = 0
    level: float = 0.0

    def is_behind(self, best: Result) -> bool:
        """Whether its interval is known and beyond that of the other.

        An algorithm without a success has no interval. It is behind if its success rate is
        significantly lower (Fisher's test).
        """
        if isfinite(best.high) and self.low > best.high:
            return True
        if self.successes or not self.level:
            return False
        outcomes = np.array([[r.successes, r.runs - r.successes] for r in (self, best)])
        return bool(fisher_exact(outcomes).pvalue <= self.level)

    def widened(self, ratio: float) -> Result:
        """The same result with a wider interval: the machine may explain ratios up to this one."""
        factor = float(np.sqrt(ratio))
        return replace(self, low=self.low / factor, high=self.high * factor)

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
    Intervals of times are widened by the ratio that the machine resolves.
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
        ratio = evidence.resolved(space, unit, function)
        results = [
            replace(one.widened(ratio), level=1 - evidence.confidence)
            for one in _results(at, COST[unit])
        ]
        yield int(str(function)), target, results


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


def mean_precisions(evidence: Evidence, space: Space) -> Iterator[tuple[int, list[Result]]]:
    """For each function, the mean precisions at the end, from the table `means`."""
    rows = evidence.of("means", space)
    for function, at in rows.groupby("function") if len(rows) else ():
        yield int(str(function)), list(_results(at, "mean_precision"))


def _results(rows: pd.DataFrame, column: str) -> Iterator[Result]:
    ends = (column, f"{column}_low", f"{column}_high")
    for row in rows.to_dict("records"):
        value, low, high = (float(row[end]) for end in ends)
        yield Result(
            str(row["algorithm"]), value, low, high, int(row["runs"]), int(row.get("successes", 0))
        )


def named(results: Iterable[Result]) -> list[str]:
    """The labels of some algorithms."""
    return [one.algorithm for one in results]
