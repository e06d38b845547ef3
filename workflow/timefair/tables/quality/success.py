"""Success rates, and what failures do to a mean cost."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.statistics.ert import ert
from timefair.statistics.means import mean_if_all_succeed, mean_of_successes
from timefair.statistics.probability import success_interval
from timefair.tables.published import with_published
from timefair.tables.runs import UNITS, Runs, Unit
from timefair.tables.settings import Analysis
from timefair.tables.stacked import stacked

KEYS = ("suite", "dimension", "function", "algorithm")
SUFFIX: dict[Unit, str] = {"seconds": "s", "evaluations": "evaluations"}
MEANS = [
    name.format(unit=suffix)
    for suffix in SUFFIX.values()
    for name in ("mean_{unit}_successes_only", "mean_{unit}", "ert_{unit}")
]
COLUMNS = [
    *KEYS,
    "target",
    "runs",
    "successes",
    "success_rate",
    "success_rate_low",
    "success_rate_high",
    *MEANS,
]


def of_targets(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Success rate and three mean costs for each (suite, dimension, function, algorithm, target).

    Runs of all instances together, targets from easy to hard. The limits of ``success_rate`` are
    those of Clopper and Pearson. For seconds and evaluations: ``mean_…_successes_only`` leaves
    failures out and flatters who fails often; ``mean_…`` is there only where every run succeeded;
    ``ert_…`` charges failures to the successes and is `inf` without one. Published data count in
    evaluations, each within its own budget; what is in seconds is NaN.
    """
    runs, targets = with_published(runs), analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    parts = []
    for names, members in runs.groups(KEYS):
        success = np.isfinite(reached_at["evaluations"][members])
        rate = success_interval(success.sum(axis=0), len(members), analysis.confidence)
        part = {
            **dict.fromkeys(MEANS, np.nan),
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
    return stacked(parts, COLUMNS)
