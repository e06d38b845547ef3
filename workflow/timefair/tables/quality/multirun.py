"""What several executions give: the probability that one of them succeeds, and how many it takes.

Executions are independent, each with the whole budget; the best of them counts.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.statistics.probability import multirun_probability, runs_needed, success_interval
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis
from timefair.tables.stacked import stacked

KEYS = ("suite", "dimension", "function", "algorithm")
GENERIC = ["quantile", "executions", "probability", "executions_needed"]
COLUMNS = [
    *KEYS,
    "target",
    "runs",
    "successes",
    "success_rate",
    "executions",
    "probability",
    "probability_low",
    "probability_high",
    "executions_needed",
    "executions_needed_low",
    "executions_needed_high",
]


def to_quantile(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Probability that the best of k executions is at least as good as Q_p, whatever the law is.

    A row a (quantile, executions). ``executions_needed`` is the least k for which it is at least
    the confidence of the analysis.
    """
    if runs.frame.empty:
        return pd.DataFrame(columns=GENERIC)
    p, k = np.meshgrid(sorted(analysis.quantiles), sorted(analysis.executions), indexing="ij")
    columns = (p, k, multirun_probability(p, k), runs_needed(p, analysis.confidence))
    return pd.DataFrame(dict(zip(GENERIC, (c.ravel() for c in columns), strict=True)))


def to_target(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Probability that one of k executions reaches a target, from the success rate.

    A row a (suite, dimension, function, algorithm, target, executions), runs of all instances
    together. ``executions_needed`` is the least k for which it is at least the confidence of the
    analysis: `inf` without a success. Limits follow from those of Clopper and Pearson for the
    success rate.
    """
    targets, executions = analysis.targets_from_easy, sorted(analysis.executions)
    k = np.tile(executions, len(targets))
    reached = np.isfinite(runs.runtimes("seconds", targets))
    parts = []
    for names, members in runs.groups(KEYS):
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
    return stacked(parts, COLUMNS)
