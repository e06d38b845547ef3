"""Racing: an algorithm is dropped when it is significantly worse than the leader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.run_count.mann_whitney import p_worse
from timefair.statistics.run_count.stopping import checked_values

LOOKS = (7, 10, 15, 22, 33)
"""Numbers of runs at which a race is judged, a factor of about 1.5 apart."""


@dataclass(frozen=True)
class RaceState:
    """State of a race after a look.

    - `dropped_at`: The n at which each algorithm was dropped, shape (algorithms,); 0 if it is still
      in the race.
    - `look`: The n of the latest look; 0 before the first look.
    - `leader`: Index of the best algorithm at that look; -1 before the first look.
    - `next_n`: Number of runs that each algorithm in the race needs for the next look; None if the
      race is over.
    """

    dropped_at: NDArray[np.int64]
    look: int
    leader: int
    next_n: int | None

    @property
    def goes_on(self) -> NDArray[np.bool_]:
        """Which algorithms are still in the race."""
        return np.asarray(self.dropped_at == 0)

    @property
    def runs(self) -> NDArray[np.int64]:
        """Number of runs of each algorithm that the race has used."""
        return np.where(self.goes_on, self.look, self.dropped_at)


@dataclass(frozen=True)
class Race:
    """Drop an algorithm that is significantly worse than the leader.

    At each look, the leader is the algorithm with the smallest median; if several are equal, the
    one with the smallest mean rank. Every other algorithm is compared with the leader by a
    one-sided Mann-Whitney test at the level ``alpha / ((algorithms - 1) looks)``.

    - `alpha`: Greatest probability, in (0, 1), that the best algorithm is dropped, over all looks
      and all possible leaders. The best algorithm is one whose values are stochastically not larger
      than those of any other algorithm. If distributions cross, the test compares which values are
      usually smaller, which may differ from the order of the medians.
    - `looks`: Numbers of runs at which the race is judged, increasing. Few looks, whose numbers of
      runs increase by a factor, need a smaller correction of the level than one look after each
      run.
    - `cap`: Number of runs of the algorithms that are never dropped, at least the last look.

    Raises ValueError if a number is out of range.

    Smaller values are better. `inf` is a run without a finite value; it is worst, and equal to
    other `inf`. The test is exact without ties; with ties, it is the normal approximation with a
    correction, see `mann_whitney.p_worse`. Bonferroni's correction over algorithms and looks is
    valid for any dependence between the tests. The race is over when one algorithm is left, or at
    the cap.

    Source: O. Maron and A. W. Moore, Hoeffding races, Advances in Neural Information Processing
    Systems 6 (1994); M. Birattari et al., A racing algorithm for configuring metaheuristics, GECCO
    2002.
    """

    alpha: float = 0.05
    looks: tuple[int, ...] = LOOKS
    cap: int = 50

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < 1.0:
            raise ValueError(f"alpha must lie in (0, 1), not {self.alpha}")
        if not self.looks or self.looks[0] < 1 or (np.diff(self.looks) <= 0).any():
            raise ValueError(f"looks must be rising numbers of runs, not {self.looks}")
        if self.cap < self.looks[-1]:
            raise ValueError(f"cap must be at least the last look, {self.looks[-1]}")

    def state(self, samples: Sequence[ArrayLike]) -> RaceState:
        """Which algorithms are still in the race, with all looks from the first on.

        - `samples`, shape (n_i,): The values of each algorithm so far, in the order of its runs; at
          least one algorithm. Values beyond a look, or after an algorithm was dropped, are ignored.
          The state therefore does not depend on when it is computed.

        Returns: The state at the last look that all algorithms in the race have reached. Raises
        ValueError if there is no sample, one is not a vector, or a value is NaN or ``-inf``.
        """
        values = [checked_values(sample, dimensions=1) for sample in samples]
        if not values:
            raise ValueError("a race needs at least one algorithm")
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


def leading(field: NDArray[np.float64]) -> int:
    """The leading algorithm: the one with the smallest median.

    If several medians are equal, it is the algorithm with the smallest mean rank, and then the
    first of them.

    - `field`, shape (algorithms, n): Results of each algorithm, without NaN. `inf` is the worst
      result; several `inf` are ties.

    Returns: Row of the leader.
    """
    ranks = rankdata(field).reshape(field.shape).mean(axis=1)
    return int(np.lexsort((ranks, sample_quantile(field, 0.5)))[0])
