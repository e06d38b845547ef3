"""The order of a job's runs, and the decision when an instance needs no more of them.

Some rules judge an algorithm by itself after each run; others compare algorithms by the records of
earlier rounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from timefair.basics.errors import InputError
from timefair.campaign import plan
from timefair.policies.stopping.base import Comparing
from timefair.records.store import read_runs
from timefair.statistics.run_count.stopping import StoppingRule, decide, equal_if_solved

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign


class Repetitions:
    """The runs of one job: instances take turns until the round or a stopping rule ends them.

    ``earlier`` has the best precisions of the runs in earlier rounds by instance, in the order of
    turns, and ``more`` is the maximal number of runs of an instance in this round. ``rules`` may
    end instances earlier, and ``resting`` ones get no run, for these reasons.
    """

    def __init__(
        self,
        earlier: Mapping[int, Sequence[float]],
        more: int,
        rules: Mapping[int, StoppingRule] | None = None,
        resting: Mapping[int, str] | None = None,
    ) -> None:
        self._values = {instance: list(values) for instance, values in earlier.items()}
        self._ends = {instance: len(values) + more for instance, values in earlier.items()}
        self._rules = dict(rules or {})
        self._paths: dict[int, list[float]] = {instance: [] for instance in earlier}
        self._ended: dict[int, str] = dict(resting or {})
        for instance, values in self._values.items():
            for n in range(1, len(values) + 1):
                self._judge(instance, n)
        self.most = sum(
            self._ends[instance] - len(values)
            for instance, values in self._values.items()
            if instance not in self._ended
        )
        """Maximal number of runs in this round."""

    def next(self) -> tuple[int, int] | None:
        """The instance and the run to measure next; None when the job is over."""
        waiting = [
            (len(values), place, instance)
            for place, (instance, values) in enumerate(self._values.items())
            if instance not in self._ended and len(values) < self._ends[instance]
        ]
        if not waiting:
            return None
        run, _, instance = min(waiting)
        return instance, run

    def add(self, instance: int, precision: float) -> None:
        """Take the result of the run that `next` named."""
        self._values[instance].append(precision)
        self._judge(instance, len(self._values[instance]))

    def outcome(self) -> list[dict[str, Any]]:
        """For each instance: its runs so far, why it ended, and the rule's statistic at each look.

        None: in ``reason``, an instance that continues; in ``path``, an undefined statistic.
        """
        return [
            {
                "instance": instance,
                "runs": len(values),
                "reason": self._ended.get(instance),
                "path": [None if math.isnan(look) else look for look in self._paths[instance]],
            }
            for instance, values in self._values.items()
        ]

    def _judge(self, instance: int, n: int) -> None:
        rule = self._rules.get(instance)
        if rule is None or instance in self._ended:
            return
        decision = decide(rule, self._values[instance][:n])
        if n >= rule.start:
            self._paths[instance].append(decision.value)
        if decision.stop:
            self._ended[instance] = decision.reason.value


Samples = Mapping[int, list[float]]
"""For each instance, the best precisions in the order of the runs."""


def repetitions(campaign: Campaign, job: plan.Job, key: str, folder: Path) -> Repetitions:
    """The runs of a job, as far as earlier rounds determine them.

    `folder` is ``results/<campaign>``, with the records of the earlier rounds. `InputError` if it
    has been planned with another measure key of the job since then.
    """
    more = len(plan.runs_of_round(campaign, job.round))
    rules = _rules(campaign, job)
    if rules:
        keys = _planned(campaign, job, key, folder)
        return Repetitions(_earlier(job.algorithm, job, keys, folder), more, rules)
    if isinstance(campaign.stopping, Comparing):
        keys = _planned(campaign, job, key, folder)
        field = {
            label: _earlier(label, job, keys, folder, campaign.budget.final_target)
            for label in campaign.algorithms
        }
        rests = resting(campaign, campaign.stopping, job.algorithm, field)
        return Repetitions(field[job.algorithm], more, resting=rests)
    made = plan.runs_of_round(campaign, job.round).start
    return Repetitions({instance: [float("nan")] * made for instance in job.instances}, more)


def _rules(campaign: Campaign, job: plan.Job) -> dict[int, StoppingRule]:
    """The rules that judge the job's algorithm by itself on each instance; may be empty."""
    rules = {instance: campaign.stopping.judge(campaign.runs) for instance in job.instances}
    return {instance: rule for instance, rule in rules.items() if rule is not None}


def resting(
    campaign: Campaign, rule: Comparing, label: str, field: Mapping[str, Samples]
) -> dict[int, str]:
    """The instances on which an algorithm has no run in the next round, each with the reason.

    `field` has the samples of each algorithm so far, in the order of the campaign.
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
    """The keys with which the campaign was planned, if the job belongs to that plan."""
    keys = plan.read_keys(folder, campaign)
    if keys[job.algorithm, job.round] != key:
        raise InputError(f"{folder}: planned otherwise since this job began; {plan.AGAIN}")
    return keys


def _earlier(
    label: str, job: plan.Job, keys: plan.Keys, folder: Path, solved: float | None = None
) -> dict[int, list[float]]:
    """Results of an algorithm on the job's problems in the earlier rounds.

    If `solved` is given, all runs that reached this precision have equal results.
    """
    paths = [
        folder / replace(job, algorithm=label, round=round).record(keys[label, round])
        for round in range(1, job.round)
    ]
    found: dict[int, list[tuple[int, float]]] = {instance: [] for instance in job.instances}
    runs = read_runs(paths)
    unknown = np.isnan(runs["f_opt"].to_numpy().astype(np.float64))
    results = equal_if_solved(runs["best_precision"].to_numpy(), unknown, solved)
    for instance, run, result in zip(
        runs["instance"].to_pylist(), runs["run"].to_pylist(), results.tolist(), strict=True
    ):
        found[instance].append((run, result))
    return {instance: [value for _, value in sorted(runs)] for instance, runs in found.items()}
