"""Exploratory landscape analysis: numbers that describe a problem by a sample of its values."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist, squareform
from scipy.stats import kurtosis, skew

LANDSCAPE = (
    "dispersion_02",
    "dispersion_05",
    "dispersion_10",
    "dispersion_25",
    "information_content",
    "partial_information",
    "settling_sensitivity",
    "linear_r2",
    "interactions_r2",
    "quadratic_r2",
    "neighbour_sd_ratio",
    "neighbour_mean_ratio",
    "neighbour_correlation",
    "neighbour_ratio_variation",
    "neighbour_indegree_correlation",
    "value_skewness",
    "value_kurtosis",
)
"""Names of the features of `landscape`, in their order."""

LEAST_POINTS = 10
"""Smallest sample that is described."""

BEST_SHARES = (0.02, 0.05, 0.10, 0.25)
"""Shares of the sample whose dispersion is compared with that of the sample."""

SENSITIVITIES = np.insert(np.logspace(-5.0, 15.0, 1000), 0, 0.0)
"""Slopes below which a step of the tour counts as level."""

SETTLED = 0.05
"""Information content below which the landscape counts as level."""


def landscape(points: ArrayLike, values: ArrayLike) -> NDArray[np.float64]:
    """Features of a landscape. They do not depend on the unit or the zero of the values.

    - ``dispersion_02`` to ``dispersion_25``: mean distance between the best 2, 5, 10 and 25 % of
      the points, relative to that of all points (Lunacek and Whitley 2006);
    - ``information_content``: largest entropy H of rising, level and falling pairs of steps on a
      tour of nearest neighbours from the first point; ``partial_information``: M0, the share of
      changes between rising and falling; ``settling_sensitivity``: log10 of the slope, in units of
      the range, below which nearly all steps are level (Muñoz et al. 2015);
    - ``linear_r2``, ``interactions_r2``, ``quadratic_r2``: adjusted R² of a linear model, of one
      with products of two variables, and of one with squares (Mersmann et al. 2011);
    - ``neighbour_...``: distances to the nearest neighbour and to the nearest better point: ratio
      of the standard deviations, ratio of the means, correlation, coefficient of variation of the
      ratio, and the correlation of the value with the number of points whose nearest better point
      this is (Kerschke et al. 2015);
    - ``value_skewness``, ``value_kurtosis``: of the values, as ``log10(1 + |.|)`` with the sign
      (Mersmann et al. 2011).

    - `points`, shape (n, variables): At least 10, in units of the bounds: 0 to 1.
    - `values`, shape (n,): Those that are not finite count as the largest finite one.

    Returns: In the order of `LANDSCAPE`; finite. A feature that the sample does not define (a
    correlation of equal values; an R² with more coefficients than points) is 0. Raises ValueError
    if the shapes do not fit, or a point is not finite.

    Source: M. Lunacek and D. Whitley, The dispersion metric and the CMA evolution strategy, GECCO
    2006. O. Mersmann et al., Exploratory landscape analysis, GECCO 2011. M. A. Muñoz, M. Kirley and
    S. K. Halgamuge, Exploratory landscape analysis of continuous space optimization problems using
    information content, IEEE Transactions on Evolutionary Computation 19 (2015). P. Kerschke, M.
    Preuss, S. Wessing and H. Trautmann, Detecting funnel structures by means of exploratory
    landscape analysis, GECCO 2015.
    """
    x, y = _checked(points, values)
    y = y / max(np.abs(y).max(), np.finfo(np.float64).tiny)  # so that the range cannot overflow
    y = (y - y.min()) / (np.ptp(y) or 1.0)
    apart = squareform(pdist(x))
    found = (
        *_dispersion(apart, y),
        *_information(apart, y),
        *_models(x, y),
        *_neighbours(apart, y),
        _signed_log(skew(y)),
        _signed_log(kurtosis(y)),
    )
    return np.asarray(np.nan_to_num(np.array(found), nan=0.0, posinf=0.0, neginf=0.0))


def named_landscape(points: ArrayLike, values: ArrayLike) -> dict[str, float]:
    """The features of `landscape` by name."""
    return dict(zip(LANDSCAPE, landscape(points, values).tolist(), strict=True))


def _checked(
    points: ArrayLike, values: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x = np.asarray(points, dtype=np.float64)
    y = np.asarray(values, dtype=np.float64)
    if x.ndim != 2 or len(x) < LEAST_POINTS or not np.isfinite(x).all():
        raise ValueError(
            f"points must be a finite matrix of at least {LEAST_POINTS} points, not {x.shape}"
        )
    if y.shape != x.shape[:1]:
        raise ValueError(f"values must be {len(x)} numbers, not {y.shape}")
    finite = np.isfinite(y)
    return x, np.where(finite, y, y[finite].max(initial=0.0 if not finite.any() else -np.inf))


def _dispersion(apart: NDArray[np.float64], y: NDArray[np.float64]) -> list[float]:
    """Mean distance of the best points, relative to that of all."""
    everywhere = _mean_distance(apart)
    limits = np.quantile(y, BEST_SHARES)
    return [_mean_distance(apart[np.ix_(y <= most, y <= most)]) / everywhere for most in limits]


def _mean_distance(apart: NDArray[np.float64]) -> float:
    """Mean of the distances that are not 0; NaN without any."""
    positive = apart[apart > 0.0]
    return float(positive.mean()) if positive.size else float("nan")


def _information(apart: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float, float]:
    """Largest information content, partial information at 0, and settling sensitivity."""
    tour = _tour(apart)
    lengths = apart[tour[:-1], tour[1:]]
    moved = lengths > 0.0
    slopes = np.diff(y[tour])[moved] / lengths[moved]
    if slopes.size < 2:
        return float("nan"), float("nan"), float("nan")
    content = np.array([_content(slopes, sensitivity) for sensitivity in SENSITIVITIES])
    signs = np.sign(slopes[slopes != 0.0])
    changes = np.count_nonzero(np.diff(signs)) / (slopes.size - 1)
    settled = SENSITIVITIES[content < SETTLED]
    settled = settled[settled > 0.0]
    sensitivity = float(np.log10(settled.min())) if settled.size else float("nan")
    return float(content.max()), float(changes), sensitivity


def _tour(apart: NDArray[np.float64]) -> NDArray[np.intp]:
    """From the first point, always to the nearest point that was not visited."""
    free = apart.copy()
    np.fill_diagonal(free, np.inf)
    tour = np.zeros(len(apart), dtype=np.intp)
    for k in range(1, tour.size):
        free[:, tour[k - 1]] = np.inf
        tour[k] = free[tour[k - 1]].argmin()
    return tour


def _content(slopes: NDArray[np.float64], sensitivity: float) -> float:
    """Entropy, to base 6, of pairs of unequal steps: rising, level or falling."""
    steps = np.where(np.abs(slopes) > sensitivity, np.sign(slopes), 0.0).astype(np.int64) + 1
    pairs = np.bincount(3 * steps[:-1] + steps[1:], minlength=9).reshape(3, 3)
    share = pairs[~np.eye(3, dtype=np.bool_)] / (slopes.size - 1)
    share = share[share > 0.0]
    return float(-(share * np.log(share)).sum() / np.log(6.0))


def _models(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float, float]:
    """Adjusted R² of three linear models."""
    products = [x[:, i] * x[:, j] for i, j in combinations(range(x.shape[1]), 2)]
    return (
        _adjusted_r2(x, y),
        _adjusted_r2(np.column_stack([x, *products]), y),
        _adjusted_r2(np.column_stack([x, x**2]), y),
    )


def _adjusted_r2(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """NaN if there are no more points than coefficients, or the values are all equal."""
    free = len(x) - x.shape[1] - 1
    total = ((y - y.mean()) ** 2).sum()
    if free < 1 or total == 0.0:
        return float("nan")
    centred = x - x.mean(axis=0)
    coefficients = np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]
    left = ((y - y.mean() - centred @ coefficients) ** 2).sum()
    return float(1.0 - left / total * (len(x) - 1) / free)


def _neighbours(apart: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, ...]:
    """Nearest neighbours, compared with nearest better points."""
    others = apart.copy()
    np.fill_diagonal(others, np.inf)
    near = others.min(axis=1)
    better = np.where(y[np.newaxis, :] < y[:, np.newaxis], others, np.inf)
    target, distance = better.argmin(axis=1), better.min(axis=1)
    has = np.isfinite(distance)
    distance = np.where(has, distance, near)
    pointed = np.bincount(target[has], minlength=len(y)).astype(np.float64)
    ratio = _divided(near, distance)
    return (
        _divided_one(near.std(), distance.std()),
        _divided_one(near.mean(), distance.mean()),
        _correlation(near, distance),
        _divided_one(ratio.std(ddof=1), ratio.mean()),
        _correlation(pointed, y),
    )


def _divided(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.ones_like(part), where=whole > 0.0)


def _divided_one(part: float, whole: float) -> float:
    return part / whole if whole > 0.0 else float("nan")


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Pearson's; NaN if one of them is constant."""
    if np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def _signed_log(value: float) -> float:
    return float(np.sign(value) * np.log10(1.0 + np.abs(value)))
