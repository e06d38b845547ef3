"""Expected running time to targets, in seconds and in evaluations."""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd

from timefair.statistics.ert import ert, ert_interval, success_rate
from timefair.tables.runs import UNITS, Runs
from timefair.tables.settings import Analysis

POOLED = ("suite", "dimension", "function", "algorithm")
BY_INSTANCE = ("suite", "dimension", "function", "instance", "algorithm")
SUFFIX = {"seconds": "ert_s", "evaluations": "ert_evaluations"}
NUMBERS = ("target", "runs", "successes", "success_rate")
VALUES = tuple(SUFFIX.values())
LIMITS = tuple(f"{name}{end}" for name in VALUES for end in ("", "_low", "_high"))


def pooled(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """ERT for each (suite, dimension, function, algorithm, target), runs of all instances together.

    Columns: the keys, ``target``, ``runs``, ``successes``, ``success_rate``, then ``ert_s`` and
    ``ert_evaluations``, each with ``_low`` and ``_high``: percentile bootstrap limits, NaN for one
    run. A failed run is charged its own end. Targets go from easy to hard.
    """
    return _frame(runs, analysis, POOLED, intervals=True)


def by_instance(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The same for each instance, without limits: what the performance profile is drawn from."""
    return _frame(runs, analysis, BY_INSTANCE, intervals=False)


def _frame(
    runs: Runs, analysis: Analysis, keys: tuple[str, ...], *, intervals: bool
) -> pd.DataFrame:
    targets = analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    parts = []
    for names, rows in runs.groups(keys):
        success = np.isfinite(reached_at["seconds"][rows])
        part = pd.DataFrame(
            {
                **names,
                "target": targets,
                "runs": len(rows),
                "successes": success.sum(axis=0),
                "success_rate": success_rate(success, axis=0),
            }
        )
        for unit in UNITS:
            column = SUFFIX[unit]
            end = runs.spent(unit)[rows, np.newaxis]
            spent = np.where(success, reached_at[unit][rows], end)
            part[column] = ert(spent, success, axis=0)
            if intervals:
                interval = ert_interval(
                    spent,
                    success,
                    confidence=analysis.confidence,
                    resamples=analysis.resamples,
                    rng=_stream(analysis.seed, names),
                )
                part[f"{column}_low"], part[f"{column}_high"] = interval.low, interval.high
        parts.append(part)
    columns = [*keys, *NUMBERS, *(LIMITS if intervals else VALUES)]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def _stream(seed: int, names: dict[str, object]) -> np.random.Generator:
    """The row's own stream; the same for seconds and evaluations, which stay paired."""
    return np.random.default_rng([seed, zlib.crc32(repr(sorted(names.items())).encode())])
