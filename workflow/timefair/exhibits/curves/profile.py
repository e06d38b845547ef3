"""Performance profiles; the cost of a problem is the ERT."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from timefair.charts.chart import Curves
from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM, SPACE
from timefair.exhibits.curves.ecdf import BOOTSTRAP, LIMITS, PROBLEMS, SHARE
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.rundata.frames import stacked
from timefair.rundata.problems import (
    Spent,
    in_words,
    known_until,
    listed_by_precision,
    shared_problems,
)
from timefair.rundata.published import with_published
from timefair.rundata.runs import Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.statistics.curves import performance_profile, performance_ratios

LEAST: dict[Unit, float] = {"seconds": 1e-9, "evaluations": 1.0}
"""Smallest cost: the clock counts nanoseconds."""

DIMENSION = tuple(column_names(SPACE))
COLUMNS = (
    *SPACE,
    ALGORITHM,
    PROBLEMS,
    Column("ratio", "expected cost as a multiple of the lowest expected cost in the case"),
    Column("fraction", "share of the cases on which this multiple is at most `ratio`"),
    *LIMITS,
)
PAIR_COLUMNS = (
    *SPACE,
    ALGORITHM,
    Column("against", "the other algorithm of the pair", text=True),
    PROBLEMS,
    Column("ratio", "expected cost as a multiple of the lower expected cost of the two"),
    Column("fraction", "share of the cases on which this multiple is at most `ratio`"),
)


def _layout(cost: str, problem: str) -> Layout:
    return Layout(
        caption=f"Performance profile: share of cases, each a {problem}, on which the {cost} of "
        f"an algorithm are at most a given multiple of the best.",
        brackets=BOOTSTRAP,
        values=(SHARE,),
        rows=("algorithm",),
        columns="ratio",
        points=(Points("ratio", (1.0, 2.0, 10.0, 100.0, math.inf)),),
    )


def _figure(name: str, title: str, words: str, problem: str, unit: str, view: str) -> Figure:
    return Figure(
        name,
        title,
        f"Performance profiles (Dolan and Moré 2002) on {words}, over all {problem} triples. "
        "Higher is better. The left end of a curve is the share of cases on which the "
        "algorithm is the "
        "best, the right end the share that it solves at all. Bands are bootstrap limits at each "
        "ratio. Another algorithm in the campaign may change which one is the best.",
        Curves(
            x="ratio",
            y="fraction",
            low="low",
            high="high",
            x_label="ERT in {unit}, as a multiple of the best",
            y_label="share of cases",
            view=view,
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
    layouts=[_layout("expected seconds", "function, instance and target")],
    figures=[
        _figure(
            "profile",
            "Performance profile on expected seconds",
            "the expected running time in {seconds}",
            "(function, instance, target)",
            "seconds",
            "seconds",
        )
    ],
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
    layouts=[_layout("expected evaluations", "function, instance and target")],
    figures=[
        _figure(
            "profile_evaluations",
            "Performance profile on expected evaluations",
            "the expected number of evaluations (a run that was cut off before a target counts as "
            "a failure and costs what it used)",
            "(function, instance, target)",
            "evaluations",
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


@exhibit(
    "profile_quality",
    question=questions.FACTOR,
    title="Performance profile on expected seconds to a quality",
    caption="""
    Performance profiles (Dolan and Moré 2002) on the expected {seconds} to a quality: the targets
    are relative to the best precision that any algorithm of the campaign found on the problem, so
    that each target is reached by some algorithm.
    """,
    columns=COLUMNS,
    layouts=[_layout("expected seconds", "function, instance and relative target")],
    figures=[
        _figure(
            "profile_quality",
            "Performance profile on expected seconds to a quality",
            "the expected {seconds} to a quality",
            "(function, instance, relative target)",
            "seconds",
            "seconds to a quality",
        )
    ],
    beside="profile",
)
def of_quality_s(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The same with the expected seconds to the quality of each relative target."""
    targets = runs.relative_targets(analysis.relative_targets)
    return _profile(runs, analysis, "seconds", runs.runtimes("seconds", targets))


@exhibit(
    "profile_pairs",
    question=questions.FACTOR,
    title="Performance profiles of two algorithms at a time",
    caption="""
    Performance profiles of two algorithms at a time on the expected {seconds}. Unlike in the
    profile of all algorithms, a third algorithm has no effect (Gould and Scott 2016). For more than
    12 algorithms, only pairs with the best one (lowest average rank of the median precision) are
    listed; `statistics.pairs` selects other pairs.
    """,
    columns=PAIR_COLUMNS,
    layouts=[
        Layout(
            caption="Share of cases, each a function, instance and target, on which the "
            "expected seconds of an algorithm are at most those of another.",
            values=(Value("fraction", "Share", decimals=2),),
            rows=("algorithm",),
            columns="against",
            points=(Points("ratio", (1.0,)),),
        )
    ],
)
def pairs_of_ert_s(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Profile of each ``algorithm`` compared with only one other, ``against``."""
    spent = Spent.until(runs.runtimes("seconds", analysis.targets), runs.spent("seconds"))
    listed_in = listed_by_precision(runs, analysis)
    parts = []
    for group in shared_problems(runs, spent, DIMENSION):
        costs = group.costs()
        listed = listed_in[str(group.names["suite"]), int(group.names["dimension"])]
        for pair in permutations(range(len(group.algorithms)), 2):
            if not listed.has(*(group.algorithms[place] for place in pair)):
                continue
            ratios = performance_ratios(costs[:, pair], floor=LEAST["seconds"])
            grid = _grid(ratios, runs.points)
            part = {
                **group.names,
                "algorithm": group.algorithms[pair[0]],
                "against": group.algorithms[pair[1]],
                "problems": len(costs),
                "ratio": grid,
                "fraction": performance_profile(ratios, grid)[:, 0],
            }
            parts.append(part)
    frame = stacked(parts, column_names(PAIR_COLUMNS))
    frame.attrs["pairs"] = in_words(listed_in)
    return frame


def _profile(
    runs: Runs, analysis: Analysis, unit: Unit, reached_at: NDArray[np.float64]
) -> pd.DataFrame:
    def ratios(costs: ArrayLike) -> NDArray[np.float64]:
        return performance_ratios(costs, floor=LEAST[unit])

    parts = []
    for group in shared_problems(runs, Spent.until(reached_at, runs.spent(unit)), DIMENSION):
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

    Parameters
    ----------
    failed
        Which runs did not reach which target, shape (runs, targets).
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
