"""Expected running time (ERT) to a target, with its uncertainty, also where the tail is heavy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtrit

from timefair.statistics.samples import Estimate, Floats, check_confidence, per_success, vector

LOG_SPREAD = 1.5  # deviation of the logarithms above which a lognormal sample has a heavy tail
NORMALITY_LEVEL = 0.05  # level of the test that the logarithms are normal
FEWEST_RUNS = 5  # least number of runs for which that test is defined
EXCESS_ERRORS = 0.5  # excess of the skewness that counts, in its standard errors of a normal sample
WIDEST = 2.5  # upper limit of the factor for a lognormal tail


def heavy_tail(costs: ArrayLike) -> NDArray[np.bool_]:
    """Whether a sample looks lognormal with so large a spread that its mean is hardly known.

    `costs`: of successful runs, not negative, shape (R,) or (R, targets); the result has the shape
    () or (targets,). True if the standard deviation of the logarithms exceeds `LOG_SPREAD` and the
    Shapiro-Francia test does not reject their normality at `NORMALITY_LEVEL`. False for fewer than
    `FEWEST_RUNS` runs, if a cost is 0, and if all costs are equal. ValueError for costs of another
    shape, and for a cost that is negative or not finite.

    Source: P. Royston, Statistics in Medicine 12 (1993).
    """
    cost = _costs(costs)
    runs = cost.shape[0]
    found = (cost > 0).all(axis=0)
    if runs < FEWEST_RUNS or not found.any():
        return np.zeros(cost.shape[1:], dtype=np.bool_)
    logs = np.sort(np.log(np.where(found, cost, 1.0)), axis=0)
    away = logs - logs.mean(axis=0)
    squares = np.asarray((away**2).sum(axis=0))
    wide = found & (squares > (runs - 1) * LOG_SPREAD**2)
    scores = ndtri((np.arange(1, runs + 1) - 0.375) / (runs + 0.25))
    fit = np.ones(squares.shape)
    np.divide((scores @ away) ** 2, squares * (scores @ scores), out=fit, where=wide)
    # The p-value of Shapiro and Francia's statistic, by Royston's approximation.
    size = np.log(runs)
    middle = -1.2725 + 1.0521 * (np.log(size) - size)
    spread = 1.0308 - 0.26758 * (np.log(size) + 2.0 / size)
    with np.errstate(divide="ignore"):
        normality = ndtr((middle - np.log1p(-fit)) / spread)
    return np.asarray(wide & (normality >= NORMALITY_LEVEL))


def widening(costs: ArrayLike, *, confidence: float) -> Floats:
    """Factor of at least 1 for the upper half of the log interval of a mean, where the tail is
    heavy: the upper limit is the mean times exp(factor t c/sqrt(R)), with Student's quantile t and
    the coefficient of variation c. `costs`: at least two runs, as for `heavy_tail`.

    *Skewness.* By the second term of the Edgeworth expansion of a studentised mean, the upper half
    should be longer by g (2 t^2 + 1)/(6 sqrt(R)) standard errors, with the skewness g. The log
    scale accounts for 3 c t^2/(2 t^2 + 1) of g. The rest counts if it exceeds half of the standard
    error of a normal sample's skewness, times min(1 + 40/R, 5), chosen by simulation.

    *Lognormal tail.* If `heavy_tail` is True, the upper limit is at least Cox's with Student's t,
    exp(m + v/2 + t sqrt(v/R + v^2/(2 (R - 1)))), with the mean m and the variance v of the
    logarithms. The factor for this limit is at most `WIDEST`.

    Source: P. Hall, The Bootstrap and Edgeworth Expansion, 1992, chapter 2. U. Olsson, Journal of
    Statistics Education 13 (2005).
    """
    cost = _costs(costs)
    check_confidence(confidence)
    t = float(stdtrit(cost.shape[0] - 1, (1 + confidence) / 2))
    factor = _skewness_factor(cost, t)
    heavy = heavy_tail(cost)
    if heavy.any():
        lognormal = _lognormal_factor(cost[:, heavy] if cost.ndim == 2 else cost, t)
        factor[heavy] = np.maximum(factor[heavy], np.minimum(lognormal, WIDEST))
    return factor


def _skewness_factor(cost: Floats, t: float) -> Floats:
    runs, most = cost.shape[0], cost.max(axis=0)
    unit = cost / np.where(most > 0, most, 1.0)
    away = unit - unit.mean(axis=0)
    spread = np.sqrt((away**2).mean(axis=0))
    skewness, variation = np.zeros(spread.shape), np.zeros(spread.shape)
    spreads = np.ptp(unit, axis=0) > 0
    np.divide((away**3).mean(axis=0), spread**3, out=skewness, where=spreads)
    np.divide(spread, unit.mean(axis=0), out=variation, where=spreads)
    excess = skewness - variation * np.sqrt(runs / (runs - 1)) * 3 * t**2 / (2 * t**2 + 1)
    counted = np.where(excess > EXCESS_ERRORS * np.sqrt(6 / runs), excess, 0.0)
    amplified = min(1 + 40 / runs, 5.0) * counted
    return np.asarray(1.0 + amplified * (2 * t**2 + 1) / (6 * t * np.sqrt(runs)))


def _lognormal_factor(cost: Floats, t: float) -> Floats:
    """The upper limit of a lognormal mean, as a factor of the log interval's upper half."""
    runs = cost.shape[0]
    logs = np.log(cost)
    variance = logs.var(axis=0, ddof=1)
    limit = logs.mean(axis=0) + variance / 2
    limit += t * np.sqrt(variance / runs + variance**2 / (2 * (runs - 1)))
    mean = cost.mean(axis=0)
    half = t * cost.std(axis=0, ddof=1) / mean / np.sqrt(runs)
    return np.asarray((limit - np.log(mean)) / half)


