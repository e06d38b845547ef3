"""Areas over convergence curves, attainment, U-scores, and medians of resampled runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from timefair.statistics.runtimes import trace_arrays
from timefair.statistics.samples import quantile_rank

BEST, WORST = 1e-8, 1e2
"""Precisions beyond these count as these."""


def scaled(precision: ArrayLike) -> NDArray[np.float64]:
    """Precisions on a logarithmic scale from 0 at `WORST` or more to 1 at `BEST` or less.

    >>> scaled([1e3, 1e-3, 0.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    decades = np.log10(np.clip(np.asarray(precision, dtype=np.float64), BEST, WORST))
    low, high = np.log10(BEST), np.log10(WORST)
    return np.asarray(1 - (decades - low) / (high - low))


def aocc(
    cost: ArrayLike,
    precision: ArrayLike,
    offsets: ArrayLike,
    *,
    first: float,
    last: float,
    log: bool = False,
) -> NDArray[np.float64]:
    """Normalized area over the convergence curve of each run, from 0 to 1; more is better.

    - `cost`, `precision`, shape (events,), `offsets`, shape (runs + 1,): As of `best_so_far`.
    - `first`, `last`: Costs between which the curve is integrated, ``first < last``.
    - `log`: Whether the integral is over the logarithm of the cost; `first` is then above 0.

    Returns, shape (runs,): The average of `scaled` precisions; 0 counts before the first event.

    Source: D. Vermetten et al., MA-BBOB, AutoML 2023; M. López-Ibáñez et al., IEEE Transactions on
    Evolutionary Computation 2024, arXiv 2404.02031: the expectation of the attainment function.
    """
    spent, reached, cuts = trace_arrays(cost, precision, offsets)
    place = np.log if log else np.asarray
    start = place(np.clip(spent, first, last))
    end = np.append(start[1:], 0.0)[: start.size]
    end[cuts[1:][np.diff(cuts) > 0] - 1] = place(last)
    run = np.repeat(np.arange(cuts.size - 1), np.diff(cuts))
    area = np.bincount(run, scaled(reached) * (end - start), minlength=cuts.size - 1)
    return np.asarray(area / (place(last) - place(first)))


def attained(best: ArrayLike, levels: ArrayLike) -> NDArray[np.float64]:
    """Empirical attainment function: share of the runs with at most a precision within a cost.

    - `best`, shape (runs, points): From `best_so_far`.
    - `levels`, shape (levels,): Precisions.

    Returns, shape (points, levels); NaN without runs.
    """
    values, wanted = np.asarray(best, dtype=np.float64), np.asarray(levels, dtype=np.float64)
    if not len(values):
        return np.full((values.shape[1], wanted.size), np.nan)
    return np.stack([(values <= level).mean(axis=0) for level in wanted], axis=1)


class Scores(NamedTuple):
    """U-scores on one problem; arrays of shape (algorithms,).

    `score` counts the trials of other algorithms that an algorithm's trials beat, a tie as half;
    `share` divides it by the number of these pairs, and `variance` is that of `share`, NaN if an
    algorithm has one run.
    """

    score: NDArray[np.float64]
    share: NDArray[np.float64]
    variance: NDArray[np.float64]


def u_scores(reached_at: ArrayLike, final: ArrayLike, algorithm: ArrayLike) -> Scores:
    """U-scores of several algorithms on one problem, by time to the target, else by final value.

    - `reached_at`, shape (runs,): Cost to the target; `inf` for a run that did not reach it.
    - `final`, shape (runs,): Value at the end, which orders the runs that did not reach it.
    - `algorithm`, shape (runs,): Numbers of the algorithms, each of 0, ..., k - 1.

    Source: K. V. Price, A. Kumar, P. N. Suganthan, Swarm and Evolutionary Computation 78 (2023),
    arXiv 2212.09423. Variance: E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Biometrics 44
    (1988), with one group per algorithm.
    """
    reached, value = np.asarray(reached_at, np.float64), np.asarray(final, np.float64)
    owner = np.asarray(algorithm, dtype=np.intp)
    keys = np.column_stack([reached, np.where(np.isfinite(reached), 0.0, value)])
    order = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    runs, total = np.bincount(owner), owner.size
    ranks = rankdata(order)
    score, share, variance = np.zeros((3, runs.size))
    for k, n in enumerate(runs):
        mine = owner == k
        own, others = np.sort(order[mine]), total - n
        beaten = (total - ranks[mine]) - (n - rankdata(order[mine]))
        score[k] = beaten.sum()
        if not others:
            share[k] = variance[k] = np.nan
            continue
        share[k] = score[k] / (n * others)
        before = (own.searchsorted(order) + own.searchsorted(order, side="right")) / (2 * n)
        of_own = np.var(beaten / others, ddof=1) / n if n > 1 else np.nan
        sums, squares = (np.bincount(owner, before**power) for power in (1, 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = (squares - sums**2 / runs) / (runs - 1)
        of_others = (np.delete(runs, k) * np.delete(spread, k)).sum() / others**2
        variance[k] = of_own + max(of_others, 0.0)
    return Scores(score, share, variance)


def resampled_medians(
    values: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """The median of each column in samples that are drawn with replacement from the rows.

    - `values`, shape (n, points): One row per run; `inf` is sorted last.

    Returns, shape (resamples, points): The order statistic of n uniform draws has a Beta
    distribution, so one draw per sample is enough. The columns of a sample share its draw.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64), axis=0)
    n = len(ordered)
    middle = quantile_rank(n, 0.5)
    place = (n * rng.beta(middle, n + 1 - middle, size=resamples)).astype(np.intp)
    return np.asarray(ordered[np.minimum(place, n - 1)])
