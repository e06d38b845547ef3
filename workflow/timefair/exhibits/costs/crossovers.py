"""The cost of an evaluation at which the order of two algorithms changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.columns import PROBLEM, SECONDS, TARGET
from timefair.exhibits.comparisons.pairs import PAIR
from timefair.exhibits.costs.blocks import blocks
from timefair.exhibits.costs.columns import COUNTED, CUT
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.rundata.evaluation_cost import UsedByRuns
from timefair.rundata.frames import stacked
from timefair.rundata.problems import ProblemRuns, in_words, listed_by_precision
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.costs.lines import TurningSets, turning_cost, turning_sets

COLUMNS = (
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


Case: TypeAlias = tuple[ProblemRuns, tuple[str, str]]
"""A problem and a pair of algorithms that were run on it."""


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
    columns=COLUMNS,
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
    targets = np.asarray(analysis.targets_from_easy)
    parts = []
    for (problem, pair), sets in zip(cases, _sets(used, cases, analysis.confidence), strict=True):
        lines = used.lines(problem)
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
    frame = stacked(parts, column_names(COLUMNS))
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
    for members in blocks([tuple(map(len, rows)) for rows in sides], values[0].shape[1]):
        samples = [
            np.hstack([of[sides[k][side]] for k in members]) for side in (0, 1) for of in values
        ]
        sets = turning_sets(*samples, confidence=confidence)
        found |= dict(zip(members, sets.split(len(members)), strict=True))
    return [found[k] for k in range(len(cases))]


def _sign(of_first: NDArray[np.float64], of_second: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 if the first is smaller, -1 if the second is smaller, 0 if both are equal."""
    return (of_first < of_second).astype(float) - (of_first > of_second)


def _better(pair: tuple[str, str], for_first: NDArray[np.float64]) -> NDArray[np.object_]:
    """The first algorithm if a sign is 1, the second if it is -1, None if it is 0."""
    names = np.array([None, *pair], dtype=object)
    better: NDArray[np.object_] = names[np.select([for_first > 0, for_first < 0], [1, 2], 0)]
    return better
