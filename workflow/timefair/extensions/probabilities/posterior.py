"""How probable it is that an algorithm is better, and better by a factor that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.ert import check_pairs


class Practical(NamedTuple):
    """Three probabilities with the sum 1, or NaN where nothing is known.

    `better`: the first algorithm is better by more than what matters; `worse`: the second is.
    """

    better: float
    equal: float
    worse: float


UNKNOWN = Practical(np.nan, np.nan, np.nan)


def compared(first: ArrayLike, second: ArrayLike, ratio: float) -> Practical:
    """Compare draws of the ERTs of two algorithms, shape (draws,); two of `inf` are equal.

    `ratio` is the largest ratio of costs that does not matter, at least 1; ValueError below.
    """
    check_ratio(ratio)
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    better, worse = float(np.mean(ratio * a < b)), float(np.mean(ratio * b < a))
    return Practical(better, 1.0 - better - worse, worse)


def check_ratio(ratio: float) -> None:
    """Raise ValueError unless a ratio that matters is at least 1 and finite."""
    if not 1.0 <= ratio < np.inf:
        raise ValueError(f"ratio must be at least 1 and finite, not {ratio}")


PRIOR_FUNCTIONS = 0.5
"""Weight of the prior, as a number of functions without a difference."""


def signed_rank(
    first: ArrayLike, second: ArrayLike, ratio: float, *, draws: int, rng: np.random.Generator
) -> Practical:
    """Whether the first of two algorithms is better, practically equal or worse over functions.

    - `first`, `second`, (functions,): Costs on the same functions. Two costs of `inf` are equal.
      ValueError if one is NaN or negative.
    - `ratio`: The largest ratio of costs that does not matter, at least 1.

    Returns: The posterior probability that each case is the most frequent one among the averages of
    two log ratios. NaN without functions.

    Source: A. Benavoli, G. Corani, J. Demšar and M. Zaffalon, Time for a change: a tutorial for
    comparing multiple classifiers through Bayesian analysis, Journal of Machine Learning Research
    18 (2017), section 4.2; as ``SignedRankTest`` of its package baycomp.
    """
    check_ratio(ratio)
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    gain = _log_ratios(first, second)
    if not gain.size:
        return UNKNOWN
    gain = np.append(gain, 0.0)
    with np.errstate(invalid="ignore"):
        sums = gain[:, np.newaxis] + gain
    sums[np.isnan(sums)] = 0.0  # +inf and -inf
    mass = np.ones(gain.size)
    mass[-1] = PRIOR_FUNCTIONS
    weights = rng.dirichlet(mass, size=draws)
    limit = 2 * np.log(ratio)
    above, below = (
        ((weights @ _heaviside(signed - limit)) * weights).sum(axis=1) for signed in (sums, -sums)
    )
    ahead = above - below
    ahead[np.isclose(above, below)] = 0.0
    equal = np.maximum(above, below) <= 1.0 - above - below
    better = np.heaviside(ahead, 0.5)[~equal].sum() / draws
    return Practical(float(better), float(equal.mean()), float(1.0 - better - equal.mean()))


def median_ratio(first: ArrayLike, second: ArrayLike) -> float:
    """Median over at least one function of the second cost divided by the first, from 0 to `inf`.

    It is computed on a logarithmic scale, so that the exchange of both gives the reciprocal; 1 if
    the log ratios in the middle are infinite in opposite directions.
    """
    gain = np.sort(_log_ratios(first, second))
    low, high = gain[(gain.size - 1) // 2], gain[gain.size // 2]
    return 1.0 if low == -high else float(np.exp((low + high) / 2))


def _log_ratios(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Log of how many times as much the second costs on each function; 0 for equal costs."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"costs must be vectors of one length, not {a.shape} and {b.shape}")
    if not ((a >= 0) & (b >= 0)).all():
        raise ValueError("costs must be numbers that are not negative")
    with np.errstate(divide="ignore"):
        return np.asarray(np.subtract(np.log(b), np.log(a), out=np.zeros(a.size), where=a != b))


def _heaviside(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.heaviside(values, 0.5)


CHAINS = 25
"""Chains of the Gibbs sampler, from independent starts."""
BURN_IN = 100
"""Sweeps of each chain that are discarded."""
THINNING = 5
"""Sweeps from one draw of a chain to its next."""


@dataclass(frozen=True)
class _Choices:
    """Rankings as the choices that make them up: arrays of shape (functions, algorithms).

    - `order`, `place`: The algorithms, the best first; where each is in this order.
    - `rivals_from`, `rivals_to`: Of each place, the first and the last place that are equal to it.
    - `made`: Whether there is a choice at a place.
    """

    order: NDArray[np.intp]
    place: NDArray[np.intp]
    rivals_from: NDArray[np.intp]
    rivals_to: NDArray[np.intp]
    made: NDArray[np.bool_]

    @classmethod
    def of(cls, costs: NDArray[np.float64]) -> _Choices:
        order = np.argsort(costs, axis=1, kind="stable")
        ranked = np.take_along_axis(costs, order, axis=1)
        places = np.arange(costs.shape[1])
        new = np.ones(ranked.shape, dtype=np.bool_)
        new[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
        last = np.ones(ranked.shape, dtype=np.bool_)
        last[:, :-1] = new[:, 1:]
        first = np.maximum.accumulate(np.where(new, places, 0), axis=1)
        end = np.minimum.accumulate(np.where(last, places, places.size)[:, ::-1], axis=1)[:, ::-1]
        made = np.isfinite(ranked) & (first < places.size - 1)
        return cls(order, np.argsort(order, axis=1), first, end, made)

    def won(self) -> NDArray[np.float64]:
        """The number of choices that each algorithm wins."""
        of_algorithm = np.take_along_axis(self.made, self.place, axis=1)
        return np.asarray(of_algorithm.sum(axis=0), dtype=np.float64)

    def exposure(
        self, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Total time of the choices in which each algorithm takes part, drawn given the weights,
        both (chains, algorithms).
        """
        function = np.arange(len(self.order))[:, np.newaxis]
        left = weights[:, self.order][..., ::-1].cumsum(axis=-1)[..., ::-1]
        rates = left[:, function, self.rivals_from]
        times = rng.standard_exponential(rates.shape) / rates * self.made
        until = np.take_along_axis(self.rivals_to, self.place, axis=1)
        return np.asarray(times.cumsum(axis=-1)[:, function, until].sum(axis=1))


