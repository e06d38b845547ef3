"""The decision on the runs of the next round.

It is written to a file once, and every job of the round reads it. A campaign that continues after
an interruption therefore has the same runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from timefair.campaign import plan
from timefair.extensions.race.rule import CampaignRacing
from timefair.extensions.race.statistics import CampaignRace, Grant, Standing, results_at
from timefair.records.store import open_record

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

COLUMNS = [
    "algorithm", "function", "instance", "round", "run", "f_opt", "best_precision", "real_s",
    "wall_s",
]  # fmt: skip


def decided(
    rule: CampaignRacing, campaign: Campaign, keys: plan.Keys, round: int, folder: Path
) -> dict[str, Any]:
    """The content of the file of a round.

    It has ``spent_core_s`` so far and ``share_core_s`` for this round (null without a budget).
    ``pairs`` has, for each dimension and pair, the mean A12, the limits of its confidence sequence,
    and the round after which the pair was decided (null if it is undecided). ``cells`` has the runs
    so far and the further ones (``more``) on each instance, with the reason.
    """
    race, target = rule.race(campaign), campaign.budget.final_target
    dimensions = campaign.problems.dimensions
    fields = [_Field.read(campaign, d, keys, round, folder) for d in dimensions]
    spent = sum(field.spent for field in fields)
    share = None
    if rule.budget_core_s is not None:
        share = max(rule.budget_core_s - spent, 0.0) / (campaign.rounds - round + 1)
    content: dict[str, Any] = {
        "round": round, "spent_core_s": spent, "share_core_s": share, "pairs": [], "cells": []
    }  # fmt: skip
    instances = len(campaign.problems.instances)
    standings = [_standing(race, field, round, target) for field in fields]

    def granted(place: int, budget: float) -> Grant:
        field, cap = fields[place], campaign.runs * instances
        return race.grant(standings[place], field.runs, field.costs, cap, budget, instances)

    budget = np.inf if share is None else share
    grants = _granted(granted, [field.costs for field in fields], budget)
    for field, standing, grant in zip(fields, standings, grants, strict=True):
        content["pairs"] += _pairs(field, race.pairs, standing)
        content["cells"] += _cells(field, race.pairs, grant, instances)
    return content


def _standing(race: CampaignRace, field: _Field, round: int, target: float | None) -> Standing:
    """The pairs of a dimension after all rounds before one."""
    standing = None
    for look in range(1, round):
        results = results_at(look, field.columns, field.functions, field.algorithms, target)
        standing = race.look(results, standing)
    assert standing is not None
    return standing


def _granted(
    granted: Callable[[int, float], Grant], costs: Sequence[NDArray[np.float64]], budget: float
) -> list[Grant]:
    """The runs of each dimension; a budget that is too small is divided in proportion to needs.

    `granted` takes the index of a dimension and its core-seconds; `costs` are those of a run.
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


class _Field(NamedTuple):
    """The runs of all algorithms on some functions of a dimension in the rounds before one.

    `columns` are those of the runs. `runs` are the numbers of runs on all instances, and `costs`
    the mean core-seconds of a run, of shape (algorithms, functions). `spent` are the core-seconds
    of all runs of the dimension.
    """

    dimension: int
    algorithms: tuple[str, ...]
    functions: tuple[int, ...]
    columns: Mapping[str, NDArray[Any]]
    runs: NDArray[np.int64]
    costs: NDArray[np.float64]
    spent: float

    @classmethod
    def read(
        cls, campaign: Campaign, dimension: int, keys: plan.Keys, round: int, folder: Path
    ) -> _Field:
        """All functions, from the records of the earlier rounds."""
        algorithms, functions = tuple(campaign.algorithms), tuple(campaign.problems.functions)
        paths = [
            folder / job.record(keys[job.algorithm, job.round])
            for job in plan.jobs(campaign)
            if job.dimension == dimension and job.round < round
        ]
        table = pa.concat_tables([open_record(path).read(COLUMNS) for path in paths])
        table = table.sort_by([(name, "ascending") for name in COLUMNS])  # in whatever order read
        columns = {name: table[name].to_numpy() for name in COLUMNS}
        real = columns["real_s"].astype(np.float64)
        seconds = np.where(np.isnan(real), columns["wall_s"], real)
        cores = {label: campaign.cores_of(label) for label in algorithms}
        runs = np.zeros((len(algorithms), len(functions)), dtype=np.int64)
        costs = np.zeros(runs.shape)
        for (i, label), (j, function) in product(enumerate(algorithms), enumerate(functions)):
            own = (columns["algorithm"] == label) & (columns["function"] == function)
            runs[i, j] = own.sum()
            costs[i, j] = max(seconds[own].mean(), 1e-9) * cores[label]
        spent = float((seconds * [cores[label] for label in columns["algorithm"]]).sum())
        return cls(dimension, algorithms, functions, columns, runs, costs, spent)
