"""Quantiles of the cost to targets, censored where a run did not reach them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.quantiles import quantile_interval, sample_quantile
from timefair.tables.published import with_published
from timefair.tables.quality.ranked import ranks_within
from timefair.tables.runs import UNITS, Runs, Unit
from timefair.tables.settings import Analysis
from timefair.tables.stacked import stacked

PROBLEM = ("suite", "dimension", "function")
KEYS = (*PROBLEM, "algorithm")
COLUMN: dict[Unit, str] = {"seconds": "runtime_s", "evaluations": "runtime_evaluations"}
BUDGET: dict[Unit, str] = {"seconds": "budget_s", "evaluations": "budget_evaluations"}
SIGN: dict[Unit, str] = {"seconds": " s", "evaluations": ""}
ENDS = ("", "_low", "_high", "_rank", "_text")
COLUMNS = [
    *KEYS,
    "target",
    "quantile",
    "runs",
    "successes",
    *(f"{COLUMN[unit]}{end}" for unit in UNITS for end in ENDS),
]


def quantiles_to_target(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Q_p of seconds and of evaluations to each target, a row a (target, p).

    Keys: suite, dimension, function, algorithm; runs of all instances together, targets from easy
    to hard. A quantile is `inf` where fewer than ``ceil(n p)`` runs reached the target: a run that
    ended without it is censored, whether it used its budget up or ended earlier. ``_low`` and
    ``_high`` are order statistics: 0 below and `inf` above where the runs are too few for a limit.
    ``_rank`` is among the algorithms of a problem, with `inf` last and equal.

    ``_text`` is for print, in four digits: ``> 1e5`` for a quantile beyond a budget of 100,000
    evaluations, ``> 0.8 s`` for one in seconds. Without a budget in that unit the bound is the
    same quantile of what the runs had spent at the target or at their end, which it also exceeds.

    Published data count in evaluations; in seconds they have neither values (NaN) nor ranks.
    """
    runs, targets = with_published(runs), analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    bounds = {unit: _bounds(runs, unit) for unit in UNITS}
    probabilities = sorted(analysis.quantiles)
    parts = []
    for names, members in runs.groups(KEYS):
        successes = np.isfinite(reached_at["evaluations"][members]).sum(axis=0)
        part = {
            **_untold("seconds"),
            **names,
            "target": np.repeat(targets, len(probabilities)),
            "quantile": np.tile(probabilities, len(targets)),
            "runs": len(members),
            "successes": np.repeat(successes, len(probabilities)),
        }
        for unit in runs.units_of(members):
            times, bound = reached_at[unit][members], bounds[unit][members]
            part |= _quantiles(unit, times, bound, probabilities, analysis.confidence)
        parts.append(part)
    frame = stacked(parts, [name for name in COLUMNS if not name.endswith("_rank")])
    for column in COLUMN.values():
        told = frame[frame[column].notna()]
        ranks = ranks_within(told, (*PROBLEM, "target", "quantile"), column)
        frame[f"{column}_rank"] = pd.Series(ranks, told.index)
    return frame[COLUMNS]


def _quantiles(
    unit: Unit,
    times: NDArray[np.float64],
    bounds: NDArray[np.float64],
    probabilities: list[float],
    confidence: float,
) -> dict[str, Any]:
    """The columns of one unit but for the rank, a row a (target, p)."""
    column, censored = COLUMN[unit], np.minimum(times, bounds[:, np.newaxis])
    limits = [quantile_interval(times, p, confidence, axis=0) for p in probabilities]
    values = _rows([sample_quantile(times, p, axis=0) for p in probabilities])
    beyond = _rows([sample_quantile(censored, p, axis=0) for p in probabilities])
    texts = [
        _digits(value) if np.isfinite(value) else f"> {_digits(bound)}"
        for value, bound in zip(values, beyond, strict=True)
    ]
    return {
        column: values,
        f"{column}_low": np.maximum(_rows([limit.low for limit in limits]), 0.0),
        f"{column}_high": _rows([limit.high for limit in limits]),
        f"{column}_text": [text + SIGN[unit] for text in texts],
    }


def _untold(unit: Unit) -> dict[str, Any]:
    """The same columns of runs that do not tell the unit."""
    column = COLUMN[unit]
    return {column: np.nan, f"{column}_low": np.nan, f"{column}_high": np.nan, f"{column}_text": ""}


def _rows(of_targets: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Vectors over the targets, one a probability, as a column."""
    return np.stack(of_targets, axis=-1).ravel()


def _bounds(runs: Runs, unit: Unit) -> NDArray[np.float64]:
    """What each failed run is known to take more than: its budget, or what it had spent."""
    budget = runs.frame[BUDGET[unit]].to_numpy(dtype=np.float64)
    return np.where(np.isnan(budget), runs.spent(unit), budget)


def _digits(value: float) -> str:
    """Four significant digits: ``4618``, ``5.749e4``, ``1e5``, ``0.8``."""
    return f"{value:.4g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
