"""The runs that a rule saves, and the share of them with an accurate estimate: Table 2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Savings:
    """Numbers of runs, and their percentages of `total`; all arrays have the same shape.

    The rule makes `estimated` runs and saves `saved` of `total` runs. `accuracy` is the percentage
    of samples with an accurate estimate. `expected_saved` is this percentage of the saved runs.
    """

    total: NDArray[np.float64]
    estimated: NDArray[np.float64]
    estimated_percent: NDArray[np.float64]
    saved: NDArray[np.float64]
    saved_percent: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    expected_saved: NDArray[np.float64]
    expected_saved_percent: NDArray[np.float64]


def savings(total: ArrayLike, estimated: ArrayLike, accuracy: ArrayLike) -> Savings:
    """The columns of Table 2.

    - `total`: Number of runs of the complete samples, not negative.
    - `estimated`: Number of runs that the rule makes, in 0..total.
    - `accuracy`: Percentage of samples with an accurate estimate, in [0, 100]; NaN if there are no
      samples.

    Returns: Arrays of the broadcast shape. Percentages are NaN for a total of 0. Raises ValueError
    if a number is out of range.

    Source: T. Eftimov and P. Korošec, GECCO 2025, Table 2.
    """
    whole, made, right = np.broadcast_arrays(
        np.asarray(total, dtype=np.float64),
        np.asarray(estimated, dtype=np.float64),
        np.asarray(accuracy, dtype=np.float64),
    )
    if not ((made >= 0) & (made <= whole)).all():
        raise ValueError("0 <= estimated <= total must hold")
    if ((right < 0) | (right > 100)).any():
        raise ValueError("accuracy is a percentage in [0, 100]")
    saved = whole - made
    expected = saved * right / 100.0
    return Savings(
        total=whole,
        estimated=made,
        estimated_percent=_percent(made, whole),
        saved=saved,
        saved_percent=_percent(saved, whole),
        accuracy=right,
        expected_saved=expected,
        expected_saved_percent=_percent(expected, whole),
    )


def _percent(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    share = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=share, where=whole > 0)
    return 100.0 * share
