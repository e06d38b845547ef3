"""The table of evaluation costs at which the order of two algorithms changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.columns import PAIR, PROBLEM, SECONDS, TARGET
from timefair.exhibits.costs.cost_map import COUNTED
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.extensions.break_even.lines import TurningSets, turning_cost, turning_sets
from timefair.records.rundata.frames import stacked
from timefair.records.rundata.problems import ProblemRuns, UsedByRuns, in_words, listed_by_precision
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

Array = NDArray[np.float64]
Case: TypeAlias = tuple[ProblemRuns, tuple[str, str]]
"""A problem and a pair of algorithms that were run on it."""
Parts: TypeAlias = tuple[Array, Array, NDArray[np.bool_]]
"""Fixed and growing part of the cost of each run up to each target, and its success."""

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
    layouts=Layout(
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
    ),
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
    erts = {
        (id(problem), name): [of.of(problem.rows[mine]).ert for of in (used.seconds, used.rounds)]
        for problem in used.problems
        for name, mine in problem.algorithms.items()
    }
    targets = np.asarray(analysis.targets_from_easy)
    spent = used.seconds.cost, used.rounds.cost, used.seconds.success
    parts = []
    for (problem, pair), sets in zip(
        cases, sets_of(cases, spent, spent, analysis.confidence), strict=True
    ):
        (time_a, count_a), (time_b, count_b) = (erts[id(problem), name] for name in pair)
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


def sets_of(
    cases: Sequence[Case], first: Parts, second: Parts, confidence: float
) -> list[TurningSets]:
    """The confidence sets of all targets for each case; one call for all cases with equal numbers
    of runs. The parts are those of the first and of the second algorithm of a pair.
    """
    sides = [[problem.rows[problem.algorithms[name]] for name in pair] for problem, pair in cases]
    of_sizes: dict[tuple[int, ...], list[int]] = {}
    for place, rows in enumerate(sides):
        of_sizes.setdefault(tuple(map(len, rows)), []).append(place)
    most = max(1, CELLS_COLUMNS // max(first[0].shape[1], 1))
    found: dict[int, TurningSets] = {}
    blocks = (
        same[start : start + most]
        for same in of_sizes.values()
        for start in range(0, len(same), most)
    )
    for members in blocks:
        samples = [
            np.hstack([of[sides[k][side]] for k in members])
            for side, parts in enumerate((first, second))
            for of in parts
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
