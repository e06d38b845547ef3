"""Measures the campaign whose answers are known, and compares its records and tables with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.extensions.selftest import laws
from timefair.extensions.selftest.laws import VALUES, Answers, Found, Synthetic, found
from timefair.processes.jobs import complete
from timefair.records.status import Perturbation, StopReason
from timefair.records.store import open_record
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.probability import success_interval

Row = Mapping[str, Any]
"""A run, with the columns of `timefair.records.schema.RUN_SCHEMA`."""

AIM = 0.93
"""Least share of 95 % intervals that should contain the true value."""

COVERED: Mapping[str, tuple[str, Callable[[Answers, int], float]]] = {
    "ert_s": ("ert", Answers.ert_s),
    "ert_evaluations": ("ert", Answers.ert_evaluations),
    "success_rate": ("success", Answers.success_rate),
}
"""The columns with intervals that are checked: their table, and the true value at a level."""

NEAR_END_S = 3e-3
"""An event that is due within this time before T may be missing: it is recorded later than drawn.
"""

WARM_S = 1e-3
"""Warm-up time of a process: evaluations before it may be slower than later ones."""

LEAST_SPAN_S = 1e-2
"""Shortest time between two events from which the rate of a clock is computed."""

LEAST_RUNS = 8
"""Smallest number of runs from which the rate of a clock is estimated."""

LITTLE = 0.1
"""Level of the quantile of a duration that other processes on the machine can only prolong."""

MOST_RATE = 2e-3
"""Largest difference of the rates of two clocks that is not a fault."""


@dataclass(frozen=True)
class Bench:
    """Where and how the campaigns of the self-test are measured.

    - `folder`: folder of the records. Records that exist are not measured again.
    - `cores`: number of runs that are measured at the same time.
    - `seed`: seed of the first campaign; the seeds of the later ones are derived from it.
    - `say`: called with the name of a part, the number of finished jobs and the number of all jobs.
    """

    folder: Path
    cores: int
    seed: int
    say: Callable[[str, int, int], None]

    def measure(self, part: str, mapping: Mapping[str, object]) -> list[Path]:
        """Measure a campaign in a folder of its own, and return its collected files."""
        campaign, say = configuration.parse(mapping), partial(self.say, part)
        return complete(campaign, self.folder / part, self.cores, say)

    def rows(self, part: str, mapping: Mapping[str, object]) -> dict[str, list[dict[str, Any]]]:
        """Measure a campaign, and return the runs of each algorithm."""
        return rows_of(self.measure(part, mapping))


def rows_of(files: Iterable[Path]) -> dict[str, list[dict[str, Any]]]:
    """The runs in collected files, by algorithm."""
    return {path.stem: open_record(path).read().to_pylist() for path in files}


@dataclass(frozen=True)
class Known:
    """Results of the campaign with known answers.

    - `coverage`: what `coverage` returns.
    - `clock`: what `clock` returns.
    - `differences`: one line for each run whose events differ from those that were drawn.
    """

    coverage: pd.DataFrame
    clock: pd.DataFrame
    differences: list[str]

    def faults(self) -> Iterator[str]:
        """What is wrong, a line each."""
        yield from self.differences[:1]
        if len(self.differences) > 1:
            yield f"{len(self.differences) - 1} more runs have other events than were drawn"
        for row in self.coverage.to_dict("records"):
            if not row["as_aimed"]:
                yield f"{row['held']:.3f} of the intervals of {row['column']} hold the known value"
        for row in self.clock.to_dict("records"):
            if abs(row["rate"] - 1) > MOST_RATE:
                rate = f"recorded times are {row['rate']:.4f} times the drawn ones"
                yield f"{row['algorithm']}: {rate}"


def known_answers(bench: Bench, repetitions: int) -> Known:
    """Measure the campaign whose answers are known, and compare its tables with them."""
    mapping = laws.campaign(repetitions, bench.seed)
    files = bench.measure("answers", mapping)
    rows = rows_of(files)
    biases = {label: bias(rows[label], one) for label, one in laws.ALGORITHMS.items()}
    true = {
        label: Answers(one, laws.BUDGET_S, biases[label].delay_s, biases[label].each_relaunch_s)
        for label, one in laws.ALGORITHMS.items()
    }
    settings = configuration.parse(mapping).settings_of
    runs = Runs.read(files)
    tables = {name: TABLES[name](runs, Analysis.of(settings(name))) for name in ("ert", "success")}
    differences = [
        f"{label} f{row['function']} run {row['run']}: {clause}"
        for label in rows
        for row in rows[label]
        if (clause := difference(row, laws.ALGORITHMS[label], laws.BUDGET_S))
    ]
    return Known(coverage(tables, true), clock(biases), differences)


# --- Intervals of tables --------------------------------------------------------------------------


def coverage(tables: Mapping[str, pd.DataFrame], true: Mapping[str, Answers]) -> pd.DataFrame:
    """How often the intervals of each column of `COVERED` contain the true value.

    Returns a DataFrame with the columns ``column``, ``intervals`` (their number), ``independent``
    (effective number of independent intervals), ``held`` (share of intervals that contain the true
    value), ``held_low`` and ``held_high`` (95 % interval of this share by Clopper and Pearson, for
    ``independent`` intervals), and ``as_aimed`` (whether ``held_high`` is at least `AIM`).
    """
    rows = []
    for column, (table, truth) in COVERED.items():
        frame = tables[table]
        frame = frame[frame[f"{column}_low"].notna() & frame[f"{column}_high"].notna()]
        values = [
            truth(true[label], int(np.abs(np.log10(VALUES) - np.log10(target)).argmin()))
            for label, target in zip(frame["algorithm"], frame["target"], strict=True)
        ]
        held = (frame[f"{column}_low"] <= values) & (values <= frame[f"{column}_high"])
        share = float(held.mean())
        independent = effective_number(held.to_numpy(), frame["function"].to_numpy(dtype=str))
        within = success_interval(round(share * independent), independent, 0.95)
        low, high = min(float(within.low), share), max(float(within.high), share)
        rows.append((column, held.size, independent, share, low, high, high >= AIM))
    names = ["column", "intervals", "independent", "held", "held_low", "held_high", "as_aimed"]
    return pd.DataFrame(rows, columns=names)


def effective_number(outcomes: NDArray[np.bool_], repetition: NDArray[np.str_]) -> int:
    """Effective number of independent outcomes, if those of a repetition may be correlated.

    At least the number of repetitions, and at most that of outcomes.

    >>> outcomes = np.array([True, True, False, False, True, True])
    >>> effective_number(outcomes, np.array(["1", "1", "2", "2", "3", "3"]))
    3
    """
    _, group = np.unique(repetition, return_inverse=True)
    size = np.bincount(group)
    p, groups = outcomes.mean(), size.size
    if groups < 2 or p in (0.0, 1.0):
        return groups
    residual = np.bincount(group, weights=outcomes) - p * size
    variance = groups / (groups - 1) * (residual**2).sum() / outcomes.size**2
    number = p * (1 - p) / variance if variance > 0 else outcomes.size
    return int(min(max(round(number), groups), outcomes.size))


# --- Events and their times -----------------------------------------------------------------------


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
        due_ms = 1e3 * wanted[len(events)].evaluations * synthetic.step_s
        return f"event {len(events) + 1} of {len(wanted)} is missing, drawn at {due_ms:.3g} ms"
    return ""


def _words(event: tuple[int, int, float]) -> str:
    return f"launch {event[0]}, evaluation {event[1]}, precision {event[2]:.4g}"


def _may_miss(row: Row, drawn: Found, synthetic: Synthetic, budget_s: float) -> bool:
    """Whether an event is due so late that a run that ended at T may not have recorded it.

    The time for which the run waited for its core counts, too: it may all have been after its last
    event.
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


