"""Performance profiles; the cost of a problem is the ERT."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from timefair.charts.chart import Curves
from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM, SPACE
from timefair.exhibits.curves.ecdf import LIMITS, SHARE
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import BOOTSTRAP, Layout, Points
from timefair.rundata.frames import stacked
from timefair.rundata.problems import Spent, known_until, shared_problems
from timefair.rundata.published import with_published
from timefair.rundata.runs import Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.statistics.curves import performance_profile, performance_ratios

LEAST: dict[Unit, float] = {"seconds": 1e-9, "evaluations": 1.0}
"""Smallest cost: the clock counts nanoseconds."""

COLUMNS = (
    *SPACE,
    ALGORITHM,
    Column("problems", "number of cases (problem and target) that were run with every algorithm"),
    Column("ratio", "expected cost as a multiple of the lowest expected cost in the case"),
    Column("fraction", "share of the cases on which this multiple is at most `ratio`"),
    *LIMITS,
)


def _layout(cost: str) -> Layout:
    return Layout(
        caption="Performance profile: share of cases, each a function, instance and target, on "
        f"which the expected {cost} of an algorithm are at most a given multiple of the best.",
        brackets=BOOTSTRAP,
        values=(SHARE,),
        rows=("algorithm",),
        columns="ratio",
        points=(Points("ratio", (1.0, 2.0, 10.0, 100.0, math.inf)),),
    )


def _figure(name: str, words: str, unit: str) -> Figure:
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
    columns=COLUMNS,
    layouts=[_layout("seconds")],
    figures=[_figure("profile", "the expected running time in {seconds}", "seconds")],
    default=True,
)
def of_ert_s(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Share of cases on which an algorithm's ERT is at most ``ratio`` times the best one.

    The ratios are a common grid from 1 to the largest finite ratio, evenly spaced in the
    logarithm.
    """
    return _profile(runs, analysis, "seconds", runs.runtimes("seconds", analysis.targets))


@exhibit(
    "profile_evaluations",
    question=questions.FACTOR,
    title="Performance profile on expected evaluations",
    caption="""
    Performance profiles (Dolan and Moré 2002) on the expected number of evaluations; otherwise as
    the table `profile`. The two tables differ because of the time that algorithms themselves take.
    A run that was cut off before a target counts as a failure and costs what it used.
    """,
    columns=COLUMNS,
    layouts=[_layout("evaluations")],
    figures=[
        _figure(
            "profile_evaluations",
            "the expected number of evaluations (a run that was cut off before a target counts as "
            "a failure and costs what it used)",
            "evaluations",
        )
    ],
    beside="profile",
)
def of_ert_evaluations(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The same with the ERT in evaluations, including published data."""
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
        grid = _grid(observed, runs.points)
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
    return stacked(parts, column_names(COLUMNS))


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


def _grid(ratios: NDArray[np.float64], points: int) -> NDArray[np.float64]:
    largest = max(ratios[np.isfinite(ratios)].max(initial=1.0), 2.0)
    grid = np.geomspace(1.0, largest, points)
    grid[-1] = largest
    return grid
