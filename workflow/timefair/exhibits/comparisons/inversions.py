"""Pairs of algorithms whose order by evaluations is not their order by time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import comb, nan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.campaign.resolution import of_times
from timefair.exhibits.columns import PROBLEM as PROBLEM_COLUMNS
from timefair.exhibits.columns import TARGET
from timefair.exhibits.comparisons.pairs import PAIR
from timefair.exhibits.comparisons.rankings import (
    CRITERION,
    FIXED_BUDGET,
    FIXED_TARGET,
    erts,
    median,
    spent_until,
)
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.exhibits.questions import Question
from timefair.rundata.pairs import in_words, listed_by_precision
from timefair.rundata.problems import Spent
from timefair.rundata.runs import UNITS, Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.rundata.standings import (
    ProblemRuns,
    evaluations_allowed,
    precision_at,
    precision_at_the_end,
    problems,
)
from timefair.statistics.comparison import equal_ert, mann_whitney, superiority
from timefair.statistics.corrections import holm

FAMILY = ("suite", "dimension", "criterion")
VALUES = tuple(
    Column(
        f"by_{order}_{side}",
        f"ERT in {cost} of `algorithm_{side}`, or its median precision {when}",
        unit,
    )
    for order, cost, when, unit in (
        ("evaluations", "evaluations", "at `evaluations`", "evaluations or precision"),
        ("time", "seconds", "at the end of the budget", "s or precision"),
    )
    for side in ("a", "b")
)
WINNERS = (
    Column("winner_by_evaluations", "the better algorithm by evaluations", text=True),
    Column("winner_by_time", "the better algorithm by time", text=True),
)
COLUMNS = (
    *PROBLEM_COLUMNS,
    CRITERION,
    TARGET,
    *PAIR,
    Column(
        "evaluations",
        "at a fixed budget: the number of evaluations that the budget allowed every run of both",
        "evaluations",
    ),
    *VALUES,
    *WINNERS,
    Column(
        "p_by_evaluations",
        "p-value of the order by evaluations: score test of equal ERTs, or Mann and Whitney's test "
        "(1 if the ranks contradict the medians)",
    ),
    Column("p_by_time", "the same for the order by time"),
    Column(
        "p_holm",
        "the larger of both p-values after Holm over all pairs, functions and targets of the "
        "suite, dimension and criterion; pairs that are not inverted or not listed enter with "
        "p = 1",
    ),
    Column(
        "resolved_ratio",
        "at a fixed target: largest ratio of times that the speed of the machine may explain, as "
        "in the table `resolution`; empty if it is not known",
    ),
    Column(
        "significant",
        "whether both orders are certain: `p_holm` is at most 1 − confidence and, at a fixed "
        "target, the ratio of times is above `resolved_ratio`",
    ),
)


@exhibit(
    "inversions",
    question=Question.INVERSION,
    title="Pairs with opposite orders by evaluations and by time",
    caption="""
    Pairs of algorithms of which one is strictly better by evaluations and the other by time: by the
    ERT at a fixed target, or by the median precision at a fixed budget. An inversion is significant
    only if both orders are, and at a fixed target only if the machine resolves the ratio of the
    times. For more than 12 algorithms, only pairs with the best one are listed, which is the one
    with the lowest average rank of the median precision; `statistics.pairs` selects other pairs.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Pairs of algorithms of which one is better by evaluations, the other by time, "
            "with the p-value of each order and that of both together, after Holm.",
            values=(
                Value("p_by_evaluations", "p, evaluations", decimals=4),
                Value("p_by_time", "p, time", decimals=4),
                Value("p_holm", "p, both", decimals=4),
            ),
            rows=("function", "target", "winner_by_evaluations", "winner_by_time"),
            parts=("suite", "dimension", "criterion"),
            points=(Points("target", 1),),
        )
    ],
    default=True,
    comparing=True,
)
def listed(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Every inversion: one algorithm strictly better by evaluations, the other by time.

    The p-value of an inversion is the larger of those of its two orders (an intersection-union
    test).
    """
    tests: Counter[tuple[Any, ...]] = Counter()
    rows: list[dict[str, Any]] = []
    spent = {unit: spent_until(runs, unit, analysis) for unit in UNITS}
    allowed, best = evaluations_allowed(runs), precision_at_the_end(runs)
    listed_in = listed_by_precision(runs, analysis)
    least = [(problem, _least(problem, allowed)) for problem in problems(runs)]
    asked = [(problem, np.unique(list(own.values()))) for problem, own in least]
    reached = precision_at(runs, asked)
    for (problem, own), (_, limits), at in zip(least, asked, reached, strict=True):
        suite, dimension = problem.names["suite"], problem.names["dimension"]
        pairs = comb(len(problem.algorithms), 2)
        tests[suite, dimension, FIXED_BUDGET] += pairs
        tests[suite, dimension, FIXED_TARGET] += pairs * len(analysis.targets)
        chosen = list(listed_in[problem.space].pairs(list(problem.algorithms)))
        rows += _at_fixed_budget(problem, chosen, own, limits, at, best)
        rows += _at_fixed_targets(problem, chosen, analysis.targets_from_easy, spent)
    families: defaultdict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    resolved = _resolved_ratios(runs, analysis)
    for row in rows:
        row["resolved_ratio"] = resolved.get(_place(row), nan)
        families[tuple(row[key] for key in FAMILY)].append(row)
    for family, members in families.items():
        _adjust(members, tests[family], alpha=1 - analysis.confidence)
    frame = pd.DataFrame(rows, columns=column_names(COLUMNS))
    frame.attrs["pairs"] = in_words(listed_in)
    return frame


def _adjust(inversions: list[dict[str, Any]], tests: int, alpha: float) -> None:
    """Mark the significant inversions of a family; its other tests enter with p = 1."""
    larger = [np.maximum(row["p_by_evaluations"], row["p_by_time"]) for row in inversions]
    adjusted = holm(larger, further=tests - len(larger))
    for row, p in zip(inversions, adjusted, strict=True):
        row["p_holm"] = float(p)
        row["significant"] = bool(p <= alpha) and _is_resolved(row)


def _resolved_ratios(runs: Runs, analysis: Analysis) -> dict[tuple[Any, ...], float]:
    """The ratio of times up to which the speed of the machine may be the reason, by problem."""
    return {
        _place(row): row["resolved_ratio"] for row in of_times(runs, analysis).to_dict("records")
    }


def _place(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    return row["suite"], row["dimension"], str(row["function"])


def _is_resolved(row: Mapping[str, Any]) -> bool:
    """Whether the speed of the machine does not explain the order of two times.

    True at a fixed budget, where precisions are compared, and where the speed is not known.
    """
    if row["criterion"] != FIXED_TARGET:
        return True
    least, most = sorted((row["by_time_a"], row["by_time_b"]))
    return not most <= least * row["resolved_ratio"]


def _least(problem: ProblemRuns, allowed: NDArray[np.float64]) -> dict[str, float]:
    """Up to how many evaluations the runs of each algorithm can all be judged."""
    return {name: float(most.min()) for name, most in problem.samples(allowed).items()}


def _at_fixed_budget(
    problem: ProblemRuns,
    pairs: Sequence[tuple[str, str]],
    least: dict[str, float],
    limits: NDArray[np.float64],
    at_limits: NDArray[np.float64],
    best: NDArray[np.float64],
) -> Iterator[dict[str, Any]]:
    at = problem.split(at_limits)
    at_the_end = problem.samples(best)
    for pair in pairs:
        equal = min(least[name] for name in pair)
        samples = [at[name][:, np.searchsorted(limits, equal)] for name in pair]
        ends = [at_the_end[name] for name in pair]
        values = [median(sample) for sample in (*samples, *ends)]
        if _inverted(*values):
            yield {
                **problem.names,
                "criterion": FIXED_BUDGET,
                "evaluations": equal,
                **_pair(pair, values),
                "p_by_evaluations": _p_of_order(*samples),
                "p_by_time": _p_of_order(*ends),
            }


def _at_fixed_targets(
    problem: ProblemRuns,
    pairs: Sequence[tuple[str, str]],
    targets: tuple[float, ...],
    spent: dict[Unit, Spent],
) -> Iterator[dict[str, Any]]:
    cost = {unit: problem.samples(spent[unit].cost) for unit in UNITS}
    success = problem.samples(spent["seconds"].success)
    ert_at = {unit: erts(problem, spent[unit]) for unit in UNITS}
    for pair in pairs:
        for k, target in enumerate(targets):
            values = [ert_at[unit][name][k] for unit in ("evaluations", "seconds") for name in pair]
            if _inverted(*values):
                p = {
                    unit: equal_ert(
                        *(x for name in pair for x in (cost[unit][name][:, k], success[name][:, k]))
                    )
                    for unit in UNITS
                }
                yield {
                    **problem.names,
                    "criterion": FIXED_TARGET,
                    "target": target,
                    **_pair(pair, values),
                    "p_by_evaluations": p["evaluations"],
                    "p_by_time": p["seconds"],
                }


def _inverted(evaluations_a: float, evaluations_b: float, time_a: float, time_b: float) -> bool:
    if evaluations_a < evaluations_b:
        return time_a > time_b
    return evaluations_a > evaluations_b and time_a < time_b


def _pair(pair: tuple[str, str], values: Sequence[float]) -> dict[str, Any]:
    a, b = pair
    by_evaluations = a if values[0] < values[1] else b
    return {
        **dict(zip(column_names(PAIR), pair, strict=True)),
        **dict(zip(column_names(VALUES), values, strict=True)),
        **dict(
            zip(
                column_names(WINNERS),
                (by_evaluations, b if by_evaluations == a else a),
                strict=True,
            )
        ),
    }


def _p_of_order(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """p-value of the order of two medians; 1 if the ranks of the runs contradict it."""
    by_median = np.sign(median(second) - median(first))
    by_ranks = np.sign(superiority(first, second) - 0.5)
    return mann_whitney(first, second) if by_median == by_ranks else 1.0
