"""The tables on the cost of an evaluation: ERTs as lines, where they cross, and who wins."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.charts.chart import Curves, Picture, leaders
from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM, CELL, PAIR, PROBLEM, SECONDS, SPACE, TARGET
from timefair.exhibits.costs.cost_map import COUNTED, EVALUATION_COST
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.exhibits.runtimes.ert import ERT_S
from timefair.extensions.cost_lines.lines import (
    TurningSets,
    band_of_shares,
    lowest_between,
    shares_won,
    turning_cost,
    turning_sets,
)
from timefair.rundata.evaluation_cost import COSTS_S, UsedByRuns, complete_problems
from timefair.rundata.frames import stacked
from timefair.rundata.problems import ProblemRuns, in_words, listed_by_precision
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.bootstrap import resampled_sums
from timefair.statistics.ert import ert
from timefair.statistics.evaluation_cost import at_cost
from timefair.statistics.ranks import rank

Array = NDArray[np.float64]
Case: TypeAlias = tuple[ProblemRuns, tuple[str, str]]
"""A problem and a pair of algorithms that were run on it."""

CELLS_COLUMNS = 10_000
"""Maximal number of columns of samples in one call. It limits the memory of the call."""

CUT = (
    "A run that was cut counts as a failure and costs what it used. Therefore the ERT of an "
    "algorithm with few evaluations is an upper estimate at large evaluation costs."
)

TURNING_COLUMNS = (
    *PROBLEM,
    TARGET,
    *PAIR,
    Column(
        "better_below",
        "the algorithm with the lower ERT at evaluation costs near 0; empty if both are equal",
        text=True,
    ),
    Column(
        "better_above",
        "the algorithm with the lower ERT at very large evaluation costs; empty if both are equal",
        text=True,
    ),
    Column(
        "turns_at_s",
        "evaluation cost at which the order changes; empty if it is the same at every cost",
        SECONDS,
    ),
    Column(
        "set",
        "form of the confidence set of this cost. `empty`: one algorithm is better at every cost. "
        "`every`: the runs do not show at any cost which algorithm is better. `below`: costs up to "
        "`turns_at_s_high`. `above`: all costs from `turns_at_s_low`. `between`: costs between "
        "both limits. `outside`: costs up to `turns_at_s_low`, and all costs from "
        "`turns_at_s_high`",
        text=True,
    ),
    Column(
        "turns_at_s_low",
        "lower limit of the set (see `set`); 0 if the set begins at 0, empty for `empty`",
        SECONDS,
    ),
    Column(
        "turns_at_s_high",
        "upper limit of the set (see `set`); `inf` if there is none, empty for `empty`",
        SECONDS,
    ),
)

LINE_COLUMNS = (
    *CELL,
    TARGET,
    ERT_S,
    Column(
        "ert_rounds",
        "ERT in rounds of evaluations, by which the evaluation cost is multiplied; if "
        "`statistics.workers` is 1, `ert_evaluations` of the table `ert`; `inf` if no run reached "
        "the target",
    ),
    Column(
        "lowest_from_s",
        "smallest evaluation cost at which no algorithm has a lower ERT; empty if there is no such "
        "cost",
        SECONDS,
    ),
    Column("lowest_to_s", "largest such evaluation cost; `inf`: there is no upper limit", SECONDS),
)
WON_COLUMNS = (
    *SPACE,
    EVALUATION_COST,
    ALGORITHM,
    Column(
        "pairs",
        "number of (function, target) pairs; only functions that were run with every algorithm "
        "count",
    ),
    Column(
        "fraction",
        "share of the pairs on which the algorithm has the lowest ERT; equal algorithms share a "
        "pair; a target that no algorithm reached counts for none",
    ),
    Column(
        "low",
        "lower limit at this evaluation cost, from a bootstrap of the runs of each function; empty "
        "if an algorithm has a single run on a function",
    ),
    Column("high", "upper limit at this evaluation cost"),
    Column(
        "average_rank",
        "average rank over these functions; on each function, the algorithms are ranked by their "
        "average rank over the targets; 1 is the best",
    ),
)


@exhibit(
    "cost_crossovers",
    question=questions.COST,
    title="Evaluation costs at which the order of two algorithms changes",
    caption=f"""
    The evaluation cost at which the order of two algorithms by the expected running time (ERT) to a
    target changes, with its confidence set. The set contains all costs at which the score test of
    equal ERTs, as in the table `rank_reversals`, does not reject. The confidence applies to each
    set separately. Targets that no run of the two algorithms reached are omitted. {COUNTED} {CUT}
    For more than 12 algorithms, only pairs with the best one (lowest average rank of the median
    precision) are listed; `statistics.pairs` selects other pairs.
    """,
    columns=TURNING_COLUMNS,
    layouts=[
        Layout(
            caption="Evaluation cost, in {seconds}, at which the order of two algorithms by the "
            "expected running time to a target changes, with the form and the limits of its "
            "{confidence} confidence set.",
            values=(
                Value("turns_at_s", "Turns at"),
                Value("set", "Set"),
                Value("turns_at_s_low", "Low"),
                Value("turns_at_s_high", "High"),
            ),
            rows=("function", *column_names(PAIR)),
            parts=("suite", "dimension", "target"),
            points=(Points("target", 1),),
        )
    ],
    comparing=True,
)
def turning(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Each listed pair of algorithms on each function and target that one of them reached."""
    used = UsedByRuns.of(runs, analysis)
    listed_in = listed_by_precision(used.runs, analysis)
    cases = [
        (problem, pair)
        for problem in used.problems
        for pair in listed_in[problem.space].pairs(list(problem.algorithms))
    ]
    of_problems = {id(problem): _lines(used, problem) for problem in used.problems}
    targets = np.asarray(analysis.targets_from_easy)
    parts = []
    for (problem, pair), sets in zip(cases, _sets(used, cases, analysis.confidence), strict=True):
        lines = of_problems[id(problem)]
        first, second = (lines.algorithms.index(name) for name in pair)
        (time_a, time_b), (count_a, count_b) = (
            (values[:, first], values[:, second]) for values in (lines.seconds, lines.rounds)
        )
        near, far = _sign(time_a, time_b), _sign(count_a, count_b)
        row = {
            "target": targets,
            "better_below": _better(pair, np.where(near == 0, far, near)),
            "better_above": _better(pair, np.where(far == 0, near, far)),
            "turns_at_s": turning_cost(time_a, count_a, time_b, count_b),
            "set": sets.shape.astype(object),
            "turns_at_s_low": sets.low,
            "turns_at_s_high": sets.high,
        }
        reached = np.isfinite(time_a) | np.isfinite(time_b)
        names = dict(zip(column_names(PAIR), pair, strict=True))
        parts.append(problem.names | names | {key: of[reached] for key, of in row.items()})
    frame = stacked(parts, column_names(TURNING_COLUMNS))
    frame.attrs["pairs"] = in_words(listed_in)
    frame.attrs["refused"] = used.remarks
    return frame


