"""The clock of the measurement against the times that were drawn."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.records.status import Disturbance, StopReason
from timefair.selftest.expected import Found, found
from timefair.selftest.laws import Synthetic
from timefair.selftest.staircase import VALUES

NEAR_END_S = 3e-3
"""An event that is due so shortly before T may be missing: the clock is later than drawn."""

WARM_S = 1e-3
"""From then on, the evaluations of a process are as fast as all later ones."""

LEAST_SPAN_S = 1e-2
"""A shorter time between two events is too short to compare the rates of clocks."""

LEAST_RUNS = 8
"""Fewer runs say too little about the rate of a clock."""

LITTLE = 0.1
"""Quantile of a duration that others on the machine can only prolong."""

Row = Mapping[str, Any]
"""A run, with the columns of `timefair.records.schema.RUN_SCHEMA`."""


@dataclass(frozen=True)
class Delays:
    """How much later than drawn the events of a run were recorded.

    Attributes
    ----------
    delay_s
        For each event, shape (events,).
    drawn_s
        The time that was drawn, shape (events,).
    launch
        Its launch, shape (events,).
    """

    delay_s: NDArray[np.float64]
    drawn_s: NDArray[np.float64]
    launch: NDArray[np.intp]


def difference(row: Row, synthetic: Synthetic, budget_s: float) -> str:
    """The first difference between the events of a run and those that its seed gives.

    Times are not compared, except that nothing which was drawn well before T may be missing. Empty
    if there is no difference.
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
    """Whether an event comes so late that a run that T ended may not have reached it.

    What a run waited for its core counts as well: it may all have been after the last event.
    """
    if row["stop_reason"] == StopReason.TARGET:
        return False
    late_s = max([event["time_s"] - event["evaluations"] * synthetic.step_s
                  for event in row["events"]], default=0.0)  # fmt: skip
    waited_s = row.get("foreign_delay_s") or 0.0
    due_s = drawn.evaluations * synthetic.step_s
    return bool(due_s + max(late_s, 0.0) + waited_s + NEAR_END_S >= budget_s)


def delays(row: Row, synthetic: Synthetic) -> Delays:
    """How much later than drawn each event of a run was recorded."""
    events = row["events"]
    drawn_s = np.array([event["evaluations"] for event in events]) * synthetic.step_s
    time_s = np.array([event["time_s"] for event in events])
    launch = np.array([event["launch"] for event in events], dtype=np.intp)
    return Delays(time_s - drawn_s, drawn_s, launch)


@dataclass(frozen=True)
class Bias:
    """The delays of the runs of an algorithm.

    An algorithm waits for moments that it has drawn, so others on its core can delay an event, but
    not the events after it. The least delays are therefore those of the measurement itself.

    Attributes
    ----------
    runs, disturbed
        Number of its runs, and of those that were disturbed.
    first_s
        Delays of the events of all first launches.
    least_s
        The least of these delays in each run.
    relaunch_s
        What each later launch adds: the time from its start to that of the next one, minus that
        of its evaluations.
    rate
        Recorded over drawn time in each first launch, between the event with the least delay in
        the first and in the second half of its time. Short launches are omitted.
    """

    runs: int
    disturbed: int
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
        """The `LITTLE` quantile of what a later launch adds; 0 without any."""
        return float(np.quantile(self.relaunch_s, LITTLE)) if self.relaunch_s.size else 0.0

    @property
    def median_rate(self) -> float:
        """Median of the rates; NaN for fewer than `LEAST_RUNS`."""
        return float(np.median(self.rate)) if self.rate.size >= LEAST_RUNS else np.nan


