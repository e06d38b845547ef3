"""Expected running time (ERT) to a target, with its uncertainty, also where the tail is heavy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtrit

from timefair.statistics.checks import Floats, check_confidence

LOG_SPREAD = 1.5  # deviation of the logarithms above which a lognormal sample has a heavy tail
NORMALITY_LEVEL = 0.05  # level of the test that the logarithms are normal
FEWEST_RUNS = 5  # least number of runs for which that test is defined
EXCESS_ERRORS = 0.5  # excess of the skewness that counts, in its standard errors of a normal sample
WIDEST = 2.5  # upper limit of the factor for a lognormal tail


def heavy_tail(costs: ArrayLike) -> NDArray[np.bool_]:
    """Whether a sample looks lognormal with so large a spread that its mean is hardly known.

    - `costs`, shape (R,) or (R, targets): Cost of each run to reach the target. All runs are
      successful. Not negative.

    Returns, shape () or (targets,): True if the standard deviation of the logarithms exceeds
    `LOG_SPREAD` and the Shapiro-Francia test does not reject their normality at `NORMALITY_LEVEL`.
    False for fewer than `FEWEST_RUNS` runs, if a cost is 0, and if all costs are equal. Raises
    ValueError if `costs` is neither a vector nor a matrix, or a cost is negative or not finite.

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
    return np.asarray(wide & (_normality(fit, runs) >= NORMALITY_LEVEL))


def _normality(fit: Floats, runs: int) -> Floats:
    """p-value of Shapiro and Francia's statistic, by Royston's approximation."""
    size = np.log(runs)
    middle = -1.2725 + 1.0521 * (np.log(size) - size)
    spread = 1.0308 - 0.26758 * (np.log(size) + 2.0 / size)
    with np.errstate(divide="ignore"):
        return np.asarray(ndtr((middle - np.log1p(-fit)) / spread))


def widening(costs: ArrayLike, *, confidence: float) -> Floats:
    """Factor for the upper half of the log interval of a mean, where the tail is heavy.

    - `costs`, shape (R,) or (R, targets): A sample of at least two runs, not negative.

    Returns, shape () or (targets,): At least 1; exactly 1 if the sample has no heavy tail and no
    more skewness than the log scale accounts for. The upper limit is the mean times
    exp(factor t c/sqrt(R)), with Student's quantile t and the coefficient of variation c.

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

    - `spent`: Cost of each run in seconds or evaluations: up to the target for a success, up to the
      end of the run for a failure. Finite and not negative.
    - `success`: Whether the run reached the target; same shape.

    Returns: The shape and unit of `spent`, without `axis`. `inf` if no run succeeded, NaN if there
    are no runs.

    Source: J. J. Lian, "Time-Fair Benchmarking for Metaheuristics", 2025, equation (1); there, a
    failure costs T, which is the same for runs that use it up (docs/validation/papers-claims.md).

    >>> float(ert([3.0, 10.0, 5.0], [True, False, True]))
    9.0
    """
    cost, reached = check_pairs(spent, success)
    successes = reached.sum(axis=axis)
    total = cost.sum(axis=axis)
    empty = np.nan if cost.shape[axis] == 0 else np.inf
    value = np.full(np.shape(total), empty)
    np.divide(total, successes, out=value, where=successes > 0)
    return value


def success_rate(success: ArrayLike, axis: int = -1) -> Floats:
    """Share of the runs that reached the target, in [0, 1]; NaN if there are no runs."""
    reached = np.asarray(success, dtype=np.bool_)
    if reached.shape[axis] == 0:
        return np.full(np.delete(reached.shape, axis), np.nan)
    return np.asarray(reached.mean(axis=axis))


@dataclass(frozen=True)
class Interval:
    """An interval for each target; all arrays have the same shape.

    `heavy_tail`: Whether all runs succeeded and their costs look heavy-tailed (`heavy_tail`): the
    ERT then depends on a few runs, and the upper limit may be too low.
    """

    low: Floats
    high: Floats
    heavy_tail: NDArray[np.bool_]


def ert_interval(spent: ArrayLike, success: ArrayLike, *, confidence: float) -> Interval:
    """Confidence interval of the ERT, for the uncertainty from the limited number of runs.

    - `spent`, `success`, shape (R,) or (R, targets): As for `ert`.

    Returns: Limits in the unit of `spent`, shape () or (targets,). ``high`` is `inf` if there are
    too few successes to distinguish their rate from 0. Both limits are NaN ("n/a") for fewer than
    two runs. If no run succeeds, ``low`` is NaN and ``high`` is `inf`.

    It is Student's interval on the log scale: ERT exp(-t c/sqrt(s)) and ERT exp(f t c/sqrt(s)),
    with s successes, the quantile t of Student's distribution with R - 1 degrees of freedom, and
    sqrt(R/(R - 1)) times the coefficient of variation c of the runtime with restarts. f is
    `widening` if all runs succeeded, and 1 otherwise. The upper limit is `inf` where Fieller's is.

    Source: E. C. Fieller, Journal of the Royal Statistical Society B 16 (1954).
    """
    cost, reached = check_pairs(spent, success)
    check_confidence(confidence)
    runs, shape = cost.shape[0], cost.shape[1:]
    if runs < 2:
        return Interval(np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, False))
    low, high = _log_limits(cost, reached, confidence)
    some = reached.any(axis=0)
    return Interval(
        np.where(some, low, np.nan),
        np.where(some, high, np.inf),
        np.asarray(reached.all(axis=0) & heavy_tail(cost)),
    )


def _log_limits(
    cost: Floats, reached: NDArray[np.bool_], confidence: float
) -> tuple[Floats, Floats]:
    runs, successes = cost.shape[0], reached.sum(axis=0)
    quantile = stdtrit(runs - 1, (1.0 + confidence) / 2.0)
    mean = ert(cost, reached, axis=0)
    squares = (residuals(cost, reached, axis=0) ** 2).sum(axis=0) * runs / (runs - 1)
    error = np.zeros(mean.shape)
    costly = np.isfinite(mean) & (mean > 0)
    np.divide(np.sqrt(squares), cost.sum(axis=0), out=error, where=costly)
    bounded = successes * (runs - 1) > quantile**2 * (runs - successes)
    factor = np.where(successes == runs, widening(cost, confidence=confidence), 1.0)
    low, high = mean * np.exp(-quantile * error), mean * np.exp(quantile * error * factor)
    return low, np.where(bounded, high, np.inf)


def residuals(cost: Floats, reached: NDArray[np.bool_], axis: int) -> Floats:
    """Cost of each run, minus the ERT if the run succeeded; the sum is 0.

    If no run succeeded, the costs themselves.
    """
    mean = ert(cost, reached, axis=axis)
    return np.asarray(cost - np.expand_dims(np.where(np.isfinite(mean), mean, 0.0), axis) * reached)


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
