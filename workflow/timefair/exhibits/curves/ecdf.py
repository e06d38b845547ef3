"""Shares of what is reached over the cost: targets, problems, feasible runs; with their bands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.together import ALL
from timefair.charts.chart import Curves
from timefair.charts.costs import SIMPLEX_GRADIENTS
from timefair.exhibits import questions
from timefair.exhibits.columns import (
    ALGORITHM,
    CELL_OR_ALL,
    COST,
    DIMENSION_OR_ALL,
    RUNS,
    SUITE,
    UNIT,
)
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.rundata.frames import stacked
from timefair.rundata.problems import Spent, known_until, shared_problems
from timefair.rundata.published import told_in
from timefair.rundata.runs import PER_DIMENSION, UNITS, Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.statistics.curves import ProfileBand, data_profile, ecdf_band
from timefair.statistics.probability import success_interval

PROBLEMS = Column(
    "problems", "number of cases (problem and target) that were run with every algorithm"
)
LIMITS = (
    Column(
        "low",
        "lower limit at this point of the curve, from a bootstrap of the runs within each "
        "instance; empty if an instance has a single run",
    ),
    Column("high", "upper limit at this point of the curve"),
)
OBSERVED = Column(
    "observed",
    "share of the runs that were observed up to `cost`, or had nothing left to reach. Below 1, the "
    "budget (or the end of published data) has cut off the others, and the row counts only what "
    "they had reached",
)
SHARE = Value("fraction", "Share", "high", interval=("low", "high"), decimals=2)
BOOTSTRAP = "Brackets: {confidence} bootstrap interval."


def costs_layout(what: str, key: str, observed: str = "") -> Layout:
    """The printed form of a share over costs: four points, one row per value of a key.

    `observed` is as in `Layout`.
    """
    return Layout(
        caption=f"{what}.",
        brackets=BOOTSTRAP,
        values=(SHARE,),
        rows=(key, "algorithm"),
        columns="cost",
        points=(Points("cost", (0.001, 0.01, 0.1, 1.0), relative=True),),
        observed=observed,
    )


def until_cut(
    part: dict[str, Any],
    known: NDArray[np.float64],
    end: float,
    limits: Iterable[str] = (),
) -> dict[str, Any]:
    """A part of a table up to a cost, with the column `OBSERVED`.

    Parameters
    ----------
    part
        The columns of the part; ``cost`` rises.
    known
        Cost up to which the results of each run are known, shape (runs,).
    end
        The last cost; the first row is always there.
    limits
        Columns that are NaN from the first cut on.
    """
    cost = part["cost"]
    before = np.searchsorted(np.sort(known), cost * (1 - 1e-9))
    part = part | {"observed": 1 - before / len(known)}
    part |= {name: np.where(before > 0, np.nan, part[name]) for name in limits}
    points = max(int(np.searchsorted(cost, end * (1 + 1e-9), side="right")), 1)
    return {
        name: value[:points] if isinstance(value, np.ndarray) else value
        for name, value in part.items()
    }


def last_cut(known: NDArray[np.float64]) -> float:
    """The largest finite cost up to which a run is known; `inf` if every run is known forever."""
    return float(known[np.isfinite(known)].max(initial=0.0)) or np.inf


BANDS = (
    *LIMITS,
    Column("everywhere_low", "lower limit of a band that holds at all costs simultaneously"),
    Column("everywhere_high", "upper limit of that band"),
)
COLUMNS = (
    *CELL_OR_ALL,
    RUNS,
    UNIT,
    COST,
    OBSERVED,
    Column("fraction", "share of the (target, instance, run) triples reached within `cost`"),
    *BANDS,
)
ACROSS_COLUMNS = (
    SUITE,
    DIMENSION_OR_ALL,
    ALGORITHM,
    RUNS,
    Column("unit", "`seconds_per_dimension` or `evaluations_per_dimension`", text=True),
    Column("cost", "cost since the start of the run, divided by the dimension", "`unit`"),
    OBSERVED,
    Column(
        "fraction",
        "share of the (target, function, instance, run) quadruples reached within `cost`",
    ),
    *BANDS,
)

AT_LEAST = (
    "The thin line beyond counts what the runs had reached, so it is a lower bound; it ends where "
    "the last of them is cut off."
)
Groups = Iterable[tuple[dict[str, Any], NDArray[np.intp]]]


def _figure(
    name: str, title: str, caption: str, unit: str, view: str, *, functions: bool = True
) -> Figure:
    return Figure(
        name,
        title,
        f"{caption} Higher is better. Bands are bootstrap limits at each cost, from runs resampled "
        "within each instance; there is none if an instance has a single run.",
        Curves(
            x="cost",
            y="fraction",
            low="low",
            high="high",
            x_label="{cost}",
            y_label="share of (target, instance, run) reached"
            if functions
            else "share of targets reached",
            view=view,
            unit=unit,
            functions=functions,
            beyond=AT_LEAST,
        ),
        default=name == "ecdf",
        needs="nothing" if functions else "dimensions",
    )


TRIPLES = (
    "Share of the (target, instance, run) triples that were reached within a number of {unit}, "
    "over all functions and for each function. Triples that were never reached stay in the "
    "denominator."
)
QUADRUPLES = (
    "Share of the (target, function, instance, run) quadruples that were reached within a number "
    "of {unit} per dimension, over all dimensions and for each dimension. If the cost of an "
    "algorithm is proportional to the dimension, its curves are the same in all dimensions."
)


@exhibit(
    "ecdf",
    question=questions.ANYTIME,
    title="Share of targets reached within a cost",
    caption="""
    Share of the (target, instance, run) triples that were reached within a cost, in {seconds} and
    in evaluations, for each function and for all functions together. Triples that were never
    reached stay in the denominator. If the budget has cut off runs before they had reached all
    targets, the share is a lower bound without limits, and the rows of an algorithm end with the
    last of these runs. Limits come from runs resampled within each instance, so they do not apply
    to other problems. Few targets are replaced by 51 between the easiest and the hardest one.
    """,
    columns=COLUMNS,
    layouts=[
        costs_layout(
            "Share of (target, instance, run) triples that are reached within a cost",
            "function",
            OBSERVED.name,
        )
    ],
    figures=[
        _figure(
            "ecdf",
            "Share of targets reached over seconds",
            TRIPLES.replace("{unit}", "{seconds}"),
            "seconds",
            "seconds",
        ),
        _figure(
            "ecdf_evaluations",
            "Share of targets reached over evaluations",
            TRIPLES.replace("{unit}", "evaluations"),
            "evaluations",
            "evaluations",
        ),
    ],
    default=True,
)
def solved_within(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """ECDF of runtimes for each (suite, dimension, function, algorithm) and over all functions.

    Published data have no times, so they are used only for costs in evaluations.
    """
    return _frame(runs, analysis, UNITS, _functions, COLUMNS)


@exhibit(
    "ecdf_dimensions",
    question=questions.ANYTIME,
    title="Share of targets reached within a cost per dimension",
    caption="""
    Share of the (target, function, instance, run) quadruples that were reached within a cost
    divided by the dimension, in {seconds} and in evaluations, for each dimension and for all
    dimensions together. Limits and lower bounds are as in the table `ecdf`.
    """,
    columns=ACROSS_COLUMNS,
    layouts=[
        costs_layout(
            "Share of (target, function, instance, run) quadruples that are reached within a cost "
            "per dimension",
            "dimension",
            OBSERVED.name,
        )
    ],
    figures=[
        _figure(
            "ecdf_dimensions",
            "Share of targets reached over seconds per dimension",
            QUADRUPLES.replace("{unit}", "{seconds}"),
            "seconds_per_dimension",
            "seconds / dimension",
            functions=False,
        ),
        _figure(
            "ecdf_dimensions_evaluations",
            "Share of targets reached over evaluations per dimension",
            QUADRUPLES.replace("{unit}", "evaluations"),
            "evaluations_per_dimension",
            "evaluations / dimension",
            functions=False,
        ),
    ],
)
def across_dimensions(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """ECDF of runtimes over all functions, for each dimension and over all dimensions."""
    return _frame(runs, analysis, tuple(PER_DIMENSION), _dimensions, ACROSS_COLUMNS)


def _functions(runs: Runs) -> Groups:
    for names, members in runs.groups(("suite", "dimension", "function", "algorithm")):
        yield {**names, "function": str(names["function"])}, members
    for names, members in runs.groups(("suite", "dimension", "algorithm")):
        yield {**names, "function": ALL}, members


def _dimensions(runs: Runs) -> Groups:
    for names, members in runs.groups(("suite", "dimension", "algorithm")):
        yield {**names, "dimension": str(names["dimension"])}, members
    for names, members in runs.groups(("suite", "algorithm")):
        yield {**names, "dimension": ALL}, members


def _grids(
    runs: Runs, unit: Unit, curves: Iterable[tuple[dict[str, Any], NDArray[np.intp]]]
) -> dict[tuple[Any, Any], NDArray[np.float64]]:
    """A common grid of costs for all curves of a suite and dimension, up to the end of its longest
    run.
    """
    together: dict[tuple[Any, Any], list[NDArray[np.intp]]] = {}
    for names, members in curves:
        together.setdefault((names["suite"], names["dimension"]), []).append(members)
    rows = (np.unique(np.concatenate(parts)) for parts in together.values())
    return dict(zip(together, runs.cost_grids(unit, rows), strict=True))


def _frame(
    runs: Runs,
    analysis: Analysis,
    units: tuple[Unit, ...],
    groups: Callable[[Runs], Groups],
    columns: Iterable[Column],
) -> pd.DataFrame:
    parts = []
    for unit in units:
        there = told_in(runs, unit)
        problem = there.frame.groupby(["dimension", "function", "instance"]).ngroup().to_numpy()
        reached_at = there.runtimes(unit, analysis.curve_targets)
        known = known_until(there, unit, np.asarray(np.isfinite(reached_at).all(axis=1)))
        curves = list(groups(there))
        grids = _grids(there, unit, curves)
        for names, members in curves:
            grid = grids[names["suite"], names["dimension"]]
            band = ecdf_band(
                reached_at[members],
                problem[members],
                grid,
                confidence=analysis.confidence,
                resamples=analysis.resamples,
                rng=analysis.stream(names),
            )
            part = {**names, "runs": len(members), "unit": unit, "cost": grid}
            part["fraction"] = band.fraction
            part |= {limit: getattr(band, limit) for limit in column_names(BANDS)}
            mine = known[members]
            parts.append(until_cut(part, mine, last_cut(mine), column_names(BANDS)))
    return stacked(parts, column_names(columns))


Divisor = Callable[[NDArray[np.float64]], NDArray[np.float64]]

MEASURES: dict[str, tuple[Unit, Divisor]] = {
    "seconds": ("seconds", np.ones_like),
    "seconds_per_dimension": ("seconds", np.positive),
    SIMPLEX_GRADIENTS: ("evaluations", lambda dimension: dimension + 1.0),
}
"""For each unit, the cost that is counted, and the function of the dimension by which it is
divided.
"""

OBSERVED_TARGETS = Column(
    "observed",
    "share of the runs that were observed up to `cost`, or had reached every target before. Below "
    "1, the budget (or the end of published data) has cut off the others, which count as failures",
)
DATA_PROFILE_COLUMNS = (
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
    OBSERVED_TARGETS,
    Column("fraction", "share of the cases that are solved within `cost`"),
    *LIMITS,
)


def _profile_figure(name: str, unit: str, words: str, view: str, title: str) -> Figure:
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
    columns=DATA_PROFILE_COLUMNS,
    layouts=[
        costs_layout(
            "Data profile: share of cases, each a function, instance and relative target, that "
            "are solved with at most this expected cost",
            "dimension",
        )
    ],
    figures=[
        _profile_figure(
            "data_profile",
            "seconds",
            "{seconds}",
            "seconds",
            "Share of cases solved over expected seconds",
        ),
        _profile_figure(
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
    return stacked(parts, column_names(DATA_PROFILE_COLUMNS))


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


AT_LEAST_FEASIBLE = (
    "The thin line beyond counts the runs that were feasible before, so it is a lower bound; it "
    "ends where the last run is cut off."
)
FEASIBLE_COLUMNS = (
    *CELL_OR_ALL,
    RUNS,
    UNIT,
    COST,
    OBSERVED,
    Column("fraction", "share of the runs that evaluated a feasible point within `cost`"),
    Column("low", "lower limit of the interval of `fraction` (Clopper and Pearson)"),
    Column("high", "upper limit of that interval"),
)


def _feasible_figure(name: str, unit: str, counted: str) -> Figure:
    return Figure(
        name,
        f"Share of feasible runs over {unit}",
        f"Share of the runs that evaluated a feasible point within a number of {counted}, over all "
        "functions and for each function. Higher is better. Bands are limits at each cost.",
        Curves(
            x="cost",
            y="fraction",
            low="low",
            high="high",
            x_label="{cost}",
            y_label="share of feasible runs",
            view=unit,
            unit=unit,
            beyond=AT_LEAST_FEASIBLE,
        ),
        needs="constraints",
    )


@exhibit(
    "feasible",
    question=questions.FEASIBLE,
    title="Share of feasible runs within a cost",
    caption="""
    Share of the runs that evaluated a feasible point within a cost, in {seconds} and in
    evaluations, with its exact interval, for each function and for all functions together. The runs
    of all instances are pooled. Evaluations are those of the objective function and of the
    constraints together. If the budget has cut off runs that were not feasible, the share is a
    lower bound without limits, and the rows end with the last of these runs. Empty without
    constraints.
    """,
    columns=FEASIBLE_COLUMNS,
    layouts=[
        Layout(
            caption="Share of the runs that evaluated a feasible point within a cost.",
            brackets=INTERVAL,
            values=(SHARE,),
            rows=("function", "algorithm"),
            columns="cost",
            points=(Points("cost", (0.001, 0.01, 0.1, 1.0), relative=True),),
            observed=OBSERVED.name,
        )
    ],
    figures=[
        _feasible_figure("feasible", "seconds", "{seconds}"),
        _feasible_figure("feasible_evaluations", "evaluations", "evaluations"),
    ],
)
def within_cost(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Share of feasible runs for each (suite, dimension, function, algorithm), and all functions.

    The functions and instances of the campaign are fixed. If their shares differ, the interval of
    the pooled share is wider than necessary (Hoeffding 1956).
    """
    parts = []
    for space in runs.where(runs.constrained).spaces():
        for unit in UNITS:
            after, grid = space.feasible_after(unit), _feasible_grid(space, unit)
            known = known_until(space, unit, np.isfinite(after))
            for names, members in _groups(space):
                count = np.searchsorted(np.sort(after[members]), grid, side="right")
                share = success_interval(count, len(members), analysis.confidence)
                mine = known[members]
                part = {**names, "runs": len(members), "unit": unit, "cost": grid}
                part |= {"fraction": share.value, "low": share.low, "high": share.high}
                parts.append(until_cut(part, mine, last_cut(mine), ("low", "high")))
    return stacked(parts, column_names(FEASIBLE_COLUMNS))


def _groups(runs: Runs) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
    """The runs of each function, and of all together."""
    for names, members in runs.groups(("suite", "dimension", "function", "algorithm")):
        yield {**names, "function": str(names["function"])}, members
    for names, members in runs.groups(("suite", "dimension", "algorithm")):
        yield {**names, "function": ALL}, members


def _feasible_grid(runs: Runs, unit: Unit) -> NDArray[np.float64]:
    """The costs of all curves; only the end of the longest run if no run found a feasible point."""
    grid = runs.cost_grid(unit)
    return grid if grid.size else np.array([runs.spent(unit).max()])
