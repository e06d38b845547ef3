"""From a campaign's stopping rule to the runs that a job makes.

A rule looks at the best precision of the runs. Some rules judge each algorithm by itself, after
each run; others compare the algorithms on a problem, after each round, by the records of the rounds
before.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from timefair import provenance
from timefair.measure.repetitions import Repetitions
from timefair.plan import Job, runs_of_round
from timefair.records.store import read_runs
from timefair.statistics.run_count.outliers import Outliers
from timefair.statistics.run_count.pairs import PairRule
from timefair.statistics.run_count.racing import Race
from timefair.statistics.run_count.skewness import SkewnessRule
from timefair.statistics.run_count.stopping import Reason, StoppingRule
from timefair.statistics.run_count.widths import MeanWidth, QuantileWidth, Validity

if TYPE_CHECKING:
    from timefair.config import Campaign

Samples = Mapping[int, list[float]]
"""The best precisions on each instance, in the order of the runs."""

DROPPED = "dropped"
"""Out of the race: it can no longer be the best."""

WON = "won"
"""Alone in the race."""

RESTING = "resting"
"""In this round the other algorithm of the pair has its turn."""


def repetitions(campaign: Campaign, job: Job, folder: Path) -> Repetitions:
    """The runs of a job, as far as the rounds before it decide.

    Parameters
    ----------
    folder
        ``results/<campaign>``, with the records of the rounds before.
    """
    runs = runs_of_round(campaign, job.round)
    if campaign.stopping.rule == "fixed":
        untold = {instance: [float("nan")] * runs.start for instance in job.instances}
        return Repetitions(untold, len(runs))
    earlier = _earlier(campaign, job, folder)
    rule = rule_of(campaign)
    if rule is not None:
        return Repetitions(earlier, len(runs), rule)
    field = {
        label: earlier if label == job.algorithm else _earlier(campaign, job, folder, label)
        for label in campaign.algorithms
    }
    return Repetitions(earlier, len(runs), resting=resting(campaign, job.algorithm, field))


def rule_of(campaign: Campaign) -> StoppingRule | None:
    """The rule that judges each algorithm by itself; None if the campaign's does not."""
    wanted, cap = campaign.stopping, campaign.runs
    start = wanted.start or min(5 if wanted.rule == "skewness" else 10, cap)
    match wanted.rule:
        case "skewness":
            return SkewnessRule(wanted.tau, Outliers(wanted.outliers), start, cap)
        case "quantile":
            return QuantileWidth(
                wanted.width,
                wanted.p,
                wanted.relative,
                wanted.confidence,
                Validity(wanted.validity),
                start,
                cap,
            )
        case "mean":
            return MeanWidth(wanted.width, wanted.relative, wanted.confidence, start, cap)
    return None


def resting(campaign: Campaign, label: str, field: Mapping[str, Samples]) -> dict[int, str]:
    """The instances on which an algorithm has no run in the next round, by a rule that compares.

    Parameters
    ----------
    field
        For each algorithm, in the order of the campaign, its samples so far.
    """
    place = list(field).index(label)
    found = {}
    for instance in field[label]:
        samples = [field[other][instance] for other in field]
        if not any(samples):
            continue
        judge = _race if campaign.stopping.rule == "race" else _pair
        reason = judge(campaign, place, samples)
        if reason is not None:
            found[instance] = reason
    return found


def _race(campaign: Campaign, place: int, samples: list[list[float]]) -> str | None:
    looks = tuple(runs_of_round(campaign, round).stop for round in range(1, campaign.rounds))
    race = Race(1.0 - campaign.stopping.confidence, looks, campaign.runs)
    standing = race.standing(samples)
    if not standing.goes_on[place]:
        return DROPPED
    return WON if standing.goes_on.sum() == 1 and len(samples) > 1 else None


def _pair(campaign: Campaign, place: int, samples: list[list[float]]) -> str | None:
    wanted, cap = campaign.stopping, campaign.runs
    start = wanted.start or min(10, cap)
    decision = PairRule(wanted.width, wanted.relative, start, 2 * cap).decide(*samples)
    if decision.reason is Reason.START:
        return None
    if decision.following is None:
        return decision.reason.value
    return None if decision.following == place else RESTING


def _earlier(
    campaign: Campaign, job: Job, folder: Path, label: str | None = None
) -> dict[int, list[float]]:
    """What an algorithm (the job's own, unless told) found in the rounds before."""
    label = label or job.algorithm
    paths = [
        folder
        / Job(label, job.function, job.dimension, job.instances, round).record(
            provenance.measure_key(campaign, label, round)
        )
        for round in range(1, job.round)
    ]
    found: dict[int, list[tuple[int, float]]] = {instance: [] for instance in job.instances}
    columns = read_runs(paths).select(["instance", "run", "best_precision"]).to_pydict()
    for instance, run, precision in zip(*columns.values(), strict=True):
        found[instance].append((run, precision))
    return {instance: [value for _, value in sorted(runs)] for instance, runs in found.items()}
