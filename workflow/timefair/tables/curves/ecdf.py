"""Share of (target, instance, run) triples that are solved within a cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.ecdf import ecdf_band
from timefair.tables.published import told_in
from timefair.tables.runs import PER_DIMENSION, UNITS, Runs, Unit
from timefair.tables.settings import Analysis
from timefair.tables.stacked import stacked

ALL = "all"
LIMITS = ("low", "high", "everywhere_low", "everywhere_high")
COLUMNS = ["suite", "dimension", "function", "algorithm", "runs", "unit", "cost", "fraction"]
ACROSS_COLUMNS = [name for name in COLUMNS if name != "function"]

Groups = Iterable[tuple[dict[str, Any], NDArray[np.intp]]]


def solved_within(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """ECDF of runtimes for each (suite, dimension, function, algorithm) and over all functions.

    ``function`` is a text, a number or ``all``; ``cost`` is in ``unit`` (seconds or evaluations).
    Triples that were not solved stay in the denominator. ``low`` and ``high`` are the limits at
    each cost by itself, ``everywhere_low`` and ``everywhere_high`` those that hold at all costs at
    once; NaN if some instance has one run only. Runs are resampled within each instance. Published
    data count in evaluations alone.
    """
    return _frame(runs, analysis, UNITS, _functions, COLUMNS)


def across_dimensions(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The same over all functions, for each dimension and over all of them.

    ``dimension`` is a text, a number or ``all``; ``cost`` is in ``unit`` (seconds or evaluations,
    each divided by the dimension), which makes dimensions comparable.
    """
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


def _frame(
    runs: Runs,
    analysis: Analysis,
    units: tuple[Unit, ...],
    groups: Callable[[Runs], Groups],
    columns: list[str],
) -> pd.DataFrame:
    parts = []
    for unit in units:
        told = told_in(runs, unit)
        problem = told.frame.groupby(["dimension", "function", "instance"]).ngroup().to_numpy()
        grid = told.cost_grid(unit)
        reached_at = told.runtimes(unit, analysis.targets)
        for names, members in groups(told):
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
            part |= {limit: getattr(band, limit) for limit in LIMITS}
            parts.append(part)
    return stacked(parts, [*columns, *LIMITS])
