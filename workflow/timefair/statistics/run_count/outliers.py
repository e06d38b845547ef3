"""Outlier filters of the run-count paper."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.run_count import kernels
from timefair.statistics.run_count.stopping import checked_values


class Outliers(StrEnum):
    """The outlier filter that is applied before the skewness or the mean is computed."""

    NONE = "none"
    """Drops no values."""
    IQR = "iqr"
    """Drops values more than 1.5 interquartile ranges from the quartiles."""
    PERCENTILE = "percentile"
    """Drops values outside the 2.5 and 97.5 percentiles: for n <= 41, the smallest and largest."""
    MAD = "mad"
    """Drops values with a modified z-score, ``0.6745 |x - median| / MAD``, above 3.5. If the MAD
    (median absolute deviation) is 0, the mean absolute deviation about the median is used."""
    MAD_MEAN = "mad-mean"
    """As `MAD`, but if the MAD is 0, the mean absolute deviation about the mean is used."""

    @property
    def code(self) -> int:
        """Number of the filter in the kernels."""
        return _CODES[self]


_CODES = {technique: code for code, technique in enumerate(Outliers)}


def is_kept(sample: ArrayLike, outliers: Outliers) -> NDArray[np.bool_]:
    """Which values of a sample the outlier filter keeps.

    - `sample`, shape (n,): Finite values in any order.
    - `outliers`: The outlier filter. Quartiles and percentiles are interpolated linearly. A value
      that is equal to a limit is kept.

    Returns, shape (n,): True if a value is kept. Empty for an empty sample; all True for a constant
    sample and for fewer than three values. Raises ValueError if `sample` is not a vector, or a
    value is not finite.

    Source: T. Eftimov and P. Korošec, "Adaptive Estimation of the Number of Algorithm Runs in
    Stochastic Optimization", GECCO 2025. Modified z-score: B. Iglewicz and D. C. Hoaglin, How to
    Detect and Handle Outliers, 1993.
    """
    values = checked_values(sample, dimensions=1)
    if not np.isfinite(values).all():
        raise ValueError("sample must be finite")
    if values.size == 0:
        return np.zeros(0, dtype=np.bool_)
    low, high = kernels.fences(np.sort(values), outliers.code)
    return np.asarray((low <= values) & (values <= high))
