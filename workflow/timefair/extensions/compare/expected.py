"""The differences that a planned comparison can find; the command prints them before it
measures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil

import numpy as np

from timefair.extensions.compare.comparison import Measure
from timefair.extensions.compare.rounds import Launched, Rounds
from timefair.statistics.versions.answers import Answer, Design, Law, Loss, simulate

SAMPLES = 400
"""Simulated comparisons of each kind; a probability of 0.9 has a standard error of 0.015."""

SLOWDOWNS = (1.1, 1.2, 1.3, 1.5, 2.0, 3.0)
"""Slow-downs that are simulated; the smallest one that is usually found is printed."""

USUALLY = 0.9
LOST = 0.2


def design_of(rounds: Rounds, ratio: float) -> Design:
    """The numbers of a campaign that determine what a comparison can find."""
    campaign, problems = rounds.campaign, rounds.campaign.problems
    return Design(
        functions=len(problems.functions) * len(problems.dimensions),
        runs=len(problems.instances) * campaign.runs,
        looks=campaign.rounds,
        ratio=ratio,
        level=1 - campaign.statistics.confidence,
        paired=rounds.paired,
        jobs=ceil(len(problems.instances) / campaign.instances_per_job),
    )


def lines(
    rounds: Rounds, by: Measure, ratio: float, launched: Mapping[str, Launched]
) -> Iterator[str]:
    """Yield the size of a comparison, and the probabilities with which it finds losses.

    `launched` is what `Rounds.try_out` found.
    """
    design, seconds = design_of(rounds, ratio), rounds.seconds(launched)
    size = f"in total {design.functions * design.runs} runs of each version"
    time = "" if seconds is None else f", at most about {seconds:.0f} s on {rounds.cores} core(s)"
    seeds = "in pairs of one seed" if design.paired else "with different seeds"
    yield f"plan      {size}, {seeds}{time}, {design.looks} round(s), margin {ratio:g}"
    if by not in (Measure.SECONDS, Measure.EVALUATIONS):
        return
    law, rng = Law(), np.random.default_rng(rounds.campaign.seed)

    def chance(loss: Loss, answer: Answer = Answer.WORSE) -> float:
        return simulate(design, law, loss, samples=SAMPLES, rng=rng).shares[answer]

    unit = "seconds" if by is Measure.SECONDS else "evaluations"
    found = {}
    for slowdown in SLOWDOWNS:
        found[slowdown] = chance(Loss(slowdown=slowdown))
        if found[slowdown] >= USUALLY:
            break
    for slowdown in dict.fromkeys((SLOWDOWNS[0], max(found))):
        yield (
            f"can find  a candidate that needs {100 * (slowdown - 1):.0f} % more {unit}, "
            f"with probability {found[slowdown]:.2f}"
        )
    lost = chance(Loss(lost=LOST))
    yield (
        f"can find  a candidate that loses {100 * LOST:.0f} % of the successes, "
        f"with probability {lost:.2f}"
    )
    equal = chance(Loss(), Answer.EQUAL)
    yield f"can show  that equal versions are equal, with probability {equal:.2f}"
    yield (
        f"assumed   {100 * law.success:.0f} % of the runs reach the target, after exponentially "
        f"distributed costs; the machine adds {100 * law.noise:.0f} % of noise to a run and "
        f"{100 * law.job_noise:g} % to a job"
    )
