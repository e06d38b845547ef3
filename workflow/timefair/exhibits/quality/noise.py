"""Results of noisy runs: measured values, and values without noise by each rule."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.columns import CELL, QUANTILE, RUNS
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.rundata.problems import precision_at_the_end
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis, NoisyValue
from timefair.statistics.quantiles import sample_quantile

VALUES: tuple[NoisyValue, ...] = ("measured", "best_measured", "recommended", "best_evaluated")
COLUMNS = (
    *CELL,
    RUNS,
    QUANTILE,
    Column("measured", "best measured value at the end, with its noise", "precision"),
    Column("best_measured", "value without noise of the best measured point", "precision"),
    Column(
        "recommended",
        "value without noise of the point that the run recommends: what the launch with the best "
        "measured value recommended last, else the best measured point",
        "precision",
    ),
    Column(
        "best_evaluated",
        "best value without noise of all evaluated points, as in COCO's logger; empty for a "
        "user's function, because its value without noise is known for some points only",
        "precision",
    ),
    Column(
        "luck",
        "quantile of the difference between the value without noise and the measured value of the "
        "best measured point, both values of f; positive: the point was measured better than it is",
    ),
    Column("recommending", "share of the runs in which a launch has recommended a point"),
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
    layouts=[
        Layout(
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
            rows=("function", "algorithm"),
            parts=("suite", "dimension", "quantile"),
        )
    ],
    charged=False,
    measured=True,
)
def of_noisy_runs(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """One row per cell of noisy runs and probability."""
    noisy = runs.where(np.asarray(runs.frame["noise_free_f"].notna()))
    recommending = _recommending(noisy)
    rows = []
    for suite, of_suite in noisy.groups(("suite",)):
        mine = np.zeros(len(noisy.frame), dtype=np.bool_)
        mine[of_suite] = True
        rows += _rows_of(noisy.where(mine), recommending[mine], ":" in suite["suite"], analysis)
    return pd.DataFrame(rows, columns=column_names(COLUMNS))


def _rows_of(
    runs: Runs, recommending: NDArray[np.bool_], own: bool, analysis: Analysis
) -> list[dict[str, object]]:
    """The columns for the runs of one suite; `own`: it is a user's function."""
    ends = {
        value: precision_at_the_end(runs.with_values(value))
        for value in VALUES
        if not (own and value == "best_evaluated")
    }
    noise_free, measured = (
        runs.frame[name].to_numpy(dtype=np.float64) for name in ("noise_free_f", "best_f")
    )
    found = np.isfinite(noise_free)
    luck = np.where(found, noise_free - np.where(found, measured, 0.0), np.inf)
    return [
        {
            **names,
            "runs": len(members),
            "quantile": p,
            **{value: float(sample_quantile(end[members], p)) for value, end in ends.items()},
            "luck": float(sample_quantile(luck[members], p)),
            "recommending": float(np.mean(recommending[members])),
        }
        for names, members in runs.groups(tuple(column_names(CELL)))
        for p in sorted(analysis.quantiles)
    ]


def _recommending(runs: Runs) -> NDArray[np.bool_]:
    """Whether a launch of each run has recommended a point."""
    has = np.zeros(len(runs.frame), dtype=np.bool_)
    for part in runs.noisy:
        owner = np.repeat(part.rows, np.diff(part.offsets))
        has[owner[np.isnan(part.precision)]] = True
    return has
