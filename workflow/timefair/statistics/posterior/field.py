"""A hierarchical model of the costs of all algorithms of a field on all functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SPREADS = np.geomspace(0.05, 10.0, 40)
"""Standard deviations of the log costs of a field that are equally probable beforehand."""
FIELDS = 50
"""Draws of the spread and of the centres; as many draws of the costs share each of them."""
LEVELS = 100
"""Quantiles that stand for the draws of a cost from the runs."""
NEGLIGIBLE = 1e-20
"""Variance of a log cost below which draws differ by the rounding of the arithmetic alone."""


POOLED_RUNS = 4
"""Weight of the average spread of the field, in runs, compared with an algorithm's own runs."""


@dataclass(frozen=True)
class OnFunction:
    """Draws of the costs on one function; those of each algorithm come from its own runs.

    - `costs`: Shape (draws, algorithms), positive and finite, as of `bootstrap.ert_draws`.
    - `runs`, `successes`: Number of runs of each algorithm, at least 2, and number of these runs
      that reached the target; shape (algorithms,).
    """

    costs: NDArray[np.float64]
    runs: NDArray[np.intp]
    successes: NDArray[np.intp]


def informed_by_the_field(
    functions: Sequence[OnFunction], *, rng: np.random.Generator
) -> list[NDArray[np.float64]]:
    """Combine the draws of costs with the costs of all algorithms on all functions (shrinkage).

    - `functions`: One item per function, with equal numbers of draws; the algorithms may differ.
    - `rng`: Source of the draws.

    Returns, shape (draws, algorithms): Draws from the joint posterior distribution of the costs:
    one row is one draw.

    With few runs, there are two errors: the draws of the bootstrap vary too little, and among many
    comparisons, the most extreme results are partly due to chance. The model corrects both. If the
    algorithms differ much more than their runs, it changes almost nothing.

    *Width.* The variance of the log cost is multiplied by (R + 1)/(R - 1), because the bootstrap
    has the variance of the sample instead of the population. It is then averaged, with the weights
    R - 1 and `POOLED_RUNS`, with the typical variance in the field for this number of successes
    (Smyth 2004). Algorithms without a success keep their variance. If all runs of an algorithm cost
    the same, its draws do not vary, and are replaced by normal draws with the averaged variance.

    *Location.* The model has two levels: on each function, the log costs of the algorithms are
    normal around the centre of the function, with a spread that is the same on all functions. The
    centre has a flat prior; the spread is one of `SPREADS`, with equal prior probabilities. To
    estimate both, the draws are treated as normal. Then the draws are resampled, with the density
    of the model as weight.

    *Without a success.* Failures give only a lower bound of the cost. The draws of an algorithm
    without a success therefore have their cost as an additional weight. This leaves the likelihood
    of its failures times a flat prior of the log cost; the model determines the rest. Such an
    algorithm does not contribute to the estimates of the spread and the centre.

    Source: A. Gelman et al., Bayesian Data Analysis, 3rd edition, 2013, sections 5.4 and 10.4. G.
    K. Smyth, Linear models and empirical Bayes methods, Statistical Applications in Genetics and
    Molecular Biology 3 (2004).
    """
    logs = _widened(functions, rng)
    normal = [
        (x[:, one.successes > 0].mean(axis=0), x[:, one.successes > 0].var(axis=0))
        for x, one in zip(logs, functions, strict=True)
    ]
    evidence = np.sum([_log_evidence(*one) for one in normal if one[0].size > 1], axis=0)
    weights = np.broadcast_to(np.exp(evidence - np.max(evidence)), SPREADS.shape)
    spreads = rng.choice(SPREADS, size=FIELDS, p=weights / weights.sum())
    return [
        np.exp(_redrawn(x, one.successes == 0, spreads, *of, rng) if of[0].size else x)
        for x, one, of in zip(logs, functions, normal, strict=True)
    ]


def _widened(
    functions: Sequence[OnFunction], rng: np.random.Generator
) -> list[NDArray[np.float64]]:
    """Logs of the costs on each function, with the variance that so few runs have."""
    logs = [np.log(one.costs) for one in functions]
    found = [_variance(x) for x in logs]
    unbiased = [
        variance * (one.runs + 1) / (one.runs - 1)
        for variance, one in zip(found, functions, strict=True)
    ]
    per_success = [
        (variance * one.successes)[one.successes > 0]
        for variance, one in zip(unbiased, functions, strict=True)
    ]
    known = np.concatenate([np.empty(0), *per_success])
    usual = float(known.mean()) if known.size else 0.0
    widened = []
    for x, variance, own, one in zip(logs, found, unbiased, functions, strict=True):
        of_field = usual / np.maximum(one.successes, 1)
        pooled = (POOLED_RUNS * of_field + (one.runs - 1) * own) / (POOLED_RUNS + one.runs - 1)
        wanted = np.where(one.successes > 0, pooled, variance)
        centre = x.mean(axis=0)
        alike = variance == 0
        factor = np.sqrt(np.divide(wanted, variance, out=np.ones_like(wanted), where=~alike))
        away = (x - centre) * factor
        normal = rng.standard_normal((len(x), np.count_nonzero(alike)))
        away[:, alike] = normal * np.sqrt(wanted[alike])
        widened.append(centre + away)
    return widened


def _variance(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the log cost of each algorithm; 0 if it is `NEGLIGIBLE`."""
    variance = logs.var(axis=0)
    return np.where(variance < NEGLIGIBLE, 0.0, variance)


def _centre(
    mean: NDArray[np.float64], variance: NDArray[np.float64], spreads: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Variances of shape (spreads, algorithms) around the centre, the centre, its precision."""
    total = spreads[:, np.newaxis] ** 2 + variance
    precision = (1 / total).sum(axis=1)
    return total, (mean / total).sum(axis=1) / precision, precision


def _log_evidence(mean: NDArray[np.float64], variance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log density of the means on a function at each of `SPREADS`, without its constant."""
    total, centre, precision = _centre(mean, variance, SPREADS)
    squares = ((mean - centre[:, np.newaxis]) ** 2 / total).sum(axis=1)
    return np.asarray(-0.5 * (np.log(total).sum(axis=1) + np.log(precision) + squares))


def _redrawn(
    logs: NDArray[np.float64],
    bounded: NDArray[np.bool_],
    spreads: NDArray[np.float64],
    mean: NDArray[np.float64],
    variance: NDArray[np.float64],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Draws of the log costs on a function, weighted by the density of the field.

    `bounded` are algorithms whose costs are known from below only.
    """
    draws, algorithms = logs.shape
    _, centre, precision = _centre(mean, variance, spreads)
    centre = centre + rng.standard_normal(FIELDS) / np.sqrt(precision)
    levels = np.quantile(logs, (np.arange(LEVELS) + 0.5) / LEVELS, axis=0)
    away = (levels - centre[:, np.newaxis, np.newaxis]) / spreads[:, np.newaxis, np.newaxis]
    density = -0.5 * away**2 + np.where(bounded, levels, 0.0)
    chance = np.exp(density - density.max(axis=1, keepdims=True)).cumsum(axis=1)
    chance /= chance[:, -1:]
    per_field = -(-draws // FIELDS)
    drawn = rng.random((FIELDS, per_field, 1, algorithms))
    level = (chance[:, np.newaxis] < drawn).sum(axis=2)
    redrawn = np.take_along_axis(levels, level.reshape(-1, algorithms), axis=0)
    return np.asarray(redrawn[:draws])