def bias(rows: Sequence[Row], synthetic: Synthetic) -> Bias:
    """The delays of the runs of an algorithm."""
    first = [_of_first_launch(delays(row, synthetic)) for row in rows if row["events"]]
    rates = [rate for one in first if (rate := _rate(one)) is not None]
    return Bias(
        len(rows),
        sum(row.get("disturbance") == Disturbance.DISTURBED for row in rows),
        np.concatenate([one.delay_s for one in first]) if first else np.empty(0),
        np.array([one.delay_s.min() for one in first]),
        np.array(list(_relaunches(rows, synthetic.step_s))),
        np.array(rates),
    )


def _of_first_launch(one: Delays) -> Delays:
    """The events of the first launch; it has one, because its first evaluation improves."""
    own = one.launch == 0
    return Delays(one.delay_s[own], one.drawn_s[own], one.launch[own])


def _relaunches(rows: Iterable[Row], step_s: float) -> Iterator[float]:
    """What the launches of these runs add, except each first and last one."""
    for row in rows:
        for one, after in pairwise(row["launch_log"][1:]):
            yield after["start_s"] - one["start_s"] - step_s * one["evaluations"]


def _rate(one: Delays) -> float | None:
    """Recorded over drawn time in a launch; None if it is too short."""
    warm = np.flatnonzero(one.drawn_s >= WARM_S)
    if not warm.size or one.drawn_s[warm[-1]] - one.drawn_s[warm[0]] < LEAST_SPAN_S:
        return None
    middle_s = (one.drawn_s[warm[0]] + one.drawn_s[warm[-1]]) / 2
    early, late = warm[one.drawn_s[warm] < middle_s], warm[one.drawn_s[warm] >= middle_s]
    a, b = early[one.delay_s[early].argmin()], late[one.delay_s[late].argmin()]
    return float(1 + (one.delay_s[b] - one.delay_s[a]) / (one.drawn_s[b] - one.drawn_s[a]))


def table(biases: Mapping[str, Bias]) -> pd.DataFrame:
    """The delays of all algorithms in microseconds.

    Returns
    -------
    DataFrame
        Columns ``algorithm``, ``runs``, ``disturbed`` (of these), ``least_us`` (median over the
        runs of the least delay of an event), ``events``, ``median_us``, ``low_us`` and ``high_us``
        (delays of all events of first launches, and their 95 % range), ``relaunch_us`` (what a
        later launch adds; empty without any), and ``rate``, the median of recorded over drawn
        time (empty if too few runs are long enough).
    """
    rows = []
    for label, one in biases.items():
        low, median, high = 1e6 * np.quantile(one.first_s, [0.025, 0.5, 0.975])
        relaunch_us = 1e6 * one.each_relaunch_s if one.relaunch_s.size else np.nan
        counts = (label, one.runs, one.disturbed, 1e6 * one.delay_s, one.first_s.size)
        rows.append((*counts, median, low, high, relaunch_us, one.median_rate))
    return pd.DataFrame(
        rows,
        columns=[
            "algorithm", "runs", "disturbed", "least_us", "events", "median_us", "low_us",
            "high_us", "relaunch_us", "rate",
        ],
    )  # fmt: skip


CLOCKS = {"monotonic_raw": time.CLOCK_MONOTONIC_RAW, "realtime": time.CLOCK_REALTIME}
"""Clocks that are compared with the one of the measurement, which the kernel may slew."""


def readings() -> dict[str, int]:
    """The clock of the measurement and the other clocks, in ns."""
    return {"monotonic": time.monotonic_ns()} | {
        name: time.clock_gettime_ns(clock) for name, clock in CLOCKS.items()
    }


def drift_ppm(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, float]:
    """How much faster the clock of the measurement went than each other one, in parts per million.

    >>> drift_ppm({"monotonic": 0, "realtime": 5}, {"monotonic": 10**6 + 1, "realtime": 10**6 + 5})
    {'realtime': 1.0}
    """
    own = after["monotonic"] - before["monotonic"]
    others = {name: after[name] - before[name] for name in before if name != "monotonic"}
    return {name: round(1e6 * (own / other - 1), 6) for name, other in others.items()}
