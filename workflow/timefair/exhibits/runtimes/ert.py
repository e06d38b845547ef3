"""Expected running time to targets, in seconds and in evaluations."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from timefair.charts.chart import Curves
from timefair.exhibits import questions
from timefair.exhibits.columns import (
    CELL,
    INSTANCE_CELL,
    RUNS,
    SECONDS,
    SUCCESS_RATE,
    SUCCESSES,
    TARGET,
)
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.rundata.frames import stacked
from timefair.rundata.problems import Spent
from timefair.rundata.published import with_published
from timefair.rundata.runs import UNITS, Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.ert import ert, ert_interval, success_rate

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
    """ERT to each target from easy to hard, with the runs of all instances pooled.

    The limits are those of `statistics.ert.ert_interval`, NaN for one run. Published data are used
    in evaluations; their columns in seconds are NaN.
    """
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
        parts.append(part)
    return stacked(parts, [*key_names, "target", *column_names(COUNTS), *values])
