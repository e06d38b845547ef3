"""Whether an estimate is right can be predicted: tested on functions and algorithms not seen."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import kurtosis, rankdata

from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Picture
from timefair.exhibits.exhibit import Figure, Parts, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.exhibits.run_count import ESTIMATES, Samples
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.run_count.stopping_rules import Outliers, checked_values, skewness
from timefair.statistics.run_count.widths import is_kept_promise
from timefair.statistics.samples import Floats
from timefair.statistics.two_samples import superiority

FEATURES = (
    *("log_cv", "log_quartile_spread", "log_upper_tail", "log_lower_tail", "skewness", "kurtosis"),
    *("outlier_share", "log_drift", "failure_share"),
)
"""Columns of `features`; logarithms are decimal."""

LEAST = 1e-16  # ratios are limited to this value and its inverse


def features(samples: ArrayLike) -> Floats:
    """Features of samples, independent of the unit of the values; shape (samples, features). They
    are the spread, the tails, the skewness, the kurtosis, the share of outliers and the drift, on
    logarithmic scales, of the finite values, and the share of runs without one (`inf`). Ratios are
    limited to 1e-16 to 1e16. ValueError if a value is NaN or ``-inf``.
    """
    values = checked_values(samples, dimensions=2)
    seen = np.isfinite(values)
    sizes = seen.sum(axis=1)
    table = np.empty((len(values), len(FEATURES)))
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        finite = values[rows][seen[rows]].reshape(rows.size, size)
        table[rows, :-1] = _shapes(finite if size else np.zeros((rows.size, 1)))
        table[rows, -1] = 1.0 - size / values.shape[1]
    return table


def _shapes(seen: Floats) -> Floats:
    """All features except the last, from finite values of shape (samples, n)."""
    unit = np.abs(seen).max(axis=1, keepdims=True)
    seen = seen / np.where(unit > 0.0, unit, 1.0)
    low, middle, high = np.quantile(seen, [0.25, 0.5, 0.75], axis=1)
    mean, reach = seen.mean(axis=1), 1.5 * (high - low)
    least, most = low - reach, high + reach
    half = seen.shape[1] // 2
    drift = (
        seen[:, half:].mean(axis=1) - seen[:, :half].mean(axis=1) if half else np.zeros_like(mean)
    )
    skewed, constant = skewness(np.sort(seen, axis=1), Outliers.NONE)
    excess = np.zeros_like(mean)
    if not constant.all():
        excess[~constant] = np.nan_to_num(kurtosis(seen[~constant], axis=1))
    outside = (seen < least[:, np.newaxis]) | (seen > most[:, np.newaxis])
    return np.column_stack(
        [
            _log_ratio(seen.std(axis=1), mean),
            _log_ratio(high - low, middle),
            _log_ratio(seen.max(axis=1) - middle, middle),
            _log_ratio(middle - seen.min(axis=1), middle),
            np.log10(1.0 + np.abs(skewed)),
            np.sign(excess) * np.log10(1.0 + np.abs(excess)),
            outside.mean(axis=1),
            _log_ratio(drift, mean),
        ]
    )


def _log_ratio(part: Floats, whole: Floats) -> Floats:
    part, whole = np.abs(part), np.abs(whole)
    small, large = part <= LEAST * whole, whole <= LEAST * part
    ratio = np.divide(part, whole, out=np.ones_like(part), where=~(small | large))
    least = np.log10(LEAST)
    return np.where(small, least, np.where(large, -least, np.log10(ratio)))


Outcome = NDArray[np.bool_]


def brier_skill(stated: Floats, base: Floats, happened: Outcome) -> float:
    """Relative gain of the Brier score, the mean squared difference of probabilities and outcomes
    (Brier 1950), over that of base rates; NaN if these have no error.
    """
    error = np.mean((base - happened) ** 2)
    return float(1.0 - np.mean((stated - happened) ** 2) / error) if error > 0.0 else float("nan")


def auc(stated: Floats, happened: Outcome) -> float:
    """Chance that a case that happened has a higher stated probability; NaN if all or none did."""
    return superiority(stated[~happened], stated[happened])


def calibration_curve(
    stated: Floats, happened: Outcome
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Predicted and observed share, and number of cases, of each bin, shape (bins,).

    Observed share among cases with similar stated probabilities, by rising probability; at most
    `BINS` bins, with about equal numbers of cases.
    """
    share = (rankdata(stated, method="min") - 1) / stated.size
    _, label = np.unique((share * BINS).astype(np.int64), return_inverse=True)
    cases = np.bincount(label)
    predicted, observed = (np.bincount(label, of) / cases for of in (stated, happened))
    return predicted, observed, cases


class ReliabilityModel(NamedTuple):
    """Logistic regression on standardized features; arrays of shape (features,)."""

    centre: Floats
    scale: Floats
    weights: Floats
    intercept: float

    def probability(self, features: Floats) -> Floats:
        standardized = (features - self.centre) / self.scale
        return np.asarray(expit(standardized @ self.weights + self.intercept))


