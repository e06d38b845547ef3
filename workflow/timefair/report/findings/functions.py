"""The algorithm in front on each function, by the cost to its hardest target or by the
precision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, nan

from timefair.report.evidence import NOTICEABLE, Evidence, Space
from timefair.report.findings.results import Result, by_cost, named, precisions_at
from timefair.report.findings.standing import Standing, Verdict, first, judged, nothing
from timefair.report.words import counted, listed, number
from timefair.rundata.measures import quantile_name

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
    standing
        The standing; its reason contains the number of successful runs.
    """

    function: int
    title: str
    criterion: str
    value: str
    factor: float
    standing: Standing


TIME = {"wall": "time", "cpu": "CPU time", "reference": "reference units"}
"""Words for the seconds of each clock."""


def on_functions(evidence: Evidence, space: Space) -> list[OnFunction]:
    """The standing on each function; empty with fewer than two algorithms.

    The criterion is the expected cost to the hardest target that half of the runs of some algorithm
    reached; otherwise to the hardest one that any run reached; and if no run reached a target, the
    median precision at the end. Algorithms are tied if their interval overlaps that of the first or
    is unknown. An algorithm that never reached the target has no interval, and is judged by its
    success rate. Intervals of times are widened by the ratio that the machine resolves. The
    function needs the table `ert` or `quantiles`.
    """
    found = {one.function: one for one in _by_precision(evidence, space)}
    found |= {one.function: one for one in _by_cost(evidence, space)}
    return [found[function] for function in sorted(found)]


def _by_cost(evidence: Evidence, space: Space) -> Iterator[OnFunction]:
    words = TIME[evidence.clock] if evidence.unit == "seconds" else "evaluations"
    failed = evidence.failed(space)
    for function, target, found in by_cost(evidence, space, evidence.unit):
        results = [one for one in found if one.algorithm not in failed]
        if len(results) < 2:
            continue
        best = min(results, key=lambda one: one.value)
        noticeable = evidence.resolved(space, evidence.unit, function) >= NOTICEABLE
        yield OnFunction(
            function,
            evidence.called(function),
            f"{words} to {number(target)}",
            best.in_words(evidence.unit, evidence.clock, digits=2 if noticeable else 3),
            _factor(results, best),
            judged(
                {one.algorithm: one.value for one in results},
                named(one for one in results if not one.is_behind(best)),
                f"{best.successes} of {counted(best.runs, 'run')} reached the target.",
            ),
        )


def _by_precision(evidence: Evidence, space: Space) -> Iterator[OnFunction]:
    failed = evidence.failed(space)
    for function, found in precisions_at(evidence, space, quantile_name(0.5)):
        results = [one for one in found if one.algorithm not in failed]
        if len(results) < 2:
            continue
        best = min(results, key=lambda one: one.value)
        values = {one.algorithm: one.value for one in results}
        tied = named(one for one in results if not one.is_behind(best))
        yield OnFunction(
            function,
            evidence.called(function),
            "median precision at the end",
            best.in_words("precision", evidence.clock),
            _factor(results, best),
            nothing("All algorithms have the same median.")
            if len(first(values)) == len(values)
            else judged(values, tied, f"{counted(best.runs, 'run')} each."),
        )


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
    clear = sum(one.standing.verdict is Verdict.CLEAR for one in found)
    named = NAMED if len(leads) > NAMED + 1 else len(leads)
    most = [f"{name} on {count}" for name, count in leads[:named]]
    if others := leads[named:]:
        together = sum(count for _, count in others)
        most.append(f"{counted(len(others), 'other algorithm')} on {together}")
    sure = "none" if not clear else "all" if clear == len(found) else str(clear)
    return (
        f"Function by function, the first is {listed(most)} of {len(found)} functions. "
        f"On {sure} of them, the first is surely better than all others."
    )
