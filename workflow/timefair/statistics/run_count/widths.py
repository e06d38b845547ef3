"""Rules that keep a promise: run until an interval of the wanted number is narrow enough.

A rule's `estimate` lies within `width` of the truth whenever its interval, of half that reach on
either side, contains the truth. An ordinary interval is made for one look; asked after each run it
is right less often than it says. The anytime-valid ones stay right at whatever n the rule stops.
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
    """For which looks an interval's confidence holds."""

    SINGLE = "single"
    """For one look at a fixed n: the ordinary interval."""
    HORIZON = "horizon"
    """For all looks from `start` to `cap` together."""
    ANYTIME = "anytime"
    """For all looks at whatever n, without an end: a confidence sequence."""


@dataclass(frozen=True)
class QuantileWidth:
    """Stop when the interval of a quantile lies within a stated distance of the sample quantile.

    Parameters
    ----------
    width : float
        The distance: relative to the absolute sample quantile, or in the unit of the values.
    p : float
        Probability of the quantile; 0.5 is the median.
    relative : bool
        Whether `width` is relative. A quantile of 0 is within any distance of its interval only if
        that is [0, 0].
    confidence : float
        Of the interval, from order statistics, for any distribution.
    validity : Validity
        The default keeps the promise at the n where the rule stops.
    start, cap : int
        First and last n.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    `inf` sorts last: while the upper limit is `inf` the width is. If both limits are, the quantile
    is known not to be reached, and the rule stops. Ties make the interval wider than it had to be,
    never too narrow. All values equal: width 0, "degenerate".

    References
    ----------
    See `ranks`.

    Examples
    --------
    >>> from timefair.statistics.run_count.stopping import decide
    >>> rule = QuantileWidth(0.5, validity=Validity.SINGLE)
    >>> decide(rule, [9.0, 8.0, 10.0, 11.0, 12.0, 10.0, 9.0, 13.0, 14.0, 10.0]).value
    0.3
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
        """Limits of the quantile of each sample, shape (..., n) to (...); infinite where none."""
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

    Parameters
    ----------
    width : float
        Half the interval: relative to the absolute mean, or in the unit of the values.
    relative, confidence, start, cap
        As for `QuantileWidth`, with ``start >= 2``.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    An ordinary interval, for one look, and for values that are about normal; results of optimizers
    are often far from it. Nothing better can be had without more knowledge: for values without
    known bounds no interval of the mean keeps its level at any n (R. R. Bahadur and L. J. Savage,
    Annals of Mathematical Statistics 27, 1956), so that none can be anytime-valid either. With
    known bounds use `BoundedMeanWidth`, without them `QuantileWidth`.

    With a value of `inf` the width is `inf`. All values equal: width 0, "degenerate".

    Examples
    --------
    >>> from timefair.statistics.run_count.stopping import decide
    >>> round(decide(MeanWidth(0.1, start=4), [9.0, 10.0, 10.0, 11.0]).value, 3)
    0.13
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
        """Half the interval."""
        low, high = self.interval(samples)
        return _width_look(samples, self.estimate(samples), low, high, self.width, self.relative)


@dataclass(frozen=True)
class BoundedMeanWidth:
    """Stop when the confidence sequence of the mean of bounded values is narrow enough.

    Parameters
    ----------
    width : float
        Distance of the further limit from the sample mean, relative or in the unit of the values.
    lowest, highest : float
        Bounds that no value can leave, known before the first run. Not the least and the greatest
        value seen: a bound that is guessed makes the promise void.
    relative, confidence, start, cap
        As for `QuantileWidth`.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    Anytime-valid for independent runs of any distribution between the bounds. Its width is of the
    order of the range over n even for values that hardly vary, so that with few runs it needs
    bounds that are close.

    A value outside the bounds (`inf` always is) proves them wrong. From then on the mean has no
    interval, the width is `inf`, and the sample goes on to the cap: "out of bounds".

    References
    ----------
    See `betting`.

    Examples
    --------
    >>> from timefair.statistics.run_count.stopping import decide
    >>> rule = BoundedMeanWidth(0.2, lowest=0.0, highest=1.0, relative=False)
    >>> bool(decide(rule, [0.5] * 40).stop), bool(decide(rule, [0.0, 1.0] * 10).stop)
    (True, False)
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
        """Whether any value of a sample lies outside the bounds, shape (..., n) to (...)."""
        return np.asarray(((samples < self.lowest) | (samples > self.highest)).any(axis=-1))

    def look(self, samples: NDArray[np.float64]) -> Assessment:
        """Distance of the further limit from the sample mean."""
        low, high = self.interval(samples)
        seen = _width_look(samples, self.estimate(samples), low, high, self.width, self.relative)
        return replace(seen, outside=self.outside(samples))


def is_kept_promise(
    estimate: ArrayLike, truth: ArrayLike, width: float, *, relative: bool = True
) -> NDArray[np.bool_]:
    """Whether the truth lies as near to the estimate as a rule of that width promised.

    Parameters
    ----------
    estimate, truth : array_like
        A rule's `estimate` from its n runs, and the same number from all, or from other, runs.
    width : float
        The promised distance.
    relative : bool
        Whether it is relative to the absolute estimate, which is what the user saw.

    Returns
    -------
    ndarray of bool
        Of the common shape. `inf` is as near as promised to `inf` only.

    Raises
    ------
    ValueError
        If a number is NaN or the width is negative.

    Examples
    --------
    >>> is_kept_promise([10.0, 10.0, np.inf], [14.0, 16.0, np.inf], 0.5).tolist()
    [True, False, True]
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
    """Distance from the estimate, 0 where both are the same, be they infinite or 0."""
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
