"""The probability that the estimate from n runs is accurate, learned from other samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from timefair.statistics.classifier.calibration import auc, brier_score


@dataclass(frozen=True)
class ReliabilityModel:
    """Logistic regression on standardized features; arrays of shape (features,)."""

    centre: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    intercept: float

    def probability(self, features: ArrayLike) -> NDArray[np.float64]:
        """Probability that each estimate is accurate, shape (cases, features) to (cases,).

        Raises ValueError if the number of features is another than in the fit, or one is not
        finite.
        """
        table = _checked_table(features)
        if table.shape[1] != self.weights.size:
            raise ValueError(f"features must have {self.weights.size} columns")
        standardized = (table - self.centre) / self.scale
        return np.asarray(expit(standardized @ self.weights + self.intercept))


def fit_reliability(
    features: ArrayLike, right: ArrayLike, *, penalty: float = 1.0
) -> ReliabilityModel:
    """Fit a model to samples for which it is known whether their estimates were accurate.

    - `features`, shape (cases, features): From `features.features`; finite. A constant column gets
      no weight.
    - `right`, shape (cases,): Whether the estimate was within the stated error. At least one case.
    - `penalty`: Half the inverse variance of a normal prior of the weights (ridge); not negative.

    Returns: Maximum of the penalized likelihood. If the estimates of all cases are accurate, or of
    none, the weights are zero and the probability is ``(k + 1/2) / (n + 1)``, with k accurate
    estimates in n cases. Raises ValueError if shapes or numbers do not fit.

    Source: The question: T. Eftimov and P. Korošec, GECCO 2025, future work; S. Gjorgjieva, E. Tuba
    and T. Eftimov, arXiv 2605.28309. The model: D. R. Cox, The regression analysis of binary
    sequences, Journal of the Royal Statistical Society B 20 (1958), whose probabilities are right
    on average for the cases it was fitted to.
    """
    table = _checked_table(features)
    outcome = _checked_outcome(right, table)
    if not 0.0 <= penalty < np.inf:
        raise ValueError(f"penalty must be finite and not negative, not {penalty}")
    centre, deviation = table.mean(axis=0), table.std(axis=0)
    scale = np.where(deviation > 0.0, deviation, 1.0)
    base = float(logit((outcome.sum() + 0.5) / (outcome.size + 1.0)))
    if outcome.all() or not outcome.any():
        return ReliabilityModel(centre, scale, np.zeros(table.shape[1]), base)
    standardized = (table - centre) / scale

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, intercept = parameters[:-1], parameters[-1]
        score = standardized @ weights + intercept
        excess = expit(score) - outcome
        likelihood = np.logaddexp(0.0, score).sum() - score[outcome].sum()
        gradient = standardized.T @ excess + 2.0 * penalty * weights
        return float(likelihood + penalty * weights @ weights), np.append(gradient, excess.sum())

    start = np.append(np.zeros(table.shape[1]), base)
    found = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return ReliabilityModel(centre, scale, found[:-1], float(found[-1]))


@dataclass(frozen=True)
class Validation:
    """Cross-validated probabilities, and their quality.

    `probability` is predicted for each case by a model that has not seen the case. `base` is the
    share of accurate estimates among the cases that this model has seen. Both have the shape
    (cases,). The Brier scores compare them with the outcomes. If the `skill`,
    ``1 - brier / brier_base``, is not above 0, the features are useless. `auc` is 0.5 if the
    probabilities do not separate the cases.
    """

    probability: NDArray[np.float64]
    base: NDArray[np.float64]
    brier: float
    brier_base: float
    auc: float

    @property
    def skill(self) -> float:
        """Brier skill score; NaN if the base rate has no error."""
        return 1.0 - self.brier / self.brier_base if self.brier_base > 0.0 else float("nan")


def cross_validate(
    features: ArrayLike, right: ArrayLike, groups: ArrayLike, *, penalty: float = 1.0
) -> Validation:
    """Evaluate the model on groups that it has not seen: other functions, or other algorithms.

    - `features`, `right`, `penalty`: As for `fit_reliability`.
    - `groups`, shape (cases,): Group of each case; each group is held out once. At least two
      groups.

    Returns: The cases are in their original order. Raises ValueError if shapes or numbers do not
    fit, or there are fewer than two groups.
    """
    table = _checked_table(features)
    outcome = _checked_outcome(right, table)
    labels = np.asarray(groups)
    if labels.shape != outcome.shape:
        raise ValueError(f"groups must be {outcome.size} labels, not {labels.shape}")
    names = np.unique(labels)
    if names.size < 2:
        raise ValueError("at least two groups are needed to hold one out")
    probability, base = np.empty(outcome.size), np.empty(outcome.size)
    for name in names:
        held = labels == name
        model = fit_reliability(table[~held], outcome[~held], penalty=penalty)
        probability[held] = model.probability(table[held])
        base[held] = outcome[~held].mean()
    return Validation(
        probability,
        base,
        brier_score(probability, outcome),
        brier_score(base, outcome),
        auc(probability, outcome),
    )


def _checked_table(features: ArrayLike) -> NDArray[np.float64]:
    table = np.asarray(features, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise ValueError("features must be a finite matrix of shape (cases, features)")
    return table


def _checked_outcome(right: ArrayLike, table: NDArray[np.float64]) -> NDArray[np.bool_]:
    outcome = np.asarray(right, dtype=np.bool_)
    if outcome.shape != table.shape[:1] or outcome.size == 0:
        raise ValueError(f"right must have {len(table)} values, one per case, and at least one")
    return outcome