def _costs(costs: ArrayLike) -> Floats:
    cost = np.asarray(costs, dtype=np.float64)
    if cost.ndim not in (1, 2):
        raise ValueError(f"costs must have the shape (R,) or (R, targets), not {cost.shape}")
    if not np.isfinite(cost).all() or (cost < 0).any():
        raise ValueError("costs must be finite and not negative")
    return cost


def ert(spent: ArrayLike, success: ArrayLike, axis: int = -1) -> Floats:
    """Expected running time (ERT): cost of all runs, divided by the number of successes.

    `spent`: seconds or evaluations, up to the target for a success, up to the end of the run for a
    failure; finite and not negative. Shape without `axis`; `inf` if no run succeeded, NaN without
    runs.

    Source: J. J. Lian, "Time-Fair Benchmarking for Metaheuristics", 2025, equation (1); there, a
    failure costs T, which is the same for runs that use it up (docs/validation/papers-claims.md).

    >>> float(ert([3.0, 10.0, 5.0], [True, False, True]))
    9.0
    """
    cost, reached = check_pairs(spent, success)
    value = per_success(cost.sum(axis=axis), reached.sum(axis=axis))
    return value if cost.shape[axis] else np.full(value.shape, np.nan)


@dataclass(frozen=True)
class Interval:
    """An interval for each target; all arrays have the same shape. `heavy_tail`: whether all runs
    succeeded and their costs look heavy-tailed: the ERT then depends on a few runs, and the upper
    limit may be too low.
    """

    low: Floats
    high: Floats
    heavy_tail: NDArray[np.bool_]


