"""Pairs of algorithms whose order by evaluations differs from their order by time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import comb, nan
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from timefair.basics.words import ALL
from timefair.exhibits import questions
from timefair.exhibits.campaign.outcomes import of_times
from timefair.exhibits.columns import (
    PAIR,
    column_names,
)
from timefair.exhibits.comparisons.comparison import number_of_criteria, over_functions
from timefair.exhibits.comparisons.ranks import FIXED, FIXED_BUDGET, FIXED_TARGET, median
from timefair.exhibits.exhibit import Made, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.exhibits.unknown_optimum import refuted
from timefair.records.rundata.problems import (
    KnownCosts,
    ProblemRuns,
    Space,
    evaluations_allowed,
    in_words,
    limits,
    listed_by_precision,
    precision_at,
    precision_at_the_end,
    problems,
)
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.statistics.comparison import equal_ert, mann_whitney, superiority, wilcoxon

Pair: TypeAlias = tuple[str, str]
Medians: TypeAlias = tuple[float, ...]
"""Median precisions of a pair on a function: both at equal evaluations, then both at the end."""


class Reversal(NamedTuple):
    """A pair with opposite orders over its functions; `p_adjusted` is times the number of tests.

    `better_on`: On how many functions each has the strictly better median, in the order of
    `Medians`.
    """

    pair: Pair
    first_by_evaluations: bool
    functions: int
    better_on: tuple[int, ...]
    p_by_evaluations: float
    p_by_time: float
    p_adjusted: float


def reversals(medians: Mapping[Pair, Sequence[Medians]], tests: int) -> list[Reversal]:
    """Test which pairs of algorithms have opposite orders at equal evaluations and at equal time.

    Each order is over all functions, with the p-value of Wilcoxon's signed-rank test on the
    logarithms of the medians. A reversal needs both, so its p-value is the larger of the two (an
    intersection-union test), times the number of pairs (Bonferroni).

    - `medians`: The medians of each pair, one entry per function. `inf` is allowed, and values
      below 0 (of a wrong optimum) count as 0. A pair with fewer than two functions is not tested.
    - `tests`: Number of tests in the family, at least ``len(medians)``.

    Returns: Only reversals that the numbers of functions do not contradict, in the order of
    `medians`.
    """
    found = []
    for pair, on_functions in medians.items():
        values = np.array(on_functions, dtype=np.float64)
        if len(values) < 2:
            continue
        with np.errstate(divide="ignore"):
            logs = np.log10(np.maximum(values, 0.0)).T
        evaluations, time = wilcoxon(logs[0], logs[1]), wilcoxon(logs[2], logs[3])
        on = tuple((values < values[:, [1, 0, 3, 2]]).sum(axis=0).tolist())
        orders = (on[0] - on[1], evaluations.balance), (on[2] - on[3], time.balance)
        agreed = all(count * balance >= 0 for count, balance in orders)
        if evaluations.balance * time.balance < 0 and agreed:
            p = min(max(evaluations.p, time.p) * tests, 1.0)
            first = evaluations.balance > 0
            found.append(Reversal(pair, first, len(values), on, evaluations.p, time.p, p))
    return found


FAMILY = ("suite", "dimension", "criterion")
P_OF_UNIT: dict[str, Unit] = {"p_by_evaluations": "evaluations", "p_by_time": "seconds"}
FOR_ALL = "for `all`, number of functions on which its median precision is the better one"
BY = ("by_evaluations_a", "by_evaluations_b", "by_time_a", "by_time_b")


@exhibit(
    "rank_reversals",
    question=questions.REVERSAL,
    title="Pairs with opposite orders by evaluations and by time",
    caption="""
    Pairs in which one algorithm is strictly better by evaluations, and the other by time: by the
    ERT at a fixed target, or by the median precision at a fixed budget, on a function and over all
    functions. A rank reversal is significant only if both orders are, and at a fixed target only if
    the ratio of the times is above the timing noise. For more than 12 algorithms, only pairs with
    the best one (lowest average rank of the median precision) are listed; `statistics.pairs`
    selects other pairs. Functions with a wrong optimum are omitted.
    """,
    columns=f"""
    SPACE, FUNCTION_OR_ALL
    {FIXED}
    TARGET, PAIR
    functions: for `all`, number of functions that both ran; 1 otherwise
    evaluations [evaluations]: the number of evaluations that the budget allowed every run of both,
        within which they are compared; for `all`, the median of these numbers over the functions
    by_evaluations_a [evaluations, precision or functions]: ERT in evaluations of `algorithm_a`, or
        its median precision at `evaluations`; {FOR_ALL}
    by_evaluations_b [evaluations, precision or functions]: ERT in evaluations of `algorithm_b`, or
        its median precision at `evaluations`; {FOR_ALL}
    by_time_a [s, precision or functions]: ERT in seconds of `algorithm_a`, or its median precision
        at the end of the budget; {FOR_ALL}
    by_time_b [s, precision or functions]: ERT in seconds of `algorithm_b`, or its median precision
        at the end of the budget; {FOR_ALL}
    winner_by_evaluations (text): the better algorithm by evaluations
    winner_by_time (text): the better algorithm by time
    p_by_evaluations <p, evaluations; .4>: p-value of the order by evaluations: score test of equal
        ERTs, or the Mann-Whitney test (1 if the ranks contradict the medians); for `all`,
        Wilcoxon's signed-rank test on the logarithms of the medians over the functions
    p_by_time <p, time; .4>: the same for the order by time
    p_adjusted <p, both; .4>: the larger of both p-values, times the number of pairs, functions and
        criteria (or targets, if these are more), at most 1 (Bonferroni); for `all`, times the
        number of pairs and criteria of the table `comparison`
    detectable_ratio: at a fixed target: largest ratio of times that the speed of the machine may
        explain, as in the table `timing_noise`; empty if it is not known
    significant: whether both orders are significant: `p_adjusted` is at most 1 − confidence and, at
        a fixed target, the ratio of times is above `detectable_ratio`
    """,
    layouts=Layout(
        caption="Pairs of algorithms of which one is better by evaluations, the other by time, "
        "with the p-value of each order, and of both together (Bonferroni). All: "
        "over all functions, by Wilcoxon's signed-rank test.",
        rows=("function", "target", "winner_by_evaluations", "winner_by_time"),
        parts=("suite", "dimension", "criterion"),
        points=(Points("target", 1),),
    ),
    default=True,
    comparing=True,
)
def listed(runs: Runs, analysis: Analysis) -> Made:
    tests: Counter[tuple[Any, ...]] = Counter()
    rows: list[dict[str, Any]] = []
    costs = {unit: KnownCosts.of(runs, unit, analysis.targets_from_easy) for unit in UNITS}
    allowed, best = evaluations_allowed(runs), precision_at_the_end(runs)
    listed_in = listed_by_precision(runs, analysis)
    least = [(problem, limits(problem, allowed)) for problem in problems(runs)]
    asked = [(problem, np.unique(list(own.values()))) for problem, own in least]
    reached = precision_at(runs, asked)
    medians: defaultdict[Space, defaultdict[Pair, list[Medians]]] = defaultdict(
        lambda: defaultdict(list)
    )
    equals: defaultdict[tuple[Space, Pair], list[float]] = defaultdict(list)
    everyone: defaultdict[Space, set[Pair]] = defaultdict(set)
    functions = Counter(problem.space for problem, _ in least if len(problem.algorithms) > 1)
    for problem, _ in least:
        everyone[problem.space] |= set(combinations(problem.algorithms, 2))
    enough = {
        space: over_functions(functions[space], len(every), 1 - analysis.confidence)
        for space, every in everyone.items()
    }
    wrong = {(one.suite, one.dimension, one.function) for one in refuted(runs)}
    for (problem, own), (_, points), at in zip(least, asked, reached, strict=True):
        suite, dimension = problem.space
        pairs = comb(len(problem.algorithms), 2)
        on_one = number_of_criteria(analysis, single_functions=enough[problem.space])
        tests[suite, dimension, FIXED_BUDGET] += pairs * on_one
        tests[suite, dimension, FIXED_TARGET] += pairs * max(len(analysis.targets), on_one)
        if (*problem.space, int(problem.names["function"])) in wrong:
            continue
        chosen = list(listed_in[problem.space].pairs(list(problem.algorithms)))
        at_points, ends = problem.split(at), problem.samples(best)
        for pair in chosen:
            equal = min(own[name] for name in pair)
            k = np.searchsorted(points, equal)
            at_equal = [at_points[name][:, k] for name in pair]
            at_the_end = [ends[name] for name in pair]
            four = tuple(map(median, (*at_equal, *at_the_end)))
            medians[problem.space][pair].append(four)
            equals[problem.space, pair].append(equal)
            if _inverted(*four):
                row = {
                    "criterion": FIXED_BUDGET,
                    "evaluations": equal,
                    **_pair(pair, four, four[0] < four[1]),
                }
                p = {"p_by_evaluations": _p_of_order(*at_equal)}
                p |= {"p_by_time": _p_of_order(*at_the_end)}
                rows.append(_function(problem) | row | p)
        rows += _at_fixed_targets(problem, chosen, analysis.targets_from_easy, costs)
    alpha = 1 - analysis.confidence
    detectable = {
        _place(row): row["detectable_ratio"] for row in of_times(runs, analysis).to_dict("records")
    }
    for row in rows:
        row["detectable_ratio"] = detectable.get(_place(row), nan)
        larger = float(np.maximum(row["p_by_evaluations"], row["p_by_time"]))
        row["p_adjusted"] = min(larger * tests[tuple(row[key] for key in FAMILY)], 1.0)
        row["significant"] = row["p_adjusted"] <= alpha and _is_detectable(row)
    over_all = [
        _over_functions(space, one, median(np.array(equals[space, one.pair])), alpha)
        for space, of_pairs in medians.items()
        for one in reversals(of_pairs, tests=len(everyone[space]) * number_of_criteria(analysis))
    ]
    return [*over_all, *rows], {"pairs": in_words(listed_in)}


def _place(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    return row["suite"], row["dimension"], str(row["function"])


def _is_detectable(row: Mapping[str, Any]) -> bool:
    """Whether the speed of the machine does not explain the order of two times.

    True at a fixed budget, where precisions are compared, and if the speed is unknown.
    """
    if row["criterion"] != FIXED_TARGET:
        return True
    least, most = sorted((row["by_time_a"], row["by_time_b"]))
    return not most <= least * row["detectable_ratio"]


def _over_functions(
    space: Space, found: Reversal, evaluations: float, alpha: float
) -> dict[str, Any]:
    """The row of a pair that is inverted over all functions."""
    suite, dimension = space
    return {
        "suite": suite,
        "dimension": dimension,
        **_pair(found.pair, found.better_on, found.first_by_evaluations),
        "function": ALL,
        "criterion": FIXED_BUDGET,
        "functions": found.functions,
        "evaluations": evaluations,
        "p_by_evaluations": found.p_by_evaluations,
        "p_by_time": found.p_by_time,
        "p_adjusted": found.p_adjusted,
        "detectable_ratio": nan,
        "significant": found.p_adjusted <= alpha,
    }


def _at_fixed_targets(
    problem: ProblemRuns,
    pairs: Sequence[Pair],
    targets: tuple[float, ...],
    costs: dict[Unit, KnownCosts],
) -> Iterator[dict[str, Any]]:
    until = {unit: limits(problem, costs[unit].known) for unit in UNITS}
    rows = {name: problem.rows[of] for name, of in problem.algorithms.items()}
    for pair in pairs:
        limit = {unit: min(until[unit][name] for name in pair) for unit in UNITS}
        spent = {
            unit: [costs[unit].spent.of(rows[name]).within(limit[unit]) for name in pair]
            for unit in UNITS
        }
        erts = np.array([one.ert for unit in ("evaluations", "seconds") for one in spent[unit]])
        for k, target in enumerate(targets):
            values = erts[:, k].tolist()
            if _inverted(*values):
                p = {
                    name: equal_ert(
                        *(of[:, k] for one in spent[unit] for of in (one.cost, one.success))
                    )
                    for name, unit in P_OF_UNIT.items()
                }
                row = {
                    "criterion": FIXED_TARGET,
                    "target": target,
                    **_pair(pair, values, values[0] < values[1]),
                }
                yield _function(problem) | row | {"evaluations": limit["evaluations"]} | p


def _function(problem: ProblemRuns) -> dict[str, Any]:
    return {**problem.names, "function": str(problem.names["function"]), "functions": 1}


def _inverted(evaluations_a: float, evaluations_b: float, time_a: float, time_b: float) -> bool:
    if evaluations_a < evaluations_b:
        return time_a > time_b
    return evaluations_a > evaluations_b and time_a < time_b


def _pair(pair: Pair, values: Sequence[float], first_by_evaluations: bool) -> dict[str, Any]:
    winners = pair if first_by_evaluations else pair[::-1]
    return {
        **dict(zip(column_names(PAIR), pair, strict=True)),
        **dict(zip(BY, values, strict=True)),
        **dict(zip(("winner_by_evaluations", "winner_by_time"), winners, strict=True)),
    }


def _p_of_order(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """p-value of the order of two medians; 1 if the ranks of the runs contradict it."""
    by_median = np.sign(median(second) - median(first))
    by_ranks = np.sign(superiority(first, second) - 0.5)
    return mann_whitney(first, second) if by_median == by_ranks else 1.0
