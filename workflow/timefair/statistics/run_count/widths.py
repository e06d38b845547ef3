"""Rules that stop when the confidence interval of a quantile or of the mean is narrow enough.

If the interval contains the truth when the rule stops, the `estimate` is within `width` of the
truth. An ordinary interval is valid for one look; after each run, its coverage is lower than its
confidence. An anytime-valid interval keeps its coverage at any n at which the rule stops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.run_count.betting import betting_interval
from timefair.statistics.run_count.ranks import (
    check_level,
    horizon_ranks,
    mixture_ranks,
    single_look_ranks,
)
from timefair.statistics.run_count.stopping import Assessment, check_range


class Validity(StrEnum):
    """The looks for which the confidence of an interval is valid."""

    SINGLE = "single"
    """For one look at a fixed n: the ordinary interval."""
    HORIZON = "horizon"
    """For all looks from `start` to `cap` simultaneously."""
    ANYTIME = "anytime"
    """For all looks at any n, without an upper limit: a confidence sequence."""


@dataclass(frozen=True)
class QuantileWidth:
    """Stop when the interval of a quantile is within a stated distance of the sample quantile.

    - `width`: The distance: relative to the absolute sample quantile, or in the unit of the values.
    - `p`: Probability of the quantile; 0.5 is the median.
    - `relative`: Whether `width` is relative. For a sample quantile of 0, the criterion is then met
      only if the interval is [0, 0].
    - `confidence`: Confidence of the interval, which consists of order statistics and is valid for
      any distribution.
    - `validity`: The looks for which the confidence is valid. With the default, it is valid at the
      n where the rule stops.
    - `start`, `cap`: Least and greatest number of runs.

    Raises ValueError if a number is out of range.

    `inf` is sorted last. If the upper limit is `inf`, the width is `inf`. If both limits are `inf`,
    it is known that the quantile is not reached, and the rule stops. Ties make the interval wider
    than necessary, and never too narrow. If all values are equal, the width is 0 and the reason is
    "degenerate".

    Source: See `ranks`.
    """

    width: float
    p: float = 0.5
    relative: bool = True
    confidence: float = 0.95
    validity: Validity = Validity.HORIZON
    start: int = 10
    cap: int = 50

    def __post_init__(self) -> None:
        check_level(self.p, self.confidence)
        _check_width(self.width)
        check_range(self.start, self.cap)

    def estimate(self, samples: ArrayLike) -> NDArray[np.float64]:
        """Sample quantile of each sample, shape (..., n) to (...)."""
        return sample_quantile(samples, self.p)

    def interval(
        self, samples: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Limits of the quantile of each sample, shape (..., n) to (...); infinite if missing."""
        n = samples.shape[-1]
        low, high = self._ranks(n)
        ordered = np.sort(samples, axis=-1)
        none = np.full(samples.shape[:-1], np.inf)
        return (
            ordered[..., low - 1] if low >= 1 else -none,
            ordered[..., high - 1] if high <= n else none,
        )

    def look(self, samples: NDArray[np.float64]) -> Assessment:
        """Distance of the further limit from the sample quantile."""
        low, high = self.interval(samples)
        return _width_look(samples, self.estimate(samples), low, high, self.width, self.relative)

    def _ranks(self, n: int) -> tuple[int, int]:
        if self.validity is Validity.SINGLE:
            return single_look_ranks(n, self.p, self.confidence)
        if self.validity is Validity.ANYTIME:
            return mixture_ranks(n, self.p, self.confidence)
        return horizon_ranks(n, self.p, self.confidence, start=self.start, cap=self.cap)


