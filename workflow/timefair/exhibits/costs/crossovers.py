"""The cost of an evaluation at which two algorithms change places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.columns import PROBLEM, SECONDS, TARGET
from timefair.exhibits.comparisons.pairs import PAIR
from timefair.exhibits.costs.columns import COUNTED, CUT
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.exhibits.questions import Question
from timefair.rundata.evaluation_cost import UsedByRuns, remarks
from timefair.rundata.pairs import in_words, listed_by_precision
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.rundata.stacked import stacked
from timefair.rundata.standings import ProblemRuns, problems
from timefair.statistics.evaluation_cost import turning_cost
from timefair.statistics.turning_costs import TurningSets, turning_sets

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
        "evaluation cost at which the order turns; empty if it is the same at every cost",
        SECONDS,
    ),
    Column(
        "set",
        "form of the confidence set of that cost: `empty`, one algorithm is better at every cost; "
        "`every`, the runs do not show who is better at any cost; `below`, costs up to "
        "`turns_at_s_high`; `above`, costs from `turns_at_s_low` on, without end; `between`, costs "
        "between both; `outside`, costs up to `turns_at_s_low` and from `turns_at_s_high` on",
        text=True,
    ),
    Column(
        "turns_at_s_low",
        "lower limit of the set, as `set` says; 0 where it begins with 0, empty for `empty`",
        SECONDS,
    ),
    Column(
        "turns_at_s_high",
        "upper limit of the set, as `set` says; `inf` where it has none, empty for `empty`",
        SECONDS,
    ),
)


@exhibit(
    "cost_crossovers",
    question=Question.COST,
    title="Evaluation costs at which the order of two algorithms turns",
    caption=f"""
    The evaluation cost at which the order of two algorithms by the expected running time (ERT) to a
    target turns, with its confidence set: all costs at which the score test of equal ERTs, as in
    the table `inversions`, does not reject. The confidence is that of each set alone. Targets that
    no run of the two reached are omitted. {COUNTED} {CUT} Of more than 12 algorithms, only pairs
    with the best one are listed, which has the lowest average rank of the median precision;
    `statistics.pairs` changes that.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Evaluation cost, in {seconds}, at which the order of two algorithms by the "
            "expected running time to a target turns, with the form and the limits of its "
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
    targets = np.asarray(analysis.targets_from_easy)
    parts = []
    for problem in problems(used.runs):
        lines = used.lines(problem)
        pairs = list(listed_in[problem.space].pairs(list(lines.algorithms)))
        sets = _sets(used, problem, pairs, analysis.confidence)
        place = {name: k for k, name in enumerate(lines.algorithms)}
        for pair in pairs:
            (time_a, time_b), (count_a, count_b) = (
                [values[:, place[name]] for name in pair]
                for values in (lines.seconds, lines.rounds)
            )
            near, far = _sign(time_a, time_b), _sign(count_a, count_b)
            row = {
                "target": targets,
                "better_below": _better(pair, np.where(near == 0, far, near)),
                "better_above": _better(pair, np.where(far == 0, near, far)),
                "turns_at_s": turning_cost(time_a, count_a, time_b, count_b),
                "set": sets[pair].shape.astype(object),
                "turns_at_s_low": sets[pair].low,
                "turns_at_s_high": sets[pair].high,
            }
            reached = np.isfinite(time_a) | np.isfinite(time_b)
            names = dict(zip(column_names(PAIR), pair, strict=True))
            parts.append(problem.names | names | {key: of[reached] for key, of in row.items()})
    frame = stacked(parts, column_names(COLUMNS))
    frame.attrs["pairs"] = in_words(listed_in)
    frame.attrs["refused"] = remarks(runs, analysis)
    return frame


def _sets(
    used: UsedByRuns, problem: ProblemRuns, pairs: Sequence[tuple[str, str]], confidence: float
) -> dict[tuple[str, str], TurningSets]:
    """The sets of all targets for each pair; pairs with equal numbers of runs in one call."""
    rows = {name: problem.rows[mine] for name, mine in problem.algorithms.items()}
    together: dict[tuple[int, int], list[tuple[str, str]]] = {}
    for a, b in pairs:
        together.setdefault((len(rows[a]), len(rows[b])), []).append((a, b))
    values = (used.seconds.cost, used.rounds.cost, used.seconds.success)
    found: dict[tuple[str, str], TurningSets] = {}
    for members in together.values():
        sides = zip(*members, strict=True)
        samples = [np.hstack([of[rows[name]] for name in side]) for side in sides for of in values]
        sets = turning_sets(*samples, confidence=confidence)
        found |= dict(zip(members, sets.split(len(members)), strict=True))
    return found


def _sign(of_first: NDArray[np.float64], of_second: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 where the first is less, -1 where the second is, 0 where they are equal."""
    return (of_first < of_second).astype(float) - (of_first > of_second)


def _better(pair: tuple[str, str], for_first: NDArray[np.float64]) -> NDArray[np.object_]:
    """The first algorithm where a sign is 1, the second where it is -1, None where it is 0."""
    names = np.array([None, *pair], dtype=object)
    better: NDArray[np.object_] = names[np.select([for_first > 0, for_first < 0], [1, 2], 0)]
    return better
