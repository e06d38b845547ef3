"""Curves: shares of what is reached and the best precision over the cost, and profiles."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from timefair.basics.words import ALL
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Curves
from timefair.exhibits.columns import ALGORITHM, CELL, CELL_OR_ALL, COST, RUNS, SPACE, UNIT
from timefair.exhibits.exhibit import Column, Figure, column_names, columns_of, exhibit, over_costs
from timefair.exhibits.layout import BOOTSTRAP, INTERVAL, Layout, Points, Value
from timefair.records.rundata.frames import stacked
from timefair.records.rundata.problems import Spent, equal_if_solved, known_until, shared_problems
from timefair.records.rundata.published import told_in, with_published
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.statistics.curves import (
    ecdf_band,
    median_band,
    performance_profile,
    performance_ratios,
    quantile_band,
)
from timefair.statistics.probability import success_interval

*LIMITS, OBSERVED = columns_of("""
    low: lower limit at this point of the curve, from a bootstrap of the runs within each instance;
        empty if an instance has a single run
    high: upper limit at this point of the curve
    observed: share of the runs that were observed up to `cost`, or had nothing left to reach. Below
        1, the budget (or the end of published data) has cut off the others, and the row counts only
        what they had reached
""")
SHARE = Value("fraction", "Share", "high", interval=("low", "high"), decimals=2)
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


def _layout(caption: str, brackets: str) -> Layout:
    """A share over costs: four points, one row per function and algorithm."""
    return Layout(
        caption=caption,
        brackets=brackets,
        values=(SHARE,),
        columns="cost",
        points=(Points("cost", (0.001, 0.01, 0.1, 1.0), relative=True),),
        observed=OBSERVED.name,
    )


def _curves(y_label: str, beyond: str) -> Curves:
    return Curves(
        x="cost",
        y="fraction",
        low="low",
        high="high",
        x_label="{cost}",
        y_label=y_label,
        view="{unit}",
        beyond=f"The thin line beyond counts {beyond}, so it is a lower bound; it ends where the "
        "last of them is cut off.",
    )


SO_FAR = (
    "The thin line beyond is the result of the runs so far; it ends where half of them are cut off."
)
CURVES = columns_of("""
    median [precision]: median over the runs of the best precision so far; `inf` while half of them
        have no value
    low [precision]: 0.25 quantile of single runs
    high [precision]: 0.75 quantile of single runs
    median_low [precision]: lower limit of the interval of `median` at this cost; empty if the runs
        are too few (a 95 % interval needs six)
    median_high [precision]: upper limit of that interval