def _sets(used: UsedByRuns, cases: Sequence[Case], confidence: float) -> list[TurningSets]:
    """The confidence sets of all targets for each case; one call for all cases with equal numbers
    of runs.
    """
    sides = [[problem.rows[problem.algorithms[name]] for name in pair] for problem, pair in cases]
    values = (used.seconds.cost, used.rounds.cost, used.seconds.success)
    found: dict[int, TurningSets] = {}
    for members in _blocks([tuple(map(len, rows)) for rows in sides], values[0].shape[1]):
        samples = [
            np.hstack([of[sides[k][side]] for k in members]) for side in (0, 1) for of in values
        ]
        sets = turning_sets(*samples, confidence=confidence)
        found |= dict(zip(members, sets.split(len(members)), strict=True))
    return [found[k] for k in range(len(cases))]


def _sign(of_first: Array, of_second: Array) -> Array:
    """1 if the first is smaller, -1 if the second is smaller, 0 if both are equal."""
    return (of_first < of_second).astype(float) - (of_first > of_second)


def _better(pair: tuple[str, str], for_first: Array) -> NDArray[np.object_]:
    """The first algorithm if a sign is 1, the second if it is -1, None if it is 0."""
    names = np.array([None, *pair], dtype=object)
    better: NDArray[np.object_] = names[np.select([for_first > 0, for_first < 0], [1, 2], 0)]
    return better


