"""How well predicted probabilities agree with outcomes: scores and the calibration curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata


def brier_score(probability: ArrayLike, outcome: ArrayLike) -> float:
    """Brier score: mean squared difference of probabilities and outcomes; 0 is best.

    - `probability`, shape (cases,): Predicted probabilities, in [0, 1].
    - `outcome`, shape (cases,): Whether the event happened.

    Returns: In [0, 1]; NaN if there are no cases. Raises ValueError if the shapes differ or a
    probability is outside [0, 1].

    Source: G. W. Brier, Verification of forecasts expressed in terms of probability, Monthly
    Weather Review 78 (1950).
    """
    stated, happened = _pairs(probability, outcome)
    return float(np.mean((stated - happened) ** 2)) if stated.size else float("nan")


def auc(probability: ArrayLike, outcome: ArrayLike) -> float:
    """Area under the ROC curve.

    It is the probability that a case in which the event happened has a higher predicted probability
    than a case in which it did not happen. Ties count half.

    - `probability`, `outcome`: As for `brier_score`.

    Returns: 0.5 if the predictions do not separate the cases; NaN if the event happened in all
    cases or in none. Raises ValueError if the shapes differ or a probability is outside [0, 1].
    """
    stated, happened = _pairs(probability, outcome)
    positive = int(happened.sum())
    negative = happened.size - positive
    if positive == 0 or negative == 0:
        return float("nan")
    above = rankdata(stated)[happened].sum() - positive * (positive + 1) / 2.0
    return float(above / (positive * negative))


@dataclass(frozen=True)
class CalibrationCurve:
    """Predicted and observed share, and number of cases, per bin; arrays of shape (bins,)."""

    stated: NDArray[np.float64]
    observed: NDArray[np.float64]
    cases: NDArray[np.int64]


def calibration_curve(
    probability: ArrayLike, outcome: ArrayLike, *, bins: int = 10
) -> CalibrationCurve:
    """Calibration curve: observed share among cases with similar predicted probabilities.

    - `probability`, `outcome`: As for `brier_score`.
    - `bins`: Wanted number of bins, with about equal numbers of cases. Cases with the same
      probability are in the same bin, so there may be fewer bins.

    Returns: Bins in the order of increasing probability; empty if there are no cases. Raises
    ValueError if the shapes differ, a probability is outside [0, 1], or `bins` is below 1.
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1, not {bins}")
    stated, happened = _pairs(probability, outcome)
    share = (rankdata(stated, method="min") - 1) / max(stated.size, 1)
    _, label = np.unique((share * bins).astype(np.int64), return_inverse=True)
    cases = np.bincount(label)
    return CalibrationCurve(
        np.bincount(label, weights=stated) / cases,
        np.bincount(label, weights=happened) / cases,
        cases,
    )


def _pairs(
    probability: ArrayLike, outcome: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    stated = np.asarray(probability, dtype=np.float64)
    happened = np.asarray(outcome, dtype=np.bool_)
    if stated.ndim != 1 or stated.shape != happened.shape:
        raise ValueError(
            f"probability and outcome must be vectors of one length, not {stated.shape} and "
            f"{happened.shape}"
        )
    if not ((stated >= 0.0) & (stated <= 1.0)).all():
        raise ValueError("probabilities must lie in [0, 1]")
    return stated, happened
