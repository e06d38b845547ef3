"""What noisy runs have found, and which trade-offs of two objectives were reached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import LEADERS, Picture
from timefair.exhibits.columns import CELL, QUANTILE, RUNS
from timefair.exhibits.exhibit import Figure, column_names, columns_of, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.problems.base import Suite
from timefair.problems.kinds import TwoObjectives, after_each
from timefair.problems.registry import find
from timefair.records.rundata.problems import precision_at_the_end
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis, NoisyValue
from timefair.statistics.samples import sample_quantile

VALUES: tuple[NoisyValue, ...] = ("measured", "best_measured", "recommended", "best_evaluated")
COLUMNS = (
    *CELL,
    RUNS,
    QUANTILE,
    *columns_of("""
        measured [precision]: best measured value at the end, with its noise
        best_measured [precision]: value without noise of the best measured point
        recommended [precision]: value without noise of the point that the run recommends: what the
            launch with the best measured value recommended last, else the best measured point
        best_evaluated [precision]: best value without noise of all evaluated points, as in COCO's
            logger; empty for a user's function, because its value without noise is known for some
            points only
        luck: quantile of the difference between the value without noise and the measured value of
            the best measured point, both values of f; positive: the point was measured better than
            it is
        recommending: share of the runs in which a launch has recommended a point
    """),
)


@exhibit(
    "noise",
    question=questions.NOISE,
    title="What noisy runs have found",
    caption="""
    Quantiles over runs of the precision at the end: of the best measured value, and of values
    without noise by three rules. The quantiles of each column are computed separately. The runs of
    all instances are pooled. Only noisy runs whose value without noise is known have rows.
    """,
    columns=COLUMNS,
    layouts=Layout(
        caption="Precision at the end of noisy runs: of the best measured value, and without "
        "noise of the best measured point, of the recommended point, and of the best of all "
        "evaluated points. Quantiles over runs.",
        values=(
            Value("measured", "Measured", "low"),
            Value("best_measured", "Best measured", "low"),
            Value("recommended", "Recommended", "low"),
            Value("best_evaluated", "Best evaluated", "low"),
            Value("luck", "Luck"),
        ),
        parts=("suite", "dimension", "quantile"),
    ),
    charged=False,
    measured=True,
)
def of_noisy_runs(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    every = runs.where(np.asarray(runs.frame["noise_free_f"].notna()))
    recommending = np.zeros(len(every.frame), dtype=np.bool_)
    for part in every.noisy:
        owner = np.repeat(part.rows, np.diff(part.offsets))
        recommending[owner[np.isnan(part.precision)]] = True
    rows = []
    for suite, of_suite in every.groups(("suite",)):
        mine = np.zeros(len(every.frame), dtype=np.bool_)
        mine[of_suite] = True
        noisy, own = every.where(mine), ":" in suite["suite"]
        ends = {
            value: precision_at_the_end(noisy.with_values(value))
            for value in VALUES
            if not (own and value == "best_evaluated")
        }
        noise_free, measured = (
            noisy.frame[name].to_numpy(dtype=np.float64) for name in ("noise_free_f", "best_f")
        )
        found = np.isfinite(noise_free)
        ends["luck"] = np.where(found, noise_free - np.where(found, measured, 0.0), np.inf)
        for names, members in noisy.groups(tuple(column_names(CELL))):
            share = float(np.mean(recommending[mine][members]))
            for p in sorted(analysis.quantiles):
                values = {name: float(sample_quantile(of[members], p)) for name, of in ends.items()}
                row = {**names, "runs": len(members), "quantile": p, "recommending": share}
                rows.append(row | values)
    return pd.DataFrame(rows, columns=column_names(COLUMNS))


SHARES = (0.25, 0.5, 0.75)  # shares of the runs that have reached a surface
POINTS = 200  # maximal number of points of a surface, and of the front of a run

ATTAINMENT_COLUMNS = (
    *CELL,
    RUNS,
    *columns_of("""
        share: share of the runs that reached every point of the surface
        f1: first objective; 0 is its ideal value, and 1 that of the nadir point
        f2: second objective, likewise
        missed: part of the region between the ideal and the nadir point that the surface does not
            dominate; the same in all rows of a surface
    """),
)


@exhibit(
    "attainment",
    question=questions.FRONT,
    title="Attainment surfaces",
    caption=f"""
    Which values of two objectives a share of the runs has reached by the end of the run: each row
    is a corner of the surface that at least this share of the runs dominates (Grunert da Fonseca,
    Fonseca and Hall 2001). The runs of all instances are pooled: objectives are normalized, so that
    the ideal point is (0, 0) and the nadir point (1, 1), and only this region is shown. A surface
    has at most {POINTS} corners. Only for suites with two objectives.
    """,
    columns=ATTAINMENT_COLUMNS,
    layouts=Layout(
        caption="Part of the region between the ideal and the nadir point that the surface of "
        "half of the runs does not dominate.",
        values=(Value("missed", "Missed", better="low", decimals=4),),
        points=(Points("share", (0.5,)),),
    ),
    figures=Figure(
        "attainment",
        "Attainment surfaces of half of the runs",
        "The trade-offs between two objectives that half of the runs had reached at their end. "
        "Lower and further left is better. The axes have the ideal point at 0 and the nadir "
        "point at 1.",
        Picture(
            "timefair.exhibits.charts.curves:attainment",
            "functions",
            reading="An overview is a map of all functions: the part of the region that the "
            f"surface does not dominate, as a multiple of the least. {LEADERS}",
        ),
        needs="two objectives",
    ),
    charged=False,
)
def surfaces(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    names = column_names(ATTAINMENT_COLUMNS)
    rows = [
        pd.DataFrame(corners, columns=["f1", "f2"]).assign(
            **cell, runs=len(members), share=share, missed=missed
        )
        for cell, members in runs.groups(tuple(column_names(CELL)))
        for share, corners, missed in _of_cell(runs, cell, members, analysis)
    ]
    return pd.concat(rows, ignore_index=True)[names] if rows else pd.DataFrame(columns=names)


def _of_cell(
    runs: Runs, cell: dict[str, Any], members: NDArray[np.intp], analysis: Analysis
) -> Iterator[tuple[float, NDArray[np.float64], float]]:
    try:
        suite = find(cell["suite"], analysis.suite_parameters)
    except InputError:  # of imported runs
        return
    if not issubclass(suite.kind, TwoObjectives):
        return
    fronts = [_normalized_front(runs, cell, row, suite) for row in members]
    if not any(map(len, fronts)):
        return
    for share, corners in zip(SHARES, attained(fronts, SHARES), strict=True):
        missed = 1 - float(after_each(corners)[-1]) if len(corners) else 1.0
        yield share, _thinned(corners), missed


def _normalized_front(
    runs: Runs, cell: dict[str, Any], row: np.intp, suite: Suite
) -> NDArray[np.float64]:
    front = runs.fronts[row]
    if not len(front):
        return np.empty((0, 2))
    instance = int(runs.frame["instance"].iloc[row])
    kind = suite.problem(int(cell["function"]), int(cell["dimension"]), instance).kind
    assert isinstance(kind, TwoObjectives)
    found = kind.normalize(front)
    return _thinned(found[(found <= 1).all(axis=1)])


def _thinned(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """At most `POINTS` of the points, including the first and the last."""
    if len(points) <= POINTS:
        return points
    kept: NDArray[np.float64] = points[np.linspace(0, len(points) - 1, POINTS).astype(int)]
    return kept


def attained(
    fronts: list[NDArray[np.float64]], shares: tuple[float, ...]
) -> list[NDArray[np.float64]]:
    """The corners of the surface that each share of the fronts dominates, by their first number.

    - `fronts`: Fronts of the runs, each of shape ``(points, 2)``; an empty one attains nothing.

    Raises InputError if the package moocore is not installed.
    """
    try:
        import moocore
    except ImportError:
        raise InputError(
            "tables: 'attainment': needs the package moocore: pip install 'timefair[extras]'"
        ) from None
    some = [front for front in fronts if len(front)]
    found = []
    for share in shares:
        needed = int(np.ceil(share * len(fronts) - 1e-9))
        if needed > len(some):
            found.append(np.empty((0, 2)))
            continue
        sets = np.repeat(np.arange(len(some)), [len(front) for front in some])
        percentile = 100 * needed / len(some)
        corners = moocore.eaf(np.vstack(some), sets, percentiles=[percentile])[:, :2]
        found.append(corners[np.argsort(corners[:, 0], kind="stable")])
    return found
