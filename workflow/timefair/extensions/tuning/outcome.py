"""What a search has found: the trace of its evaluations, and its choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from timefair.extensions.tuning.tuners import DEFAULT
from timefair.statistics.runtimes import runtimes


@dataclass(frozen=True)
class Tried:
    """One evaluation of a search: a run of a candidate on a problem.

    - `number`: Index in the search, from 0, which is also the number of its run in the record.
    - `parameters`: The parameters of the candidate; empty for the default.
    - `problem`, `repetition`: Index of the problem in `TuningProblems.problems`, and number of
      earlier evaluations of the candidate on it. Candidates have the same seed on the same problem
      and repetition.
    - `loss`: `loss` of the run.
    - `seconds`: Seconds of the search since the end of the evaluation before.
    """

    number: int
    candidate: int
    parameters: dict[str, Any]
    problem: int
    repetition: int
    loss: float
    seconds: float


def loss(run: Mapping[str, Any], targets: ArrayLike, *, in_values: bool) -> float:
    """Mean over the targets of the cost of a run to reach them, at most its budget; less is better.

    It is the budget times one minus the area under the run's ECDF of these targets: in seconds if
    the run has a budget in seconds, else in evaluations. A target that was not reached counts as
    the budget, also in a run that failed.

    - `run`: A row of a record: ``events``, ``f_opt``, ``budget_s`` and ``budget_evaluations``.
    - `targets`: Precisions or, with `in_values`, values of f.
    """
    wanted = np.asarray(targets, dtype=np.float64)
    if in_values and run["f_opt"] is not None:
        wanted = wanted - run["f_opt"]
    unit, budget = "time_s", run["budget_s"]
    if budget is None:
        unit, budget = "evaluations", run["budget_evaluations"]
    cost = [event[unit] for event in run["events"]]
    precision = [event["precision"] for event in run["events"]]
    reached = runtimes(cost, precision, [0, len(cost)], wanted)[0]
    return float(np.minimum(reached, budget).mean())


def losses_of(tried: Iterable[Tried]) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for one in tried:
        found.setdefault(one.candidate, []).append(one.loss)
    return found


def result(tried: Iterable[Tried]) -> dict[str, Any]:
    """The result of the trace: the chosen candidate with its loss and that of the default.

    Of the candidates with the most evaluations, it is the one with the least mean loss, and of
    these the first. The default is one of them: if nothing is better, it is chosen. The loss of the
    default is None if it has fewer evaluations than the chosen candidate.
    """
    trace = list(tried)
    losses = losses_of(trace)
    most = max(map(len, losses.values()))
    complete = {one: fmean(found) for one, found in losses.items() if len(found) == most}
    chosen = min(complete, key=lambda one: (complete[one], one))
    compared = len(losses.get(DEFAULT, ())) == most
    return {
        "candidate": chosen,
        "parameters": next(one.parameters for one in trace if one.candidate == chosen),
        "loss": complete[chosen],
        "default_loss": fmean(losses[DEFAULT]) if compared else None,
    }