""")
ANYTIME_COLUMNS = (
    *CELL,
    RUNS,
    UNIT,
    Column("cost", "cost since the start of the run, the same grid for all algorithms", "`unit`"),
    OBSERVED,
    *CURVES,
    Column(
        "mean",
        "mean over the runs of the best precision so far; `inf` while a run has no value",
        "precision",
    ),
)

ANYTIME_LIMITS = [name for name in column_names(CURVES) if name.endswith(("low", "high"))]


@exhibit(
    "anytime",
    question=questions.ANYTIME,
    title="Best precision over elapsed cost",
    caption="""
    Best precision so far over elapsed cost, in {seconds} and in evaluations, over the runs of all
    instances: the median with its interval and with the quartiles of single runs. The rows of an
    algorithm end when the budget (or the end of published data) has cut off half of its runs,
    because nothing is known beyond; from the first cut on, there are no limits. A run that ended by
    itself or at the final target keeps its best precision. Precisions at or below the final target
    count as 0.
    """,
    columns=ANYTIME_COLUMNS,
    layouts=Layout(
        caption="Median of the best precision up to a cost, runs of all instances pooled. "
        "∞: too many runs had no value yet.",
        brackets=INTERVAL,
        values=(Value("median", "Precision", "low", interval=("median_low", "median_high")),),
        columns="cost",
        points=(Points("cost", (0.01, 0.1, 1.0), relative=True),),
        observed=OBSERVED.name,
    ),
    figures=(
        *over_costs(
            "anytime",
            "Best precision over {unit}",
            "Best precision so far over {unit}: the median over the runs of all instances, with "
            "its interval at each cost. Lower is better. A curve begins where half of the runs "
            "have a value. Each panel has its own vertical scale.",
            Curves(
                x="cost",
                y="median",
                low="median_low",
                high="median_high",
                x_label="{cost}",
                y_label="best precision so far, median",
                view="median, {unit}",
                scale="own log",
                beyond=SO_FAR,
            ),
            default=True,
        ),
        *over_costs(
            "convergence",
            "Mean of the best precision over {unit}",
            "Mean over all runs of the best precision so far, over {unit}: the convergence curve "
            "of most papers. A single bad run can determine it; the figure of the median is "
            "`anytime`. Lower is better. A curve begins where all runs have a value. Each panel "
            "has its own vertical scale.",
            Curves(
                x="cost",
                y="mean",
                x_label="{cost}",
                y_label="best precision so far, mean",
                view="mean, {unit}",
                scale="own log",
                beyond=SO_FAR,
            ),
        ),
    ),
    default=True,
)
def trajectories(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    points = runs.points
    parts = []
    spaces = ((unit, there) for unit in UNITS for there in told_in(runs, unit).spaces())
    for unit, there in spaces:
        grid = there.cost_grid(unit, points)
        best = equal_if_solved(there, there.best_so_far(unit, grid))
        known = known_until(there, unit)
        for names, members in there.groups(tuple(column_names(CELL))):
            reached = best[members]
            runs_band = quantile_band(reached, *analysis.band)
            median = median_band(reached, analysis.confidence)
            part = {**names, "runs": len(members), "unit": unit, "cost": grid}
            curves = (median.value, runs_band.low, runs_band.high, median.low, median.high)
            part |= dict(zip(column_names(CURVES), curves, strict=True))
            part["mean"] = reached.mean(axis=0)
            mine = known[members]
            parts.append(until_cut(part, mine, float(np.median(mine)), ANYTIME_LIMITS))
    return stacked(parts, column_names(ANYTIME_COLUMNS))


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
    layouts=_layout(
        "Share of (target, instance, run) triples that are reached within a cost.", BOOTSTRAP
    ),
    figures=over_costs(
        "ecdf",
        "Share of targets reached over {unit}",
        "Share of the (target, instance, run) triples that were reached within a number of {unit}, "
        "over all functions and for each function. Triples that were never reached stay in the "
        "denominator. Higher is better. Bands are bootstrap limits at each cost, from runs "
        "resampled within each instance; there is none if an instance has a single run.",
        _curves("share of (target, instance, run) reached", "what the runs had reached"),
        default=True,
    ),
    default=True,
)
def solved_within(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    parts = []
    for unit in UNITS:
        there = told_in(runs, unit)
        problem = there.frame.groupby(["dimension", "function", "instance"]).ngroup().to_numpy()
        reached_at = there.runtimes(unit, analysis.curve_targets)
        known = known_until(there, unit, np.asarray(np.isfinite(reached_at).all(axis=1)))
        curves = list(_groups(there))
        together: dict[tuple[Any, Any], list[NDArray[np.intp]]] = defaultdict(list)
        for names, members in curves:
            together[names["suite"], names["dimension"]].append(members)
        rows = (np.unique(np.concatenate(parts_of)) for parts_of in together.values())
        grids = dict(zip(together, there.cost_grids(unit, rows), strict=True))
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
    return stacked(parts, column_names(COLUMNS))


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
    layouts=_layout("Share of the runs that evaluated a feasible point within a cost.", INTERVAL),
    figures=over_costs(
        "feasible",
        "Share of feasible runs over {unit}",
        "Share of the runs that evaluated a feasible point within a number of {unit}, over all "
        "functions and for each function. Higher is better. Bands are limits at each cost.",
        _curves("share of feasible runs", "the runs that were feasible before"),
        needs="constraints",
    ),
)
def within_cost(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    parts = []
    for space in runs.where(runs.constrained).spaces():
        for unit in UNITS:
            after, grid = space.feasible_after(unit), space.cost_grid(unit)
            if not grid.size:  # no run found a feasible point
                grid = np.array([space.spent(unit).max()])
            known = known_until(space, unit, np.isfinite(after))
            for names, members in _groups(space):
                count = np.searchsorted(np.sort(after[members]), grid, side="right")
                share = success_interval(count, len(members), analysis.confidence)
                mine = known[members]
                part = {**names, "runs": len(members), "unit": unit, "cost": grid}
                part |= {"fraction": share.value, "low": share.low, "high": share.high}
                parts.append(until_cut(part, mine, last_cut(mine), ("low", "high")))
    return stacked(parts, column_names(FEASIBLE_COLUMNS))


def until_cut(
    part: dict[str, Any], known: NDArray[np.float64], end: float, limits: Iterable[str] = ()
) -> dict[str, Any]:
    """A part of a table up to a cost, with the column `OBSERVED`.

    - `part`: The columns of the part; ``cost`` rises.
    - `known`: Cost up to which the results of each run are known, shape (runs,).
    - `end`, `limits`: The last cost (the first row is always there), and columns that are NaN from
      the first cut on.
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


def _groups(runs: Runs) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
    for names, members in runs.groups(("suite", "dimension", "function", "algorithm")):
        yield {**names, "function": str(names["function"])}, members
    for names, members in runs.groups(("suite", "dimension", "algorithm")):
        yield {**names, "function": ALL}, members


LEAST: dict[Unit, float] = {"seconds": 1e-9, "evaluations": 1.0}  # of a cost

PROFILE_COLUMNS = (
    *SPACE,
    ALGORITHM,
    Column("problems", "number of cases (problem and target) that were run with every algorithm"),
    Column("ratio", "expected cost as a multiple of the lowest expected cost in the case"),
    Column("fraction", "share of the cases on which this multiple is at most `ratio`"),
    *LIMITS,
)


