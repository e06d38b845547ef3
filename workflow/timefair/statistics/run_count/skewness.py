"""The rule of the run-count paper: outliers are dropped, and a small skewness stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from timefair.statistics.checks import Floats
from timefair.statistics.run_count import kernels
from timefair.statistics.run_count.stopping import (
    Assessment,
    StopCounts,
    check_complete,
    checked_values,
)


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
        return _CODES[self]


_CODES = {technique: code for code, technique in enumerate(Outliers)}


@dataclass(frozen=True)
class SkewnessRule:
    """Stop when the skewness of the values that the outlier filter keeps is in [-tau, tau].

    - `tau`: Largest absolute skewness, not negative. The paper uses 0.05, 0.10, 0.15 and 0.20.
    - `outliers`: The outlier filter. Outliers are omitted from the skewness, but count in n.
    - `start`, `cap`: Least and greatest number of runs, ``3 <= start <= cap``; paper: 5 and 50.

    The skewness is the moment coefficient g1 (ddof 0). What the paper does not specify: if the kept
    values are constant but for rounding, or all values are `inf`, the rule stops as "degenerate".
    If a value is `inf`, or fewer than three are kept, the skewness is NaN and the rule continues.

    Source: T. Eftimov and P. Korošec, "Adaptive Estimation of the Number of Algorithm Runs in
    Stochastic Optimization", GECCO 2025.
    """

    tau: float
    outliers: Outliers
    start: int = 5
    cap: int = 50

    def look(self, samples: Floats) -> Assessment:
        ordered = np.sort(samples, axis=-1)
        shape, n = ordered.shape[:-1], ordered.shape[-1]
        found, flags = kernels.skewness(ordered.reshape(-1, n), self.outliers.code)
        value, constant = found.reshape(shape), flags.reshape(shape)
        return Assessment(value, constant | (np.abs(value) <= self.tau), constant)


def skewness_counts(rules: Sequence[SkewnessRule], samples: ArrayLike) -> StopCounts:
    """Where each of several skewness rules stops on many complete samples, as `stop_counts` of
    each.

    - `samples`, shape (samples, runs): At least as many runs as the cap of the rules, in their
      order; `inf` for a run without a finite value.

    Returns: Arrays of shape (samples, rules).
    """
    values = checked_values(samples, dimensions=2)
    for rule in rules:
        check_complete(rule, values.shape[1])
    neighbours = sorted(rules, key=lambda rule: rule.outliers.code)
    counts, met = kernels.stop_all(
        values,
        np.array([rule.outliers.code for rule in neighbours], dtype=np.int64),
        np.array([rule.tau for rule in neighbours], dtype=np.float64),
        np.array([rule.start for rule in neighbours], dtype=np.int64),
        np.array([rule.cap for rule in neighbours], dtype=np.int64),
    )
    columns = [neighbours.index(rule) for rule in rules]
    return StopCounts(counts[:, columns], met[:, columns])
