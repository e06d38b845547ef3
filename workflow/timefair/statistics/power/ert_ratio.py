"""Power of the score test that two algorithms have the same ERT to a target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincinv, ndtr, ndtri

from timefair.statistics.power.search import MOST_RUNS, least_number, smallest_effect
from timefair.statistics.score_test import score_p

SIMULATED_COSTS = 600_000
"""Number of simulated costs of each algorithm for a power; a sample has one per run."""

MOST_SAMPLES = 4000
"""Samples at most; there are at least 2000, and a power of 0.8 has a standard error below 0.009."""

SIMULATED_RUNS = 300
"""Runs of each algorithm up to which the power is simulated."""

GREATEST_RATIO = 1000.0
"""Ratio of ERTs up to which an effect is looked for."""

SHAPES = (0.05, 400.0)
"""Smallest and largest shape of a law that is fitted to a spread."""


@dataclass(frozen=True)
class CostLaw:
    """Distribution of the cost to a target: a gamma distribution, cut off by the budget.

    - `success`: Probability in (0, 1] that a run reaches the target within the budget.
    - `shape`: Shape of the gamma distribution. 1 is the exponential distribution, as with restarts;
      the larger the shape, the more similar are the costs.
    """

    success: float
    shape: float = 1.0

    @classmethod
    def of_spread(cls, spread: float, success: float) -> CostLaw:
        """The distribution with this success rate whose `spread` is closest to the given one."""
        low, high = map(log, SHAPES)
        for _ in range(40):
            middle = (low + high) / 2
            wider = cls(success, exp(middle)).spread > spread
            low, high = (middle, high) if wider else (low, middle)
        return cls(success, exp(high))

    @cached_property
    def cut(self) -> float:
        """The budget in units of the gamma distribution's scale; `inf` if all runs succeed."""
        return float(gammaincinv(self.shape, self.success))

    @cached_property
    def ert(self) -> float:
        """Expected running time, in the same units."""
        return float(self.moments()[0][0] / self.success)

    @cached_property
    def spread(self) -> float:
        """Standard deviation of the logarithm of an ERT, times the root of the number of runs.

        The logarithm of an ERT from n runs has about the standard deviation ``spread/sqrt(n)``. For
        exponential costs, the spread is ``1/sqrt(success)``.
        """
        means, covariance = self.moments()
        weights = np.array([1.0, -self.ert])
        return sqrt(max(float(weights @ covariance @ weights), 0.0)) / float(means[0])

    def moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Means and covariances of the cost of a run and of its success (1 or 0)."""
        k, s = self.shape, self.success
        of_success = k * float(gammainc(k + 1, self.cut))
        square = k * (k + 1) * float(gammainc(k + 2, self.cut))
        mean = of_success
        if s < 1:
            mean += self.cut * (1 - s)
            square += self.cut**2 * (1 - s)
        across = of_success - mean * s
        covariance = np.array([[square - mean**2, across], [across, s * (1 - s)]])
        return np.array([mean, s]), covariance

    def faster(self, ratio: float) -> tuple[CostLaw, float]:
        """The distribution of the same shape with an ERT divided by `ratio`, under the same budget.

        The second value is the factor by which the scale is smaller.
        """
        low, high = 0.0, log(ratio) / min(self.shape, 1.0) + 1.0
        while high - low > 1e-9 * high:
            middle = (low + high) / 2
            enough = self._scaled(exp(middle)).ert * ratio <= self.ert * exp(middle)
            low, high = (low, middle) if enough else (middle, high)
        return self._scaled(exp(high)), exp(high)

    def _scaled(self, times: float) -> CostLaw:
        return CostLaw(float(gammainc(self.shape, self.cut * times)), self.shape)


class EqualErt:
    """The score test of equal ERTs for two algorithms whose costs have the same shape.

    - `runs`: Number of runs of each algorithm, at least 2.
    - `law`: Costs of the slower algorithm. Both algorithms have the same budget.
    - `level`: Level of the two-sided test, in (0, 1).
    - `rng`: Source of the simulated runs. All powers of one object use the same runs.

    For up to `SIMULATED_RUNS` runs, the power is the share of simulated samples in which
    `timefair.statistics.comparison.equal_ert` is at most the level. For more runs, the difference
    of the mean scores is treated as normal, with the mean and variance of the delta method. At a
    power of 0.8, the error is at most 0.03 for success rates from 0.1, levels down to 1e-5 and
    shapes from 0.5 to 4.
    """

    def __init__(self, runs: int, law: CostLaw, level: float, *, rng: np.random.Generator) -> None:
        self.runs, self.law, self.level = runs, law, level
        if runs <= SIMULATED_RUNS:
            samples = min(SIMULATED_COSTS // runs, MOST_SAMPLES)
            slow, self._fast = rng.gamma(law.shape, size=(2, samples, runs))
            self._of_slow = self._sums(slow)

    def power(self, ratio: float) -> float:
        """Probability in [0, 1] that the test finds a ratio (at least 1) of the ERTs."""
        return self._simulated(ratio) if self.runs <= SIMULATED_RUNS else self._normal(ratio)

    def _simulated(self, ratio: float) -> float:
        _, times = self.law.faster(ratio)
        of_both = np.stack([self._of_slow, self._sums(self._fast, times)])
        spent, successes, squares, across = np.moveaxis(of_both, 1, 0)
        common = spent.sum(axis=0) / np.maximum(successes.sum(axis=0), 1)
        means = (spent - common * successes) / self.runs
        variances = squares - 2 * common * across + common**2 * successes - self.runs * means**2
        variances = np.maximum(variances, 0.0) / (self.runs - 1)
        p = score_p(means[0], variances[0], self.runs, means[1], variances[1], self.runs)
        return float(((p <= self.level) & successes.any(axis=0)).mean())

    def _sums(self, costs: NDArray[np.float64], times: float = 1.0) -> NDArray[np.float64]:
        """Over the runs of each sample: costs, successes, squared costs, costs of successes."""
        spent = np.minimum(costs / times, self.law.cut)
        success = (spent < self.law.cut).astype(np.float64)
        return np.stack(
            [
                spent.sum(axis=1),
                success.sum(axis=1),
                np.einsum("ij,ij->i", spent, spent),
                np.einsum("ij,ij->i", spent, success),
            ]
        )

    def _normal(self, ratio: float) -> float:
        fast, times = self.law.faster(ratio)
        scale = np.array([1 / times, 1.0])
        (x, s), of_slow = self.law.moments()
        (y, t), of_fast = fast.moments()[0] * scale, fast.moments()[1] * np.outer(scale, scale)
        score = np.array([1.0, -(x + y) / (s + t)])
        expected = score @ (x - y, s - t)
        error = sqrt(score @ (of_slow + of_fast) @ score / self.runs)
        slow_part = np.array([2 * t, -2 * y - expected]) / (s + t)
        fast_part = np.array([-2 * s, 2 * x - expected]) / (s + t)
        variance = slow_part @ of_slow @ slow_part + fast_part @ of_fast @ fast_part
        limit = -ndtri(self.level / 2) * error
        return float(ndtr((expected - limit) / sqrt(variance / self.runs)))

    def smallest_ratio(self, power: float) -> float:
        """Smallest ratio found with this probability; `inf` if above `GREATEST_RATIO`."""
        logarithm = smallest_effect(
            lambda size: self.power(exp(size)), 0.0, log(GREATEST_RATIO), power
        )
        return exp(logarithm) if logarithm < inf else inf


def runs_for_ratio(
    ratio: float, law: CostLaw, level: float, power: float, *, rng: np.random.Generator
) -> int | None:
    """Number of runs of each algorithm with which a ratio of ERTs is found.

    - `ratio`: Ratio of the ERTs, above 1.
    - `law`, `level`, `rng`: As for `EqualErt`.
    - `power`: Probability of finding the ratio, in (0, 1).

    Returns: None if more than `MOST_RUNS` are needed.
    """
    seed = int(rng.integers(2**63))
    error = sqrt(law.spread**2 + law.faster(ratio)[0].spread ** 2)
    width = (ndtri(1 - level / 2) + ndtri(power)) * error / log(ratio)
    return least_number(
        lambda runs: EqualErt(runs, law, level, rng=np.random.default_rng(seed)).power(ratio),
        power,
        least=2,
        guess=ceil(width**2),
        most=MOST_RUNS,
    )