def ert_interval(spent: ArrayLike, success: ArrayLike, *, confidence: float) -> Interval:
    """Confidence interval of the ERT, shape () or (targets,), for the uncertainty from the limited
    number of runs, of shape (R,) or (R, targets), as for `ert`.

    It is Student's interval on the log scale: ERT exp(-t c/sqrt(s)) and ERT exp(f t c/sqrt(s)),
    with s successes, the quantile t of Student's distribution with R - 1 degrees of freedom, and
    sqrt(R/(R - 1)) times the coefficient of variation c of the runtime with restarts. f is
    `widening` if all runs succeeded, and 1 otherwise. The upper limit is `inf` where Fieller's is:
    with too few successes to distinguish their rate from 0. Both are NaN ("n/a") for fewer than two
    runs. If no run succeeds, ``low`` is NaN and ``high`` is `inf`.

    Source: E. C. Fieller, Journal of the Royal Statistical Society B 16 (1954).
    """
    cost, reached = check_pairs(spent, success)
    check_confidence(confidence)
    runs, shape = cost.shape[0], cost.shape[1:]
    if runs < 2:
        return Interval(np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, False))
    successes = reached.sum(axis=0)
    quantile = stdtrit(runs - 1, (1.0 + confidence) / 2.0)
    mean = ert(cost, reached, axis=0)
    residuals = cost - np.where(np.isfinite(mean), mean, 0.0) * reached
    squares = (residuals**2).sum(axis=0) * runs / (runs - 1)
    error = np.zeros(mean.shape)
    costly = np.isfinite(mean) & (mean > 0)
    np.divide(np.sqrt(squares), cost.sum(axis=0), out=error, where=costly)
    bounded = successes * (runs - 1) > quantile**2 * (runs - successes)
    factor = np.where(successes == runs, widening(cost, confidence=confidence), 1.0)
    return Interval(
        np.where(successes > 0, mean * np.exp(-quantile * error), np.nan),
        np.where(bounded & (successes > 0), mean * np.exp(quantile * error * factor), np.inf),
        np.asarray((successes == runs) & heavy_tail(cost)),
    )


