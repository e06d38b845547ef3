"""Several executions: the probability that one of them succeeds, and the number that is needed.

Executions are independent, each with the complete budget; the best of them counts.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.exhibits import questions
from timefair.exhibits.columns import (
    CELL,
    EXECUTIONS,
    QUANTILE,
    RUNS,
    SUCCESS_RATE,
    SUCCESSES,
    TARGET,
)
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.records.rundata.frames import stacked
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.probability import multirun_probability, runs_needed, success_interval

NEEDED = "least number of executions for which `probability` reaches `statistics.confidence`"
GENERIC = (
    QUANTILE,
    EXECUTIONS,
    Column(
        "probability",
        "probability 1 − (1 − p)^k that the best of k executions is at least as good as the "
        "quantile of probability p of a single one",
    ),
    Column("executions_needed", NEEDED),
)
COLUMNS = (
    *CELL,
    TARGET,
    RUNS,
    SUCCESSES,
    SUCCESS_RATE,
    EXECUTIONS,
    *Column(
        "probability", "probability that at least one of the executions reaches the target"
    ).interval("`probability` (from Clopper and Pearson's for the success rate)"),
    *Column("executions_needed", f"{NEEDED}; `inf` if no run succeeded").interval(),
)


@exhibit(
    "multirun",
    question=questions.EXECUTIONS,
    title="Probability of each quantile in several executions",
    caption="""
    Probability that the best of k independent executions is at least as good as a quantile of a
    single execution. It holds for every algorithm and problem.
    """,
    columns=GENERIC,
    layouts=[
        Layout(
            caption="Probability that the best of several executions is at least as good as a "
            "quantile of a single execution, and the executions needed for a probability of "
            "{confidence}.",
            values=(
                Value("probability", "Probability", decimals=4),
                Value("executions_needed", "Needed"),
            ),
            rows=("quantile", "executions"),
        )
    ],
)
def to_quantile(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Probability that the best of k executions is at least as good as Q_p."""
    if runs.frame.empty:
        return pd.DataFrame(columns=column_names(GENERIC))
    p, k = np.meshgrid(sorted(analysis.quantiles), sorted(analysis.executions), indexing="ij")
    columns = (p, k, multirun_probability(p, k), runs_needed(p, analysis.confidence))
    return pd.DataFrame(dict(zip(column_names(GENERIC), (c.ravel() for c in columns), strict=True)))


@exhibit(
    "multirun_to_target",
    question=questions.EXECUTIONS,
    title="Probability of each target in several executions",
    caption="""
    Probability that at least one of several independent executions, each with the complete budget,
    reaches a target. It follows from the success rate of single runs; the runs of all instances are
    pooled.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Probability that one of several executions reaches the target, from the "
            "success rate.",
            values=(Value("probability", "Probability", "high", decimals=2),),
            columns="executions",
            parts=("suite", "dimension", "target"),
            points=(Points("target", 1),),
        ),
        Layout(
            caption="Executions needed to reach a target with probability {confidence}. ∞: no run "
            "reached the target.",
            brackets=INTERVAL,
            values=(Value.with_limits("executions_needed", "Executions", "low"),),
            columns="target",
            points=(Points("target", 3), Points("executions", 1)),
            name="needed",
        ),
    ],
)
def to_target(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Probability that one of k executions reaches a target, from the success rate."""
    targets, executions = analysis.targets_from_easy, sorted(analysis.executions)
    k = np.tile(executions, len(targets))
    reached = np.isfinite(runs.runtimes("seconds", targets))
    parts = []
    for names, members in runs.groups(tuple(column_names(CELL))):
        successes = np.repeat(reached[members].sum(axis=0), len(executions))
        rate = success_interval(successes, len(members), analysis.confidence)
        parts.append(
            {
                **names,
                "target": np.repeat(targets, len(executions)),
                "runs": len(members),
                "successes": successes,
                "success_rate": rate.value,
                "executions": k,
                "probability": multirun_probability(rate.value, k),
                "probability_low": multirun_probability(rate.low, k),
                "probability_high": multirun_probability(rate.high, k),
                "executions_needed": runs_needed(rate.value, analysis.confidence),
                "executions_needed_low": runs_needed(rate.high, analysis.confidence),
                "executions_needed_high": runs_needed(rate.low, analysis.confidence),
            }
        )
    return stacked(parts, column_names(COLUMNS))
