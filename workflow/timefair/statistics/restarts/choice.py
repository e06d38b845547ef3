"""Choice of a restart policy, and its gain on data that were not used for the choice.

On the data that chose it, the gain of the best policy is biased upwards. Therefore the policy is
chosen on some functions or runs, and judged on the others.

A gain is the logarithm of the factor by which a policy is faster than the measured one. Gains are
arrays of shape (functions, options). NaN: the result of the option on that function is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from timefair.statistics.checks import check_confidence


def best_option(gain: ArrayLike) -> NDArray[np.intp]:
    """The option with the largest mean gain, among the options that are known on all functions.

    - `gain`, shape (..., functions, options): Gains, for any number of samples.

    Returns, shape (...): Index of the option, the first one if several are equal; -1 if no option
    is known on all functions, or if there are no functions.
    """
    values = np.asarray(gain, dtype=np.float64)
    if not values.shape[-1] or not values.shape[-2]:
        return np.full(values.shape[:-2], -1, dtype=np.intp)
    mean = values.mean(axis=-2)
    known = np.where(np.isnan(mean), -np.inf, mean)
    return np.where(np.isfinite(known).any(axis=-1), known.argmax(axis=-1), -1).astype(np.intp)


@dataclass(frozen=True)
class CrossValidated:
    """Gain of a choice on functions that were not used for it.

    - `gain`: Mean logarithm of the factor; NaN with fewer than two functions.
    - `low`, `high`: Student's interval over the functions, for functions like these; NaN if `gain`
      is.
    """

    gain: float
    low: float
    high: float


def over_functions(gain: ArrayLike, *, confidence: float) -> CrossValidated:
    """Gain on each function of the option that is best on all other functions.

    - `gain`, shape (functions, options): Finite or NaN. If no option is known on all other
      functions, the gain is 0, because the measured policy is kept.
    - `confidence`: In (0, 1).
    """
    check_confidence(confidence)
    values = np.asarray(gain, dtype=np.float64)
    functions = len(values)
    if functions < 2:
        return CrossValidated(np.nan, np.nan, np.nan)
    held_out = np.zeros(functions)
    for k in range(functions):
        chosen = int(best_option(np.delete(values, k, axis=0)))
        if chosen >= 0 and not np.isnan(values[k, chosen]):
            held_out[k] = values[k, chosen]
    mean = float(held_out.mean())
    error = float(held_out.std(ddof=1) / np.sqrt(functions))
    reach = float(stdtrit(functions - 1, (1.0 + confidence) / 2.0)) * error
    return CrossValidated(mean, mean - reach, mean + reach)


def over_runs(chosen_on: ArrayLike, judged_on: ArrayLike) -> float:
    """Mean gain on some runs of the option that is best on the other runs.

    - `chosen_on`, `judged_on`, shape (folds, functions, options): Gains from all runs except those
      of each fold, and from the runs of each fold alone. The latter may be infinite.

    Returns: Mean over the folds and the functions; NaN if no fold has both gains.
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
    """Interval of the value of the best option, from bootstrap samples of runs.

    - `gains`, shape (samples, functions, options): Gains of each bootstrap sample of runs.
    - `values`, shape (options,): Value of each option, such as its cutoff.
    - `confidence`: In (0, 1).

    Returns: Percentiles of the values of the best options; NaN if no sample has a best option.
    """
    check_confidence(confidence)
    chosen = best_option(gains)
    best = np.asarray(values, dtype=np.float64)[chosen[chosen >= 0]]
    if not best.size:
        return float("nan"), float("nan")
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(best, [tail, 1.0 - tail], method="inverted_cdf")
    return float(low), float(high)


def deleted_groups(strata: ArrayLike, most: int) -> NDArray[np.float64]:
    """Weights of the runs in samples from each of which one group of runs is deleted.

    - `strata`, shape (runs,): The stratum of each run; the runs of a stratum are distributed over
      the groups.
    - `most`: Largest number of groups.

    Returns, shape (groups, runs): 0 for the runs of the deleted group, and 1 for all others.
    """
    of_runs = np.asarray(strata)
    groups = min(most, of_runs.size)
    order = np.argsort(of_runs, kind="stable")
    group = np.empty(of_runs.size, dtype=np.intp)
    group[order] = np.arange(of_runs.size) % max(groups, 1)
    return np.asarray(group != np.arange(groups)[:, np.newaxis], dtype=np.float64)


def jackknifed(
    value: ArrayLike, without: ArrayLike, *, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits of a positive number by the delete-group jackknife of its logarithm.

    - `value`: The number, computed from all runs; may be infinite.
    - `without`, shape (groups, ...): The number, computed from all runs except those of each group.
    - `confidence`: In (0, 1).

    Returns low, high: Student's limits with groups - 1 degrees of freedom. `high` is infinite if
    the number is infinite without one of the groups. Both are NaN for fewer than two groups, and if
    the number from all runs is not finite.

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


def resampled_runs(
    strata: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Number of times that each run is drawn in each of several bootstrap samples.

    Runs are drawn within their strata. If any stratum has a single run, all runs are treated as one
    stratum.

    Returns, shape (resamples, runs): Whole numbers.
    """
    _, stratum, sizes = np.unique(np.asarray(strata), return_inverse=True, return_counts=True)
    if sizes.size and sizes.min() < 2:
        stratum = np.zeros_like(stratum)
    weights = np.zeros((resamples, stratum.size))
    for k in range(stratum.max(initial=-1) + 1):
        mine = np.flatnonzero(stratum == k)
        weights[:, mine] = rng.multinomial(mine.size, np.full(mine.size, 1 / mine.size), resamples)
    return weights
