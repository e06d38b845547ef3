"""Pairs of algorithms under every criterion: the table from which all verdicts follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from timefair.basics.together import ALL
from timefair.exhibits.columns import FUNCTION_OR_ALL, SPACE, TARGET
from timefair.exhibits.comparisons.criteria import ERT, PRECISION, TARGETS, Criterion, criteria
from timefair.exhibits.comparisons.pairs import PAIR
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.exhibits.questions import Question
from timefair.rundata.pairs import Listed, best_of, listed, planned
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.rundata.standings import ProblemRuns, Space
from timefair.statistics.comparison import in_agreement, wilcoxon
from timefair.statistics.within import Strata, a12_within, superiority_within

Pair: TypeAlias = tuple[str, str]

FEW_FUNCTIONS = 6
"""Number of functions below which Wilcoxon's test cannot decide a pair at 95 %."""

LIMITED = "Only pairs with the best algorithm or with those in `statistics.pairs` are listed."
COLUMNS = (
    *SPACE,
    Column(
        "measure",
        f"what is compared: `seconds` or `evaluations` to the targets, `{TARGETS}` that are reached"
        f" within a cost, or `{PRECISION}` at the end of the run",
        text=True,
    ),
    Column(
        "criterion",
        f"of a cost: `{ERT}`; of targets: the share of the budget; of a precision: a quantile such "
        "as `Q.50`",
        text=True,
    ),
    FUNCTION_OR_ALL,
    TARGET,
    Column(
        "within",
        f"for `{TARGETS}`: the cost within which targets count",
        "s or evaluations",
    ),
    *PAIR,
    Column("n_a", "runs of `algorithm_a`; for `all`, functions that both ran"),
    Column("n_b", "runs of `algorithm_b`; for `all`, functions that both ran"),
    Column(
        "value_a",
        "result of `algorithm_a`: ERT to `target` (if `target` is empty, median precision), share "
        "of the targets, or quantile of the precision, where runs that reached the final target "
        "count as 0; for `all`, the average rank of the table `ranks`, or the mean share",
        "s, evaluations, share, precision or rank",
    ),
    Column("value_b", "the same for `algorithm_b`"),
    *Column(
        "a12",
        "for `all`, share of the functions on which `algorithm_a` is better, where a tie counts "
        "half; on a function, for the median precision only, probability that a run of "
        "`algorithm_a` is better than one of `algorithm_b`",
    ).interval(
        "`a12` at the level of the pair: it excludes 0.5 if and only if `better` names an "
        "algorithm; empty for `all`"
    ),
    Column(
        "p",
        "p-value of the pair alone; for `all`, of Wilcoxon's signed-rank test over the functions; "
        "on a function, of the score test of equal ERTs, the Mann-Whitney test of runs, or "
        "Fisher's test at the quantile; within the kinds of machines if blocks mix several",
    ),
    Column(
        "tests",
        "number of tests in the family: pairs for `all`, pairs times functions for a function; "
        "pairs that are not listed count",
    ),
    Column("p_adjusted", "`p` times `tests`, at most 1 (Bonferroni)"),
    Column(
        "better",
        "the better algorithm if `p_adjusted` is at most 1 − confidence; empty otherwise",
        text=True,
    ),
)


