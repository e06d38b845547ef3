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

from timefair.basics.errors import InputError
from timefair.campaign import plan
from timefair.measure.job.repetitions import Repetitions
from timefair.policies.stopping.base import Comparing
from timefair.records.store import read_runs

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

Samples = Mapping[int, list[float]]
"""The best precisions on each instance, in the order of the runs."""


def repetitions(campaign: Campaign, job: plan.Job, key: str, folder: Path) -> Repetitions:
    """The runs of a job, as far as the rounds before it decide.

    Parameters
    ----------
    key
        The measure key of the job.
    folder
        ``results/<campaign>``, with the records of the rounds before and the keys by which they
        are found.

    Raises
    ------
    InputError
        If the folder was planned with another key since.
    """
    more = len(plan.runs_of_round(campaign, job.round))
    rule = campaign.stopping.judge(campaign.runs)
    if rule is not None:
        keys = _planned(campaign, job, key, folder)
        return Repetitions(_earlier(job.algorithm, job, keys, folder), more, rule)
    if isinstance(campaign.stopping, Comparing):
        keys = _planned(campaign, job, key, folder)
        field = {label: _earlier(label, job, keys, folder) for label in campaign.algorithms}
        rests = resting(campaign, campaign.stopping, job.algorithm, field)
        return Repetitions(field[job.algorithm], more, resting=rests)
    made = plan.runs_of_round(campaign, job.round).start
    return Repetitions({instance: [float("nan")] * made for instance in job.instances}, more)


def resting(
    campaign: Campaign, rule: Comparing, label: str, field: Mapping[str, Samples]
) -> dict[int, str]:
    """The instances on which an algorithm has no run in the next round, each with the reason.

    Parameters
    ----------
    field
        For each algorithm, in the order of the campaign, its samples so far.
    """
    place = list(field).index(label)
    looks = [plan.runs_of_round(campaign, round).stop for round in range(1, campaign.rounds)]
    found = {}
    for instance in field[label]:
        samples = [field[other][instance] for other in field]
        if any(samples):
            found[instance] = rule.rests(samples, place, looks, campaign.runs)
    return {instance: reason for instance, reason in found.items() if reason is not None}


def _planned(campaign: Campaign, job: plan.Job, key: str, folder: Path) -> plan.Keys:
    """The keys that the campaign was planned with, if the job belongs to that plan."""
    keys = plan.read_keys(folder, campaign)
    if keys[job.algorithm, job.round] != key:
        raise InputError(f"{folder}: planned otherwise since this job began; {plan.AGAIN}")
    return keys


def _earlier(label: str, job: plan.Job, keys: plan.Keys, folder: Path) -> dict[int, list[float]]:
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
