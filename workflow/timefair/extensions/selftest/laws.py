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
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import NormalDist
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective
from timefair.measure.launching import stream

LEVELS = 40
"""Number of steps; level 0 is the start and the last level is the final target."""

EASIEST, HARDEST = 2.0, -3.0
"""Decimal logarithms of the values of the first and the last level."""


def precision(level: int) -> float:
    """Value of a level, 0 to `LEVELS`; no point has the optimal value 0.

    >>> precision(0), precision(LEVELS)
    (100.0, 0.001)
    """
    return float(10.0 ** (EASIEST + (HARDEST - EASIEST) * level / LEVELS))


VALUES = tuple(precision(level) for level in range(LEVELS + 1))
"""The values of all levels."""


def point(level: int) -> NDArray[np.float64]:
    """A point in the middle of a level, shape (1,)."""
    return np.array([(level + 0.5) / (LEVELS + 1)])


def staircase(x: NDArray[np.float64], *, function: int) -> float:
    """The value at a point of shape (1,). It does not depend on the number of the function.

    Functions are repetitions of one experiment, each with its own seeds.
    """
    return VALUES[min(max(int(x[0] * (LEVELS + 1)), 0), LEVELS)]


staircase.lower, staircase.upper, staircase.f_opt = 0.0, 1.0, 0.0  # type: ignore[attr-defined]


Kind = Literal["exponential", "lognormal", "weibull"]


@dataclass(frozen=True)
class Law:
    """Distribution of the time X of a launch.

    Attributes
    ----------
    kind
        ``exponential`` with mean `scale_s`; ``lognormal`` with median `scale_s`; ``weibull``.
    scale_s
        Scale of the distribution, in seconds.
    shape
        For ``lognormal``, the standard deviation of the logarithm; for ``weibull``, the exponent.
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
        return NormalDist().cdf(math.log(x) / self.shape)

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
        return self.scale_s * math.exp(self.shape * NormalDist().inv_cdf(p))


@dataclass(frozen=True)
class Synthetic:
    """A synthetic algorithm.

    - `law`: distribution of the time X of a launch that succeeds.
    - `success`: probability that a launch succeeds.
    - `step_s`: time h of an evaluation.
    - `tau`: evaluations after which a launch is cut and the next one begins; None for no cut.
    """

    law: Law
    success: float
    step_s: float
    tau: int | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of `solve`."""
        return {**asdict(self.law), "success": self.success, "step_s": self.step_s}

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

    - `synthetic`: the algorithm.
    - `budget_s`: T of a run.
    - `delay_s`, `relaunch_s`: the delays d and d' of the first launch and of each later one.
    - `times_s`: t(n) for n = 0 to M, shape (M + 1,).
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
        self._survival: dict[int, NDArray[np.float64]] = {}

    def survival(self, level: int) -> NDArray[np.float64]:
        """P(a run needs more than n evaluations for the level), n = 0 to M, shape (M + 1,)."""
        if level not in self._survival:
            survival, tau = self._of_launch(level), self.synthetic.tau
            if tau is not None and tau < self.most:
                n = np.arange(self.most + 1)
                survival = survival[tau] ** (n // tau) * survival[n % tau]
            self._survival[level] = survival
        return self._survival[level]

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

    def ert_evaluations(self, level: int) -> float:
        """Expected evaluations divided by the success rate."""
        survival = self.survival(level)
        rate = 1 - survival[-1]
        return float(survival[:-1].sum() / rate) if rate > 0 else math.inf

    def ert_s(self, level: int) -> float:
        """Expected seconds divided by the success rate; a failure is charged the whole budget."""
        survival = self.survival(level)
        rate = 1 - survival[-1]
        spent = -self.times_s[1:] @ np.diff(survival) + survival[-1] * self.budget_s
        return float(spent / rate) if rate > 0 else math.inf


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    kind: Kind,
    scale_s: float,
    step_s: float,
    shape: float = 1.0,
    success: float = 1.0,
) -> None:
    """Make one launch (see `laws`). The objective or the end of the run ends it."""
    start, read = time.monotonic_ns(), time.monotonic_ns
    found = Synthetic(Law(kind, scale_s, shape), success, step_s).steps(rng)
    points = [point(level) for level in range(LEVELS + 1)]
    step, level, n = round(step_s * 1e9), 0, 0
    while True:
        n += 1
        due = start + n * step
        while level < LEVELS and found[level + 1] <= n:
            level += 1
        while read() < due:
            pass
        objective(points[level])


class Found(NamedTuple):
    """An event: a level, and the launch and the evaluation of the run that found it."""

    launch: int
    evaluations: int
    level: int


def found(synthetic: Synthetic, seed: int, most: int) -> list[Found]:
    """The events of a run of at most `most` evaluations, in their order.

    The run ends when it finds the last level. Launches use the same random streams as in a measured
    run, so this also seeds the global generators of numpy and Python.
    """
    events: list[Found] = []
    best, first = -1, 0
    for launch in range(most):
        last = min(most, first + (synthetic.tau or most))
        steps = synthetic.steps(stream(seed, launch))
        for evaluation, level in _improvements(steps, last - first):
            if level > best:
                events.append(Found(launch, first + evaluation, level))
                best = level
        first = last
        if best == LEVELS or first == most:
            break
    return events


def _improvements(steps: list[float], most: int) -> Iterator[tuple[int, int]]:
    """The evaluations of a launch that find a level, each with the best level that it finds."""
    by_evaluation: dict[int, int] = {}
    for level, evaluation in enumerate(steps):
        if evaluation <= most:
            by_evaluation[int(evaluation)] = level
    yield from by_evaluation.items()


NAME = "selftest"
STEP_S = 2e-4
BUDGET_S = 200.5 * STEP_S
"""Budget T of a run, in seconds. No evaluation is due at T itself, so the accuracy of the clock
does not decide whether the last evaluation counts.
"""

ALGORITHMS: Mapping[str, Synthetic] = MappingProxyType(
    {
        "exponential": Synthetic(Law("exponential", 0.5 * BUDGET_S), 1.0, STEP_S),
        "lognormal": Synthetic(Law("lognormal", 0.4 * BUDGET_S, 0.7), 0.9, STEP_S),
        "restarted": Synthetic(Law("weibull", 0.12 * BUDGET_S, 2.0), 0.4, STEP_S, tau=40),
    }
)
"""The algorithms by label."""

TARGET_LEVELS = (4, 12, 24, 40)
TARGETS = tuple(VALUES[level] for level in TARGET_LEVELS)
RUNS = 30
"""Number of runs per algorithm and repetition."""


def campaign(repetitions: int, seed: int, runs: int | None = None) -> dict[str, Any]:
    """The campaign in the form of a campaign file; each function is one repetition.

    `runs` is the number of runs per algorithm and repetition; None means `RUNS`.
    """
    return {
        "name": NAME,
        "seed": seed,
        "problems": {
            "suite": "timefair.extensions.selftest.laws:staircase",
            "functions": f"1-{repetitions}",
            "dimensions": 1,
            "instances": 1,
        },
        "algorithms": {label: _entry(one) for label, one in ALGORITHMS.items()},
        "budget": {"time_s": BUDGET_S, "final_target": TARGETS[-1]},
        "restart": {"policy": "none"},
        "runs": runs or RUNS,
        "targets": list(TARGETS),
    }


def _entry(synthetic: Synthetic) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "use": "timefair.extensions.selftest.laws:solve",
        "parameters": synthetic.parameters,
    }
    if synthetic.tau is not None:
        entry["restart"] = {"policy": "fixed", "tau_evaluations": synthetic.tau}
    return entry
