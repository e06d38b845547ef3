"""Stopping rule for two algorithms: which to run next, and when their difference is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.run_count.stopping import Reason, check_range, checked_values


@dataclass(frozen=True)
class PairDecision:
    """Whether to stop, why, and which algorithm to run next.

    `standard_error` is that of the difference or ratio of the means (NaN while an
    algorithm has fewer than `PairRule.start` runs). `following` is 0 for the first algorithm, 1 for
    the second, and None to stop.
    """

    reason: Reason
    standard_error: float
    following: int | None


@dataclass(frozen=True)
class PairRule:
    """Stop when the standard error of the difference, or ratio, of two means is small enough.

    For each total number of runs, one division between the two algorithms minimizes the standard
    error. The next run goes to the algorithm that has fewer runs than in this division.

    - `error`: The wanted standard error: in the unit of the values, or of the ratio second / first.
    - `ratio`: Whether the ratio of the means is estimated. Their relative difference has the same
      error.
    - `start`: Number of first runs of each algorithm, at least 2.
    - `cap`: Greatest number of runs of both algorithms together, at least ``2 start``.

    Raises ValueError if a number is out of range.

    This is a rule for estimation: it promises no confidence at the n where it stops. If the values
    are constant in both samples, the error is 0 and the reason is "degenerate". If a value is
    `inf`, or if the first mean of a ratio is 0, the error is `inf`, and runs alternate up to the
    cap.

    Source: F. Campelo and F. Takahashi, Sample size estimation for power and accuracy in the
    experimental comparison of algorithms, Journal of Heuristics 25 (2019), doi
    10.1007/s10732-018-9396-7: the parametric standard errors and the optimal ratios of sample
    sizes.
    """

    error: float
    ratio: bool = False
    start: int = 10
    cap: int = 100

    def __post_init__(self) -> None:
        check_range(self.start, self.cap, least=2)
        if self.cap < 2 * self.start:
            raise ValueError(f"cap counts both algorithms: at least {2 * self.start} here")
        if not 0.0 <= self.error < np.inf:
            raise ValueError(f"error must be finite and not negative, not {self.error}")

    def decide(self, first: ArrayLike, second: ArrayLike) -> PairDecision:
        """Decide whether to stop, and which algorithm to run next.

        - `first`, `second`, shapes (n1,) and (n2,): All values so far; `inf` for a run without a
          finite value.

        Returns: In case of a tie, the first algorithm is next. Raises ValueError if a sample is not
        a vector, or has NaN or ``-inf``.
        """
        x, y = checked_values(first, dimensions=1), checked_values(second, dimensions=1)
        if min(x.size, y.size) < self.start:
            return PairDecision(Reason.START, np.nan, int(y.size < x.size))
        spreads = self._spreads(x, y)
        error = float(np.sqrt(spreads[0] ** 2 / x.size + spreads[1] ** 2 / y.size))
        if error <= self.error:
            reason = Reason.DEGENERATE if error == 0.0 else Reason.MET
            return PairDecision(reason, error, None)
        if x.size + y.size >= self.cap:
            return PairDecision(Reason.CAP, error, None)
        if not np.isfinite(error):
            return PairDecision(Reason.OPEN, error, int(y.size < x.size))
        return PairDecision(Reason.OPEN, error, int(x.size * spreads[1] > y.size * spreads[0]))

    def _spreads(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
        """Standard deviation that one run of each algorithm adds to the wanted number.

        The error is least for ``n1 / n2`` equal to their ratio.
        """
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            return np.inf, np.inf
        deviations = float(x.std(ddof=1)), float(y.std(ddof=1))
        if not self.ratio:
            return deviations
        mean = float(x.mean())
        if mean == 0.0:
            return np.inf, np.inf
        return deviations[0] * abs(float(y.mean())) / mean**2, deviations[1] / abs(mean)


@dataclass(frozen=True)
class PairStopping:
    """Where a rule for a pair stopped: the runs of each algorithm, the reason and the error."""

    n: tuple[int, int]
    reason: Reason
    standard_error: float


def pair_stopping(rule: PairRule, first: ArrayLike, second: ArrayLike) -> PairStopping:
    """Where the rule stops on complete samples, as by `decide` after each run.

    - `rule`: The rule.
    - `first`, `second`, shape (runs,): Values in the order of the runs; `inf` for a run without a
      finite value.

    Returns: If a sample has too few runs, the reason is "open". Raises ValueError if a sample is
    shorter than ``rule.start``, is not a vector, or has NaN or ``-inf``.
    """
    samples = checked_values(first, dimensions=1), checked_values(second, dimensions=1)
    if min(sample.size for sample in samples) < rule.start:
        raise ValueError(f"samples must have at least start = {rule.start} runs")
    made = [rule.start, rule.start]
    while True:
        decision = rule.decide(samples[0][: made[0]], samples[1][: made[1]])
        chosen = decision.following
        if chosen is None or made[chosen] == samples[chosen].size:
            return PairStopping((made[0], made[1]), decision.reason, decision.standard_error)
        made[chosen] += 1
