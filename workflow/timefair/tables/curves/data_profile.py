"""Data profiles: what share of the problems is solved for a cost; its unit compares problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.profiles import data_profile
from timefair.tables.problems import Problems, Spent, problems
from timefair.tables.published import told_in
from timefair.tables.runs import Runs, Unit
from timefair.tables.settings import Analysis
from timefair.tables.stacked import stacked

Divisor = Callable[[NDArray[np.float64]], NDArray[np.float64]]

MEASURES: dict[str, tuple[Unit, Divisor]] = {
    "seconds": ("seconds", np.ones_like),
    "seconds_per_dimension": ("seconds", np.positive),
    "simplex_gradients": ("evaluations", lambda dimension: dimension + 1.0),
}
"""For each unit what is counted, and by what of the dimension it is divided."""

ALL = "all"
POINTS = 201
COLUMNS = [
    *("suite", "dimension", "algorithm", "problems", "unit", "cost"),
    *("fraction", "low", "high"),
]


def of_quality(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Share of problems that an algorithm solves with an ERT of at most ``cost``.

    A problem is a (function, instance, relative target), run with every algorithm. ``dimension`` is
    a text: a number, or ``all`` for those of all dimensions together. ``cost`` is in ``unit``:
    seconds, seconds divided by the dimension, or simplex gradients, which are evaluations divided
    by the dimension + 1; a grid evenly spaced in the logarithm, the same for the whole campaign.
    ``low`` and ``high`` are limits at each cost by itself, from runs resampled within each
    instance; NaN if an algorithm has one run only on some instance. Published data count in simplex
    gradients alone.
    """
    parts = []
    for unit in MEASURES:
        told = told_in(runs, MEASURES[unit][0])
        groups = list(_groups(told, _spent(told, analysis, unit)))
        costs = [group.costs() for group in groups]
        grid = _grid(np.concatenate([np.empty(0), *(cost.ravel() for cost in costs)]))
        for group, cost in zip(groups, costs, strict=True):
            fraction = data_profile(cost, grid)
            band = group.band(fraction, grid, analysis)
            for column, algorithm in enumerate(group.algorithms):
                part = {
                    "dimension": ALL,
                    **{key: str(value) for key, value in group.names.items()},
                    "algorithm": algorithm,
                    "problems": len(cost),
                    "unit": unit,
                    "cost": grid,
                    "fraction": fraction[:, column],
                    "low": band.low[:, column],
                    "high": band.high[:, column],
                }
                parts.append(part)
    return stacked(parts, COLUMNS)


def _spent(runs: Runs, analysis: Analysis, unit: str) -> Spent:
    counted, divided_by = MEASURES[unit]
    divisor = divided_by(runs.frame["dimension"].to_numpy(dtype=np.float64))
    targets = runs.relative_targets(analysis.relative_targets)
    reached_at = runs.runtimes(counted, targets) / divisor[:, np.newaxis]
    return Spent.until(reached_at, runs.spent(counted) / divisor)


def _groups(runs: Runs, spent: Spent) -> Iterator[Problems]:
    yield from problems(runs, spent, ("suite", "dimension"))
    yield from problems(runs, spent, ("suite",))


def _grid(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    solved = costs[np.isfinite(costs) & (costs > 0)]
    least, most = (solved.min(), solved.max()) if solved.size else (1.0, 1.0)
    grid = np.geomspace(least, most, POINTS)
    grid[0], grid[-1] = least, most
    return np.unique(grid)