@exhibit(
    "comparison",
    question=Question.BETTER,
    title="Pairs of algorithms under each criterion",
    caption="""
    Each pair of algorithms under each criterion, on each function and over all functions. All
    verdicts of the report follow from this table. A test uses the runs of its pair only, and its
    p-value is multiplied by the number of tests, so that the results of other algorithms do not
    change the verdict on a pair. Quantiles other than the median, and shares of targets, are tested
    on single functions only if there are fewer than 6 functions. For more than 12 algorithms, only
    pairs with the best one under the criterion are listed, and on a function also those with the
    best one there; `statistics.pairs` adds other pairs.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Pairs of algorithms over all functions. A12: share of the functions on which "
            "the first is better. p: Wilcoxon's signed-rank test, times the number of pairs. "
            "Better: with {confidence} confidence.",
            values=(
                Value("a12", "A12", decimals=2),
                Value("p_adjusted", "p", decimals=4),
                Value("better", "Better"),
            ),
            rows=tuple(column_names(PAIR)),
            columns="criterion",
            parts=("suite", "dimension", "measure"),
            points=(Points("function", 1),),
        ),
        Layout(
            caption="Pairs of algorithms on each function, and on all functions. p: times the "
            "number of tests. Better: with {confidence} confidence.",
            values=(
                Value("p_adjusted", "p", decimals=3),
                Value("better", "Better"),
            ),
            rows=("function", *column_names(PAIR)),
            columns="criterion",
            parts=("suite", "dimension", "measure"),
            name="functions",
        ),
    ],
    default=True,
    comparing=True,
)
def pairwise(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Each listed pair under each criterion, over all functions and on single ones."""
    rows: list[dict[str, Any]] = []
    limited = False
    for criterion in criteria(runs, analysis):
        for space, functions in criterion.spaces().items():
            contest = _Contest(criterion, space, functions, analysis)
            rows += contest.rows()
            limited |= contest.listed.among is not None
    frame = pd.DataFrame(rows, columns=column_names(COLUMNS))
    named = frame["better"].notna()
    frame["better"] = frame["better"].where(named, np.nan).astype(frame["algorithm_a"].dtype)
    frame.attrs["pairs"] = LIMITED if limited else ""
    return frame


class _Contest:
    """All pairs under one criterion in one suite and dimension."""

    def __init__(
        self,
        criterion: Criterion,
        space: Space,
        functions: Sequence[ProblemRuns],
        analysis: Analysis,
    ) -> None:
        self._criterion, self._space, self._functions = criterion, space, functions
        self._alpha = 1 - analysis.confidence
        self._on: defaultdict[Pair, list[ProblemRuns]] = defaultdict(list)
        for problem in functions:
            for pair in combinations(criterion.algorithms(problem), 2):
                self._on[pair].append(problem)
        self._values = criterion.over_all(space)
        self._planned = Listed(planned(analysis))
        self.listed = _with_the_best(
            listed(analysis, self._values), self._values, self._on, self._over
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """The pairs over all functions, then those on each function."""
        for pair in self._on:
            if self.listed.has(*pair):
                yield self._over(pair)
        if self._criterion.always_on_functions or len(self._functions) < FEW_FUNCTIONS:
            for problem in self._functions:
                yield from self._on_function(problem)

    def _on_function(self, problem: ProblemRuns) -> Iterator[dict[str, Any]]:
        """The pairs on a function, also those with the best algorithm there."""
        there = self._criterion.algorithms(problem)
        chosen = self.listed
        if chosen.among is not None and there:
            results = self._criterion.results(problem)
            chosen = _with_the_best(
                chosen, results, combinations(there, 2), partial(self._tested, problem)
            )
        for pair in combinations(there, 2):
            if chosen.has(*pair):
                yield self._tested(problem, pair)

    def _over(self, pair: Pair) -> dict[str, Any]:
        """A pair over all its functions."""
        gains = np.array([self._criterion.gain(problem, *pair) for problem in self._on[pair]])
        test = wilcoxon(-gains, np.zeros(gains.size))
        share = float(np.mean((gains > 0) + 0.5 * (gains == 0)))
        balance = test.balance if (share - 0.5) * test.balance >= 0 else 0.0
        row = self._row(pair, ALL, [abs(self._values.get(name, np.nan)) for name in pair])
        row |= {"n_a": gains.size, "n_b": gains.size, "a12": share}
        return row | self._decision(pair, test.p, balance, lambda on: 1)

    def _tested(self, problem: ProblemRuns, pair: Pair) -> dict[str, Any]:
        """A pair on a function."""
        test = self._criterion.tested(problem, *pair)
        row = self._row(pair, problem.names["function"], test.values) | {"target": test.target}
        row |= {
            end: problem.algorithms[name].size
            for end, name in zip(("n_a", "n_b"), pair, strict=True)
        }
        decision = self._decision(pair, test.p, test.balance, len)
        if test.strata:
            row |= _superiority(test.strata, decision, self._alpha)
        return row | decision

    def _row(self, pair: Pair, function: object, values: Iterable[float]) -> dict[str, Any]:
        suite, dimension = self._space
        return {
            "suite": suite,
            "dimension": dimension,
            "measure": self._criterion.measure,
            "criterion": self._criterion.name,
            "function": str(function),
            "within": self._criterion.within(self._space),
            **dict(zip(column_names(PAIR), pair, strict=True)),
            **dict(zip(("value_a", "value_b"), values, strict=True)),
        }

    def _decision(
        self, pair: Pair, p: float, balance: float, count: Callable[[list[ProblemRuns]], int]
    ) -> dict[str, Any]:
        """Whether one of the pair is better, given the number of tests of each pair.

        Planned pairs are a family of their own; the others count with all pairs.
        """
        planned = self._planned.has(*pair)
        family = (on for one, on in self._on.items() if self._planned.has(*one) or not planned)
        tests = sum(map(count, family))
        adjusted = min(p * tests, 1.0)
        decided = adjusted <= self._alpha and balance != 0
        better = pair[0 if balance > 0 else 1] if decided else None
        return {"p": p, "tests": tests, "p_adjusted": adjusted, "better": better}


def _with_the_best(
    chosen: Listed,
    results: Mapping[str, float],
    pairs: Iterable[Pair],
    tested: Callable[[Pair], Mapping[str, Any]],
) -> Listed:
    """Also the pairs with the best algorithm, and with those that are better than it."""
    if chosen.among is None or not results:
        return chosen
    best = best_of(results)
    decided = (tested(pair)["better"] for pair in pairs if best in pair)
    better = {str(name) for name in decided if name is not None}
    return Listed(chosen.among | {best} | better)


def _superiority(strata: Strata, decision: Mapping[str, Any], alpha: float) -> dict[str, float]:
    """A12 with an interval that agrees with the decision."""
    level = alpha / decision["tests"]
    measured = a12_within(strata, confidence=1 - level)
    effect = in_agreement(measured, decision["p"], level, rejected=decision["better"] is not None)
    return {"a12": superiority_within(strata), "a12_low": effect.low, "a12_high": effect.high}
