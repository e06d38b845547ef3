"""The ranking by evaluations beside the ranking by time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.ert import ert
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.ranks import rank
from timefair.tables.problems import Spent
from timefair.tables.runs import UNITS, Runs, Unit
from timefair.tables.settings import Analysis
from timefair.tables.stacked import stacked
from timefair.tables.standings import KEYS as PROBLEM
from timefair.tables.standings import (
    Problem,
    evaluations_allowed,
    precision_at,
    precision_at_the_end,
    problems,
)

FIXED_BUDGET, FIXED_TARGET = "fixed budget", "fixed target"
KEYS = (*PROBLEM, "criterion", "target", "algorithm")
VALUES = ("by_evaluations", "by_time", "rank_by_evaluations", "rank_by_time")
COLUMNS = [*KEYS, "evaluations", *VALUES]


def side_by_side(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Each algorithm's rank by evaluations and by time on each (suite, dimension, function).

    ``criterion`` = ``fixed target``, a row a ``target``: ``by_evaluations`` and ``by_time`` are the
    ERT in evaluations and in seconds. ``criterion`` = ``fixed budget`` (``target`` is NaN): they
    are the median precision at equal ``evaluations`` and at the end of the budget, 0 where the
    final target was reached. ``evaluations`` is what every run made that the budget ended, the
    least number; if the budget ended none, the largest number that a run made. Ranks are among the
    algorithms of the function; ties, and all that is `inf`, share one.
    """
    spent = {unit: spent_until(runs, unit, analysis) for unit in UNITS}
    allowed, best = evaluations_allowed(runs), precision_at_the_end(runs)
    asked = [(problem, _equal_evaluations(runs, problem, allowed)) for problem in problems(runs)]
    parts = []
    for (problem, equal), at_equal in zip(asked, precision_at(runs, asked), strict=True):
        parts.append(
            _ranked(
                {**problem.names, "criterion": FIXED_BUDGET, "target": np.nan},
                {name: median(sample) for name, sample in problem.split(at_equal[:, 0]).items()},
                {name: median(sample) for name, sample in problem.samples(best).items()},
                evaluations=float(equal[0]),
            )
        )
        costs = {unit: erts(problem, spent[unit]) for unit in UNITS}
        for k, target in enumerate(analysis.targets_from_easy):
            parts.append(
                _ranked(
                    {**problem.names, "criterion": FIXED_TARGET, "target": target},
                    {name: ert_at[k] for name, ert_at in costs["evaluations"].items()},
                    {name: ert_at[k] for name, ert_at in costs["seconds"].items()},
                )
            )
    return stacked(parts, COLUMNS)


def _equal_evaluations(
    runs: Runs, problem: Problem, allowed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The one number of evaluations at which all algorithms are compared, shape (1,)."""
    least = allowed[problem.rows].min(keepdims=True)
    most = runs.spent("evaluations")[problem.rows].max(keepdims=True)
    return np.where(np.isfinite(least), least, most)


def spent_until(runs: Runs, unit: Unit, analysis: Analysis) -> Spent:
    """What each run spent up to each target, from easy to hard."""
    return Spent.until(runs.runtimes(unit, analysis.targets_from_easy), runs.spent(unit))


def erts(problem: Problem, spent: Spent) -> dict[str, NDArray[np.float64]]:
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
    by_evaluations: dict[str, float],
    by_time: dict[str, float],
    evaluations: float = np.nan,
) -> dict[str, Any]:
    first, second = np.array(list(by_evaluations.values())), np.array(list(by_time.values()))
    return {
        **names,
        "algorithm": list(by_time),
        "evaluations": evaluations,
        "by_evaluations": first,
        "by_time": second,
        "rank_by_evaluations": rank(first),
        "rank_by_time": rank(second),
    }
