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

    Parameters
    ----------
    total : array_like
        Number of runs of the complete samples, not negative.
    estimated : array_like
        Number of runs that the rule makes, in 0..total.
    accuracy : array_like
        Percentage of samples with an accurate estimate, in [0, 100]; NaN if there are no samples.

    Returns
    -------
    Savings
        Arrays of the broadcast shape. Percentages are NaN for a total of 0.

    Raises
    ------
    ValueError
        If a number is out of range.

    References
    ----------
    T. Eftimov and P. Korošec, GECCO 2025, Table 2.

    Examples
    --------
    >>> row = savings(132_000, 59_683, 85.14)
    >>> float(row.saved), round(float(row.saved_percent), 2)
    (72317.0, 54.79)
    >>> round(float(row.expected_saved), 2), round(float(row.expected_saved_percent), 2)
    (61570.69, 46.64)
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
