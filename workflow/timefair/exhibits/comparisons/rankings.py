"""The ranking by evaluations compared with the ranking by time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from timefair.charts.chart import Slopes
from timefair.exhibits.columns import ALGORITHM, TARGET
from timefair.exhibits.columns import PROBLEM as PROBLEM_COLUMNS
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.exhibits.questions import Question
from timefair.rundata.problems import Spent
from timefair.rundata.runs import UNITS, Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.rundata.stacked import stacked
from timefair.rundata.standings import (
    ProblemRuns,
    evaluations_allowed,
    precision_at,
    precision_at_the_end,
    problems,
)
from timefair.statistics.ert import ert
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.ranks import average_ranks, rank

FIXED_BUDGET, FIXED_TARGET = "fixed budget", "fixed target"

CRITERION = Column(
    "criterion",
    "`fixed target`: values are ERTs to `target`. `fixed budget`: values are median precisions (0 "
    "if the final target was reached), and `target` is empty",
    text=True,
)
COLUMNS = (
    *PROBLEM_COLUMNS,
    CRITERION,
    TARGET,
    ALGORITHM,
    Column(
        "evaluations",
        "at a fixed budget: the number of evaluations at which precisions are compared: the "
        "smallest number of all runs that the budget ended or, if it ended none, the largest "
        "number of all runs",
        "evaluations",
    ),
    Column(
        "by_evaluations",
        "ERT in evaluations, or median precision at `evaluations`",
        "evaluations or precision",
    ),
    Column(
        "by_time", "ERT in seconds, or median precision at the end of the budget", "s or precision"
    ),
    Column("rank_by_evaluations", "rank of `by_evaluations` among the algorithms of the function"),
    Column("rank_by_time", "rank of `by_time` among the algorithms of the function"),
)
PANELS = {
    FIXED_BUDGET: "fixed budget (median precision)",
    FIXED_TARGET: "fixed targets (ERT)",
}
POSITIONS = {"rank_by_evaluations": "by evaluations", "rank_by_time": "by time"}


def _slopes(frame: pd.DataFrame) -> pd.DataFrame:
    """Average ranks by evaluations and by time, as in the table `ranks`: on each function that was
    run with every algorithm, the algorithms are ranked by their average rank over the targets.
    """
    keys = ["suite", "dimension", "criterion"]
    parts = []
    for (suite, dimension, criterion), rows in frame.groupby(keys):
        for column, position in POSITIONS.items():
            on_functions = rows.pivot_table(
                index="function", columns="algorithm", values=column, observed=True
            )
            averages = average_ranks(on_functions.dropna())
            part: dict[str, Any] = {"suite": suite, "dimension": dimension}
            part |= {"criterion": criterion, "panel": PANELS[str(criterion)], "position": position}
            part |= {"algorithm": on_functions.columns, "average_rank": averages}
            parts.append(pd.DataFrame(part))
    slopes = pd.concat(parts) if parts else frame
    slopes.attrs = frame.attrs
    return slopes


@exhibit(
    "rankings",
    question=Question.REVERSAL,
    title="Ranks by evaluations and by time",
    caption="""
    The rank of each algorithm by evaluations and its rank by time, on each function. At a fixed
    target, the ranks are those of the ERT in evaluations and in seconds. At a fixed budget, they
    are those of the median precision at equal evaluations and at the end of the time.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Expected evaluations and seconds to targets, or median precision at equal "
            "evaluations and at equal time; parentheses: rank among the algorithms.",
            values=(
                Value("by_evaluations", "Evaluations", "low", rank="rank_by_evaluations"),
                Value("by_time", "Time", "low", rank="rank_by_time"),
            ),
            rows=("function", "algorithm"),
            columns="target",
            parts=("suite", "dimension", "criterion"),
            points=(Points("target", 3),),
        )
    ],
    figures=[
        Figure(
            "rank_reversals",
            "Ranks by evaluations and by time",
            "Average rank over the functions by evaluations (left) and by time (right), as "
            "in the table `ranks`. Higher is better. At a fixed budget, ranks are by the median "
            "precision; at fixed targets, by the average rank of the ERT over the targets. If two "
            "lines cross, the order of the two algorithms in time differs from their order in "
            "evaluations.",
            Slopes(_slopes),
            default=True,
        )
    ],
    comparing=True,
)
def side_by_side(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Each algorithm's rank by evaluations and by time on each (suite, dimension, function).

    Ties share a rank, and so do all infinite values.
    """
    spent = {unit: spent_until(runs, unit, analysis) for unit in UNITS}
    allowed, best = evaluations_allowed(runs), precision_at_the_end(runs)
    asked = [(problem, _equal_evaluations(runs, problem, allowed)) for problem in problems(runs)]
    parts = []
    for (problem, equal), at_equal in zip(asked, precision_at(runs, asked), strict=True):
        parts.append(
            _ranked(
                {**problem.names, "criterion": FIXED_BUDGET},
                (np.nan,),
                {name: median(sample) for name, sample in problem.split(at_equal[:, 0]).items()},
                {name: median(sample) for name, sample in problem.samples(best).items()},
                evaluations=float(equal[0]),
            )
        )
        costs = {unit: erts(problem, spent[unit]) for unit in UNITS}
        parts.append(
            _ranked(
                {**problem.names, "criterion": FIXED_TARGET},
                analysis.targets_from_easy,
                costs["evaluations"],
                costs["seconds"],
            )
        )
    return stacked(parts, column_names(COLUMNS))


def _equal_evaluations(
    runs: Runs, problem: ProblemRuns, allowed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The number of evaluations at which all algorithms are compared, shape (1,)."""
    least = allowed[problem.rows].min(keepdims=True)
    most = runs.spent("evaluations")[problem.rows].max(keepdims=True)
    return np.where(np.isfinite(least), least, most)


def spent_until(runs: Runs, unit: Unit, analysis: Analysis) -> Spent:
    """Cost of each run up to each target, or up to its end if it did not reach the target.

    Targets are from easy to hard.
    """
    return Spent.until(runs.runtimes(unit, analysis.targets_from_easy), runs.spent(unit))


def erts(problem: ProblemRuns, spent: Spent) -> dict[str, NDArray[np.float64]]:
    """The ERT of each algorithm to each target."""
    success = problem.samples(spent.success)
    return {
        name: ert(cost, success[name], axis=0) for name, cost in problem.samples(spent.cost).items()
    }


def median(sample: NDArray[np.float64]) -> float:
    """The order statistic in the middle, `inf` last."""
    return float(sample_quantile(sample, 0.5))


def _ranked(
    names: dict[str, Any],
    targets: Sequence[float],
    by_evaluations: Mapping[str, ArrayLike],
    by_time: Mapping[str, ArrayLike],
    evaluations: float = np.nan,
) -> dict[str, Any]:
    """The algorithms and their ranks at each target, from their results there."""
    first, second = (
        np.column_stack([np.atleast_1d(result) for result in results.values()])
        for results in (by_evaluations, by_time)
    )
    return {
        **names,
        "target": np.repeat(targets, len(by_time)),
        "algorithm": list(by_time) * len(targets),
        "evaluations": evaluations,
        "by_evaluations": first.ravel(),
        "by_time": second.ravel(),
        "rank_by_evaluations": rank(first).ravel(),
        "rank_by_time": rank(second).ravel(),
    }
