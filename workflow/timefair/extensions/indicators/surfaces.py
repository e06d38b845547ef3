"""The empirical attainment function of one objective, and the difference of two algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.charts.chart import Picture
from timefair.exhibits.exhibit import Figure, Parts, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.extensions.indicators.statistics import BEST, WORST, attained
from timefair.extensions.indicators.tables import (
    LEADS,
    SPACE,
    costs_until,
    observed,
    over_functions,
)
from timefair.records.rundata.problems import equal_if_solved, planned
from timefair.records.rundata.runs import Runs, Unit
from timefair.records.rundata.settings import Analysis

LEVELS = np.geomspace(WORST, BEST, 21)
"""Precisions of a surface."""
PRECISION = "precision [precision] (exact): precision to reach"
PAIR = ("algorithm_a", "algorithm_b")
POINTS = (
    Points("function", 1),
    Points("cost", (0.01, 0.1, 1.0), relative=True),
    Points("precision", 3),
)


@exhibit(
    "eaf",
    question=LEADS,
    title="Empirical attainment function",
    caption="""
    Empirical attainment function of one objective (López-Ibáñez and others 2024): the share of the
    runs that have found at most a precision within a cost, in {seconds} and in evaluations, for
    each function and for all functions together. No targets need be chosen. Its mean over the
    logarithm of the precision and over the cost is the AOCC of the table `aocc`. The lines of equal
    share are quantiles of the runs, as in the table `anytime`. Costs end where not all runs were
    observed.
    """,
    columns=f"""
    CELL_OR_ALL, RUNS, UNIT, COST
    {PRECISION}
    share <Share; high .2>: share of the runs with this precision within `cost`
    """,
    layouts=Layout(
        caption="Share of the runs on all functions that have found at most a precision "
        "within a cost.",
        rows=("precision", "algorithm"),
        columns="cost",
        parts=(*SPACE, "function", "unit"),
        points=POINTS,
    ),
    figures=Figure(
        "eaf",
        "Empirical attainment function",
        "Share of the runs on all functions that have found at most a precision within a cost, "
        "in {seconds} or, without times, in evaluations. Darker is better.",
        Picture(
            "timefair.extensions.indicators.figure:surfaces",
            reading="If not all algorithms fit, those with the largest mean share are drawn.",
        ),
    ),
)
def surface(runs: Runs, analysis: Analysis) -> Parts:
    """The surface of each algorithm on each function, and on all together."""
    for found in _found(runs):
        for names, members in over_functions(found.runs):
            yield _surface(found, names, members)


class Found(NamedTuple):
    """The runs of a suite and dimension, and their best precision at each cost, (runs, costs)."""

    runs: Runs
    unit: Unit
    grid: NDArray[np.float64]
    best: NDArray[np.float64]


def _found(runs: Runs) -> Iterator[Found]:
    points = max(runs.points // 4, 12)
    for there, unit, _, last in observed(runs):
        grid = costs_until(there, unit, last, points)
        if grid.size:
            yield Found(there, unit, grid, equal_if_solved(there, there.best_so_far(unit, grid)))


def _surface(found: Found, names: dict[str, Any], members: NDArray[np.intp]) -> dict[str, Any]:
    return {
        **names, "runs": len(members), "unit": found.unit,
        "cost": np.repeat(found.grid, LEVELS.size),
        "precision": np.tile(LEVELS, found.grid.size),
        "share": attained(found.best[members], LEVELS).ravel(),
    }  # fmt: skip


@exhibit(
    "eaf_difference",
    question=LEADS,
    title="Difference of two attainment functions",
    caption="""
    Difference of the empirical attainment functions of two algorithms: positive where more runs of
    `algorithm_a` have found this precision within this cost. The two are those with the largest
    mean share over all functions, or the first ones that `statistics.pairs` names.
    """,
    columns=f"""
    SPACE, FUNCTION_OR_ALL, PAIR, UNIT, COST
    {PRECISION}
    difference <Difference; .2>: share of the runs of `algorithm_a` minus that of `algorithm_b`
    """,
    layouts=Layout(
        caption="Share of the runs of the first algorithm on all functions that have found at "
        "most a precision within a cost, minus that of the second.",
        rows=("precision",),
        columns="cost",
        parts=(*SPACE, "function", *PAIR, "unit"),
        points=POINTS,
    ),
    figures=Figure(
        "eaf_difference",
        "Difference of two attainment functions",
        "Where more runs of one of two algorithms have found at most a precision within a "
        "cost, in {seconds} or, without times, in evaluations. Without room for all functions, "
        "they are drawn together.",
        Picture("timefair.extensions.indicators.figure:difference"),
    ),
    comparing=True,
)
def difference(runs: Runs, analysis: Analysis) -> Parts:
    """The difference of one pair on each function, and on all together."""
    for found in _found(runs):
        pair = _pair(found, analysis)
        shares: dict[str, dict[str, dict[str, Any]]] = {}
        for names, members in over_functions(found.runs):
            if names["algorithm"] in pair:
                of_function = shares.setdefault(names["function"], {})
                of_function[names["algorithm"]] = _surface(found, names, members)
        named = dict(zip(PAIR, pair, strict=False))
        for cells in shares.values():
            if len(cells) == 2:
                a, b = (cells[name]["share"] for name in pair)
                yield {**cells[pair[0]], **named, "difference": a - b}


def _pair(found: Found, analysis: Analysis) -> list[str]:
    """Two algorithms: the named ones first, then those with the largest mean share."""
    reached = LEVELS.size - np.sort(LEVELS).searchsorted(found.best)  # levels, by run and cost
    names = found.runs.frame["algorithm"].astype(str).to_numpy()
    share = pd.Series(reached.mean(axis=1)).groupby(names).mean()
    named = planned(analysis) or ()
    return sorted(share.index, key=lambda name: (name not in named, -share[name], name))[:2]
