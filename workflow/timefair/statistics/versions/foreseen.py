"""Simulation of a planned comparison of two versions, to see which losses it can find."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from timefair.statistics.power.ert_ratio import CostLaw
from timefair.statistics.versions.answers import Answer, judge
from timefair.statistics.versions.changes import Change, average, log_ratio
from timefair.statistics.versions.effort import common_budgets
from timefair.statistics.versions.looks import look_levels


@dataclass(frozen=True)
class Design:
    """A planned comparison.

    Attributes
    ----------
    functions
        Number of functions.
    runs
        Runs of each version on each function, in all rounds.
    looks
        Rounds after which the comparison may stop; the runs are divided evenly.
    ratio
        Ratio of costs above which a difference matters.
    level
        Level of all looks together.
    paired
        Whether both versions have the same seeds.
    jobs
        Jobs of each version on each function in each round, with equal numbers of runs.
    """

    functions: int
    runs: int
    looks: int
    ratio: float
    level: float
    paired: bool
    jobs: int


@dataclass(frozen=True)
class Law:
    """Assumed distribution of the runs of the old version.

    Attributes
    ----------
    success
        Probability that a run reaches the target within the budget.
    shape
        Shape of the cost to the target, as in `power.ert_ratio.CostLaw`; 1 is exponential, as with
        restarts.
    noise
        Standard deviation of the logarithm of a run's speed, from the clock and the machine.
    job_noise
        The same for a job; all its runs share this noise.
    """

    success: float = 0.5
    shape: float = 1.0
    noise: float = 0.1
    job_noise: float = 0.035


@dataclass(frozen=True)
class Loss:
    """The loss of the new version.

    Attributes
    ----------
    slowdown
        Seconds per evaluation, divided by those of the old version.
    lost
        Share of the successes that the new version loses, each independently.
    """

    slowdown: float = 1.0
    lost: float = 0.0


@dataclass(frozen=True)
class Outcomes:
    """Share of each answer in simulated comparisons, and average share of the runs used."""

    shares: dict[Answer, float]
    runs_used: float


def simulate(
    design: Design, law: Law, loss: Loss, *, samples: int, rng: np.random.Generator
) -> Outcomes:
    """Simulate a comparison of seconds to the target, with its looks, many times.

    Parameters
    ----------
    design, law, loss
        The comparison, the old version and the new one.
    samples : int
        Number of simulated comparisons, at least 1.
    rng : numpy.random.Generator
        Source of random numbers.

    Returns
    -------
    Outcomes
        The share of each answer in `Answer`.

    Examples
    --------
    >>> design = Design(functions=4, runs=100, looks=4, ratio=1.05, level=0.05, paired=True, jobs=5)
    >>> rng = np.random.default_rng(1)
    >>> found = simulate(design, Law(), Loss(slowdown=1.2), samples=20, rng=rng)
    >>> found.shares[Answer.WORSE]
    1.0
    """
    levels, margin = look_levels(design.level, design.looks), log(design.ratio)
    cuts = [round(design.runs * k / design.looks) for k in range(1, design.looks + 1)]
    counted: Counter[Answer] = Counter()
    used = 0
    for _ in range(samples):
        drawn = [_drawn(design, law, loss, rng) for _ in range(design.functions)]
        answer = Answer.UNDECIDED
        for runs, level in zip(cuts, levels, strict=True):
            change = average([_change(one, runs, design) for one in drawn])
            answer = judge(change, margin, float(level)).answer
            if answer is not Answer.UNDECIDED:
                break
        counted[answer] += 1
        used += runs
    shares = {answer: counted[answer] / samples for answer in Answer}
    return Outcomes(shares, used / (samples * design.runs))


def _change(drawn: tuple[NDArray[np.float64], ...], runs: int, design: Design) -> Change:
    baseline, reached, candidate, reached_candidate = (values[:runs] for values in drawn)
    jobs = _jobs(design)[:runs]
    return log_ratio(
        (baseline, reached), (candidate, reached_candidate), paired=design.paired, jobs=(jobs, jobs)
    )


def _jobs(design: Design) -> NDArray[np.intp]:
    """The job of each run of a version on a function, in the order of the looks."""
    return np.arange(design.runs) * design.looks * design.jobs // design.runs


def _drawn(
    design: Design, law: Law, loss: Loss, rng: np.random.Generator
) -> tuple[NDArray[np.float64], ...]:
    """Cost and success of each run of the old version, then of the new one."""
    cost, runs = CostLaw(law.success, law.shape), design.runs
    path = rng.gamma(law.shape, size=runs)
    other = path if design.paired else rng.gamma(law.shape, size=runs)
    job = _jobs(design)
    noise = rng.normal(0.0, law.noise, (2, runs))
    noise += rng.normal(0.0, law.job_noise, (2, job[-1] + 1))[:, job]
    speeds = np.exp(noise) * np.array([[1.0], [loss.slowdown]])
    lost = rng.random(runs) < loss.lost
    certain = np.isinf(cost.cut)  # then a lost run costs as much as the longest run
    budgets = common_budgets(
        *((np.max(path * speeds[0]) if certain else cost.cut) / speeds), paired=design.paired
    )
    baseline, candidate = path < budgets[0], other < budgets[1]
    reached = (baseline | certain, (candidate | certain) & ~lost)
    spent = [
        np.where(found, steps, limit) * speed
        for found, steps, limit, speed in zip(reached, (path, other), budgets, speeds, strict=True)
    ]
    return spent[0], reached[0].astype(np.float64), spent[1], reached[1].astype(np.float64)
