"""Records of the self-test that nobody measured: what a clock with small delays would record."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from timefair.extensions.selftest import laws
from timefair.extensions.selftest.laws import LEVELS, VALUES, Synthetic, found, point
from timefair.measure.launching import run_seed, stream
from timefair.problems.base import ProblemName
from timefair.records.status import LaunchEnd, Perturbation, Status, StopReason

DELAY_S, RELAUNCH_S = 40.3e-6, 10.007e-6


def recorded(synthetic: Synthetic, budget_s: float, names: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a run as it would be if the clock and everything around the run took no time.

    - `synthetic`: the algorithm.
    - `budget_s`: T of the run.
    - `names`: the columns that name the run, including ``seed``.
    Returns A row of `timefair.records.schema.RUN_SCHEMA`, without the columns about its
    surroundings.
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
        improved = laws._improvements(steps, last - first)
        is_last = last == evaluations
        final = LaunchEnd.TARGET if succeeds else LaunchEnd.CUT
        yield {
            "start_s": first * synthetic.step_s,
            "end_s": end_s if is_last else last * synthetic.step_s,
            "evaluations": last - first,
            "best_precision": VALUES[max(level for _, level in improved)],
            "end": final if is_last else LaunchEnd.TAU,
        }


def rows_of(label: str, functions: int, runs: int, seed: int) -> Iterator[dict[str, Any]]:
    """The runs of an algorithm with a perfect clock, function by function."""
    suite = "timefair.extensions.selftest.laws:staircase"
    for function in range(1, functions + 1):
        for run in range(runs):
            problem = ProblemName(suite, function, 1, 1)
            names = {
                "suite": suite, "function": function, "dimension": 1, "instance": 1,
                "algorithm": label, "run": run, "seed": run_seed(seed, problem, label, run),
            }  # fmt: skip
            yield recorded(laws.ALGORITHMS[label], laws.BUDGET_S, names)


def delayed(row: dict[str, Any]) -> dict[str, Any]:
    """The run as a real clock records it: later by `DELAY_S`, and by `RELAUNCH_S` for a launch."""
    for number, launch in enumerate(row["launch_log"]):
        if number:
            launch["start_s"] += DELAY_S + number * RELAUNCH_S
        launch["end_s"] = min(launch["end_s"] + DELAY_S + number * RELAUNCH_S, laws.BUDGET_S)
    for event in row["events"]:
        event["time_s"] += DELAY_S + event["launch"] * RELAUNCH_S
    end_s = row["launch_log"][-1]["end_s"]
    return row | {
        "wall_s": end_s, "real_s": end_s, "reaped_s": end_s + 1e-3, "overshoot_s": 0.0,
        "last_evaluation_s": end_s, "cpu_s": end_s,
        "foreign_delay_s": 0.0, "perturbation": Perturbation.CLEAN, "core": 0,
        "preparation_s": 0.01, "best_x": point(VALUES.index(row["best_f"])).tolist(),
    }  # fmt: skip