@exhibit(
    "cost_lines",
    question=questions.COST,
    title="Expected running time as a linear function of the evaluation cost",
    caption=f"""
    Expected running time (ERT) to each target in {{seconds}} and in evaluations. At an evaluation
    cost c, the ERT is `ert_s` + c × `ert_rounds`. The algorithm has the lowest ERT for c from
    `lowest_from_s` to `lowest_to_s`. {COUNTED} {CUT}
    """,
    columns=LINE_COLUMNS,
    layouts=[
        Layout(
            caption="Evaluation costs, in {seconds}, between which an algorithm has the lowest "
            "expected running time (ERT) to a target.",
            values=(
                Value("lowest_from_s", "From"),
                Value("lowest_to_s", "To"),
            ),
            rows=("function", "algorithm"),
            columns="target",
            points=(Points("target", 3),),
        )
    ],
    figures=[
        Figure(
            "cost_lines",
            "Expected running time over the evaluation cost",
            "Expected running time (ERT) in {seconds} to the hardest target that was reached on "
            "the function, over the cost of an evaluation. Lower is better. The band below the "
            "lines has the colour of the algorithm with the lowest ERT. "
            f"{COUNTED} {CUT}",
            Picture(
                "timefair.extensions.cost_lines.figure:cost_lines",
                panels="functions",
                reading="An overview has only the bands, one line per function. "
                + leaders("that are the lowest over most decades of costs"),
            ),
        )
    ],
    comparing=True,
)
def lines(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The line of each algorithm to each target on each (suite, dimension, function)."""
    used = UsedByRuns.of(runs, analysis)
    parts = []
    for problem in used.problems:
        of = _lines(used, problem)
        start, end = lowest_between(of.seconds, of.rounds)
        for k, algorithm in enumerate(of.algorithms):
            parts.append(
                {
                    **problem.names,
                    "algorithm": algorithm,
                    "target": np.asarray(analysis.targets_from_easy),
                    "ert_s": of.seconds[:, k],
                    "ert_rounds": of.rounds[:, k],
                    "lowest_from_s": start[:, k],
                    "lowest_to_s": end[:, k],
                }
            )
    frame = stacked(parts, column_names(LINE_COLUMNS))
    frame.attrs["refused"] = used.remarks
    return frame


@exhibit(
    "cost_winners",
    question=questions.COST,
    title="Share of targets won over the evaluation cost",
    caption=f"""
    Share of the (function, target) pairs on which an algorithm has the lowest expected running time
    (ERT), and its average rank, at evaluation costs from 0 to 10,000 seconds. Limits come from a
    bootstrap of the runs of each function. {COUNTED} {CUT}
    """,
    columns=WON_COLUMNS,
    layouts=[
        Layout(
            caption="Share of the (function, target) pairs on which the algorithm has the lowest "
            "expected running time, for each cost of an evaluation in {seconds}.",
            brackets="Brackets: {confidence} bootstrap interval.",
            values=(Value("fraction", "Won", "high", interval=("low", "high"), decimals=2),),
            rows=("algorithm",),
            columns="evaluation_cost_s",
            points=(Points("evaluation_cost_s", (0.0, 1e-4, 1e-2, 1.0, 1e4)),),
        )
    ],
    figures=[
        Figure(
            "cost_winners",
            "Share of targets won over the evaluation cost",
            "Share of the (function, target) pairs on which an algorithm has the lowest expected "
            "running time (ERT), over the cost of an evaluation. Higher is better. Bands are "
            f"bootstrap limits at each cost. {COUNTED} {CUT}",
            Curves(
                x="evaluation_cost_s",
                y="fraction",
                low="low",
                high="high",
                x_label="evaluation cost in {unit}",
                y_label="share of (function, target) pairs won",
                view="seconds",
                unit="seconds",
                functions=False,
                highest=True,
            ),
        )
    ],
    comparing=True,
)
def won(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Share of the (function, target) pairs on which each algorithm has the lowest ERT, and its
    average rank, at each evaluation cost.
    """
    used, costs = UsedByRuns.of(runs, analysis), np.asarray(COSTS_S)
    parts = []
    for (suite, dimension), algorithms, functions in complete_problems(used.problems):
        of = [_lines(used, problem) for problem in functions]
        seconds = _joined([lines.seconds for lines in of], len(algorithms))
        rounds = _joined([lines.rounds for lines in of], len(algorithms))
        share = shares_won(seconds, rounds, costs)
        low, high = _band(used, functions, share, costs, analysis)
        ranks = _average_ranks(of, costs, len(algorithms))
        parts += [
            {
                "suite": suite,
                "dimension": dimension,
                "evaluation_cost_s": costs,
                "algorithm": algorithm,
                "pairs": len(seconds),
                "fraction": share[:, k],
                "low": low[:, k],
                "high": high[:, k],
                "average_rank": ranks[:, k],
            }
            for k, algorithm in enumerate(algorithms)
        ]
    frame = stacked(parts, column_names(WON_COLUMNS))
    frame.attrs["refused"] = used.remarks
    return frame


def _joined(parts: Sequence[Array], algorithms: int) -> Array:
    return np.concatenate([np.empty((0, algorithms)), *parts])


def _average_ranks(of: Sequence[_Lines], costs: Array, algorithms: int) -> Array:
    """Average rank over the functions, on which targets count equally; shape (costs,
    algorithms).
    """
    if not of:
        return np.full((costs.size, algorithms), np.nan)
    each = costs[:, np.newaxis, np.newaxis]
    on_targets = (rank(at_cost(one.seconds, one.rounds, each)).mean(axis=1) for one in of)
    return np.asarray(rank(np.stack(list(on_targets))).mean(axis=0))


def _band(
    used: UsedByRuns,
    functions: Sequence[ProblemRuns],
    share: Array,
    costs: Array,
    analysis: Analysis,
) -> tuple[Array, Array]:
    """Limits of the shares; NaN without a function, or with a single run of an algorithm."""
    sizes = [len(mine) for problem in functions for mine in problem.algorithms.values()]
    if not sizes or min(sizes) < 2:
        return np.full(share.shape, np.nan), np.full(share.shape, np.nan)
    samples = np.zeros((*share.T.shape, analysis.resamples)).T  # as shares_won has its arrays
    for problem in functions:
        lines = [_resampled(used, problem, name, analysis) for name in problem.algorithms]
        seconds, rounds = (np.stack([of.T for of in parts]).T for parts in zip(*lines, strict=True))
        samples += shares_won(seconds, rounds, costs)
    return band_of_shares(share, samples / len(functions), confidence=analysis.confidence)


def _resampled(
    used: UsedByRuns, problem: ProblemRuns, algorithm: str, analysis: Analysis
) -> tuple[Array, Array]:
    """ERT in seconds and in rounds of samples of the runs, shape (resamples, targets) each."""
    rows = problem.rows[problem.algorithms[algorithm]]
    columns = np.hstack(
        [used.seconds.cost[rows], used.rounds.cost[rows], used.seconds.success[rows]]
    )
    rng = analysis.stream({**problem.names, "algorithm": algorithm})
    sums = resampled_sums(columns, resamples=analysis.resamples, rng=rng)
    seconds, rounds, successes = np.split(sums, 3, axis=1)
    failed = successes == 0
    rate = 1 / np.where(failed, np.inf, successes)
    seconds, rounds = seconds * rate, rounds * rate
    seconds[failed] = rounds[failed] = np.inf
    return seconds, rounds


class _Lines(NamedTuple):
    """ERT of algorithms to each target in seconds and in rounds; `inf` if no run reached it.

    Algorithms are in alphabetical order; arrays have the shape (targets, algorithms). The ERT at an
    evaluation cost is seconds plus the cost times rounds.
    """

    algorithms: tuple[str, ...]
    seconds: Array
    rounds: Array


def _lines(used: UsedByRuns, problem: ProblemRuns) -> _Lines:
    rows = [problem.rows[mine] for mine in problem.algorithms.values()]
    seconds, rounds = (
        np.stack([ert(spent.cost[r], spent.success[r], axis=0) for r in rows], axis=-1)
        for spent in (used.seconds, used.rounds)
    )
    return _Lines(tuple(problem.algorithms), seconds, rounds)


def _blocks(sizes: Sequence[Hashable], columns: int) -> Iterator[list[int]]:
    """The indices of the cells of each call, because one call per cell would be slow.

    All cells of a call have the same `sizes`: their numbers of runs. A call has at most
    `CELLS_COLUMNS` columns, or a single cell.

    >>> list(_blocks([10, 15, 10], columns=70))
    [[0, 2], [1]]
    """
    together: dict[Hashable, list[int]] = {}
    for place, size in enumerate(sizes):
        together.setdefault(size, []).append(place)
    most = max(1, CELLS_COLUMNS // max(columns, 1))
    for same in together.values():
        for start in range(0, len(same), most):
            yield same[start : start + most]
