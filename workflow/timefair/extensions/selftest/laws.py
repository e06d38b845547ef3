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
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective
from timefair.extensions.selftest.staircase import EVALUATIONS_A_LEVEL, LEVELS, VALUES, point
from timefair.measure.launching import stream
from timefair.records.status import LaunchEnd, Status, StopReason

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

    - `law`: distribution of the time X of a launch that succeeds.
    - `success`: probability that a launch succeeds.
    - `step_s`: time h of an evaluation.
    - `tau`: evaluations after which a launch is cut and the next one begins; None for no cut.
    - `sleeps`: whether the algorithm sleeps between evaluations, so that it needs little CPU time.
    """

    law: Law
    success: float
    step_s: float
    tau: int | None = None
    sleeps: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of `timefair.extensions.selftest.laws.solve`."""
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


AWAKE_NS = 250_000
"""Time before an evaluation at which a sleeping algorithm wakes up; then it waits busily."""


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    kind: Kind,
    scale_s: float,
    step_s: float,
    shape: float = 1.0,
    success: float = 1.0,
    sleeps: bool = False,
) -> None:
    """Make one launch (see `laws`). The objective or the end of the run ends it."""
    start, read = time.monotonic_ns(), time.monotonic_ns
    found = Synthetic(Law(kind, scale_s, shape), success, step_s).steps(rng)
    points = [point(level) for level in range(LEVELS + 1)]
    step, level, n = round(step_s * 1e9), 0, 0
    while True:
        n += 1
        due = start + n * step
        if sleeps and (left := due - read() - AWAKE_NS) > 0:
            time.sleep(left / 1e9)
        while level < LEVELS and found[level + 1] <= n:
            level += 1
        while read() < due:
            pass
        objective(points[level])


def work(
    objective: Objective, rng: np.random.Generator, *, loops: int, slowdown: float = 1.0
) -> None:
    """Evaluate without end, each time after `loops` empty iterations; see `detectable`.

    Evaluation n finds level ``n / (slowdown * EVALUATIONS_A_LEVEL)``, rounded down. The time to a
    level therefore depends on the speed of the machine, and is exactly proportional to `slowdown`.
    """
    each, n = slowdown * EVALUATIONS_A_LEVEL, 0
    x = np.zeros(1)
    while True:
        for _ in range(loops):
            pass
        n += 1
        x[0] = int(n / each)
        objective(x)


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


def recorded(synthetic: Synthetic, budget_s: float, names: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a run as it would be if the clock and everything around the run took no time.

    - `synthetic`: the algorithm.
    - `budget_s`: T of the run.
    - `names`: the columns that name the run, including ``seed``.
    Returns A row of `timefair.records.schema.RUN_SCHEMA`, without the columns about its
    surroundings.
    """
    step_s = synthetic.step_s
    most = int(budget_s / step_s)
    events = found(synthetic, names["seed"], most)
    succeeds = events[-1].level == LEVELS
    evaluations = events[-1].evaluations if succeeds else most
    end_s = evaluations * step_s if succeeds else budget_s
    best = VALUES[events[-1].level]
    launches = list(_launches(synthetic, names["seed"], evaluations, end_s, succeeds))
    return {
        "round": 1,
        "f_opt": 0.0,
        "budget_s": budget_s,
        "evaluation_cost_s": 0.0,
        "status": Status.OK,
        "stop_reason": StopReason.TARGET if succeeds else StopReason.TIME,
        "attempts": 1,
        "wall_s": end_s,
        "real_s": end_s,
        "charged_s": 0.0,
        "reaped_s": end_s,
        "evaluations": evaluations,
        "launches": len(launches),
        "completed_restarts": len(launches) - 1,
        "best_f": best,
        "best_precision": best,
        "launch_log": launches,
        "batches": [],
        "launch_events": [],
        "events": [
            {
                "launch": event.launch,
                "evaluations": event.evaluations,
                "time_s": event.evaluations * step_s,
                "precision": VALUES[event.level],
            }
            for event in events
        ],
        **names,
    }


def _launches(
    synthetic: Synthetic, seed: int, evaluations: int, end_s: float, succeeds: bool
) -> Iterator[dict[str, Any]]:
    """The launches of a run with this number of evaluations."""
    length = synthetic.tau or evaluations
    for launch in range(math.ceil(evaluations / length)):
        first, last = launch * length, min((launch + 1) * length, evaluations)
        steps = synthetic.steps(stream(seed, launch))
        is_last = last == evaluations
        final = LaunchEnd.TARGET if succeeds else LaunchEnd.CUT
        yield {
            "start_s": first * synthetic.step_s,
            "end_s": end_s if is_last else last * synthetic.step_s,
            "evaluations": last - first,
            "best_precision": VALUES[max(level for _, level in _improvements(steps, last - first))],
            "end": final if is_last else LaunchEnd.TAU,
        }


NAME = "selftest"
STEP_S = 2e-4
BUDGET_S = 200.5 * STEP_S
"""Budget T of a run, in seconds. No evaluation is due at T itself, so the accuracy of the clock
does not decide whether the last evaluation counts.
"""

ALGORITHMS: Mapping[str, Synthetic] = MappingProxyType(
    {
        "exponential": Synthetic(Law("exponential", 0.5 * BUDGET_S), 1.0, STEP_S),
        "twin": Synthetic(Law("exponential", 0.5 * BUDGET_S), 1.0, STEP_S),
        "cheap": Synthetic(Law("exponential", 0.35 * BUDGET_S), 1.0, STEP_S / 4),
        "lognormal": Synthetic(Law("lognormal", 0.4 * BUDGET_S, 0.7), 0.9, STEP_S),
        "sleeping": Synthetic(Law("uniform", 0.6 * BUDGET_S, 0.5), 0.5, 5 * STEP_S, sleeps=True),
        "restarted": Synthetic(Law("weibull", 0.12 * BUDGET_S, 2.0), 0.4, STEP_S, tau=40),
    }
)
"""The algorithms by label. `twin` has the same law as `exponential`; `cheap` needs less time than
`exponential`, but more evaluations."""

TWINS = ("exponential", "twin")
INVERTED = ("exponential", "cheap")
"""The first algorithm is better in evaluations and the second one in seconds, at every target."""

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
            "suite": "timefair.extensions.selftest.staircase:staircase",
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