def check_pairs(spent: ArrayLike, success: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    cost = np.asarray(spent, dtype=np.float64)
    reached = np.asarray(success, dtype=np.bool_)
    if cost.ndim == 0 or cost.shape != reached.shape:
        raise ValueError(
            f"spent and success must be arrays of one shape, not {cost.shape} and {reached.shape}"
        )
    if not np.isfinite(cost).all() or (cost < 0).any():
        raise ValueError("spent must be finite and not negative: a failure costs its own end")
    return cost, reached


MOST_SUMS = 1 << 15  # pairs of failure sums above which a lattice replaces the list of all sums
CELLS = (1 << 15) - 1  # number of cells of a lattice
NEGLIGIBLE = 1e-17  # probability below which longer sequences of failures are neglected
SLACK = 1e-12  # relative difference of two runtimes that counts as rounding
NOTHING = 1e-150  # smaller costs count as zero, because their square would underflow


def restarted_cdf(spent: ArrayLike, success: ArrayLike, grid: ArrayLike) -> Estimate:
    """The probability F(b) that the runtime with restarts is at most b, shape (points,), from the
    costs and successes of runs, shape (R,); costs below 1e-150 count as 0. 0 if no run succeeded,
    also at ``b = inf``; NaN without runs.

    F(b) = 1/R (number of successes up to b + sum of F(b - t) over the failures). This equation is
    solved by listing all sums of failure costs if there are few. Otherwise, the failure costs are
    rounded to a lattice of `CELLS` cells, once down and once up, and F is between both results: the
    limits, which are equal if F is exact.

    Source: J. J. Lian, "Time-Fair Benchmarking for Metaheuristics", 2025, Definition 3; the limit
    of N. Hansen et al., COCO, Optimization Methods and Software 36 (2021).
    """
    cost, reached = check_pairs(spent, success)
    points = vector(grid, "grid")
    if cost.ndim != 1:
        raise ValueError(f"spent must have the shape (R,), not {cost.shape}")
    if not reached.any():
        never = np.full(points.shape, 0.0 if cost.size else np.nan)
        return Estimate(never, never, never)
    cost = np.where(cost < NOTHING, 0.0, cost)
    matters = reached | (cost > 0)  # failures that cost nothing change nothing
    runs = int(matters.sum())
    lengths, counts = np.unique(cost[matters & ~reached], return_counts=True)
    limit = float(points[np.isfinite(points)].max(initial=0.0)) * (1.0 + 2 * SLACK)
    within = lengths <= limit
    # A run that begins at x succeeds up to b if its own cost is at most b - x.
    latest = points[:, np.newaxis] * (1.0 + SLACK) - cost[reached]
    found = []
    for sums, begun in _waits(lengths[within], counts[within] / runs, limit):
        expected = begun[sums.searchsorted(latest, side="right")].sum(axis=1)
        found.append(np.where(np.isposinf(points), 1.0, np.minimum(expected / runs, 1.0)))
    low, high = np.minimum.reduce(found), np.maximum.reduce(found)
    return Estimate((low + high) / 2, low, high)


def _waits(lengths: Floats, chances: Floats, limit: float) -> list[tuple[Floats, Floats]]:
    """Possible sums of the costs of failures before a run, ascending, and the expected number of
    runs that begin before each sum, and of all runs: at the earliest and at the latest, or once if
    they are exact. From the different costs of failures up to a limit, and their probabilities.
    """
    if (listed := _listed(lengths, chances, limit)) is not None:
        return [listed]
    whole = bool((lengths == np.floor(lengths)).all())
    cell = max(np.ceil(limit / CELLS), 1.0) if whole else limit / CELLS
    lattice = np.linspace(0.0, cell * CELLS, CELLS + 1)
    down, up = np.floor(lengths / cell * (1 + SLACK)), np.ceil(lengths / cell * (1 - SLACK))
    steps = [down] if np.array_equal(down, up) else [down, up]
    return [(lattice, _runs_begun(each, chances)) for each in steps]


def _listed(lengths: Floats, chances: Floats, limit: float) -> tuple[Floats, Floats] | None:
    """All sums of failure costs up to a limit; None if there are too many to list. With Q the
    failures, 1 + Q + Q^2 + ... is the product of (1 + Q), (1 + Q^2), (1 + Q^4), ...
    """
    sums, chance = np.zeros(1), np.ones(1)
    more, rarer = lengths, chances
    while rarer.sum() > NEGLIGIBLE:
        if max(sums.size, more.size) * more.size > MOST_SUMS:
            return None
        longer = _sums(sums, chance, more, rarer)
        sums, chance = _different(np.append(sums, longer[0]), np.append(chance, longer[1]), limit)
        more, rarer = _different(*_sums(more, rarer, more, rarer), limit)
    return sums, np.concatenate([[0.0], np.cumsum(chance)])


def _sums(
    first: Floats, of_first: Floats, second: Floats, of_second: Floats
) -> tuple[Floats, Floats]:
    return np.add.outer(first, second).ravel(), np.multiply.outer(of_first, of_second).ravel()


def _different(values: Floats, chances: Floats, limit: float) -> tuple[Floats, Floats]:
    """The different values up to a limit, ascending, with the sums of their chances."""
    order = np.argsort(values, kind="stable")
    order = order[: np.searchsorted(values, limit, side="right", sorter=order)]
    values = values[order]
    new = np.ones(values.size, dtype=np.bool_)
    new[1:] = np.diff(values) > SLACK * values[1:]
    sums = np.bincount(np.cumsum(new) - 1, chances[order])
    return values[new], np.asarray(sums, dtype=np.float64)


def _runs_begun(steps: Floats, chances: Floats) -> Floats:
    """Expected number of runs that begin before each point of a lattice, if failures cost whole
    cells: the sums of the power series 1/(1 - Q).
    """
    kept = steps <= CELLS
    failed = np.bincount(steps[kept].astype(np.intp), chances[kept], minlength=1)
    series = np.append(1.0 - failed[0], -failed[1:])
    return np.append(0.0, np.cumsum(_reciprocal(series, CELLS + 1)))


def _reciprocal(series: Floats, size: int) -> Floats:
    """The first coefficients of 1/series, by Newton's iteration, each step with twice as many."""
    found = np.array([1.0 / series[0]])
    while found.size < size:
        count = min(2 * found.size, size)
        of_found = np.fft.rfft(found, 2 * count)
        product = np.fft.irfft(np.fft.rfft(series[:count], 2 * count) * of_found)[:count]
        product[: found.size] = 0.0  # they are those of 1
        more = np.fft.irfft(np.fft.rfft(product, 2 * count) * of_found)[:count]
        found = np.pad(found, (0, count - found.size)) - more
    return found
