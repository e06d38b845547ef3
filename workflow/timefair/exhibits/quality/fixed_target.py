"""Quantiles of the cost to targets, censored if a run did not reach them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.columns import CELL, PROBLEM, QUANTILE, RUNS, SECONDS, SUCCESSES, TARGET
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.exhibits.quality.ranked import ranks_within
from timefair.rundata.frames import stacked
from timefair.rundata.problems import BUDGETS
from timefair.rundata.published import with_published
from timefair.rundata.runs import UNITS, Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.statistics.quantiles import quantile_interval, sample_quantile

COLUMN: dict[Unit, str] = {"seconds": "runtime_s", "evaluations": "runtime_evaluations"}
SIGN: dict[Unit, str] = {"seconds": " s", "evaluations": ""}


def _columns(unit: Unit, in_words: str) -> tuple[Column, ...]:
    name = COLUMN[unit]
    return (
        Column(
            name,
            "the quantile of the cost to the target; `inf` if fewer than ⌈np⌉ of the n runs "
            "reached it, because a run that ended without the target is censored",
            in_words,
        ),
        Column(
            f"{name}_low",
            "lower limit of a distribution-free interval; 0 if the runs are too few",
            in_words,
        ),
        Column(
            f"{name}_high", "upper limit of that interval; `inf` if the runs are too few", in_words
        ),
        Column(
            f"{name}_rank",
            "rank among the algorithms of the problem; infinite values share the last rank",
        ),
        Column(
            f"{name}_text",
            "the quantile as it is printed, with four digits. `> 0.8` is a censored quantile "
            "with its lower bound: the budget or, without a budget in this unit, the same quantile "
            "of what the runs had spent",
            text=True,
        ),
    )


COLUMNS = (
    *CELL,
    TARGET,
    QUANTILE,
    RUNS,
    SUCCESSES,
    *_columns("seconds", SECONDS),
    *_columns("evaluations", "evaluations"),
)


@exhibit(
    "quantiles_to_target",
    question=questions.TARGET,
    title="Quantiles of the cost to targets",
    caption="""
    Quantiles of the cost to each target, in {seconds} and in evaluations. The runs of all instances
    are pooled. A run that ended without the target is censored, whether it used up its budget or
    ended earlier.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption=f"Quantiles of the cost to target precisions, in {words}; runs of all "
            "instances pooled. A value after > is a lower bound: too few runs reached the target. "
            "Parentheses: rank among the algorithms.",
            values=(
                Value(
                    f"runtime_{unit}",
                    "Cost",
                    "low",
                    rank=f"runtime_{unit}_rank",
                    censored=f"runtime_{unit}_text",
                ),
            ),
            rows=("function", "target", "quantile"),
            columns="algorithm",
            points=(Points("target", 3),),
            name=unit,
        )
        for unit, words in {"s": "{seconds}", "evaluations": "evaluations"}.items()
    ],
)
def quantiles_to_target(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Q_p of seconds and of evaluations to each target, one row per target and probability.

    Targets go from easy to hard. Published data are used only in evaluations; in seconds they have
    neither values (NaN) nor ranks.
    """
    runs, targets = with_published(runs), analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    bounds = {unit: _bounds(runs, unit) for unit in UNITS}
    probabilities = sorted(analysis.quantiles)
    parts = []
    for names, members in runs.groups(tuple(column_names(CELL))):
        successes = np.isfinite(reached_at["evaluations"][members]).sum(axis=0)
        part = {
            **_unknown("seconds"),
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
    frame = stacked(parts, [name for name in column_names(COLUMNS) if not name.endswith("_rank")])
    for column in COLUMN.values():
        known = frame[frame[column].notna()]
        ranks = ranks_within(known, column_names((*PROBLEM, TARGET, QUANTILE)), column)
        frame[f"{column}_rank"] = pd.Series(ranks, known.index)
    return frame[column_names(COLUMNS)]


def _quantiles(
    unit: Unit,
    times: NDArray[np.float64],
    bounds: NDArray[np.float64],
    probabilities: list[float],
    confidence: float,
) -> dict[str, Any]:
    """The columns of one unit except the rank, one row per target and probability."""
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


def _unknown(unit: Unit) -> dict[str, Any]:
    """The same columns of runs without this unit."""
    column = COLUMN[unit]
    return {column: np.nan, f"{column}_low": np.nan, f"{column}_high": np.nan, f"{column}_text": ""}


def _rows(of_targets: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Join vectors over the targets, one per probability, to a column."""
    return np.stack(of_targets, axis=-1).ravel()


def _bounds(runs: Runs, unit: Unit) -> NDArray[np.float64]:
    """Lower bound of the cost of each failed run: its budget, or what it had spent."""
    budget = runs.frame[BUDGETS[unit]].to_numpy(dtype=np.float64)
    return np.where(np.isnan(budget), runs.spent(unit), budget)


def _digits(value: float) -> str:
    """Four significant digits: ``4618``, ``5.749e4``, ``1e5``, ``0.8``."""
    return f"{value:.4g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