def fit_reliability(table: Floats, outcome: Outcome, *, penalty: float = 1.0) -> ReliabilityModel:
    """Fit a model to samples for which it is known whether their estimates were accurate: finite
    features, shape (cases, features), of which a constant column gets no weight, and outcomes.
    `penalty`: half the inverse variance of a normal prior of the weights (ridge). If all outcomes
    are the same, the weights are zero. Source: T. Eftimov and P. Korošec, GECCO 2025, future work,
    for the question.
    """
    centre, deviation = table.mean(axis=0), table.std(axis=0)
    scale = np.where(deviation > 0.0, deviation, 1.0)
    base = float(logit((outcome.sum() + 0.5) / (outcome.size + 1.0)))
    if outcome.all() or not outcome.any():
        return ReliabilityModel(centre, scale, np.zeros(table.shape[1]), base)
    standardized = (table - centre) / scale

    def loss(parameters: Floats) -> tuple[float, Floats]:
        weights, intercept = parameters[:-1], parameters[-1]
        score = standardized @ weights + intercept
        excess = expit(score) - outcome
        likelihood = np.logaddexp(0.0, score).sum() - score[outcome].sum()
        gradient = standardized.T @ excess + 2.0 * penalty * weights
        return float(likelihood + penalty * weights @ weights), np.append(gradient, excess.sum())

    start = np.append(np.zeros(table.shape[1]), base)
    found = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return ReliabilityModel(centre, scale, found[:-1], float(found[-1]))


def held_out(table: Floats, right: Outcome, groups: NDArray[Any]) -> tuple[Floats, Floats]:
    """Probabilities from models that have not seen the group of the sample, and the shares of right
    estimates in the other groups, of which there is at least one; shape (samples,) both.
    """
    stated, base = np.empty((2, right.size))
    for name in np.unique(groups):
        held = groups == name
        stated[held] = fit_reliability(table[~held], right[~held]).probability(table[held])
        base[held] = right[~held].mean()
    return stated, base


NUMBERS = (5, 10, 20, 30)  # numbers of runs from which the estimate is made
ERRORS = (0.1, 0.2, 0.5)  # stated errors, relative to the estimate
JUDGED = ("median", "mean")
HELD_OUT = {"functions": "function", "algorithms": "algorithm"}
BINS = 10
MOST = 10_000  # maximal number of samples of a suite; of more, evenly spread ones are used


@exhibit(
    question=questions.RUNS,
    layouts=Layout(
        rows=("estimate", "n", "error_percent"),
        columns="held_out",
        parts=("suite", "truth"),
        points=(Points("bin", (1.0,)),),
    ),
    figures=Figure(
        "run_count_reliability",
        "Stated and observed reliability of estimates",
        "Stated and observed probability that the median of the first n runs is within an "
        "error of the truth, for functions and algorithms that the model has not seen. On the "
        "diagonal the probabilities are right. Each panel states by how much the Brier score "
        "improves on the base rate (skill) and the area under the ROC curve (AUC).",
        Picture("timefair.extensions.reliability.figure:reliability"),
        needs="samples",
    ),
)
def run_count_reliability(runs: Runs, analysis: Analysis) -> Parts:
    """Predictability of the reliability of an estimate

    Can a model predict from the first n runs whether their median, or mean, is within a stated
    error of the truth? Functions, or algorithms, are held out in turn. The table has the
    calibration curve of its probabilities, one row per bin, and their Brier score beside that of
    the base rate. There are no rows for fewer than two functions, or algorithms.

    SUITE
    estimate (text): the estimate that is judged: `median` or `mean`
    n: number of runs that the estimate is made from
    error_percent [%]: the estimate counts as right within this error of the truth
    held_out (text): what the training data exclude: `functions` or `algorithms`
    truth (text): what the estimate is compared with: `independent` runs or, if a sample of the
        suite has none, the `complete` sample, which contains the first n
    samples: number of samples
    right_percent [%] <Right; .1>: samples whose estimate is right
    brier <Brier; .3>: Brier score: mean squared error of the stated probabilities
    brier_base <Base; .3>: Brier score of the share of right estimates in the training data
    skill <Skill; .2>: 1 − `brier` / `brier_base`; the model is useless at or below 0
    auc <AUC; .2>: area under the ROC curve; 0.5 is no better than chance
    bin: bin of about a tenth of the samples, by rising probability
    bin_samples: number of samples in the bin
    stated_percent [%]: mean stated probability in the bin
    observed_percent [%]: share of right estimates in the bin
    """
    everything = Samples.of(runs, analysis.run_count.cap)
    for names, rows in everything.groups(["suite"]):
        if rows.size > MOST:
            rows = rows[np.linspace(0, rows.size - 1, MOST).round().astype(np.intp)]
        for curve in _curves(everything.taken(rows)):
            yield names | curve


def _curves(samples: Samples) -> Iterator[dict[str, Any]]:
    independent = bool(samples.has_truth.all())
    truth = samples.truth if independent else samples.values
    numbers = [n for n in NUMBERS if n < samples.values.shape[1]]
    several = [name for name, column in HELD_OUT.items() if samples.names[column].nunique() > 1]
    for n in numbers:
        seen = features(samples.values[:, :n])
        for estimate, error, without in product(JUDGED, ERRORS, several):
            number = ESTIMATES[estimate]
            right = is_kept_promise(number(samples.values[:, :n]), number(truth), error)
            groups = samples.names[HELD_OUT[without]].astype(str).to_numpy()
            stated, base = held_out(seen, right, groups)
            predicted, observed, cases = calibration_curve(stated, right)
            yield {
                "estimate": estimate,
                "n": n,
                "error_percent": 100.0 * error,
                "held_out": without,
                "truth": "independent" if independent else "complete",
                "samples": right.size,
                "right_percent": 100.0 * right.mean(),
                "brier": np.mean((stated - right) ** 2),
                "brier_base": np.mean((base - right) ** 2),
                "skill": brier_skill(stated, base, right),
                "auc": auc(stated, right),
                "bin": np.arange(1, cases.size + 1),
                "bin_samples": cases,
                "stated_percent": 100.0 * predicted,
                "observed_percent": 100.0 * observed,
            }
