r"""Synthetic algorithms, and their true results in closed form.

A launch draws a time X and reaches the last level of the staircase at X, and level j at c_j X with
c_j = j / `LEVELS`; with probability 1 - `success` it never leaves level 0. It evaluates at the
times h, 2h, 3h, ..., so level j is found by evaluation

.. math:: N_j = \max(1, \lceil c_j X / h \rceil), \qquad
          S_j(n) = P(N_j > n) = 1 - q F(n h / c_j), \quad n \ge 1, \quad S_j(0) = 1,

where q is `success` and F is the distribution function of X. If launches are cut after m
evaluations, each launch draws a new time, and the run has

.. math:: S_j^{run}(n) = S_j(m)^{\lfloor n / m \rfloor} \, S_j(n \bmod m).

Evaluation n of a run ends at the time

.. math:: t(n) = n h + d + d' \lfloor (n - 1) / m \rfloor, \quad t(0) = 0,

where d is the time from the start of the clock to the start of the algorithm, and d' is the delay
that each later launch adds. A perfect clock has d = d' = 0; the self-test measures both. A run has
M evaluations, the largest number with t(M) < T. All answers follow from these numbers:

- success rate: 1 - S(M)
- ERT in evaluations: :math:`\sum_{n<M} S(n) / (1 - S(M))`
- ERT in seconds: :math:`(\sum_{n \le M} t(n) (S(n-1) - S(n)) + T S(M)) / (1 - S(M))`
- quantile p of the runtime: t(n) of the least n <= M with 1 - S(n) >= p, `inf` if there is none
- precision at the end: level j or better with probability 1 - S_j(M); the last level counts as 0
- share of targets reached within t: the mean over the targets of 1 - S(n), where t(n) <= t < t(n+1)
- order of two algorithms by evaluations and by seconds: the order of their ERTs
- ERT under restarts after m evaluations: the same formula with another m; the best m minimizes it
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from timefair.extensions.selftest.staircase import LEVELS, VALUES

AT_THE_END = (*VALUES[:-1], 0.0)
"""The precision at the end by the best level; the last level is the final target, and counts as 0.
"""

Kind = Literal["exponential", "lognormal", "uniform", "weibull"]


@dataclass(frozen=True)
class Law:
    """Distribution of the time X of a launch.

    Attributes
    ----------
    kind
        ``exponential`` with mean `scale_s`; ``lognormal`` with median `scale_s`; ``uniform`` in
        the interval ``scale_s * (1 - shape)`` to ``scale_s * (1 + shape)``; ``weibull``.
    scale_s
        Scale of the distribution, in seconds.
    shape
        For ``lognormal``, the standard deviation of the logarithm; for ``weibull``, the exponent;
        for ``uniform``, as above.
    """

    kind: Kind
    scale_s: float
    shape: float = 1.0

    def cdf(self, time_s: float) -> float:
        """P(X <= time); 0 for times up to 0, and 1 at infinity.

        >>> round(Law("exponential", 2.0).cdf(2.0), 4)
        0.6321
        """
        x = time_s / self.scale_s
        if x <= 0:
            return 0.0
        if self.kind == "exponential":
            return -math.expm1(-x)
        if self.kind == "weibull":
            return -math.expm1(-(x**self.shape))
        if self.kind == "lognormal":
            return NormalDist().cdf(math.log(x) / self.shape)
        return min(max((x - 1 + self.shape) / (2 * self.shape), 0.0), 1.0)

    def quantile(self, p: float) -> float:
        """The time with ``cdf(time) == p``, for p in (0, 1).

        >>> law = Law("lognormal", 0.3, 0.7)
        >>> round(law.cdf(law.quantile(0.9)), 12)
        0.9
        """
        if self.kind == "exponential":
            return -self.scale_s * math.log1p(-p)
        if self.kind == "weibull":
            return float(self.scale_s * (-math.log1p(-p)) ** (1 / self.shape))
        if self.kind == "lognormal":
            return self.scale_s * math.exp(self.shape * NormalDist().inv_cdf(p))
        return self.scale_s * (1 + self.shape * (2 * p - 1))


@dataclass(frozen=True)
class Synthetic:
    """A synthetic algorithm.

    Attributes
    ----------
    law
        Distribution of the time X of a launch that succeeds.
    success
        Probability that a launch succeeds.
    step_s
        Time h of an evaluation.
    tau
        Evaluations after which a launch is cut and the next one begins; None for no cut.
    sleeps
        Whether the algorithm sleeps between evaluations, so that it needs little CPU time.
    """

    law: Law
    success: float
    step_s: float
    tau: int | None = None
    sleeps: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of `timefair.extensions.selftest.synthetic.solve`."""
        return {
            **asdict(self.law),
            "success": self.success,
            "step_s": self.step_s,
            "sleeps": self.sleeps,
        }

    def steps(self, rng: np.random.Generator) -> list[float]:
        """Draw a launch: number of the evaluation, from 1, that finds each level, or `inf`."""
        succeeds, p = rng.random(2)
        if succeeds >= self.success:
            return [1.0] + [math.inf] * LEVELS
        time_s = self.law.quantile(p)
        each = time_s / (LEVELS * self.step_s)
        return [max(1.0, float(math.ceil(level * each))) for level in range(LEVELS + 1)]


