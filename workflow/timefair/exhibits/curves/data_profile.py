"""Data profiles: the share of cases that is solved within a cost in units that
compare problems.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.together import ALL
from timefair.charts.chart import Curves
from timefair.charts.costs import SIMPLEX_GRADIENTS
from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM, DIMENSION_OR_ALL, SUITE
from timefair.exhibits.curves.bands import LIMITS, PROBLEMS, costs_layout, last_cut, until_cut
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.rundata.frames import stacked
from timefair.rundata.problems import Spent, known_until, shared_problems
from timefair.rundata.published import told_in
from timefair.rundata.runs import Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.statistics.curves import ProfileBand, data_profile

Divisor = Callable[[NDArray[np.float64]], NDArray[np.float64]]

MEASURES: dict[str, tuple[Unit, Divisor]] = {
    "seconds": ("seconds", np.ones_like),
    "seconds_per_dimension": ("seconds", np.positive),
    SIMPLEX_GRADIENTS: ("evaluations", lambda dimension: dimension + 1.0),
}
"""For each unit, the cost that is counted, and the function of the dimension by which it is
divided.
"""

OBSERVED = Column(
    "observed",
    "share of the runs that were observed up to `cost`, or had reached every target before. Below "
    "1, the budget (or the end of published data) has cut off the others, which count as failures",
)
COLUMNS = (
    SUITE,
    DIMENSION_OR_ALL,
    ALGORITHM,
    PROBLEMS,
    Column(
        "unit",
        "`seconds`, `seconds_per_dimension`, or `simplex_gradients`: evaluations divided by the "
        "dimension + 1",
        text=True,
    ),
    Column("cost", "expected running time within which a case counts as solved", "`unit`"),
    OBSERVED,
    Column("fraction", "share of the cases that are solved within `cost`"),
    *LIMITS,
)


def _figure(name: str, unit: str, words: str, view: str, title: str) -> Figure:
    return Figure(
        name,
        title,
        "Data profiles (Moré and Wild 2009): the share of (function, instance, relative target) "
        f"triples that are solved within an expected number of {words}, over all dimensions and "
        "for each dimension. Higher is better. Bands are bootstrap limits at each cost.",
        Curves(
            x="cost",
            y="fraction",
            low="low",
            high="high",
            x_label="ERT in {unit}",
            y_label="share of cases",
            view=view,
            unit=unit,
            functions=False,
            beyond="The thin line beyond counts what is cut off as a failure.",
        ),
    )


@exhibit(
    "data_profile",
    question=questions.FACTOR,
    title="Share of cases solved for a cost",
    caption="""
    Data profiles (Moré and Wild 2009): the share of the cases that an algorithm solves with an
    expected cost of at most `cost`. A case is a problem and a relative target that every
    algorithm was run on. Other algorithms have an effect only through the best precision, to which
    the targets are relative.
    """,
    columns=COLUMNS,
    layouts=[
        costs_layout(
            "Data profile: share of cases, each a function, instance and relative target, that "
            "are solved with at most this expected cost",
            "dimension",
        )
    ],
    figures=[
        _figure(
            "data_profile",
            "seconds",
            "{seconds}",
            "seconds",
            "Share of cases solved over expected seconds",
        ),
        _figure(
            "data_profile_evaluations",
            SIMPLEX_GRADIENTS,
            "simplex gradients (evaluations divided by the dimension + 1)",
            "evaluations",
            "Share of cases solved over expected simplex gradients",
        ),
    ],
)
def of_quality(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Share of cases that an algorithm solves with an ERT of at most ``cost``.

    The costs are a log-spaced grid, the same for the complete campaign. Published data are used
    only in simplex gradients.
    """
    parts = []
    for unit in MEASURES:
        there = told_in(runs, MEASURES[unit][0])
        spent = _spent(there, analysis, unit)
        known = _known(there, spent, unit)
        groups = list(shared_problems(there, spent, ("suite", "dimension"), ("suite",)))
        costs = [group.costs() for group in groups]
        solved = np.concatenate([np.empty(0), *(cost.ravel() for cost in costs)])
        grid = _grid(solved, runs.points)
        bands: dict[tuple[object, ...], ProfileBand] = {}
        for group, cost in zip(groups, costs, strict=True):
            fraction = data_profile(cost, grid)
            space = (str(group.names["suite"]), str(group.names.get("dimension", ALL)))
            key = group.identity  # the same for all dimensions as for the only one
            if key not in bands:
                bands[key] = group.band(fraction, grid, analysis)
            band = bands[key]
            for column, algorithm in enumerate(group.algorithms):
                of_runs = known[*space, algorithm]
                part = {
                    "suite": space[0],
                    "dimension": space[1],
                    "algorithm": algorithm,
                    "problems": len(cost),
                    "unit": unit,
                    "cost": grid,
                    "fraction": fraction[:, column],
                    "low": band.low[:, column],
                    "high": band.high[:, column],
                }
                most = cost[np.isfinite(cost[:, column]), column].max(initial=0.0)
                parts.append(until_cut(part, of_runs, max(last_cut(of_runs), most)))
    return stacked(parts, column_names(COLUMNS))


def _known(runs: Runs, spent: Spent, unit: str) -> dict[tuple[str, ...], NDArray[np.float64]]:
    """Cost up to which each run is known, for each suite, dimension (or all) and algorithm."""
    counted, divided_by = MEASURES[unit]
    divisor = divided_by(runs.frame["dimension"].to_numpy(dtype=np.float64))
    known = known_until(runs, counted, np.asarray(spent.success.all(axis=1))) / divisor
    return {
        (str(names["suite"]), str(names.get("dimension", ALL)), str(names["algorithm"])): known[
            rows
        ]
        for keys in (("suite", "dimension", "algorithm"), ("suite", "algorithm"))
        for names, rows in runs.groups(keys)
    }


def _spent(runs: Runs, analysis: Analysis, unit: str) -> Spent:
    counted, divided_by = MEASURES[unit]
    divisor = divided_by(runs.frame["dimension"].to_numpy(dtype=np.float64))
    targets = runs.relative_targets(analysis.relative_targets)
    reached_at = runs.runtimes(counted, targets) / divisor[:, np.newaxis]
    return Spent.until(reached_at, runs.spent(counted) / divisor)


def _grid(costs: NDArray[np.float64], points: int) -> NDArray[np.float64]:
    solved = costs[np.isfinite(costs) & (costs > 0)]
    least, most = (solved.min(), solved.max()) if solved.size else (1.0, 1.0)
    grid = np.geomspace(least, most, points)
    grid[0], grid[-1] = least, most
    return np.unique(grid)
