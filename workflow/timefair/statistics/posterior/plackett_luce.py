"""The Plackett-Luce model of rankings: which algorithm is the best over functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

CHAINS = 25
"""Chains of the Gibbs sampler, from independent starts."""
BURN_IN = 100
"""Sweeps of each chain that are discarded."""
THINNING = 5
"""Sweeps from one draw of a chain to its next."""


@dataclass(frozen=True)
class _Choices:
    """Rankings as the choices that make them up: arrays of shape (functions, algorithms).

    - `order`: The algorithms of each function, the best first.
    - `place`: Where each algorithm is in `order`.
    - `rivals_from`, `rivals_to`: For each place, the first and the last place of those that are
      equal to it.
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
        """The number of choices that each algorithm wins, shape (algorithms,)."""
        of_algorithm = np.take_along_axis(self.made, self.place, axis=1)
        return np.asarray(of_algorithm.sum(axis=0), dtype=np.float64)

    def exposure(
        self, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Total time of the choices in which each algorithm takes part, drawn given the weights.

        Both arrays have the shape (chains, algorithms).
        """
        function = np.arange(len(self.order))[:, np.newaxis]
        left = weights[:, self.order][..., ::-1].cumsum(axis=-1)[..., ::-1]
        rates = left[:, function, self.rivals_from]
        times = rng.standard_exponential(rates.shape) / rates * self.made
        until = np.take_along_axis(self.rivals_to, self.place, axis=1)
        return np.asarray(times.cumsum(axis=-1)[:, function, until].sum(axis=1))


def weight_draws(costs: ArrayLike, *, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draws from the posterior distribution of the weights of the Plackett-Luce model.

    - `costs`, shape (functions, algorithms): Smaller is better. `inf` is last; the order of several
      `inf` is unknown, so no choice is made among them. Other ties are treated by Breslow's method:
      each of the equal algorithms is chosen from all of them and all that are behind them.
    - `draws`: Number of draws.
    - `rng`: Source of the draws.

    Returns, shape (draws, algorithms): Weights with the sum 1: the probability that each algorithm
    is first on a function. Without functions, they are draws from the uniform prior. Raises
    ValueError if `costs` is not a matrix or has NaN, or `draws` is below 1.

    In the model, the first algorithm of a ranking is chosen with probabilities in proportion to the
    weights, then the second among the remaining algorithms, and so on (Luce 1959, Plackett 1975).
    The Gibbs sampler alternates between the times of the choices, which are exponentially
    distributed, and the weights, which are then gamma distributed (Caron and Doucet 2012). `CHAINS`
    chains run in parallel.

    Source: J. Rojas-Delgado, J. Ceberio, B. Calvo and J. A. Lozano, Bayesian performance analysis
    for algorithm ranking comparison, IEEE Transactions on Evolutionary Computation 26 (2022). F.
    Caron and A. Doucet, Efficient Bayesian inference for generalized Bradley-Terry models, Journal
    of Computational and Graphical Statistics 21 (2012). N. E. Breslow, Covariance analysis of
    censored survival data, Biometrics 30 (1974), for ties.
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
    """Share of the draws in which the weight of each algorithm is the largest.

    - `weights`, shape (draws, algorithms): Draws of `weight_draws`.

    Returns, shape (algorithms,): Probabilities with the sum 1.
    """
    values = np.asarray(weights, dtype=np.float64)
    largest = np.argmax(values, axis=1)
    return np.asarray(np.bincount(largest, minlength=values.shape[1]) / len(values))