@dataclass(frozen=True)
class MeanWidth:
    """Stop when Student's interval of the mean is narrow enough.

    - `width`: Largest half-width of the interval: relative to the absolute mean, or in the unit of
      the values.
    - `relative`, `confidence`, `start`, `cap`: As for `QuantileWidth`, with ``start >= 2``.

    Raises ValueError if a number is out of range.

    This is an ordinary interval, for one look and for values that are about normal; the results of
    optimizers are often far from normal. There is no better interval without further knowledge: for
    values without known bounds, no interval of the mean keeps its level at any n (R. R. Bahadur and
    L. J. Savage, Annals of Mathematical Statistics 27, 1956), so none is anytime-valid. Use
    `BoundedMeanWidth` if bounds are known, and `QuantileWidth` otherwise.

    If a value is `inf`, the width is `inf`. If all values are equal, the width is 0 and the reason
    is "degenerate".
    """

    width: float
    relative: bool = True
    confidence: float = 0.95
    start: int = 10
    cap: int = 50

    def __post_init__(self) -> None:
        check_level(0.5, self.confidence)
        _check_width(self.width)
        check_range(self.start, self.cap, least=2)

    def estimate(self, samples: ArrayLike) -> NDArray[np.float64]:
        """Mean of each sample, shape (..., n) to (...)."""
        return _mean(samples)

    def interval(
        self, samples: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Limits of the mean of each sample, shape (..., n) to (...)."""
        n = samples.shape[-1]
        finite = np.asarray(np.isfinite(samples).all(axis=-1))
        safe = np.where(finite[..., np.newaxis], samples, 0.0)
        with np.errstate(over="ignore"):
            error = safe.std(axis=-1, ddof=1) / np.sqrt(n)
        half = stdtrit(n - 1, 0.5 + self.confidence / 2.0) * error
        mean = safe.mean(axis=-1)
        return np.where(finite, mean - half, -np.inf), np.where(finite, mean + half, np.inf)

    def look(self, samples: NDArray[np.float64]) -> Assessment:
        """Half of the width of the interval."""
        low, high = self.interval(samples)
        return _width_look(samples, self.estimate(samples), low, high, self.width, self.relative)


@dataclass(frozen=True)
class BoundedMeanWidth:
    """Stop when the confidence sequence of the mean of bounded values is narrow enough.

    - `width`: Largest distance of a limit from the sample mean: relative to the absolute mean, or
      in the unit of the values.
    - `lowest`, `highest`: Bounds of all values, known before the first run. Do not use the smallest
      and the largest value observed: with a guessed bound, the confidence is not valid.
    - `relative`, `confidence`, `start`, `cap`: As for `QuantileWidth`.

    Raises ValueError if a number is out of range.

    The interval is anytime-valid for independent runs from any distribution between the bounds. Its
    width is of the order of the range divided by n, even for values that hardly vary. With few
    runs, the bounds must therefore be close to each other.

    A value outside the bounds (such as `inf`) proves that the bounds are wrong. The mean then has
    no interval, the width is `inf`, and the sample continues to the cap: "out of bounds".

    Source: See `betting`.
    """

    width: float
    lowest: float
    highest: float
    relative: bool = True
    confidence: float = 0.95
    start: int = 10
    cap: int = 50

    def __post_init__(self) -> None:
        check_level(0.5, self.confidence)
        _check_width(self.width)
        check_range(self.start, self.cap)
        if not (self.lowest < self.highest and np.isfinite(self.highest - self.lowest)):
            raise ValueError(
                f"bounds must be finite, the lower first, got {self.lowest} and {self.highest}"
            )

    def estimate(self, samples: ArrayLike) -> NDArray[np.float64]:
        """Mean of each sample, shape (..., n) to (...)."""
        return _mean(samples)

    def interval(
        self, samples: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Limits of the mean of each sample, shape (..., n) to (...); infinite out of bounds."""
        outside = self.outside(samples)
        span = self.highest - self.lowest
        units = np.clip((samples - self.lowest) / span, 0.0, 1.0)
        low, high = betting_interval(units, self.confidence, horizon=self.cap)
        return (
            np.where(outside, -np.inf, self.lowest + span * low),
            np.where(outside, np.inf, self.lowest + span * high),
        )

    def outside(self, samples: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether any value of a sample is outside the bounds, shape (..., n) to (...)."""
        return np.asarray(((samples < self.lowest) | (samples > self.highest)).any(axis=-1))

    def look(self, samples: NDArray[np.float64]) -> Assessment:
        """Distance of the further limit from the sample mean."""
        low, high = self.interval(samples)
        seen = _width_look(samples, self.estimate(samples), low, high, self.width, self.relative)
        return replace(seen, outside=self.outside(samples))


def is_kept_promise(
    estimate: ArrayLike, truth: ArrayLike, width: float, *, relative: bool = True
) -> NDArray[np.bool_]:
    """Whether the truth is within the promised distance of the estimate.

    - `estimate`, `truth`: The `estimate` of a rule from its n runs, and the same statistic of all
      runs or of other runs.
    - `width`: The promised distance.
    - `relative`: Whether the distance is relative to the absolute estimate.

    Returns: The broadcast shape. `inf` is within the promised distance only of `inf`. Raises
    ValueError if a number is NaN or the width is negative.
    """
    _check_width(width)
    stated, true = np.broadcast_arrays(
        np.asarray(estimate, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    )
    if np.isnan(stated).any() or np.isnan(true).any():
        raise ValueError("estimate and truth must not be NaN")
    return np.asarray(_distance(stated, true, relative) <= width)


def _mean(samples: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(np.asarray(samples, dtype=np.float64).mean(axis=-1))


def _width_look(
    samples: NDArray[np.float64],
    estimate: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    width: float,
    relative: bool,
) -> Assessment:
    value = np.maximum(_distance(estimate, low, relative), _distance(estimate, high, relative))
    constant = samples.min(axis=-1) == samples.max(axis=-1)
    met = value <= width
    return Assessment(value, met, constant & met)


def _distance(
    estimate: NDArray[np.float64], other: NDArray[np.float64], relative: bool
) -> NDArray[np.float64]:
    """Distance from the estimate; 0 if both are equal, also if both are infinite or 0."""
    same = np.asarray(estimate == other)
    apart = np.full(same.shape, np.inf)
    finite = ~same & np.isfinite(estimate) & np.isfinite(other)
    np.subtract(other, estimate, out=apart, where=finite)
    apart = np.where(same, 0.0, np.abs(apart))
    if not relative:
        return apart
    unit = np.abs(estimate)
    ratio = np.where(same, 0.0, np.inf)
    with np.errstate(over="ignore"):
        np.divide(apart, unit, out=ratio, where=finite & (unit > 0.0))
    return ratio


def _check_width(width: float) -> None:
    if not 0.0 <= width < np.inf:
        raise ValueError(f"width must be finite and not negative, not {width}")