class Answers:
    """The true results of a synthetic algorithm under a budget.

    Parameters
    ----------
    synthetic
        The algorithm.
    budget_s
        T of a run.
    delay_s, relaunch_s
        The delays d and d' of the first launch and of each later one.

    Attributes
    ----------
    times_s
        t(n) for n = 0 to M, shape (M + 1,).
    """

    def __init__(
        self, synthetic: Synthetic, budget_s: float, delay_s: float = 0.0, relaunch_s: float = 0.0
    ) -> None:
        self.synthetic, self.budget_s = synthetic, budget_s
        n = np.arange(1 + int(budget_s / synthetic.step_s))
        launch = np.maximum(n - 1, 0) // (synthetic.tau or n.size)
        times_s = np.where(n > 0, n * synthetic.step_s + delay_s + relaunch_s * launch, 0.0)
        self.times_s = times_s[times_s < budget_s]
        self.most = self.times_s.size - 1
        self._survival: dict[tuple[int, int | None], NDArray[np.float64]] = {}

    def survival(self, level: int) -> NDArray[np.float64]:
        """P(a run needs more than n evaluations for the level), n = 0 to M, shape (M + 1,)."""
        return self.restarted(level, self.synthetic.tau)

    def restarted(self, level: int, tau: int | None) -> NDArray[np.float64]:
        """The same as `survival` if launches are cut after `tau` evaluations; None for no cut."""
        key = level, tau
        if key not in self._survival:
            survival = self._of_launch(level)
            if tau is not None and tau < self.most:
                n = np.arange(self.most + 1)
                survival = survival[tau] ** (n // tau) * survival[n % tau]
            self._survival[key] = survival
        return self._survival[key]

    def _of_launch(self, level: int) -> NDArray[np.float64]:
        law, h = self.synthetic.law, self.synthetic.step_s
        if level == 0:
            reached = np.ones(self.most + 1)
        else:
            fraction = level / LEVELS
            times = (n * h / fraction for n in range(self.most + 1))
            reached = self.synthetic.success * np.fromiter(map(law.cdf, times), np.float64)
        reached[0] = 0.0
        return 1.0 - reached

    def success_rate(self, level: int) -> float:
        """Probability that a run reaches the level."""
        return float(1 - self.survival(level)[-1])

    def ert_evaluations(self, level: int, tau: int | None = None) -> float:
        """Expected evaluations divided by the success rate; `tau` replaces the algorithm's own."""
        survival = self.restarted(level, tau or self.synthetic.tau)
        rate = 1 - survival[-1]
        return float(survival[:-1].sum() / rate) if rate > 0 else math.inf

    def ert_s(self, level: int) -> float:
        """Expected seconds divided by the success rate; a failure is charged the whole budget."""
        survival = self.survival(level)
        rate = 1 - survival[-1]
        spent = -self.times_s[1:] @ np.diff(survival) + survival[-1] * self.budget_s
        return float(spent / rate) if rate > 0 else math.inf

    def best_tau(self, level: int, among: Sequence[int]) -> int:
        """The cutoff, in evaluations, with the least ERT in evaluations."""
        return min(among, key=lambda tau: self.ert_evaluations(level, tau))

    def runtime_quantile(self, level: int, p: float) -> float:
        """The least number of evaluations within which the level is reached with probability p.

        `inf` if a run reaches it with a lower probability.
        """
        reached = 1 - self.survival(level)
        enough = np.flatnonzero(reached >= p)
        return float(enough[0]) if enough.size else math.inf

    @property
    def at_the_end(self) -> NDArray[np.float64]:
        """P(level j is the best at the end), shape (`LEVELS` + 1,)."""
        reached = np.array([1 - self.survival(level)[-1] for level in range(LEVELS + 1)])
        return np.asarray(reached - np.append(reached[1:], 0.0))

    def precision_quantile(self, p: float) -> float:
        """The least precision that a run reaches with probability p or more."""
        reached = np.cumsum(self.at_the_end[::-1])[::-1]
        return AT_THE_END[int(np.flatnonzero(reached >= p - 1e-12)[-1])]

    @property
    def mean_precision(self) -> float:
        """Expected precision at the end."""
        return float(self.at_the_end @ np.array(AT_THE_END))

    def share_reached(
        self, evaluations: NDArray[np.intp], levels: Sequence[int]
    ) -> NDArray[np.float64]:
        """Expected share of the levels that a run reaches in these evaluations, shape (k,)."""
        n = np.clip(evaluations, 0, self.most)
        return np.asarray(np.mean([1 - self.survival(level)[n] for level in levels], axis=0))

    def evaluations_within(self, time_s: NDArray[np.float64]) -> NDArray[np.intp]:
        """Number of evaluations that have ended by each of these times, shape (k,)."""
        return np.searchsorted(self.times_s, time_s, side="right") - 1


def superiority(first: Answers, second: Answers) -> float:
    """A12 of the precision at the end: P(first is better) + P(tie) / 2.

    >>> one = Answers(Synthetic(Law("exponential", 0.02), 1.0, 1e-4), 0.04)
    >>> round(superiority(one, one), 12)
    0.5
    """
    a, b = first.at_the_end, second.at_the_end
    worse = np.cumsum(b) - b  # P(the second algorithm ends at a level below j)
    return float(a @ worse + a @ b / 2)
