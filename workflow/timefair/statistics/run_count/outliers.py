"""Techniques against outliers, as the run-count paper uses them."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.run_count import kernels
from timefair.statistics.run_count.stopping import checked_values


class Outliers(StrEnum):
    """Which values are dropped before the skewness, and the mean, are taken."""

    NONE = "none"
    """None."""
    IQR = "iqr"
    """Beyond 1.5 interquartile ranges from the quartiles."""
    PERCENTILE = "percentile"
    """Outside the 2.5 and 97.5 percentiles: up to n = 41 always the least and the greatest."""
    MAD = "mad"
    """Modified z-score above 3.5, ``0.6745 (x - median) / MAD``. Where the MAD (median absolute
    deviation) is 0, the mean absolute deviation about the median takes its place."""
    MAD_MEAN = "mad-mean"
    """The same with the mean absolute deviation about the mean."""

    @property
    def code(self) -> int:
        """Number of the technique in the kernels."""
        return _CODES[self]


_CODES = {technique: code for code, technique in enumerate(Outliers)}


def is_kept(sample: ArrayLike, outliers: Outliers) -> NDArray[np.bool_]:
    """Which values of a sample are no outliers.

    Parameters
    ----------
    sample : array_like, shape (n,)
        Finite values in any order.
    outliers : Outliers
        The technique. Quartiles and percentiles are interpolated linearly; a value on a fence is
        kept.

    Returns
    -------
    ndarray of bool, shape (n,)
        Empty for an empty sample; all True for a constant one, and for fewer than three values.

    Raises
    ------
    ValueError
        If `sample` is not a vector or a value is not finite: an `inf` has no distance to the others.

    References
    ----------
    T. Eftimov and P. Korošec, "Adaptive Estimation of the Number of Algorithm Runs in Stochastic
    Optimization", GECCO 2025. Modified z-score: B. Iglewicz and D. C. Hoaglin, How to Detect and
    Handle Outliers, 1993.

    Examples
    --------
    >>> is_kept([1.0, 2.0, 3.0, 4.0, 50.0], Outliers.IQR).tolist()
    [True, True, True, True, False]
    >>> is_kept([1.0, 2.0, 3.0, 4.0, 50.0], Outliers.PERCENTILE).tolist()
    [False, True, True, True, False]
    """
    values = checked_values(sample, dimensions=1)
    if not np.isfinite(values).all():
        raise ValueError("sample must be finite")
    if values.size == 0:
        return np.zeros(0, dtype=np.bool_)
    low, high = kernels.fences(np.sort(values), outliers.code)
    return np.asarray((low <= values) & (values <= high))
