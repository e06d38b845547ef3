"""Quantiles of the cost to targets, censored where a run did not reach them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.quantiles import quantile_interval, sample_quantile
from timefair.tables.ranked import ranks_within
from timefair.tables.runs import UNITS, Runs, Unit
from timefair.tables.settings import Analysis

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
    """
    targets = analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    bounds = {unit: _bounds(runs, unit) for unit in UNITS}
    rows = []
    for names, members in runs.groups(KEYS):
        for j, target in enumerate(targets):
            times = {unit: reached_at[unit][members, j] for unit in UNITS}
            successes = int(np.isfinite(times["seconds"]).sum())
            for p in sorted(analysis.quantiles):
                row = {
                    **names,
                    "target": target,
                    "quantile": p,
                    "runs": len(members),
                    "successes": successes,
                }
                for unit in UNITS:
                    bound = bounds[unit][members]
                    row |= _quantile(unit, times[unit], bound, p, analysis.confidence)
                rows.append(row)
    frame = pd.DataFrame(rows, columns=[name for name in COLUMNS if not name.endswith("_rank")])
    for column in COLUMN.values():
        frame[f"{column}_rank"] = ranks_within(frame, (*PROBLEM, "target", "quantile"), column)
    return frame[COLUMNS]


def _quantile(
    unit: Unit,
    times: NDArray[np.float64],
    bounds: NDArray[np.float64],
    p: float,
    confidence: float,
) -> dict[str, object]:
    """The columns of one unit but for the rank."""
    column = COLUMN[unit]
    value = float(sample_quantile(times, p))
    limits = quantile_interval(times, p, confidence)
    if np.isfinite(value):
        text = _digits(value)
    else:
        text = f"> {_digits(float(sample_quantile(np.minimum(times, bounds), p)))}"
    return {
        column: value,
        f"{column}_low": max(float(limits.low), 0.0),
        f"{column}_high": float(limits.high),
        f"{column}_text": text + SIGN[unit],
    }


def _bounds(runs: Runs, unit: Unit) -> NDArray[np.float64]:
    """What each failed run is known to take more than: its budget, or what it had spent."""
    budget = runs.frame[BUDGET[unit]].to_numpy(dtype=np.float64)
    return np.where(np.isnan(budget), runs.spent(unit), budget)


def _digits(value: float) -> str:
    """Four significant digits: ``4618``, ``5.749e4``, ``1e5``, ``0.8``."""
    return f"{value:.4g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
