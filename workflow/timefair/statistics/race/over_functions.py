"""Pairs of algorithms over functions, from unequal numbers of runs, at any number of looks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from timefair.statistics.checks import check_confidence
from timefair.statistics.run_count.stopping import checked_values

PSEUDO_WINS = 4.0
"""Wins, and as many losses, that are added to the comparisons of a pair before its variance is
taken from its mean A12. With them, the standard error of a complete separation on one function is
within 15 % of that of the exact permutation test."""

USUAL_GROWTH = 3
"""The confidence sequence is narrowest when every algorithm has this multiple of its first runs."""


@dataclass(frozen=True)
class PairsOverFunctions:
    """The mean A12 of pairs of algorithms over functions.

    - `a12`: Mean over the functions of the probability that a run of the first algorithm is better
      than one of the second, plus half of that of a tie; shape (pairs,).
    - `variance`: Estimated variance of `a12`, shape (pairs,).
    - `parts`: Contribution of one run of each algorithm to the variance on each function, shape
      (pairs, 2, functions): `variance` is the sum of ``parts / runs``.
    """

    a12: NDArray[np.float64]
    variance: NDArray[np.float64]
    parts: NDArray[np.float64]


def pairs_over_functions(
    samples: Sequence[Sequence[ArrayLike]], pairs: Sequence[tuple[int, int]]
) -> PairsOverFunctions:
    """Estimate the mean A12 of pairs of algorithms, from any numbers of runs.

    - `samples`: For each function, the results of each algorithm. Smaller is better; `inf` is worst
      and equal to itself. Each algorithm in `pairs` has at least 2 runs. The numbers of runs may
      differ.
    - `pairs`: Indices of the two algorithms of each pair.

    Returns: The estimates. The arrays are empty if there are no pairs. Raises ValueError if there
    is no function, a sample of a pair has fewer than 2 results, or a result is NaN or ``-inf``.

    The variance of A12 on a function is the sum of the variances of the placements of the runs of
    both algorithms (DeLong et al. 1988), each divided by the number of runs. This sum is 0 if the
    samples do not overlap, however small they are. Therefore a lower bound is used: the variance of
    Hanley and McNeil (1982), averaged over both directions, for an A12 to which `PSEUDO_WINS` wins
    and losses were added. These are divided among the functions, because the mean has only one
    variance.

    Source: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or
    more correlated receiver operating characteristic curves, Biometrics 44 (1988). J. A. Hanley and
    B. J. McNeil, The meaning and use of the area under a receiver operating characteristic (ROC)
    curve, Radiology 143 (1982).
    """
    functions, places = len(samples), np.array(pairs, dtype=np.int64).reshape(-1, 2)
    if not functions:
        raise ValueError("a comparison over functions needs at least one function")
    involved = sorted(set(places.ravel().tolist()))
    within = {place: k for k, place in enumerate(involved)}
    first, second = (np.array([within[p] for p in side], dtype=np.int64) for side in places.T)
    means = np.empty((functions, len(places)))
    parts = np.empty((len(places), 2, functions))
    for f, results in enumerate(samples):
        field = _Placements([checked_values(results[place], dimensions=1) for place in involved])
        means[f] = field.mean[first, second]
        parts[:, :, f] = _parts(field, first, second, PSEUDO_WINS / functions)
    variance = np.zeros(len(places))
    for side, place in enumerate((first, second)):
        sizes = np.array([[len(results[involved[k]]) for results in samples] for k in place])
        variance += (parts[:, side] / sizes.reshape(len(places), functions)).sum(axis=1)
    a12 = means.mean(axis=0) if len(places) else np.empty(0)
    return PairsOverFunctions(a12, variance / functions**2, parts / functions**2)


class _Placements:
    """Where the runs of each algorithm are among those of each other one.

    - `n`: Numbers of runs, shape (k,).
    - `mean`: A12 of each algorithm against each other one, shape (k, k).
    - `variance`: Variance of the placements of the runs of the first among the second, shape (k,
      k).
    - `untied`: Share of the comparisons that are no ties, shape (k, k).
    """

    def __init__(self, samples: Sequence[NDArray[np.float64]]) -> None:
        self.n = np.array([sample.size for sample in samples])
        if (self.n < 2).any():
            raise ValueError("a comparison over functions needs at least 2 runs of an algorithm")
        ends = np.concatenate([[0], np.cumsum(self.n)])
        together, starts = np.concatenate(samples), ends[:-1]
        self.mean, self.variance, self.untied = np.empty((3, len(samples), len(samples)))
        for other, sample in enumerate(samples):
            ordered = np.sort(sample)
            not_above = np.searchsorted(ordered, together, "right") / sample.size
            below = np.searchsorted(ordered, together, "left") / sample.size
            better = 1.0 - 0.5 * (not_above + below)
            self.mean[:, other] = np.add.reduceat(better, starts) / self.n
            deviation = better - np.repeat(self.mean[:, other], self.n)
            self.variance[:, other] = np.add.reduceat(deviation**2, starts) / (self.n - 1)
            self.untied[:, other] = 1.0 - np.add.reduceat(not_above - below, starts) / self.n


def _parts(
    field: _Placements, first: NDArray[np.int64], second: NDArray[np.int64], pseudo: float
) -> NDArray[np.float64]:
    """Variance per run of both algorithms of each pair, shape (pairs, 2)."""
    m, n = field.n[first], field.n[second]
    own, others = field.variance[first, second], field.variance[second, first]
    size = 2 * m * n / (m + n)
    p = (size * field.mean[first, second] + pseudo) / (size + 2 * pseudo)
    untied = (size * field.untied[first, second] + 2 * pseudo) / (size + 2 * pseudo)
    per_run = 0.5 * p * (1 - p) * ((1 - p) / (2 - p) + p / (1 + p))
    least = untied * (p * (1 - p) + (m + n - 2) * per_run) / (m * n)
    short = own / m + others / n < least
    even = least * size / 2
    return np.stack([np.where(short, even, own), np.where(short, even, others)], axis=1)


@dataclass(frozen=True)
class MeanSequence:
    """A confidence sequence for an approximately normal mean: valid at all looks simultaneously.

    - `confidence`: Probability, in (0, 1), that no interval of the sequence misses the mean.
    - `usual_variance`: The variance of the estimate at which the intervals are narrowest, in
      comparison with those of other sequences. It must be chosen before the data.

    The estimate, weighted by its information (one over its variance), is nearly a Brownian motion
    with the mean as its drift. Its likelihood ratio, averaged over normally distributed drifts, is
    a martingale, which ever reaches ``1 / (1 - confidence)`` with a probability of at most
    ``1 - confidence`` (Robbins 1970). With an estimated variance, this holds asymptotically
    (Waudby-Smith et al. 2024). Therefore neither the number of looks nor the reason to stop has to
    be known in advance.

    Source: H. Robbins, Statistical methods related to the law of the iterated logarithm, Annals of
    Mathematical Statistics 41 (1970). I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A.
    Ramdas, Time-uniform central limit theory and asymptotic confidence sequences, Annals of
    Statistics 52 (2024). S. R. Howard, A. Ramdas, J. McAuliffe and J. Sekhon, Time-uniform,
    nonparametric, nonasymptotic confidence sequences, Annals of Statistics 49 (2021), for the
    choice of the mixture.
    """

    confidence: float
    usual_variance: float

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if not 0.0 < self.usual_variance < math.inf:
            raise ValueError(f"usual_variance must be positive, not {self.usual_variance}")

    @cached_property
    def _mixture(self) -> float:
        """Information of the mixture's drifts."""
        doubled = 2.0 * math.log(1.0 / (1.0 - self.confidence))
        return 1.0 / (self.usual_variance * (doubled + math.log1p(doubled)))

    def radius(self, variance: ArrayLike) -> NDArray[np.float64]:
        """Distance of the limits from estimates with these variances; 0 for a variance of 0."""
        v = np.asarray(variance, dtype=np.float64)
        share = np.maximum(self._mixture * v, np.finfo(np.float64).tiny)
        log = np.log1p(1.0 / share) - 2.0 * math.log(1.0 - self.confidence)
        return np.asarray(np.sqrt(v * (1.0 + share) * log))

    def p_value(self, distance: ArrayLike, variance: ArrayLike) -> NDArray[np.float64]:
        """P-value of the hypothesis that the mean is `distance` away from the estimate.

        The smallest p-value over all looks is valid at any time. It is less than
        ``1 - confidence`` if and only if the limits exclude this mean at some look. With a variance
        of 0, it is 0, or 1 if the distance is 0 too.
        """
        v = np.asarray(variance, dtype=np.float64)
        share = np.maximum(self._mixture * v, np.finfo(np.float64).tiny)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.square(distance) / (2.0 * v * (1.0 + share))
        log = 0.5 * np.log1p(1.0 / share) - np.where(np.isnan(ratio), 0.0, ratio)
        return np.asarray(np.exp(np.minimum(log, 0.0)))

    def variance_for(self, distance: float) -> float:
        """The largest variance of an estimate for which `radius` is at most a positive distance."""
        high = distance**2
        return float(brentq(lambda v: float(self.radius(v)) - distance, 0.0, high, xtol=1e-12))


def usual_sequence(confidence: float, functions: int, start: int) -> MeanSequence:
    """The confidence sequence for a mean A12 that is narrowest when each algorithm has
    `USUAL_GROWTH` times `start` runs on each function.
    """
    n = USUAL_GROWTH * start
    return MeanSequence(confidence, (2 * n + 1) / (12 * n * n * functions))
