"""Published runs of timefair in seconds of this campaign's machine, by a bridge (`records.bridge`).

Runs keep the seconds of their own machine until they are joined with measured ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.words import number
from timefair.records.bridge import Bridge, bridge
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.traces import TracePart
from timefair.records.schema import BRIDGE

Array = NDArray[np.float64]

CHEAP_S = 1e-3
"""The evaluation cost at which captions say how much a bridge still matters."""


def bridges(runs: Runs, confidence: float = 0.95) -> dict[str, Bridge]:
    """The bridge of each published algorithm whose seconds are comparable on the clock of `runs`.

    That is: both sides have timed kernels, and its times are of the same clock, wall or CPU.
    """
    here = [timed for one in runs.origins.values() for timed in one.kernels]
    clock, found = runs.clock, {}
    for label, source in sorted(runs.sources.items()):
        there = source.get(BRIDGE)
        if there and here and (clock == "cpu" or clock == there["clock"] == "wall"):
            found[label] = bridge(
                there["implementation"], here, there["kernels"], confidence=confidence, clock=clock
            )
    return found


def with_seconds(others: Runs, runs: Runs) -> Runs:
    """Published runs with the seconds that they would have taken here, and none without a bridge.

    Their results at the end of the budget stay unknown: here, it would have been another one.
    """
    frame = others.frame
    factors = _of_runs(others, {label: one.ratio for label, one in bridges(runs).items()})
    if runs.clock == "cpu":
        timed = (frame["wall_s"] > 0) & ~(frame["evaluation_cost_s"].astype(float) > 0)
        factors = factors * (frame["cpu_s"] / frame["wall_s"]).where(timed).to_numpy(np.float64)
    return _scaled(others, factors)


def at_ends(runs: Runs, confidence: float) -> list[Runs]:
    """The same runs with the bridges at the ends of their intervals.

    For each algorithm, its bridge is at one end and the others at the other, so that each pair is
    compared at both of its extremes. Empty without a bridge.
    """
    if runs.published is None or not (found := bridges(runs, confidence)):
        return []
    ends = {label: (one.low / one.ratio, one.high / one.ratio) for label, one in found.items()}
    return [
        replace(
            runs,
            published=_scaled(
                runs.published,
                _of_runs(
                    runs.published,
                    dict.fromkeys(runs.sources, 1.0)
                    | {other: of[end if other == label else 1 - end] for other, of in ends.items()},
                ),
            ),
        )
        for label in ends
        for end in (0, 1)
    ]


def _of_runs(others: Runs, factors: Mapping[str, float]) -> Array:
    """The factor of each run's algorithm; NaN without one."""
    return _numbers(others.frame["algorithm"].astype(str).map(factors))


def _scaled(others: Runs, factor: Array) -> Runs:
    """Multiply times by a factor per run, except simulated cost."""
    frame = others.frame
    cost = np.nan_to_num(_numbers(frame["evaluation_cost_s"]))

    def seconds(told: Array, evaluations: Array, cost: Array, factor: Array) -> Array:
        fixed = np.minimum(cost * evaluations, told)
        return np.asarray(fixed + factor * (told - fixed))

    def part_of(part: TracePart) -> TracePart:
        of_events = part.at_events(cost), part.at_events(factor)
        return replace(part, time_s=seconds(part.time_s, part.evaluations, *of_events))

    told, count = (_numbers(frame[name]) for name in ("wall_s", "evaluations"))
    wall_s = seconds(told, count, cost, factor)
    return replace(
        others, frame=frame.assign(wall_s=wall_s, real_s=wall_s), traces=others.traces.each(part_of)
    )


def said(labels: list[str], runs: Runs, confidence: float) -> str:
    """Sentences on the bridges of some algorithms, and on how much the result depends on them."""
    sentences = []
    for label, one in bridges(runs, confidence).items():
        if label not in labels or runs.published is None:
            continue
        mine = runs.published.frame[runs.published.frame["algorithm"] == label]
        each = one.ratio * float((mine["wall_s"] / mine["evaluations"]).median())
        low, high = (
            f"{100 * each * (end / one.ratio - 1) / (each + CHEAP_S):+.2g}\u00a0%"
            for end in (one.low, one.high)
        )
        machine = runs.sources[label][BRIDGE]["machine"]
        ratio, least, most = (number(of, digits=2) for of in one[:3])
        sentences.append(
            f"Seconds of {label} are those of another machine ({machine}) times {ratio} "
            f"[{least}, {most}], the ratio of the reference kernels ({one.kernel}). With 1 ms more "
            f"per evaluation, this interval would change them by {low} to {high}."
        )
    if sentences:
        sentences.append(
            "Limits of `ert` and verdicts of `comparison` include these intervals; other "
            "numbers are at the ratio."
        )
    return " ".join(sentences)


def _numbers(column: pd.Series) -> Array:
    return np.asarray(column, dtype=np.float64)
