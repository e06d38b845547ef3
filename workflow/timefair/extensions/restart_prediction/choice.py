"""The choice of a restart policy, judged where it was not made, and limits of its gain."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from timefair.statistics.checks import check_confidence

Array = NDArray[np.float64]


def best_option(gain: ArrayLike) -> NDArray[np.intp]:
    """Index of the option with the largest mean gain; the first one if several are equal.

    - `gain`, shape (..., functions, options): For any number of samples.

    Returns, shape (...): -1 if no option is known on all functions, or if there are none of these.
    """
    values = np.asarray(gain, dtype=np.float64)
    if not values.shape[-1] or not values.shape[-2]:
        return np.full(values.shape[:-2], -1, dtype=np.intp)
    mean = values.mean(axis=-2)
    known = np.where(np.isnan(mean), -np.inf, mean)
    return np.where(np.isfinite(known).any(axis=-1), known.argmax(axis=-1), -1).astype(np.intp)


def over_functions(gain: ArrayLike, *, confidence: float) -> tuple[float, float, float]:
    """Mean gain on each function of the option that is best on all other functions, with limits.

    - `gain`, shape (functions, options): Logarithms of factors, or NaN. If no option is known on
      all other functions, the gain is 0, because the measured policy is kept.

    Returns the gain and Student's interval, for functions like these; NaN with fewer than two.
    """
    check_confidence(confidence)
    values = np.asarray(gain, dtype=np.float64)
    functions = len(values)
    if functions < 2:
        return np.nan, np.nan, np.nan
    held_out = np.zeros(functions)
    for k in range(functions):
        chosen = int(best_option(np.delete(values, k, axis=0)))
        if chosen >= 0 and not np.isnan(values[k, chosen]):
            held_out[k] = values[k, chosen]
    mean = float(held_out.mean())
    error = float(held_out.std(ddof=1) / np.sqrt(functions))
    reach = float(stdtrit(functions - 1, (1.0 + confidence) / 2.0)) * error
    return mean, mean - reach, mean + reach


def over_runs(chosen_on: ArrayLike, judged_on: ArrayLike) -> float:
    """Mean gain on some runs of the option that is best on the other runs.

    - `chosen_on`, `judged_on`, shape (folds, functions, options): Gains from all runs except those
      of each fold, and from these alone. The latter may be infinite.

    Returns: Mean over folds and functions of finite gains; NaN without any.
    """
    first, second = np.asarray(chosen_on, np.float64), np.asarray(judged_on, np.float64)
    if not first.size:
        return float("nan")
    chosen = best_option(first)
    judged = np.take_along_axis(second, np.maximum(chosen, 0)[:, np.newaxis, np.newaxis], axis=2)
    found = judged[chosen >= 0]
    found = found[np.isfinite(found)]
    return float(found.mean()) if found.size else float("nan")


def interval_of_choice(
    gains: ArrayLike, values: ArrayLike, *, confidence: float
) -> tuple[float, float]:
    """Percentiles of the value of the best option over bootstrap samples of runs.

    - `gains`, shape (samples, functions, options).
    - `values`, shape (options,): Value of each option, such as its cutoff.

    Returns: NaN if no sample has a best option.
    """
    check_confidence(confidence)
    chosen = best_option(gains)
    best = np.asarray(values, dtype=np.float64)[chosen[chosen >= 0]]
    if not best.size:
        return float("nan"), float("nan")
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(best, [tail, 1.0 - tail], method="inverted_cdf")
    return float(low), float(high)


def deleted_groups(strata: ArrayLike, most: int) -> Array:
    """Weights of the runs in samples from each of which one group of runs is deleted.

    - `strata`, shape (runs,): The stratum of each run; those of a stratum are distributed over the
      groups, of which there are at most `most`.

    Returns, shape (groups, runs): 0 for the runs of the deleted group, and 1 for all others.
    """
    of_runs = np.asarray(strata)
    groups = min(most, of_runs.size)
    order = np.argsort(of_runs, kind="stable")
    group = np.empty(of_runs.size, dtype=np.intp)
    group[order] = np.arange(of_runs.size) % max(groups, 1)
    return np.asarray(group != np.arange(groups)[:, np.newaxis], dtype=np.float64)


def jackknifed(value: ArrayLike, without: ArrayLike, *, confidence: float) -> tuple[Array, Array]:
    """Limits of a positive number by the delete-group jackknife of its logarithm: low, high.

    - `value`: The number, from all runs; may be infinite.
    - `without`, shape (groups, ...): The same without each group of runs.

    `high` is infinite if the number is without one of the groups. Both are NaN for fewer than two
    groups, and if the number is not finite.

    Source: J. Shao and D. Tu, The Jackknife and Bootstrap, 1995, section 2.3.
    """
    check_confidence(confidence)
    number, parts = np.asarray(value, np.float64), np.asarray(without, np.float64)
    groups = len(parts)
    if groups < 2:
        return np.full(number.shape, np.nan), np.full(number.shape, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(parts)
        finite = np.isfinite(logs)
        count = np.maximum(finite.sum(axis=0), 1)
        mean = np.where(finite, logs, 0.0).sum(axis=0) / count
        squares = np.where(finite, (logs - mean) ** 2, 0.0).sum(axis=0)
        reach = stdtrit(groups - 1, (1.0 + confidence) / 2.0) * np.sqrt(
            (groups - 1) / count * squares
        )
        low, high = number * np.exp(-reach), number * np.exp(reach)
    high = np.where(np.isposinf(parts).any(axis=0), np.inf, high)
    known = np.isfinite(number)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def resampled_runs(strata: ArrayLike, *, resamples: int, rng: np.random.Generator) -> Array:
    """Number of times that each run is drawn in each bootstrap sample; shape (resamples, runs).

    Runs are drawn within their strata; if any of these has a single run, from all runs.
    """
    _, stratum, sizes = np.unique(np.asarray(strata), return_inverse=True, return_counts=True)
    if sizes.size and sizes.min() < 2:
        stratum = np.zeros_like(stratum)
    weights = np.zeros((resamples, stratum.size))
    for k in range(stratum.max(initial=-1) + 1):
        mine = np.flatnonzero(stratum == k)
        weights[:, mine] = rng.multinomial(mine.size, np.full(mine.size, 1 / mine.size), resamples)
    return weights
