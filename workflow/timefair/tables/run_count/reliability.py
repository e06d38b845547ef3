"""Can one know whether an estimate is right? Judged on functions and algorithms not seen before."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.run_count.calibration import calibration_curve
from timefair.statistics.run_count.features import features
from timefair.statistics.run_count.reliability import cross_validate
from timefair.statistics.run_count.widths import is_kept_promise
from timefair.tables.progress import Progress
from timefair.tables.run_count.rules import ESTIMATES
from timefair.tables.run_count.samples import Samples
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

NUMBERS = (5, 10, 20, 30)
"""Runs that the estimate is made from."""
ERRORS = (0.1, 0.2, 0.5)
"""Stated errors, relative to the estimate."""
JUDGED = ("median", "mean")
HELD_OUT = {"functions": "function", "algorithms": "algorithm"}
BINS = 10
MOST = 10_000
"""Samples of a suite that are used; of more, so many evenly spread ones."""

COLUMNS = [
    "suite",
    "estimate",
    "n",
    "error_percent",
    "held_out",
    "truth",
    "samples",
    "right_percent",
    "brier",
    "brier_base",
    "skill",
    "auc",
    "bin",
    "bin_samples",
    "stated_percent",
    "observed_percent",
]


def cross_validated(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """How well the probability that an estimate is right can be told from its own n runs.

    An estimate from the first ``n`` runs of a sample (the samples of `run_count.accuracy`, all
    dimensions together) is right if it has the ``truth`` within ``error_percent`` of itself: the
    same number from ``independent`` runs or, where some sample has none, from the ``complete``
    ones, which contain the first. A model of the n values (`statistics.run_count.features`) states
    the probability for ``held_out`` functions, or algorithms, that it has not seen.

    ``brier`` is the mean squared error of these probabilities, ``brier_base`` that of the plain
    share of right estimates among what was seen, and ``skill`` is ``1 - brier / brier_base``: not
    above 0 where the model has nothing to offer. ``auc`` of .5 is an order worth nothing. These
    are the same in each row of a curve: a ``bin`` has about a tenth of the samples, by rising
    probability, and its ``stated_percent`` and ``observed_percent`` agree where the probabilities
    are right. No rows where there are fewer than two functions, or algorithms.
    """
    everything = Samples.of(runs, analysis.run_count.cap)
    parts = [
        _curve(samples, *case).assign(**names)
        for names, rows in everything.groups(["suite"])
        for samples in [everything.taken(_spread(rows))]
        for case in _cases(samples, names["suite"])
    ]
    return pd.concat(parts, ignore_index=True)[COLUMNS] if parts else pd.DataFrame(columns=COLUMNS)


def _cases(
    samples: Samples, suite: str
) -> Iterator[tuple[int, NDArray[np.float64], str, float, str]]:
    """What is judged: n with the features of so many runs, estimate, error, what is held out."""
    progress = Progress(f"{suite}, reliability, cases")
    numbers = [n for n in NUMBERS if n < samples.values.shape[1]]
    several = [name for name, column in HELD_OUT.items() if samples.names[column].nunique() > 1]
    questions = list(product(JUDGED, ERRORS, several))
    for k, n in enumerate(numbers):
        seen = features(
            samples.values,
            np.full(len(samples.values), n),
            progress=Progress(f"{suite}, features of {n} runs, samples"),
        )
        for done, question in enumerate(questions, start=k * len(questions)):
            progress(done, len(numbers) * len(questions))
            yield n, seen, *question


def _curve(
    samples: Samples,
    n: int,
    seen: NDArray[np.float64],
    estimate: str,
    error: float,
    held_out: str,
) -> pd.DataFrame:
    number = ESTIMATES[estimate]
    independent = bool(samples.has_truth.all())
    truth = samples.truth if independent else samples.values
    right = is_kept_promise(number(samples.values[:, :n]), number(truth), error)
    groups = samples.names[HELD_OUT[held_out]].astype(str).to_numpy()
    found = cross_validate(seen, right, groups)
    curve = calibration_curve(found.probability, right, bins=BINS)
    return pd.DataFrame(
        {
            "estimate": estimate,
            "n": n,
            "error_percent": 100.0 * error,
            "held_out": held_out,
            "truth": "independent" if independent else "complete",
            "samples": right.size,
            "right_percent": 100.0 * right.mean(),
            "brier": found.brier,
            "brier_base": found.brier_base,
            "skill": found.skill,
            "auc": found.auc,
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