def weight_draws(costs: ArrayLike, *, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draws from the posterior of the weights of the Plackett-Luce model, (draws, algorithms).

    - `costs`, (functions, algorithms): Smaller is better. Among several `inf`, which are last, no
      choice is made; other ties are treated by Breslow's method. ValueError for NaN.

    The weights, of sum 1, are the probabilities to be first on a function; without functions, they
    come from the uniform prior.

    Source: J. Rojas-Delgado, J. Ceberio, B. Calvo and J. A. Lozano, Bayesian performance analysis
    for algorithm ranking comparison, IEEE Transactions on Evolutionary Computation 26 (2022). F.
    Caron and A. Doucet, Efficient Bayesian inference for generalized Bradley-Terry models, Journal
    of Computational and Graphical Statistics 21 (2012), for the sampler.
    """
    values = np.asarray(costs, dtype=np.float64)
    if values.ndim != 2 or np.isnan(values).any():
        raise ValueError(f"costs must be a matrix without NaN, not of the shape {values.shape}")
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    choices = _Choices.of(values)
    shape = 1.0 + choices.won()
    chains = min(CHAINS, draws)
    weights = rng.standard_exponential((chains, shape.size))
    kept: list[NDArray[np.float64]] = []
    for sweep in range(1, BURN_IN + THINNING * -(-draws // chains) + 1):
        rate = 1.0 + choices.exposure(weights, rng)
        weights = rng.standard_gamma(shape, size=weights.shape) / rate
        if sweep > BURN_IN and (sweep - BURN_IN) % THINNING == 0:
            kept.append(weights / weights.sum(axis=1, keepdims=True))
    return np.asarray(np.concatenate(kept)[:draws])


def probability_of_largest(weights: ArrayLike) -> NDArray[np.float64]:
    """Share of the draws, (draws, algorithms), in which each weight is the largest."""
    values = np.asarray(weights, dtype=np.float64)
    largest = np.argmax(values, axis=1)
    return np.asarray(np.bincount(largest, minlength=values.shape[1]) / len(values))


def ert_draws(
    spent: ArrayLike, success: ArrayLike, *, draws: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draws from the posterior distribution of the ERT of one algorithm, (draws, ...).

    - `spent`, `success`, (runs, ...): As for `timefair.statistics.ert.ert`, with its ValueErrors.

    NaN for fewer than two runs. Without a success, the algorithm gets one additional run, which
    reaches the target at the mean cost of the others. If all runs succeed at the same cost, every
    draw is exactly this cost.

    Source: D. B. Rubin, The Bayesian bootstrap, Annals of Statistics 9 (1981).
    """
    cost, reached = check_pairs(spent, success)
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    if len(cost) < 2:
        return np.full((draws, *cost.shape[1:]), np.nan)
    weights = rng.standard_exponential((draws, len(cost)))
    further = rng.standard_exponential((draws, *[1] * (cost.ndim - 1)))
    further = further * ~reached.any(axis=0)
    least = cost.min(axis=0)
    beyond = np.tensordot(weights, cost - least, axes=1) + further * (cost.mean(axis=0) - least)
    tries = np.tensordot(weights, np.ones_like(cost), axes=1) + further
    successes = np.tensordot(weights, reached.astype(np.float64), axes=1) + further
    return np.asarray(least * (tries / successes) + beyond / successes)


def probability_of_best(costs: ArrayLike) -> NDArray[np.float64]:
    """Share of the draws, (draws, algorithms), in which each cost is the lowest; ties share it."""
    values = np.asarray(costs, dtype=np.float64)
    first = values == values.min(axis=1, keepdims=True)
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0))


def probability_of_near_best(costs: ArrayLike, ratio: float) -> NDArray[np.float64]:
    """Share of the draws in which each cost is at most `ratio` times the lowest."""
    values = np.asarray(costs, dtype=np.float64)
    return np.asarray((values <= ratio * values.min(axis=1, keepdims=True)).mean(axis=0))


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

    - `costs`: Of `ert_draws`, (draws, algorithms), positive and finite.
    - `runs`, `successes`: Of each algorithm, at least 2 runs.
    """

    costs: NDArray[np.float64]
    runs: NDArray[np.intp]
    successes: NDArray[np.intp]


def informed_by_the_field(
    functions: Sequence[OnFunction], *, rng: np.random.Generator
) -> list[NDArray[np.float64]]:
    """Combine the draws of costs with the costs of all algorithms on all functions (shrinkage).

    The functions have equal numbers of draws; their algorithms may differ. Returns draws from the
    joint posterior distribution of the costs on each, (draws, algorithms).

    The variance of each log cost is widened to that of the population, and averaged with the usual
    one of the field. Then the draws are resampled by a model with two levels, in which the log
    costs on a function are normal around its centre, with the same spread on all functions.
    Failures alone bound a cost from below. docs/validation/probabilities.md has the reasons.

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
