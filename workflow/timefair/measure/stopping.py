"""From a campaign's stopping rule to the runs that a job makes.

A rule looks at the best precision of the runs. Some rules judge each algorithm by itself, after
each run; others compare the algorithms on a problem, after each round, by the records of the rounds
before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.campaign import provenance
from timefair.campaign.plan import Job, Keys, runs_of_round
from timefair.measure.repetitions import Repetitions
from timefair.records.store import read_runs
from timefair.statistics.run_count.outliers import Outliers
from timefair.statistics.run_count.pairs import PairRule
from timefair.statistics.run_count.racing import Race
from timefair.statistics.run_count.skewness import SkewnessRule
from timefair.statistics.run_count.stopping import Reason, StoppingRule
from timefair.statistics.run_count.widths import (
    BoundedMeanWidth,
    MeanWidth,
    QuantileWidth,
    Validity,
)

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

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
    keys = provenance.measure_keys(campaign)
    rule = rule_of(campaign)
    if rule is not None:
        return Repetitions(_earlier(job.algorithm, job, keys, folder), len(runs), rule)
    field = {label: _earlier(label, job, keys, folder) for label in campaign.algorithms}
    rests = resting(campaign, job.algorithm, field)
    return Repetitions(field[job.algorithm], len(runs), resting=rests)


def rule_of(campaign: Campaign) -> StoppingRule | None:
    """The rule that judges each algorithm by itself; None if the campaign's does not."""
    wanted, start, cap = campaign.stopping, _start(campaign), campaign.runs
    match wanted.rule:
        case "skewness":
            return SkewnessRule(wanted.tau, Outliers(wanted.outliers), start, cap)
        case "quantile":
            return QuantileWidth(
                wanted.width,
                wanted.p,
                wanted.relative,
                wanted.confidence,
                Validity(wanted.validity or "horizon"),
                start,
                cap,
            )
        case "mean":
            width, relative, confidence = wanted.width, wanted.relative, wanted.confidence
            if wanted.bounds is None:
                return MeanWidth(width, relative, confidence, start, cap)
            return BoundedMeanWidth(width, *wanted.bounds, relative, confidence, start, cap)
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


def _start(campaign: Campaign) -> int:
    """The least number of runs: what is asked for, or the rule's own."""
    wanted = campaign.stopping
    return wanted.start or min(5 if wanted.rule == "skewness" else 10, campaign.runs)


def _race(campaign: Campaign, place: int, samples: list[list[float]]) -> str | None:
    looks = tuple(runs_of_round(campaign, round).stop for round in range(1, campaign.rounds))
    race = Race(1.0 - campaign.stopping.confidence, looks, campaign.runs)
    state = race.state(samples)
    if not state.goes_on[place]:
        return DROPPED
    return WON if state.goes_on.sum() == 1 and len(samples) > 1 else None


def _pair(campaign: Campaign, place: int, samples: list[list[float]]) -> str | None:
    wanted = campaign.stopping
    rule = PairRule(wanted.width, wanted.relative, _start(campaign), 2 * campaign.runs)
    decision = rule.decide(*samples)
    if decision.reason is Reason.START:
        return None
    if decision.following is None:
        return decision.reason.value
    return None if decision.following == place else RESTING


def _earlier(label: str, job: Job, keys: Keys, folder: Path) -> dict[int, list[float]]:
    """What an algorithm found on the job's problems in the rounds before."""
    paths = [
        folder / replace(job, algorithm=label, round=round).record(keys[label, round])
        for round in range(1, job.round)
    ]
    found: dict[int, list[tuple[int, float]]] = {instance: [] for instance in job.instances}
    columns = read_runs(paths).select(["instance", "run", "best_precision"]).to_pydict()
    for instance, run, precision in zip(*columns.values(), strict=True):
        found[instance].append((run, precision))
    return {instance: [value for _, value in sorted(runs)] for instance, runs in found.items()}
