"""Expected running time as a linear function of the evaluation cost, and the lowest of
these lines.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.charts.chart import Picture, leaders
from timefair.exhibits import questions
from timefair.exhibits.columns import CELL, SECONDS, TARGET
from timefair.exhibits.costs.blocks import blocks
from timefair.exhibits.costs.columns import COUNTED, CUT, EVALUATION_COST, ROUNDS
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.exhibits.runtimes.ert import ERT_S
from timefair.rundata.evaluation_cost import LISTED_S, UsedByRuns
from timefair.rundata.frames import stacked
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.costs.lines import lowest_between
from timefair.statistics.ert import ert, ert_interval
from timefair.statistics.evaluation_cost import at_cost
from timefair.statistics.ranks import rank

LINE_COLUMNS = (
    *CELL,
    TARGET,
    ERT_S,
    ROUNDS,
    Column(
        "lowest_from_s",
        "smallest evaluation cost at which no algorithm has a lower ERT; empty if there is no such "
        "cost",
        SECONDS,
    ),
    Column("lowest_to_s", "largest such evaluation cost; `inf`: there is no upper limit", SECONDS),
)
ERT_COLUMNS = (
    *CELL,
    TARGET,
    EVALUATION_COST,
    *Column(
        "ert_s",
        "expected running time in seconds at this evaluation cost; `inf` if no run reached the "
        "target",
        SECONDS,
    ).interval(),
    Column("rank", "rank of `ert_s` among the algorithms on the function"),
)


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
                "timefair.charts.cost_lines:cost_lines",
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
        of = used.lines(problem)
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
    "cost_ert",
    question=questions.COST,
    title="Expected running time at several evaluation costs",
    caption=f"""
    Expected running time (ERT) to each target in {{seconds}}, at evaluation costs from 0 to 10,000
    seconds, with its interval. At an evaluation cost of 0, it is the ERT of the table `ert`, which
    also has the numbers of runs and successes. {COUNTED} {CUT}
    """,
    columns=ERT_COLUMNS,
    layouts=[
        Layout(
            caption="Expected running time (ERT) in {seconds} for each cost of an evaluation. "
            "∞: no run reached the target.",
            brackets=INTERVAL,
            values=(Value.with_limits("ert_s", "ERT", "low"),),
            rows=("function", "target", "algorithm"),
            columns="evaluation_cost_s",
            points=(Points("target", 1), Points("evaluation_cost_s", (0.0, 1e-3, 1.0, 1e3))),
        )
    ],
    comparing=True,
)
def at_costs(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """ERT of each algorithm to each target at each evaluation cost."""
    used = UsedByRuns.of(runs, analysis)
    targets, costs = np.asarray(analysis.targets_from_easy), np.asarray(LISTED_S)
    parts = []
    every = iter(_at_each(used, costs, analysis.confidence))
    for problem in used.problems:
        cells = [next(every) for _ in problem.algorithms]
        ranks = rank(np.stack([cell.ert_s for cell in cells], axis=-1))
        for k, (algorithm, cell) in enumerate(zip(problem.algorithms, cells, strict=True)):
            parts.append(
                {
                    **problem.names,
                    "algorithm": algorithm,
                    "target": np.repeat(targets, costs.size),
                    "evaluation_cost_s": np.tile(costs, targets.size),
                    "ert_s": cell.ert_s,
                    "ert_s_low": cell.low,
                    "ert_s_high": cell.high,
                    "rank": ranks[:, k],
                }
            )
    frame = stacked(parts, column_names(ERT_COLUMNS))
    frame.attrs["refused"] = used.remarks
    return frame


class _Ert(NamedTuple):
    """ERT of an algorithm on a problem and its limits, by target and then by evaluation cost."""

    ert_s: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def _at_each(used: UsedByRuns, costs: NDArray[np.float64], confidence: float) -> list[_Ert]:
    """Of each algorithm on each problem."""
    cells = [
        problem.rows[mine] for problem in used.problems for mine in problem.algorithms.values()
    ]
    found: dict[int, _Ert] = {}
    columns = used.seconds.cost.shape[1] * costs.size
    for members in blocks([rows.size for rows in cells], columns):
        seconds, rounds, success = (
            np.hstack([of[cells[k]] for k in members])
            for of in (used.seconds.cost, used.rounds.cost, used.seconds.success)
        )
        spent = at_cost(seconds[..., np.newaxis], rounds[..., np.newaxis], costs)
        spent = spent.reshape(len(spent), -1)
        success = np.repeat(success, costs.size, axis=1)
        interval = ert_interval(spent, success, confidence=confidence)
        parts = (
            np.split(of, len(members))
            for of in (ert(spent, success, axis=0), interval.low, interval.high)
        )
        found |= dict(zip(members, map(_Ert, *parts), strict=True))
    return [found[k] for k in range(len(cells))]
