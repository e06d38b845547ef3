"""Who is in front on each function: by the cost to its hardest target, or by the precision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, isnan, nan

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact

from timefair.report.evidence import Evidence, Space
from timefair.report.findings.standing import Standing, Verdict, first, judged, nothing
from timefair.report.words import counted, duration, listed, number

COST = {"seconds": "ert_s", "evaluations": "ert_evaluations"}


@dataclass(frozen=True)
class OnFunction:
    """The standing on one function.

    Attributes
    ----------
    function
        Its number.
    criterion
        What is compared, such as ``time to 10⁻⁸``.
    value
        That of the first, with its interval.
    factor
        That of the next, as a multiple; `inf` or NaN where there is none.
    standing
        Who is in front; its reason is how many runs got there.
    """

    function: int
    criterion: str
    value: str
    factor: float
    standing: Standing


TIME = {"wall": "time", "cpu": "CPU time", "reference": "reference units"}
"""What the seconds of each clock are called."""


@dataclass(frozen=True)
class _Result:
    """What one algorithm has on one function: a value, small is better, and its interval."""

    algorithm: str
    value: float
    low: float
    high: float
    runs: int
    successes: int = 0

    def may_equal(self, best: _Result) -> bool:
        """Whether its interval meets that of the best, or one of both is not known."""
        return not (isfinite(best.high) and self.low > best.high)

    def in_words(self, unit: str, clock: str) -> str:
        """The value and its interval."""
        text = partial(duration, clock=clock) if unit == "seconds" else number
        limits = "" if isnan(self.low) else f" [{text(self.low)}, {text(self.high)}]"
        return text(self.value) + limits


def on_functions(evidence: Evidence, space: Space) -> list[OnFunction]:
    """The standing on each function; empty with fewer than two algorithms.

    Compared is the expected cost to the hardest target that half of the runs of some algorithm
    reached, or any run; where none reached one, the median precision at the end. Tied are those
    whose interval meets that of the first, or is not known; an algorithm that never got there has
    none, and is told apart by its success rate. Needs the table `ert` or `quantiles`.
    """
    by_precision = {one.function: one for one in _by_precision(evidence, space)}
    by_cost = {one.function: one for one in _by_cost(evidence, space)}
    found = by_precision | by_cost
    return [found[function] for function in sorted(found)]


def _by_cost(evidence: Evidence, space: Space) -> Iterator[OnFunction]:
    rows = evidence.of("ert", space)
    if rows.empty:
        return
    rows = rows[rows[COST[evidence.unit]].notna()]  # published data have no seconds
    words = TIME[evidence.clock] if evidence.unit == "seconds" else "evaluations"
    reached = rows[rows["successes"] > 0].groupby("function")["target"].min()
    usual = rows[2 * rows["successes"] >= rows["runs"]].groupby("function")["target"].min()
    for function, target in usual.combine_first(reached).items():
        at = rows[(rows["function"] == function) & (rows["target"] == target)]
        results = list(_results(at, COST[evidence.unit]))
        if len(results) < 2:
            continue
        best = min(results, key=lambda one: one.value)
        tied = [one for one in results if one.may_equal(best)]
        yield OnFunction(
            int(str(function)),
            f"{words} to {number(float(str(target)))}",
            best.in_words(evidence.unit, evidence.clock),
            _factor(results, best),
            judged(
                {one.algorithm: one.value for one in results},
                _named(_not_told_by_rate(tied, best, evidence.confidence)),
                f"{best.successes} of {counted(best.runs, 'run')} got there.",
            ),
        )


def _by_precision(evidence: Evidence, space: Space) -> Iterator[OnFunction]:
    rows = evidence.of("quantiles", space)
    if rows.empty:
        return
    for function, at in rows[rows["quantile"] == 0.5].groupby("function"):
        results = list(_results(at, "precision"))
        if len(results) < 2:
            continue
        best = min(results, key=lambda one: one.value)
        values = {one.algorithm: one.value for one in results}
        tied = _named(one for one in results if one.may_equal(best))
        yield OnFunction(
            int(str(function)),
            "median precision at the end",
            best.in_words("precision", evidence.clock),
            _factor(results, best),
            nothing("All have the same median.")
            if len(first(values)) == len(values)
            else judged(values, tied, f"{counted(best.runs, 'run')} each."),
        )


def _results(rows: pd.DataFrame, column: str) -> Iterator[_Result]:
    ends = (column, f"{column}_low", f"{column}_high")
    for row in rows.to_dict("records"):
        value, low, high = (float(row[end]) for end in ends)
        yield _Result(
            str(row["algorithm"]), value, low, high, int(row["runs"]), int(row.get("successes", 0))
        )


def _not_told_by_rate(
    results: Iterable[_Result], best: _Result, confidence: float
) -> Iterator[_Result]:
    """Those that got there at least once, or by chance not as often as the best (Fisher's test)."""
    for one in results:
        outcomes = np.array([[r.successes, r.runs - r.successes] for r in (one, best)])
        if one.successes or fisher_exact(outcomes).pvalue > 1 - confidence:
            yield one


def _named(results: Iterable[_Result]) -> list[str]:
    return [one.algorithm for one in results]


def _factor(results: Sequence[_Result], best: _Result) -> float:
    others = [one.value for one in results if one is not best]
    return min(others, default=inf) / best.value if best.value > 0 else nan


def summed_up(found: Sequence[OnFunction]) -> str:
    """A sentence on how many functions each algorithm is in front on; empty for one or none."""
    if len(found) < 2:
        return ""
    leads = Counter(name for one in found for name in one.standing.leaders)
    clear = sum(one.standing.verdict is Verdict.CLEAR for one in found)
    most = [f"{name} on {count}" for name, count in leads.most_common(4)]
    sure = "none" if not clear else "all" if clear == len(found) else str(clear)
    return (
        f"Function by function, the first is {listed(most)} of {len(found)}; "
        f"on {sure} of them it is clear of all others."
    )
