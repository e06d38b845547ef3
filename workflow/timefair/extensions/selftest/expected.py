"""Computes what a perfect clock would record of a run of the self-test, from its seed alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from timefair.extensions.selftest.laws import Synthetic
from timefair.extensions.selftest.staircase import LEVELS, VALUES
from timefair.measure.launching import stream
from timefair.records.status import LaunchEnd, Status, StopReason


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

    Parameters
    ----------
    synthetic
        The algorithm.
    budget_s
        T of the run.
    names
        The columns that name the run, including ``seed``.

    Returns
    -------
    dict
        A row of `timefair.records.schema.RUN_SCHEMA`, without the columns about its surroundings.
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
