"""The runs of the next round, if the stopping rule decides them for the whole campaign.

The decision is written to a file once, and every job of the round reads it. A campaign that
continues after an interruption therefore has the same runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from timefair.campaign import plan
from timefair.policies.stopping.campaign_race import CampaignRacing
from timefair.records.store import open_record
from timefair.statistics.race.race import CampaignRace, Grant, Standing, Why
from timefair.statistics.run_count.stopping import pooled_results

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

COLUMNS = [
    "algorithm", "function", "instance", "round", "run", "f_opt", "best_precision", "real_s",
    "wall_s",
]  # fmt: skip


def decided(campaign: Campaign, keys: plan.Keys, round: int, folder: Path) -> dict[str, Any]:
    """The content of the file of a round.

    Returns
    -------
    dict
        ``spent_core_s`` so far and ``share_core_s`` for this round (null without a budget).
        ``pairs`` contains, for each dimension and pair, the mean A12, the limits of its confidence
        sequence, and the round after which the pair was decided (null if it is undecided).
        ``cells`` contains, for each algorithm on each function and dimension, the runs so far and
        the further runs (``more``) on each instance, with the reason.
    """
    rule = campaign.stopping
    assert isinstance(rule, CampaignRacing)
    race, subject = rule.race(campaign), rule.subject(campaign)
    everything = [_Field(campaign, d, keys, round, folder) for d in campaign.problems.dimensions]
    spent = sum(field.spent for field in everything)
    fields = [
        field.on(subject.functions) for field in everything if field.dimension in subject.dimensions
    ]
    share = None
    if rule.budget_core_s is not None:
        share = max(rule.budget_core_s - spent, 0.0) / (campaign.rounds - round + 1)
    content: dict[str, Any] = {
        "round": round, "spent_core_s": spent, "share_core_s": share, "pairs": [], "cells": []
    }  # fmt: skip
    instances = len(campaign.problems.instances)
    standings = [_standing(race, field, round) for field in fields]

    def granted(place: int, budget: float) -> Grant:
        field, cap = fields[place], campaign.runs * instances
        return race.grant(standings[place], field.runs, field.costs, cap, budget, instances)

    budget = np.inf if share is None else share
    grants = _granted(granted, [field.costs for field in fields], budget)
    for field, standing, grant in zip(fields, standings, grants, strict=True):
        content["pairs"] += _pairs(field, race.pairs, standing)
        content["cells"] += _cells(field, race.pairs, grant, instances)
    raced = {(cell["function"], cell["dimension"]) for cell in content["cells"]}
    for field in everything:
        left = [f for f in field.functions if (f, field.dimension) not in raced]
        content["cells"] += _left_out(field.on(left), instances)
    return content


def _standing(race: CampaignRace, field: _Field, round: int) -> Standing:
    """The pairs of a dimension after all rounds before one."""
    standing = race.look(field.samples(1))
    for look in range(2, round):
        standing = race.look(field.samples(look), standing)
    return standing


def _granted(
    granted: Callable[[int, float], Grant], costs: Sequence[NDArray[np.float64]], budget: float
) -> list[Grant]:
    """The runs of each dimension; a budget that is too small is divided in proportion to their
    needs.

    `granted` takes the index of a dimension and its core-seconds; `costs` are the core-seconds of
    its runs.
    """
    free = [granted(place, np.inf) for place in range(len(costs))]
    needs = [float((grant.more * each).sum()) for grant, each in zip(free, costs, strict=True)]
    if sum(needs) <= budget:
        return free
    return [granted(place, budget * need / sum(needs)) for place, need in enumerate(needs)]


def _pairs(
    field: _Field, pairs: tuple[tuple[int, int], ...], standing: Standing
) -> Iterator[dict[str, Any]]:
    for place, (first, second) in enumerate(pairs):
        a12, radius = float(standing.estimates.a12[place]), float(standing.radius[place])
        yield {
            "dimension": field.dimension,
            "algorithm_a": field.algorithms[first],
            "algorithm_b": field.algorithms[second],
            "a12": a12,
            "low": max(a12 - radius, 0.0),
            "high": min(a12 + radius, 1.0),
            "decided_after_round": int(standing.decided_at[place]) or None,
        }


def _cells(
    field: _Field, pairs: tuple[tuple[int, int], ...], grant: Grant, instances: int
) -> Iterator[dict[str, Any]]:
    for i, algorithm in enumerate(field.algorithms):
        for j, function in enumerate(field.functions):
            reason = str(grant.why[i, j])
            if grant.more[i, j]:
                first, second = pairs[grant.pair[i, j]]
                reason = f"{field.algorithms[first]} and {field.algorithms[second]}"
            yield {
                "algorithm": algorithm,
                "function": function,
                "dimension": field.dimension,
                "runs": int(field.runs[i, j]) // instances,
                "more": int(grant.more[i, j]) // instances,
                "reason": reason,
            }


def _left_out(field: _Field, instances: int) -> Iterator[dict[str, Any]]:
    """The cells of the functions that are not compared."""
    shape = field.runs.shape
    nobody = np.full(shape, -1)
    why = np.full(shape, Why.NOT_ASKED.value)
    return _cells(field, (), Grant(np.zeros(shape, dtype=np.int64), nobody, why), instances)


class _Field:
    """The runs of all algorithms on all functions of a dimension in the rounds before one.

    Attributes
    ----------
    runs
        Number of runs on all instances, shape (algorithms, functions).
    costs
        Mean core-seconds of a run, same shape.
    spent
        Core-seconds of all runs.
    """

    def __init__(
        self, campaign: Campaign, dimension: int, keys: plan.Keys, round: int, folder: Path
    ) -> None:
        self.dimension = dimension
        self.algorithms = tuple(campaign.algorithms)
        self.functions = tuple(campaign.problems.functions)
        paths = [
            folder / job.record(keys[job.algorithm, job.round])
            for job in plan.jobs(campaign)
            if job.dimension == dimension and job.round < round
        ]
        columns = _sorted(pa.concat_tables([open_record(path).read(COLUMNS) for path in paths]))
        places = [self.algorithms.index(label) for label in columns["algorithm"].to_pylist()]
        cores = np.array([campaign.cores_of(label) for label in self.algorithms])
        seconds = np.where(
            np.isnan(real := _numbers(columns, "real_s")), _numbers(columns, "wall_s"), real
        )
        self._algorithm = np.array(places, dtype=np.int64)
        self._function = _numbers(columns, "function")
        self._round = _numbers(columns, "round")
        self._precision = _numbers(columns, "best_precision")
        self._unknown = np.isnan(_numbers(columns, "f_opt"))
        self._problems = np.stack([self._function, _numbers(columns, "instance")])
        self._final_target = campaign.budget.final_target
        shape = len(self.algorithms), len(self.functions)
        self.runs, self.costs = np.zeros(shape, dtype=np.int64), np.zeros(shape)
        for i in range(shape[0]):
            for j in range(shape[1]):
                own = self._cell(i, j)
                self.runs[i, j] = own.sum()
                self.costs[i, j] = max(seconds[own].mean(), 1e-9) * cores[i]
        self.spent = float((seconds * cores[self._algorithm]).sum())

    def on(self, functions: Sequence[int]) -> _Field:
        """The same runs restricted to the functions that are compared; `spent` is unchanged."""
        chosen = copy(self)
        places = [self.functions.index(function) for function in functions]
        chosen.functions = tuple(functions)
        chosen.runs, chosen.costs = self.runs[:, places], self.costs[:, places]
        return chosen

    def samples(self, look: int) -> list[list[NDArray[np.float64]]]:
        """For each function, the results of each algorithm in the rounds up to a given one."""
        seen = self._round <= look
        results = np.full(seen.size, np.nan)
        results[seen] = pooled_results(
            self._precision[seen],
            self._unknown[seen],
            self._problems[:, seen],
            self._final_target,
        )
        return [
            [results[self._cell(i, j) & seen] for i in range(len(self.algorithms))]
            for j in range(len(self.functions))
        ]

    def _cell(self, algorithm: int, function: int) -> NDArray[np.bool_]:
        return np.asarray(
            (self._algorithm == algorithm) & (self._function == self.functions[function])
        )


def _sorted(table: pa.Table) -> pa.Table:
    """Sort the runs, so that their order does not depend on the order of the files."""
    return table.sort_by([(name, "ascending") for name in COLUMNS])


def _numbers(table: pa.Table, column: str) -> NDArray[np.float64]:
    return np.asarray(table[column].to_numpy(), dtype=np.float64)
