"""A race of algorithms, of which the worse are dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from scipy.stats import rankdata

from timefair.statistics.checks import Floats
from timefair.statistics.comparison import at_most
from timefair.statistics.run_count.stopping import checked_values
from timefair.statistics.samples import sample_quantile


def p_worse(field: Floats, leader: int) -> Floats:
    """One-sided p-values of Mann-Whitney tests that each row has larger values than the leader.

    - `field`, shape (algorithms, n): Results; `inf` is worst and equal to itself.
    - `leader`: Row of the leader, whose p is 1.

    Returns, shape (algorithms,): Exact without ties. With ties, the normal approximation of
    ``scipy.stats.mannwhitneyu``.
    """
    algorithms, n = field.shape
    best = np.sort(field[leader])
    below = np.searchsorted(best, field, "left") + np.searchsorted(best, field, "right")
    greater = 0.5 * below.sum(axis=1)
    ties = _tie_terms(np.concatenate([field, np.broadcast_to(best, field.shape)], axis=1))
    tied = ties > 0.0
    p = np.ones(algorithms)
    p[~tied] = at_most(n * n - greater[~tied].astype(np.int64), n, n)
    p[tied] = _normal_upper(greater[tied], ties[tied], n)
    p[leader] = 1.0
    return p


def _tie_terms(both: Floats) -> Floats:
    """Sum of t³ − t over the groups of t equal values of each row, shape (rows, n) to (rows,)."""
    rows, n = both.shape
    ordered = np.sort(both, axis=1)
    first = np.ones((rows, n), dtype=np.bool_)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.flatnonzero(first)
    sizes = np.diff(np.append(starts, rows * n)).astype(np.float64)
    sums = np.bincount(starts // n, weights=sizes**3 - sizes, minlength=rows)
    return np.asarray(sums, dtype=np.float64)


def _normal_upper(greater: Floats, ties: Floats, n: int) -> Floats:
    """Normal approximation of P(U >= greater); 1 where all values are equal."""
    total = 2 * n
    variance = n * n / 12 * ((total + 1) - ties / (total * (total - 1)))
    constant = ties == float(total) ** 3 - total
    deviation = np.sqrt(np.where(constant, 1.0, variance))
    return np.where(constant, 1.0, ndtr(-((greater - n * n / 2 - 0.5) / deviation)))


LOOKS = (7, 10, 15, 22, 33)  # numbers of runs at which a race is judged


@dataclass(frozen=True)
class RaceState:
    """State of a race after a look.

    - `dropped_at`, shape (algorithms,): The n at which each was dropped; 0 if it is in the race.
    - `look`, `leader`: n and best algorithm of the latest look; 0 and -1 before the first one.
    - `next_n`: Number of runs that each needs for the next look; None if the race is over.
    """

    dropped_at: NDArray[np.int64]
    look: int
    leader: int
    next_n: int | None

    @property
    def goes_on(self) -> NDArray[np.bool_]:
        return np.asarray(self.dropped_at == 0)

    @property
    def runs(self) -> NDArray[np.int64]:
        """Number of runs of each algorithm that the race has used."""
        return np.where(self.goes_on, self.look, self.dropped_at)


@dataclass(frozen=True)
class Race:
    """Drop an algorithm that is significantly worse than the leader.

    At each look, the leader is the algorithm with the smallest median; if several are equal, the
    one with the smallest mean rank. Every other algorithm is compared with it by a one-sided
    Mann-Whitney test (`p_worse`) at the level ``alpha / ((algorithms - 1) looks)``.

    - `alpha`: Greatest probability, in (0, 1), that the best algorithm is dropped, over all looks
      and leaders: one whose values are stochastically not larger than those of any other.
    - `looks`: Numbers of runs at which the race is judged, increasing.
    - `cap`: Number of runs of the algorithms that are never dropped, at least the last look.

    Smaller values are better. The race is over when one algorithm is left, or at the cap.

    Source: O. Maron and A. W. Moore, Advances in Neural Information Processing Systems 6 (1994). M.
    Birattari et al., GECCO 2002.
    """

    alpha: float = 0.05
    looks: tuple[int, ...] = LOOKS
    cap: int = 50

    def state(self, samples: Sequence[ArrayLike]) -> RaceState:
        """Which algorithms are still in the race, with all looks from the first on.

        - `samples`, shape (n_i,): The values of each algorithm so far, in the order of its runs.
          Values beyond a look, or after an algorithm was dropped, are ignored, so the state does
          not depend on when it is computed.

        ValueError without a sample, or for one that is no vector or has NaN or ``-inf``.
        """
        values = [checked_values(sample, dimensions=1) for sample in samples]
        dropped_at = np.zeros(len(values), dtype=np.int64)
        latest, leader = 0, -1
        for look in (*self.looks, self.cap):
            racing = np.flatnonzero(dropped_at == 0)
            if racing.size == 1:
                return RaceState(dropped_at, latest, int(racing[0]), None)
            if min(values[i].size for i in racing) < look:
                return RaceState(dropped_at, latest, leader, look)
            field = np.stack([values[i][:look] for i in racing])
            first = leading(field)
            latest, leader = look, int(racing[first])
            if look in self.looks:
                worse = p_worse(field, first) <= self._level(len(values))
                dropped_at[racing[worse]] = look
        return RaceState(dropped_at, latest, leader, None)

    def _level(self, algorithms: int) -> float:
        return self.alpha / (max(algorithms - 1, 1) * len(self.looks))


def leading(field: Floats) -> int:
    """Row of the smallest median; of equal ones, that of the smallest mean rank, then the first.

    - `field`, shape (algorithms, n): Results, without NaN; several `inf` are ties.
    """
    ranks = rankdata(field).reshape(field.shape).mean(axis=1)
    return int(np.lexsort((ranks, sample_quantile(field, 0.5)))[0])
