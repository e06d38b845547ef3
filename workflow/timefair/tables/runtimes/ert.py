"""Expected running time to targets, in seconds and in evaluations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from timefair.statistics.ert import ert, ert_interval, success_rate
from timefair.tables.problems import Spent
from timefair.tables.published import with_published
from timefair.tables.runs import UNITS, Runs
from timefair.tables.settings import Analysis
from timefair.tables.stacked import stacked

POOLED = ("suite", "dimension", "function", "algorithm")
BY_INSTANCE = ("suite", "dimension", "function", "instance", "algorithm")
SUFFIX = {"seconds": "ert_s", "evaluations": "ert_evaluations"}
NUMBERS = ("target", "runs", "successes", "success_rate")
VALUES = tuple(SUFFIX.values())
LIMITS = tuple(f"{name}{end}" for name in VALUES for end in ("", "_low", "_high"))


def pooled(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """ERT for each (suite, dimension, function, algorithm, target), runs of all instances together.

    Columns: the keys, ``target``, ``runs``, ``successes``, ``success_rate``, then ``ert_s`` and
    ``ert_evaluations``, each with ``_low`` and ``_high``: limits of `statistics.ert.ert_interval`,
    NaN for one run. A failed run is charged its own end. Targets go from easy to hard. Published
    data count in evaluations; what is in seconds is NaN.
    """
    targets = analysis.targets_from_easy
    everyone = with_published(runs)
    return _frame(everyone, targets, targets, POOLED, confidence=analysis.confidence)


def relative(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The same to relative targets: ``target`` is the share of the way from start to best.

    See `statistics.targets.relative_targets`: each problem has its own start and best.
    """
    shares = sorted(analysis.relative_targets, reverse=True)
    everyone = with_published(runs)
    targets = everyone.relative_targets(shares)
    return _frame(everyone, shares, targets, POOLED, confidence=analysis.confidence)


def by_instance(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """ERT on each instance, without limits."""
    targets = analysis.targets_from_easy
    return _frame(with_published(runs), targets, targets, BY_INSTANCE, confidence=None)


def _frame(
    runs: Runs,
    names_of_targets: Sequence[float],
    targets: ArrayLike,
    keys: tuple[str, ...],
    *,
    confidence: float | None,
) -> pd.DataFrame:
    spent = {unit: Spent.until(runs.runtimes(unit, targets), runs.spent(unit)) for unit in UNITS}
    values = VALUES if confidence is None else LIMITS
    parts = []
    for names, rows in runs.groups(keys):
        success = spent["evaluations"].success[rows]
        part = {
            **dict.fromkeys(values, np.nan),
            **names,
            "target": np.asarray(names_of_targets, dtype=np.float64),
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
        parts.append(part)
    return stacked(parts, [*keys, *NUMBERS, *values])
