"""Share of (target, instance, run) triples that are solved within a cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.together import ALL
from timefair.charts.chart import Curves
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
from timefair.exhibits.curves.bands import LIMITS, OBSERVED, costs_layout, last_cut, until_cut
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.rundata.frames import stacked
from timefair.rundata.problems import known_until
from timefair.rundata.published import told_in
from timefair.rundata.runs import PER_DIMENSION, UNITS, Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.statistics.curves import ecdf_band

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
