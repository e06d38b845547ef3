"""Performance profiles; the cost of a problem is the ERT."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.profiles import performance_profile, performance_ratios
from timefair.tables.problems import Spent, problems
from timefair.tables.published import with_published
from timefair.tables.runs import Runs, Unit
from timefair.tables.settings import Analysis
from timefair.tables.stacked import stacked

LEAST: dict[Unit, float] = {"seconds": 1e-9, "evaluations": 1.0}
"""No cost is taken to be smaller: the clock counts nanoseconds."""

POINTS = 201
DIMENSION = ("suite", "dimension")
COLUMNS = [*DIMENSION, "algorithm", "problems", "ratio", "fraction", "low", "high"]
PAIR_COLUMNS = [*DIMENSION, "algorithm", "against", "problems", "ratio", "fraction"]


def of_ert_s(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Share of problems on which an algorithm's ERT is at most ``ratio`` times the best one.

    A problem is a (function, instance, target) of one suite and dimension, ``problems`` how many
    there are; those that nobody solved stay among them, those that were not run with every
    algorithm do not. ``ratio`` is a common grid from 1 to the largest finite ratio, evenly spaced
    in the logarithm. ``low`` and ``high`` are limits at each ratio by itself, from runs resampled
    within each instance; NaN if an algorithm has one run only on some instance.
    """
    return _profile(runs, analysis, "seconds", runs.runtimes("seconds", analysis.targets))


def of_ert_evaluations(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The same with the ERT in evaluations, published data included."""
    everyone = with_published(runs)
    reached_at = everyone.runtimes("evaluations", analysis.targets)
    return _profile(everyone, analysis, "evaluations", reached_at)


def of_quality_s(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The same with the expected seconds to the quality of each relative target.

    Each of these targets is solved by some algorithm, whatever is known about the optimum.
    """
    targets = runs.relative_targets(analysis.relative_targets)
    return _profile(runs, analysis, "seconds", runs.runtimes("seconds", targets))


def pairs_of_ert_s(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Profile of each ``algorithm`` beside one other, ``against``, as if there were no third.

    Another algorithm in the campaign changes no row, unless it was not run on some problem.
    """
    spent = Spent.until(runs.runtimes("seconds", analysis.targets), runs.spent("seconds"))
    parts = []
    for group in problems(runs, spent, DIMENSION):
        costs = group.costs()
        for pair in permutations(range(len(group.algorithms)), 2):
            ratios = performance_ratios(costs[:, pair], floor=LEAST["seconds"])
            grid = _grid(ratios)
            part = {
                **group.names,
                "algorithm": group.algorithms[pair[0]],
                "against": group.algorithms[pair[1]],
                "problems": len(costs),
                "ratio": grid,
                "fraction": performance_profile(ratios, grid)[:, 0],
            }
            parts.append(part)
    return stacked(parts, PAIR_COLUMNS)


def _profile(
    runs: Runs, analysis: Analysis, unit: Unit, reached_at: NDArray[np.float64]
) -> pd.DataFrame:
    def ratios(costs: ArrayLike) -> NDArray[np.float64]:
        return performance_ratios(costs, floor=LEAST[unit])

    parts = []
    for group in problems(runs, Spent.until(reached_at, runs.spent(unit)), DIMENSION):
        observed = ratios(group.costs())
        grid = _grid(observed)
        fraction = performance_profile(observed, grid)
        band = group.band(fraction, grid, analysis, ratios)
        for column, algorithm in enumerate(group.algorithms):
            part = {
                **group.names,
                "algorithm": algorithm,
                "problems": len(observed),
                "ratio": grid,
                "fraction": fraction[:, column],
                "low": band.low[:, column],
                "high": band.high[:, column],
            }
            parts.append(part)
    return stacked(parts, COLUMNS)


def _grid(ratios: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = max(ratios[np.isfinite(ratios)].max(initial=1.0), 2.0)
    grid = np.geomspace(1.0, largest, POINTS)
    grid[-1] = largest
    return grid
