"""Compares the recorded times of events with the times that the algorithms have drawn."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.extensions.selftest.laws import Found, Synthetic, found
from timefair.extensions.selftest.staircase import VALUES
from timefair.records.status import Perturbation, StopReason

NEAR_END_S = 3e-3
"""An event that is due within this time before T may be missing, because events are recorded later
than drawn.
"""

WARM_S = 1e-3
"""Warm-up time of a process: evaluations before it may be slower than later ones."""

LEAST_SPAN_S = 1e-2
"""Shortest time between two events from which the rate of a clock is computed."""

LEAST_RUNS = 8
"""Smallest number of runs from which the rate of a clock is estimated."""

LITTLE = 0.1
"""Level of the quantile of a duration that other processes on the machine can only prolong."""

Row = Mapping[str, Any]
"""A run, with the columns of `timefair.records.schema.RUN_SCHEMA`."""


@dataclass(frozen=True)
class Delays:
    """Delays of the events of a run: how much later than drawn they were recorded.

    - `delay_s`: recorded minus drawn time of each event, shape (events,).
    - `drawn_s`: drawn time of each event, shape (events,).
    - `launch`: launch of each event, shape (events,).
    """

    delay_s: NDArray[np.float64]
    drawn_s: NDArray[np.float64]
    launch: NDArray[np.intp]


def difference(row: Row, synthetic: Synthetic, budget_s: float) -> str:
    """Describe the first difference between the events of a run and those that its seed gives.

    The text is empty if there is no difference. Times are not compared, but an event that was drawn
    well before T must not be missing.
    """
    wanted = found(synthetic, row["seed"], int(budget_s / synthetic.step_s))
    events = row["events"]
    for number, (event, drawn) in enumerate(zip(events, wanted, strict=False), start=1):
        seen = (event["launch"], event["evaluations"], event["precision"])
        if seen != (right := (drawn.launch, drawn.evaluations, VALUES[drawn.level])):
            return f"event {number} is {_words(seen)}, and {_words(right)} was drawn"
    if len(events) > len(wanted):
        return f"{len(events)} events, and {len(wanted)} were drawn"
    if len(events) < len(wanted) and not _may_miss(row, wanted[len(events)], synthetic, budget_s):
        missing = wanted[len(events)]
        return f"event {len(events) + 1} of {len(wanted)} is missing, drawn at " + (
            f"{1e3 * missing.evaluations * synthetic.step_s:.3g} ms"
        )
    return ""


def _words(event: tuple[int, int, float]) -> str:
    return f"launch {event[0]}, evaluation {event[1]}, precision {event[2]:.4g}"


def _may_miss(row: Row, drawn: Found, synthetic: Synthetic, budget_s: float) -> bool:
    """Whether an event is due so late that a run that ended at T may not have recorded it.

    This is the case if the run has not made its evaluation, as on a machine that stalls. The time
    for which the run waited for its core is added, because the run may have waited for all of it
    after its last event.
    """
    if row["stop_reason"] == StopReason.TARGET:
        return False
    if row["evaluations"] < drawn.evaluations:
        return True
    late_s = max([event["time_s"] - event["evaluations"] * synthetic.step_s
                  for event in row["events"]], default=0.0)  # fmt: skip
    waited_s = row.get("foreign_delay_s") or 0.0
    due_s = drawn.evaluations * synthetic.step_s
    return bool(due_s + max(late_s, 0.0) + waited_s + NEAR_END_S >= budget_s)


def delays(row: Row, synthetic: Synthetic) -> Delays:
    """Compute the delays of the events of a run."""
    events = row["events"]
    drawn_s = np.array([event["evaluations"] for event in events]) * synthetic.step_s
    time_s = np.array([event["time_s"] for event in events])
    launch = np.array([event["launch"] for event in events], dtype=np.intp)
    return Delays(time_s - drawn_s, drawn_s, launch)


@dataclass(frozen=True)
class Bias:
    """The delays of the runs of an algorithm.

    An algorithm waits for moments that it has drawn. Other processes on its core can therefore
    delay an event, but not the events after it. The least delays are those of the measurement.

    - `runs`, `perturbed`: number of runs, and number of perturbed ones among them.
    - `first_s`: delays of the events of all first launches.
    - `least_s`: least of these delays in each run.
    - `relaunch_s`: time that each later launch adds: the time from its start to the start of the
      next launch, minus the time of its evaluations.
    - `rate`: ratio of recorded to drawn time in each first launch, between the events with the
      least delay in the first and in the second half of its time. Short launches are omitted.
    """

    runs: int
    perturbed: int
    first_s: NDArray[np.float64]
    least_s: NDArray[np.float64]
    relaunch_s: NDArray[np.float64]
    rate: NDArray[np.float64]

    @property
    def delay_s(self) -> float:
        """Median of the least delays; 0 without events."""
        return float(np.median(self.least_s)) if self.least_s.size else 0.0

    @property
    def each_relaunch_s(self) -> float:
        """The `LITTLE` quantile of the time that a later launch adds; 0 without later launches."""
        return float(np.quantile(self.relaunch_s, LITTLE)) if self.relaunch_s.size else 0.0

    @property
    def median_rate(self) -> float:
        """Median of the rates; NaN for fewer than `LEAST_RUNS`."""
        return float(np.median(self.rate)) if self.rate.size >= LEAST_RUNS else np.nan


def bias(rows: Sequence[Row], synthetic: Synthetic) -> Bias:
    """Compute the delays of the runs of an algorithm."""
    first = [_of_first_launch(delays(row, synthetic)) for row in rows if row["events"]]
    rates = [rate for one in first if (rate := _rate(one)) is not None]
    return Bias(
        len(rows),
        sum(row.get("perturbation") == Perturbation.PERTURBED for row in rows),
        np.concatenate([one.delay_s for one in first]) if first else np.empty(0),
        np.array([one.delay_s.min() for one in first]),
        np.array(list(_relaunches(rows, synthetic.step_s))),
        np.array(rates),
    )


def _of_first_launch(one: Delays) -> Delays:
    """The events of the first launch; there is one, because its first evaluation is an event."""
    own = one.launch == 0
    return Delays(one.delay_s[own], one.drawn_s[own], one.launch[own])


def _relaunches(rows: Iterable[Row], step_s: float) -> Iterator[float]:
    """The time that each launch of these runs adds, except the first and last one of each run."""
    for row in rows:
        for one, after in pairwise(row["launch_log"][1:]):
            yield after["start_s"] - one["start_s"] - step_s * one["evaluations"]


def _rate(one: Delays) -> float | None:
    """Ratio of recorded to drawn time in a launch; None if the launch is too short."""
    warm = np.flatnonzero(one.drawn_s >= WARM_S)
    if not warm.size or one.drawn_s[warm[-1]] - one.drawn_s[warm[0]] < LEAST_SPAN_S:
        return None
    middle_s = (one.drawn_s[warm[0]] + one.drawn_s[warm[-1]]) / 2
    early, late = warm[one.drawn_s[warm] < middle_s], warm[one.drawn_s[warm] >= middle_s]
    a, b = early[one.delay_s[early].argmin()], late[one.delay_s[late].argmin()]
    return float(1 + (one.delay_s[b] - one.delay_s[a]) / (one.drawn_s[b] - one.drawn_s[a]))


def table(biases: Mapping[str, Bias]) -> pd.DataFrame:
    """The delays of all algorithms in microseconds.

    Returns a DataFrame with the columns ``algorithm``, ``runs``, ``perturbed`` (number of perturbed
    runs), ``least_us`` (median over the runs of the least delay of an event), ``events``,
    ``median_us``, ``low_us`` and ``high_us`` (number of events of first launches, and median and 95
    % range of their delays), ``relaunch_us`` (time that a later launch adds; NaN without later
    launches), and ``rate`` (median ratio of recorded to drawn time; NaN if too few runs are long
    enough).
    """
    rows = []
    for label, one in biases.items():
        low, median, high = 1e6 * np.quantile(one.first_s, [0.025, 0.5, 0.975])
        relaunch_us = 1e6 * one.each_relaunch_s if one.relaunch_s.size else np.nan
        counts = (label, one.runs, one.perturbed, 1e6 * one.delay_s, one.first_s.size)
        rows.append((*counts, median, low, high, relaunch_us, one.median_rate))
    return pd.DataFrame(
        rows,
        columns=[
            "algorithm", "runs", "perturbed", "least_us", "events", "median_us", "low_us",
            "high_us", "relaunch_us", "rate",
        ],
    )  # fmt: skip


CLOCKS = {"monotonic_raw": time.CLOCK_MONOTONIC_RAW, "realtime": time.CLOCK_REALTIME}
"""Clocks that are compared with the clock of the measurement, which the kernel may slew."""


def readings() -> dict[str, int]:
    """Present times of the clock of the measurement and of the other clocks, in ns."""
    return {"monotonic": time.monotonic_ns()} | {
        name: time.clock_gettime_ns(clock) for name, clock in CLOCKS.items()
    }


def drift_ppm(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, float]:
    """How much faster the clock of the measurement was than each other clock, in parts per million.

    >>> drift_ppm({"monotonic": 0, "realtime": 5}, {"monotonic": 10**6 + 1, "realtime": 10**6 + 5})
    {'realtime': 1.0}
    """
    own = after["monotonic"] - before["monotonic"]
    others = {name: after[name] - before[name] for name in before if name != "monotonic"}
    return {name: round(1e6 * (own / other - 1), 6) for name, other in others.items()}