@dataclass(frozen=True)
class Bias:
    """The delays of the runs of an algorithm: how much later than drawn events are recorded.

    - `runs`, `perturbed`: number of runs, and of perturbed ones.
    - `first_s`: delay of each event of a first launch, in seconds.
    - `least_s`: the least of these delays in each run.
    - `relaunch_s`: time that each later launch adds.
    - `rate`: ratio of recorded to drawn time in each run whose first launch is long enough.
    """

    runs: int
    perturbed: int
    first_s: NDArray[np.float64]
    least_s: NDArray[np.float64]
    relaunch_s: NDArray[np.float64]
    rate: NDArray[np.float64]

    @property
    def delay_s(self) -> float:
        """Median over the runs of the least delay; 0 without events."""
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
    first = [_of_first_launch(row, synthetic) for row in rows if row["events"]]
    relaunches = [
        after["start_s"] - one["start_s"] - synthetic.step_s * one["evaluations"]
        for row in rows
        for one, after in pairwise(row["launch_log"][1:])
    ]
    rates = [rate for delay_s, drawn_s in first if (rate := _rate(delay_s, drawn_s)) is not None]
    return Bias(
        len(rows),
        sum(row.get("perturbation") == Perturbation.PERTURBED for row in rows),
        np.concatenate([delay_s for delay_s, _ in first]) if first else np.empty(0),
        np.array([delay_s.min() for delay_s, _ in first]),
        np.array(relaunches),
        np.array(rates),
    )


