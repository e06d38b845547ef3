"""The share of the targets that each algorithm reaches fastest, at each evaluation cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.charts.chart import Curves
from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM, SPACE
from timefair.exhibits.costs.columns import COUNTED, CUT, EVALUATION_COST
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.rundata.evaluation_cost import COSTS_S, Lines, UsedByRuns, complete_problems
from timefair.rundata.frames import stacked
from timefair.rundata.problems import ProblemRuns
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.bootstrap import resampled_sums
from timefair.statistics.costs.lines import band_of_shares, shares_won
from timefair.statistics.evaluation_cost import at_cost
from timefair.statistics.ranks import rank

COLUMNS = (
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
    "cost_winners",
    question=questions.COST,
    title="Share of targets won over the evaluation cost",
    caption=f"""
    Share of the (function, target) pairs on which an algorithm has the lowest expected running time
    (ERT), and its average rank, at evaluation costs from 0 to 10,000 seconds. Limits come from a
    bootstrap of the runs of each function. {COUNTED} {CUT}
    """,
    columns=COLUMNS,
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
        of = [used.lines(problem) for problem in functions]
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
    frame = stacked(parts, column_names(COLUMNS))
    frame.attrs["refused"] = used.remarks
    return frame


def _joined(parts: Sequence[NDArray[np.float64]], algorithms: int) -> NDArray[np.float64]:
    return np.concatenate([np.empty((0, algorithms)), *parts])


def _average_ranks(
    of: Sequence[Lines], costs: NDArray[np.float64], algorithms: int
) -> NDArray[np.float64]:
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
    share: NDArray[np.float64],
    costs: NDArray[np.float64],
    analysis: Analysis,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
