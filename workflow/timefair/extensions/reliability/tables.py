"""Predicts whether an estimate is right, and tests this on functions and algorithms not seen
before.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Picture
from timefair.exhibits.columns import SUITE
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.exhibits.run_count.accuracy import Samples
from timefair.exhibits.run_count.rules import ESTIMATES
from timefair.extensions.reliability.statistics import (
    auc,
    brier_score,
    brier_skill,
    calibration_curve,
    features,
    held_out,
)
from timefair.records.rundata.frames import Progress
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.run_count.widths import is_kept_promise

NUMBERS = (5, 10, 20, 30)
"""Numbers of runs from which the estimate is made."""
ERRORS = (0.1, 0.2, 0.5)
"""Stated errors, relative to the estimate."""
JUDGED = ("median", "mean")
HELD_OUT = {"functions": "function", "algorithms": "algorithm"}
BINS = 10
MOST = 10_000
"""Maximal number of samples of a suite; of more, evenly spread ones are used."""

COLUMNS = (
    SUITE,
    Column("estimate", "the estimate that is judged: `median` or `mean`", text=True),
    Column("n", "number of runs that the estimate is made from"),
    Column("error_percent", "the estimate counts as right within this error of the truth", "%"),
    Column("held_out", "what the training data exclude: `functions` or `algorithms`", text=True),
    Column(
        "truth",
        "what the estimate is compared with: `independent` runs or, if a sample of the suite has "
        "none, the `complete` sample, which contains the first n",
        text=True,
    ),
    Column("samples", "number of samples"),
    Column("right_percent", "samples whose estimate is right", "%"),
    Column("brier", "Brier score: mean squared error of the stated probabilities"),
    Column("brier_base", "Brier score of the share of right estimates in the training data"),
    Column("skill", "1 − `brier` / `brier_base`; the model is useless at or below 0"),
    Column("auc", "area under the ROC curve; 0.5 is no better than chance"),
    Column("bin", "bin of about a tenth of the samples, by rising probability"),
    Column("bin_samples", "number of samples in the bin"),
    Column("stated_percent", "mean stated probability in the bin", "%"),
    Column("observed_percent", "share of right estimates in the bin", "%"),
)


@exhibit(
    "run_count_reliability",
    question=questions.RUNS,
    title="Predictability of the reliability of an estimate",
    caption="""
    Can a model predict from the first n runs whether their median, or mean, is within a stated
    error of the truth? Functions, or algorithms, are held out in turn. The table has the
    calibration curve of its probabilities, one row per bin, and their Brier score beside that of
    the base rate. There are no rows for fewer than two functions, or algorithms.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Probability that an estimate from the first runs is within an error of the "
            "truth, stated for functions or algorithms not seen before. Right: how often that is "
            "so, in percent. Brier score of the stated probabilities and of the base rate; skill: "
            "the relative gain over the base rate; an AUC of 0.5 is no better than chance.",
            values=(
                Value("right_percent", "Right", decimals=1),
                Value("brier", "Brier", decimals=3),
                Value("brier_base", "Base", decimals=3),
                Value("skill", "Skill", decimals=2),
                Value("auc", "AUC", decimals=2),
            ),
            rows=("estimate", "n", "error_percent"),
            columns="held_out",
            parts=("suite", "truth"),
            points=(Points("bin", (1.0,)),),
        )
    ],
    figures=[
        Figure(
            "run_count_reliability",
            "Stated and observed reliability of estimates",
            "Stated and observed probability that the median of the first n runs is within an "
            "error of the truth, for functions and algorithms that the model has not seen. On the "
            "diagonal the probabilities are right. Each panel states by how much the Brier score "
            "improves on the base rate (skill) and the area under the ROC curve (AUC).",
            Picture("timefair.extensions.reliability.figure:reliability"),
            needs="samples",
        )
    ],
)
def cross_validated(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Cross-validated probability that an estimate from n runs is right.

    The samples are those of `run_count.accuracy`, with all dimensions pooled. The model uses the
    features of the n values (`statistics.features`).
    """
    everything = Samples.of(runs, analysis.run_count.cap)
    parts = [
        _curve(samples, *case).assign(**names)
        for names, rows in everything.groups(["suite"])
        for samples in [everything.taken(_spread(rows))]
        for case in _cases(samples, names["suite"])
    ]
    columns = column_names(COLUMNS)
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def _cases(
    samples: Samples, suite: str
) -> Iterator[tuple[int, NDArray[np.float64], str, float, str]]:
    """The cases: n with the features of n runs, the estimate, the error, and what is held out."""
    progress = Progress(f"{suite}, reliability, cases")
    numbers = [n for n in NUMBERS if n < samples.values.shape[1]]
    several = [name for name, column in HELD_OUT.items() if samples.names[column].nunique() > 1]
    questions = list(product(JUDGED, ERRORS, several))
    for k, n in enumerate(numbers):
        seen = features(samples.values[:, :n])
        for done, question in enumerate(questions, start=k * len(questions)):
            progress(done, len(numbers) * len(questions))
            yield n, seen, *question


def _curve(
    samples: Samples,
    n: int,
    seen: NDArray[np.float64],
    estimate: str,
    error: float,
    without: str,
) -> pd.DataFrame:
    number = ESTIMATES[estimate]
    independent = bool(samples.has_truth.all())
    truth = samples.truth if independent else samples.values
    right = is_kept_promise(number(samples.values[:, :n]), number(truth), error)
    stated, base = held_out(seen, right, samples.names[HELD_OUT[without]].astype(str).to_numpy())
    curve = calibration_curve(stated, right, bins=BINS)
    return pd.DataFrame(
        {
            "estimate": estimate,
            "n": n,
            "error_percent": 100.0 * error,
            "held_out": without,
            "truth": "independent" if independent else "complete",
            "samples": right.size,
            "right_percent": 100.0 * right.mean(),
            "brier": brier_score(stated, right),
            "brier_base": brier_score(base, right),
            "skill": brier_skill(stated, base, right),
            "auc": auc(stated, right),
            "bin": np.arange(1, curve.cases.size + 1),
            "bin_samples": curve.cases,
            "stated_percent": 100.0 * curve.stated,
            "observed_percent": 100.0 * curve.observed,
        }
    )


def _spread(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    if rows.size <= MOST:
        return rows
    return rows[np.linspace(0, rows.size - 1, MOST).round().astype(np.intp)]