def _of_first_launch(
    row: Row, synthetic: Synthetic
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Delays and drawn times of the events of the first launch; its first evaluation is one."""
    events = [event for event in row["events"] if event["launch"] == 0]
    drawn_s = synthetic.step_s * np.array([event["evaluations"] for event in events])
    return np.array([event["time_s"] for event in events]) - drawn_s, drawn_s


def _rate(delay_s: NDArray[np.float64], drawn_s: NDArray[np.float64]) -> float | None:
    """Ratio of recorded to drawn time in a launch; None if the launch is too short."""
    warm = np.flatnonzero(drawn_s >= WARM_S)
    if not warm.size or drawn_s[warm[-1]] - drawn_s[warm[0]] < LEAST_SPAN_S:
        return None
    middle_s = (drawn_s[warm[0]] + drawn_s[warm[-1]]) / 2
    early, late = warm[drawn_s[warm] < middle_s], warm[drawn_s[warm] >= middle_s]
    a, b = early[delay_s[early].argmin()], late[delay_s[late].argmin()]
    return float(1 + (delay_s[b] - delay_s[a]) / (drawn_s[b] - drawn_s[a]))


def clock(biases: Mapping[str, Bias]) -> pd.DataFrame:
    """The delays of all algorithms in microseconds.

    Returns a DataFrame with the columns ``algorithm``, ``runs``, ``perturbed`` (number of perturbed
    runs), ``least_us`` (median over the runs of the least delay of an event), ``median_us``,
    ``low_us`` and ``high_us`` (median and 95 % range of the delays of all events of first
    launches), ``relaunch_us`` (time that a later launch adds; NaN without later launches), and
    ``rate`` (median ratio of recorded to drawn time; NaN if too few runs are long enough).
    """
    rows = []
    for label, one in biases.items():
        low, median, high = 1e6 * np.quantile(one.first_s, [0.025, 0.5, 0.975])
        relaunch_us = 1e6 * one.each_relaunch_s if one.relaunch_s.size else np.nan
        counts = (label, one.runs, one.perturbed, 1e6 * one.delay_s)
        rows.append((*counts, median, low, high, relaunch_us, one.median_rate))
    return pd.DataFrame(
        rows,
        columns=[
            "algorithm", "runs", "perturbed", "least_us", "median_us", "low_us", "high_us",
            "relaunch_us", "rate",
        ],
    )  # fmt: skip
