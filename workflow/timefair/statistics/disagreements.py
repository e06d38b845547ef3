"""Pairs of algorithms that two measures order differently."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def opposed_pairs(first: ArrayLike, second: ArrayLike) -> NDArray[np.intp]:
    """Pairs of algorithms whose order by one measure is opposite to their order by another.

    - `first`, `second`, shape (algorithms,): Two measures of the same algorithms, such as mean and
      median. Smaller is better; `inf` is worst and equal to itself.

    Returns, shape (pairs, 2): One row (a, b) of indices per pair, where a is better by the first
    measure, and b by the second. The rows are sorted by a, then by b. A tie in either measure is
    not a disagreement. Raises ValueError if the measures are not vectors of the same length, or a
    number is NaN.

    Source: Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364, section 4.2 and Figure 2.
    """
    x, y = _measures(first, second)
    return np.argwhere((x[:, np.newaxis] < x) & (y[:, np.newaxis] > y))


def smaller_gap(first: ArrayLike, second: ArrayLike, pairs: ArrayLike) -> NDArray[np.float64]:
    """The smaller of the two distances of each pair, by one measure and by the other, in decades.

    - `first`, `second`, shape (algorithms,): Two measures, not negative.
    - `pairs`, shape (pairs, 2): From `opposed_pairs`.

    Returns, shape (pairs,): The smaller of the two absolute log10 ratios. A ratio with 0 or `inf`
    is infinite. Raises ValueError if the measures are not vectors of the same length, or a number
    is NaN or negative.
    """
    x, y = _measures(first, second)
    if (x < 0).any() or (y < 0).any():
        raise ValueError("measures must not be negative")
    a, b = np.asarray(pairs, dtype=np.intp).reshape(-1, 2).T
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = [np.abs(np.log10(m[a]) - np.log10(m[b])) for m in (x, y)]
    return np.nan_to_num(np.minimum(*gaps), nan=np.inf, posinf=np.inf)


def _measures(
    first: ArrayLike, second: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"measures must be vectors of one length, not {x.shape}, {y.shape}")
    if np.isnan(x).any() or np.isnan(y).any():
        raise ValueError("measures must not be NaN; a result that was not reached is inf")
    return x, y
