"""Shares of what is reached over the cost: targets, and feasible runs; with their bands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.together import ALL
from timefair.charts.chart import Curves
from timefair.exhibits import questions
from timefair.exhibits.columns import CELL_OR_ALL, COST, RUNS, UNIT
from timefair.exhibits.exhibit import Column, column_names, exhibit, over_costs
from timefair.exhibits.layout import BOOTSTRAP, INTERVAL, Layout, Points, Value
from timefair.rundata.frames import stacked
from timefair.rundata.problems import known_until
from timefair.rundata.published import told_in
from timefair.rundata.runs import UNITS, Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.statistics.curves import ecdf_band
from timefair.statistics.probability import success_interval

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
        rows=("function", "algorithm"),
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
        _layout(
            "Share of (target, instance, run) triples that are reached within a cost.", BOOTSTRAP
        )
    ],
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
    """ECDF of runtimes for each (suite, dimension, function, algorithm) and over all functions.

    Published data have no times, so they are used only for costs in evaluations.
    """
    parts = []
    for unit in UNITS:
        there = told_in(runs, unit)
        problem = there.frame.groupby(["dimension", "function", "instance"]).ngroup().to_numpy()
        reached_at = there.runtimes(unit, analysis.curve_targets)
        known = known_until(there, unit, np.asarray(np.isfinite(reached_at).all(axis=1)))
        curves = list(_groups(there))
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
    layouts=[_layout("Share of the runs that evaluated a feasible point within a cost.", INTERVAL)],
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


def until_cut(
    part: dict[str, Any],
    known: NDArray[np.float64],
    end: float,
    limits: Iterable[str] = (),
) -> dict[str, Any]:
    """A part of a table up to a cost, with the column `OBSERVED`.

    - `part`: The columns of the part; ``cost`` rises.
    - `known`: Cost up to which the results of each run are known, shape (runs,).
    - `end`: The last cost; the first row is always there.
    - `limits`: Columns that are NaN from the first cut on.
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
    """The runs of each function, and of all together."""
    for names, members in runs.groups(("suite", "dimension", "function", "algorithm")):
        yield {**names, "function": str(names["function"])}, members
    for names, members in runs.groups(("suite", "dimension", "algorithm")):
        yield {**names, "function": ALL}, members


def _grids(
    runs: Runs, unit: Unit, curves: Iterable[tuple[dict[str, Any], NDArray[np.intp]]]
) -> dict[tuple[Any, Any], NDArray[np.float64]]:
    """The costs of all curves of a suite and dimension, up to the end of its longest run."""
    together: dict[tuple[Any, Any], list[NDArray[np.intp]]] = {}
    for names, members in curves:
        together.setdefault((names["suite"], names["dimension"]), []).append(members)
    rows = (np.unique(np.concatenate(parts)) for parts in together.values())
    return dict(zip(together, runs.cost_grids(unit, rows), strict=True))


def _feasible_grid(runs: Runs, unit: Unit) -> NDArray[np.float64]:
    """The costs of all curves; only the end of the longest run if no run found a feasible point."""
    grid = runs.cost_grid(unit)
    return grid if grid.size else np.array([runs.spent(unit).max()])
