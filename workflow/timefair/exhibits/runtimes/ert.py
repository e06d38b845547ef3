"""Cost to targets: the expected running time, and what is reached with restarts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.together import ALL
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Curves
from timefair.exhibits.columns import (
    CELL,
    CELL_OR_ALL,
    COST,
    INSTANCE_CELL,
    RUNS,
    SECONDS,
    SUCCESS_RATE,
    SUCCESSES,
    TARGET,
    UNIT,
)
from timefair.exhibits.curves.ecdf import until_cut
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit, over_costs
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.records.rundata.frames import stacked
from timefair.records.rundata.problems import Spent
from timefair.records.rundata.published import bridges, told_in, with_published
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.statistics.ert import ert, ert_interval, success_rate
from timefair.statistics.restarted import restarted_cdf

SUFFIX = {"seconds": "ert_s", "evaluations": "ert_evaluations"}

COUNTS = (RUNS, SUCCESSES, SUCCESS_RATE)
ERT_S = Column(
    "ert_s", "expected running time in seconds; `inf` if no run reached the target", SECONDS
)
ERT_EVALUATIONS = Column(
    "ert_evaluations",
    "expected running time in evaluations; `inf` if no run reached the target",
    "evaluations",
)
VALUES = (ERT_S, ERT_EVALUATIONS)
HEAVY = "_heavy_tail"
LIMITS = tuple(
    column
    for value in VALUES
    for column in (
        *value.interval(),
        Column(
            f"{value.name}{HEAVY}",
            "whether the distribution of the runtimes looks heavy-tailed; the interval may then be "
            "too short",
        ),
    )
)

PRINTED_UNITS = {"s": "{seconds}", "evaluations": "evaluations"}
SOME_TARGETS = (Points("target", 3),)


def _figure(name: str, unit: str, words: str = "") -> Figure:
    value = SUFFIX[unit]
    return Figure(
        name,
        f"Expected {unit} to targets",
        f"Expected running time (ERT) in {words or unit} to targets from easy to hard. The runs of "
        "all instances are pooled, and a failed run costs all that it used. Lower is better. Bands "
        "are intervals, computed on a logarithmic scale.",
        Curves(
            x="target",
            y=value,
            low=f"{value}_low",
            high=f"{value}_high",
            x_label="target precision (easy to hard)",
            y_label="ERT in {unit}",
            view=unit,
            unit=unit,
            scale="log",
            steps=False,
            decreasing=True,
        ),
        default=name == "ert",
    )


@exhibit(
    "ert",
    question=questions.TARGET,
    title="Expected running time to targets",
    caption="""
    Expected running time (ERT) to each target, in {seconds} and in evaluations. The runs of all
    instances are pooled. The ERT is the total cost of all runs divided by the number of runs that
    reached the target; a failed run costs all that it used. The limits are computed on
    a logarithmic scale. The upper limit is `inf` if the successes are too few to bound the ERT,
    and both limits are empty for a single run. The columns `ert_s_heavy_tail` and
    `ert_evaluations_heavy_tail` mark samples for which the interval may be too short.
    """,
    columns=(*CELL, TARGET, *COUNTS, *LIMITS),
    layouts=[
        Layout(
            caption=f"Expected running time (ERT) to target precisions, in {words}, with the runs "
            "of all instances pooled. ∞: no run reached the target.",
            brackets=INTERVAL,
            values=(Value.with_limits(f"ert_{unit}", "ERT", "low"),),
            rows=("function", "algorithm"),
            columns="target",
            points=SOME_TARGETS,
            name=unit,
        )
        for unit, words in PRINTED_UNITS.items()
    ],
    figures=[_figure("ert", "seconds", "{seconds}"), _figure("ert_evaluations", "evaluations")],
    default=True,
)
def pooled(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """ERT to each target from easy to hard, with the runs of all instances pooled."""
    return to_targets(runs, analysis, confidence=analysis.confidence)


@exhibit(
    "ert_by_instance",
    question=questions.TARGET,
    title="Expected running time on each instance",
    caption="""
    Expected running time (ERT) to each target on each instance, in {seconds} and in evaluations.
    The performance profile is computed from its seconds. `inf`: no run on the instance reached the
    target.
    """,
    columns=(*INSTANCE_CELL, TARGET, *COUNTS, *VALUES),
    layouts=[
        Layout(
            caption=f"Expected running time (ERT) to target precisions on each instance, in "
            f"{words}. ∞: no run reached the target.",
            values=(Value(f"ert_{unit}", "ERT", "low"),),
            rows=("function", "instance", "target"),
            columns="algorithm",
            points=SOME_TARGETS,
            name=unit,
        )
        for unit, words in PRINTED_UNITS.items()
    ],
)
def by_instance(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """ERT on each instance, without limits."""
    return _frame(runs, analysis, INSTANCE_CELL, confidence=None)


def to_targets(runs: Runs, analysis: Analysis, *, confidence: float | None) -> pd.DataFrame:
    """The table `ert`; without a confidence, its limits are NaN."""
    return _frame(runs, analysis, CELL, confidence=confidence)


def _frame(
    runs: Runs, analysis: Analysis, keys: Iterable[Column], *, confidence: float | None
) -> pd.DataFrame:
    of_others = bridges(runs, analysis.confidence)
    runs, targets = with_published(runs), analysis.targets_from_easy
    spent = {unit: Spent.until(runs.runtimes(unit, targets), runs.spent(unit)) for unit in UNITS}
    values = column_names(VALUES if confidence is None else LIMITS)
    key_names = column_names(keys)
    parts = []
    for group, rows in runs.groups(tuple(key_names)):
        success = spent["evaluations"].success[rows]
        part = {
            **{name: False if name.endswith(HEAVY) else np.nan for name in values},
            **group,
            "target": np.asarray(targets, dtype=np.float64),
            "runs": len(rows),
            "successes": success.sum(axis=0),
            "success_rate": success_rate(success, axis=0),
        }
        for unit in runs.units_of(rows):
            column, cost = SUFFIX[unit], spent[unit].cost[rows]
            part[column] = ert(cost, success, axis=0)
            if confidence is not None:
                interval = ert_interval(cost, success, confidence=confidence)
                part[f"{column}_low"], part[f"{column}_high"] = interval.low, interval.high
                part[f"{column}{HEAVY}"] = interval.heavy_tail
                if unit == "seconds" and (one := of_others.get(str(group["algorithm"]))):
                    part[f"{column}_low"] = interval.low * one.low / one.ratio
                    part[f"{column}_high"] = interval.high * one.high / one.ratio
        parts.append(part)
    return stacked(parts, [*key_names, "target", *column_names(COUNTS), *values])


COLUMNS = (
    *CELL_OR_ALL,
    RUNS,
    UNIT,
    COST,
    Column(
        "observed",
        "share of the runs that were as long as `cost`, or had reached every target before; below "
        "1, the share is computed from how often and how late the runs reached each target",
    ),
    Column("fraction", "share of the targets that are reached within `cost`"),
    Column("error", "the exact share is between `fraction` − `error` and `fraction` + `error`"),
)

BEYOND = 100.0
"""Length of the curves, as a multiple of the cost of the longest run."""


@exhibit(
    "restarted_curves",
    question=questions.TARGET,
    title="Share of targets reached with restarts",
    caption="""
    Share of the targets that are reached within a cost if every failed run is followed by another
    one, over {seconds} and over evaluations, for each function and for all functions together. It
    is the mean over the targets of the distribution function of the runtime with restarts, in
    closed form, up to 100 times the longest run. A target that no run reached is never reached.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Share of targets that are reached within a cost if failed runs are restarted, "
            "in closed form.",
            values=(Value("fraction", "Share", "high", decimals=2),),
            rows=("function", "algorithm"),
            columns="cost",
            points=(Points("cost", (0.001, 0.01, 0.1, 1.0), relative=True),),
        )
    ],
    figures=over_costs(
        "restarted",
        "Share of targets reached with restarts over {unit}",
        "Share of the targets that are reached within a number of {unit} if every failed run is "
        "followed by another one, over all functions and for each function. The share is computed "
        "in closed form from the runs of all instances.",
        Curves(
            x="cost",
            y="fraction",
            x_label="{cost}",
            y_label="share of targets reached with restarts",
            view="restarted, {unit}",
            beyond="The thin line beyond is computed from how often and how late the runs reached "
            "each target.",
        ),
    ),
    beside="ecdf",
)
def curves(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Share of targets reached within a cost if failed runs are restarted."""
    of_unit = {unit: told_in(runs, unit) for unit in UNITS}
    costs = {unit: _costs(of_unit[unit], unit) for unit in UNITS}
    parts = []
    for group, samples in _samples(of_unit["evaluations"], analysis):
        for sample in samples:
            low, high = sample.cdf(costs[sample.unit])
            part = {**group, "runs": len(sample.spent), "unit": sample.unit}
            part |= {"cost": costs[sample.unit]}
            part |= {"fraction": (low + high) / 2, "error": (high - low) / 2}
            parts.append(until_cut(part, sample.known, np.inf))
    columns = column_names(COLUMNS)
    single = stacked(parts, columns)
    shared = ["suite", "dimension", "algorithm", "unit", "cost"]
    sums = {"runs": "sum", "observed": "mean", "fraction": "mean", "error": "mean"}
    across = single.groupby(shared, as_index=False).agg(sums)
    frame = pd.concat([single.astype({"function": str}), across.assign(function=ALL)])
    return frame.reset_index(drop=True)[columns]


@dataclass(frozen=True)
class _Sample:
    """Cost of the runs up to each target or their end, arrays of shape (runs, targets)."""

    unit: Unit
    spent: NDArray[np.float64]
    success: NDArray[np.bool_]

    @property
    def known(self) -> NDArray[np.float64]:
        """Cost of each run, or `inf` if it reached every target, shape (runs,)."""
        return np.where(self.success.all(axis=1), np.inf, self.spent.max(axis=1))

    def cdf(self, costs: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Limits of the mean over the targets."""
        bounds = [
            restarted_cdf(spent, success, costs)
            for spent, success in zip(self.spent.T, self.success.T, strict=True)
        ]
        return np.mean([b.low for b in bounds], axis=0), np.mean([b.high for b in bounds], axis=0)


def _samples(runs: Runs, analysis: Analysis) -> Iterator[tuple[dict[str, Any], list[_Sample]]]:
    """Each group of runs, in seconds if they have times, and in evaluations."""
    targets = analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    for group, rows in runs.groups(tuple(column_names(CELL))):
        samples = []
        for unit in runs.units_of(rows):
            spent = Spent.until(reached_at[unit][rows], runs.spent(unit)[rows])
            samples.append(_Sample(unit, spent.cost, spent.success))
        yield group, samples


def _costs(runs: Runs, unit: Unit) -> NDArray[np.float64]:
    measured = runs.cost_grid(unit)
    if measured.size == 0:
        return measured
    return np.geomspace(measured[0], BEYOND * measured[-1], runs.points)