def _profile_layout(cost: str) -> Layout:
    return Layout(
        caption="Performance profile: share of cases, each a function, instance and target, on "
        f"which the expected {cost} of an algorithm are at most a given multiple of the best.",
        brackets=BOOTSTRAP,
        values=(SHARE,),
        rows=("algorithm",),
        columns="ratio",
        points=(Points("ratio", (1.0, 2.0, 10.0, 100.0, math.inf)),),
    )


def _profile_figure(name: str, words: str, unit: str) -> Figure:
    return Figure(
        name,
        f"Performance profile on expected {unit}",
        f"Performance profiles (Dolan and Moré 2002) on {words}, over all (function, instance, "
        "target) triples. Higher is better. The left end of a curve is the share of cases on which "
        "the algorithm is the best, the right end the share that it solves at all. Bands are "
        "bootstrap limits at each ratio. Another algorithm in the campaign may change which one is "
        "the best.",
        Curves(
            x="ratio",
            y="fraction",
            low="low",
            high="high",
            x_label="ERT in {unit}, as a multiple of the best",
            y_label="share of cases",
            view=unit,
            unit=unit,
            functions=False,
        ),
        default=name == "profile",
    )


@exhibit(
    "profile",
    question=questions.FACTOR,
    title="Performance profile on expected seconds",
    caption="""
    Performance profiles (Dolan and Moré 2002). A case is a problem and a target that every
    algorithm was run on; its cost is the expected running time in {seconds}. Cases that no
    algorithm solved stay in the denominator. Another algorithm in the campaign may change which one
    is the best, and therefore every profile.
    """,
    columns=PROFILE_COLUMNS,
    layouts=_profile_layout("seconds"),
    figures=_profile_figure("profile", "the expected running time in {seconds}", "seconds"),
    default=True,
)
def of_ert_s(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    return _profile(runs, analysis, "seconds", runs.runtimes("seconds", analysis.targets))


@exhibit(
    "profile_evaluations",
    question=questions.FACTOR,
    title="Performance profile on expected evaluations",
    caption="""
    Performance profiles (Dolan and Moré 2002) on the expected number of evaluations; otherwise as
    the table `profile`. The two tables differ because of the time that algorithms themselves take.
    A run that was cut off before a target counts as a failure and costs what it used. Unlike ranks,
    costs count to the end of each run, so the curve of a slow algorithm is a lower bound.
    """,
    columns=PROFILE_COLUMNS,
    layouts=_profile_layout("evaluations"),
    figures=_profile_figure(
        "profile_evaluations",
        "the expected number of evaluations (a run that was cut off before a target counts as "
        "a failure and costs what it used)",
        "evaluations",
    ),
    beside="profile",
)
def of_ert_evaluations(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    everyone = with_published(runs)
    reached_at = everyone.runtimes("evaluations", analysis.targets)
    frame = _profile(everyone, analysis, "evaluations", reached_at)
    frame.attrs["refused"] = _lower_bound(everyone, np.isinf(reached_at))
    return frame


def _profile(
    runs: Runs, analysis: Analysis, unit: Unit, reached_at: NDArray[np.float64]
) -> pd.DataFrame:
    def ratios(costs: ArrayLike) -> NDArray[np.float64]:
        return performance_ratios(costs, floor=LEAST[unit])

    parts = []
    spent = Spent.until(reached_at, runs.spent(unit))
    for group in shared_problems(runs, spent, tuple(column_names(SPACE))):
        observed = ratios(group.costs())
        largest = max(observed[np.isfinite(observed)].max(initial=1.0), 2.0)
        grid = np.geomspace(1.0, largest, runs.points)
        grid[-1] = largest
        fraction = performance_profile(observed, grid)
        band = group.band(fraction, grid, analysis, ratios)
        curves = zip(group.algorithms, fraction.T, band.low.T, band.high.T, strict=True)
        for algorithm, *of_it in curves:
            part = {**group.names, "algorithm": algorithm, "problems": len(observed)}
            parts.append(
                part | {"ratio": grid} | dict(zip(("fraction", "low", "high"), of_it, strict=True))
            )
    return stacked(parts, column_names(PROFILE_COLUMNS))


def _lower_bound(runs: Runs, failed: NDArray[np.bool_]) -> str:
    """A sentence for captions on the failures of runs that were cut off; empty if none was.

    `failed`, shape (runs, targets), has the targets that a run did not reach.
    """
    cut, total = int(failed[np.isfinite(known_until(runs, "evaluations"))].sum()), int(failed.sum())
    if not cut:
        return ""
    share = "All" if cut == total else f"{cut} of {total}"
    return (
        f"{share} failures (a run and a target that it did not reach) are of runs that were cut "
        "off: with more evaluations, the curves may end higher."
    )
