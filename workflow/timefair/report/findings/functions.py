"""The algorithm in front on each function, under the criterion of the headline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan, nan

from timefair.basics.words import counted, listed, number
from timefair.exhibits.comparisons.criteria import ERT
from timefair.report.evidence import Evidence, Space
from timefair.report.findings.pairs import Pairs, functions_of, on_each, on_function
from timefair.report.findings.results import Result, by_cost, precisions_at
from timefair.report.findings.standing import Standing, Verdict
from timefair.rundata.frames import quantile_name

NAMED = 4
"""The sentence over all functions names at most this many algorithms."""


@dataclass(frozen=True)
class OnFunction:
    """The standing on one function.

    Attributes
    ----------
    function
        Number of the function.
    title
        Number of the function with its name.
    criterion
        The criterion of the comparison, such as ``time to 10⁻⁸``.
    value
        Value of the first algorithm, with its interval.
    factor
        Value of the next algorithm as a multiple of it; `inf` or NaN if there is none.
    successes
        The successful runs of the first algorithm, such as ``8 of 10``; empty for a precision.
    standing
        The standing.
    """

    function: int
    title: str
    criterion: str
    value: str
    factor: float
    successes: str
    standing: Standing


TIME = {"wall": "time", "cpu": "CPU time", "reference": "reference units"}
"""Words for the seconds of each clock."""


def on_functions(evidence: Evidence, space: Space) -> list[OnFunction]:
    """The standing on each function; empty with fewer than two functions or algorithms.

    The first algorithm has the smallest ERT to the target of the function: the hardest that half of
    the runs of some algorithm reached, or else the hardest that any run reached. If no run reached
    a target, it has the best median precision at the end. The function needs the tables
    `comparison` and `ert`.
    """
    if len(functions_of(evidence, space)) < 2:
        return []
    precisions = precisions_at(evidence, space, quantile_name(0.5))
    found = {function: (nan, results) for function, results in precisions}
    costs = by_cost(evidence, space, evidence.unit)
    found |= {function: (target, results) for function, target, results in costs}
    return [
        _on(evidence, space, function, pairs, *found[function])
        for function, pairs in on_each(evidence, space, evidence.unit, ERT)
        if function in found
    ]


def _on(
    evidence: Evidence,
    space: Space,
    function: int,
    pairs: Pairs,
    target: float,
    every: Sequence[Result],
) -> OnFunction:
    """The standing on a function by the costs to a target, or by precisions if it is NaN."""
    failed, unit = evidence.failed(space), evidence.unit
    results = {one.algorithm: one for one in every if one.algorithm not in failed}
    standing = on_function(evidence, pairs, unit, ERT)
    best = results.get(standing.leaders[0]) if standing.leaders else None
    words = TIME[evidence.clock] if unit == "seconds" else "evaluations"
    by = "median precision at the end" if isnan(target) else f"{words} to {number(target)}"
    value, factor, successes = "–", nan, ""
    if best:
        value = best.in_words("precision" if isnan(target) else unit, evidence.clock)
        factor = _factor(list(results.values()), best)
        successes = "" if isnan(target) else f"{best.successes} of {best.runs}"
    title = evidence.called(function)
    return OnFunction(function, title, by, value, factor, successes, standing)


def _factor(results: Sequence[Result], best: Result) -> float:
    others = [one.value for one in results if one is not best]
    return min(others, default=inf) / best.value if best.value > 0 else nan


def summed_up(found: Sequence[OnFunction]) -> str:
    """A sentence on the number of functions on which each algorithm is first; empty for less than
    two functions. If more than one algorithm follows the `NAMED` most frequent ones, these follow
    together.
    """
    if len(found) < 2:
        return ""
    leads = Counter(name for one in found for name in one.standing.leaders).most_common()
    if not leads:
        return ""
    clear = sum(one.standing.verdict is Verdict.CLEAR for one in found)
    named = NAMED if len(leads) > NAMED + 1 else len(leads)
    most = [f"{name} on {count}" for name, count in leads[:named]]
    if others := leads[named:]:
        together = sum(count for _, count in others)
        most.append(f"{counted(len(others), 'other algorithm')} on {together}")
    count = "none" if not clear else "all" if clear == len(found) else str(clear)
    return (
        f"Function by function, the first is {listed(most)} of {len(found)} functions. On {count} "
        "of them, the first is significantly better than every other algorithm."
    )
