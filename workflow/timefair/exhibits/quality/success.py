"""Success rates, and the effect of failures on a mean cost."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.exhibits import questions
from timefair.exhibits.columns import CELL, RUNS, SECONDS, SUCCESS_RATE, SUCCESSES, TARGET
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.rundata.frames import stacked
from timefair.rundata.published import with_published
from timefair.rundata.runs import UNITS, Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.statistics.ert import ert
from timefair.statistics.means import mean_if_all_succeed, mean_of_successes
from timefair.statistics.probability import success_interval

SUFFIX: dict[Unit, str] = {"seconds": "s", "evaluations": "evaluations"}
MEANS = tuple(
    Column(name.format(unit=suffix), meaning, unit)
    for suffix, unit in (("s", SECONDS), ("evaluations", "evaluations"))
    for name, meaning in (
        (
            "mean_{unit}_successes_only",
            "mean cost of the successful runs only; it is too low for algorithms that often fail, "
            "and is shown so that readers recognize it in other work",
        ),
        ("mean_{unit}", "mean cost to the target; empty unless every run reached it"),
        (
            "ert_{unit}",
            "expected running time: the cost of all runs divided by the successes; `inf` without a "
            "success",
        ),
    )
)
COLUMNS = (
    *CELL,
    TARGET,
    RUNS,
    SUCCESSES,
    *SUCCESS_RATE.interval("`success_rate` (Clopper and Pearson)"),
    *MEANS,
)


@exhibit(
    "success",
    question=questions.TARGET,
    title="Success rates, and three mean costs",
    caption="""
    Success rate to each target with its exact interval, and three mean costs in {seconds} and in
    evaluations. The runs of all instances are pooled.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Success rate, and three means of the cost to the target: of successful runs "
            "only, which is misleading; of all runs, if all were successful; and the expected "
            "running time (ERT). ∞: no run reached the target.",
            brackets=INTERVAL,
            values=(
                Value.with_limits("success_rate", "Success rate", "high", decimals=2),
                Value("mean_s_successes_only", "Successes, s"),
                Value("mean_s", "Mean, s"),
                Value("ert_s", "ERT, s", "low"),
                Value("mean_evaluations_successes_only", "Successes, ev."),
                Value("mean_evaluations", "Mean, ev."),
                Value("ert_evaluations", "ERT, ev.", "low"),
            ),
            rows=("function", "algorithm"),
            parts=("suite", "dimension", "target"),
            points=(Points("target", 1),),
        )
    ],
    default=True,
)
def of_targets(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Success rate and three mean costs, targets from easy to hard.

    Published data are used in evaluations, each within its own budget; their columns in seconds are
    NaN.
    """
    runs, targets = with_published(runs), analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    parts = []
    for names, members in runs.groups(tuple(column_names(CELL))):
        success = np.isfinite(reached_at["evaluations"][members])
        rate = success_interval(success.sum(axis=0), len(members), analysis.confidence)
        part = {
            **dict.fromkeys(column_names(MEANS), np.nan),
            **names,
            "target": targets,
            "runs": len(members),
            "successes": success.sum(axis=0),
            "success_rate": rate.value,
            "success_rate_low": rate.low,
            "success_rate_high": rate.high,
        }
        for unit in runs.units_of(members):
            suffix = SUFFIX[unit]
            times = reached_at[unit][members]
            end = runs.spent(unit)[members, np.newaxis]
            part[f"mean_{suffix}_successes_only"] = mean_of_successes(times, axis=0)
            part[f"mean_{suffix}"] = mean_if_all_succeed(times, axis=0)
            part[f"ert_{suffix}"] = ert(np.where(success, times, end), success, axis=0)
        parts.append(part)
    return stacked(parts, column_names(COLUMNS))
