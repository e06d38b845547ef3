"""Quality at the end of the budget and success: quantiles, success rates, fixed targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.charts.chart import MAP, Picture
from timefair.exhibits.columns import (
    CELL,
    PROBLEM,
    QUANTILE,
    RUNS,
    SECONDS,
    SUCCESS_RATE,
    SUCCESSES,
    TARGET,
)
from timefair.exhibits.exhibit import Column, Figure, column_names, columns_of, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.records.rundata.frames import stacked
from timefair.records.rundata.problems import BUDGETS, precision_at_the_end
from timefair.records.rundata.published import with_published
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.statistics.ert import ert
from timefair.statistics.means import mean_if_all_succeed, mean_of_successes
from timefair.statistics.probability import probability_of_quantile, success_interval
from timefair.statistics.quantiles import quantile_interval, sample_quantile
from timefair.statistics.ranks import rank


def ranks_within(frame: pd.DataFrame, keys: Sequence[str], column: str) -> NDArray[np.float64]:
    """Rank of each row among those with the same keys; less is better.

    Ties share their average rank; `inf` and NaN share the worst.
    """
    values = frame[column].to_numpy(dtype=np.float64)
    ranks = np.empty(values.shape)
    groups = list(map(np.asarray, frame.groupby(list(keys)).indices.values()))
    for size in {rows.size for rows in groups}:
        alike = np.stack([rows for rows in groups if rows.size == size])
        ranks[alike] = rank(values[alike])
    return ranks


QUANTILES_COLUMNS = (
    *CELL,
    RUNS,
    QUANTILE,
    *columns_of("""
        precision [precision]: the order statistic x_(⌈np⌉) of the n runs, of which those that
            reached the final target count as 0; `inf` if too many runs found no finite value
        precision_low [precision]: lower limit of a distribution-free interval of the quantile: an
            order statistic, or 0 if the runs are too few
        precision_high [precision]: upper limit of that interval: an order statistic, or `inf` if
            the runs are too few
        precision_coverage: probability that such limits contain the quantile
    """),
    *Column(
        "probability",
        "probability that one more run is at least as good as `precision`; empty if that is `inf`",
    ).interval("`probability` (exact, from the Beta distribution)"),
    Column(
        "probability_paper_low",
        "lower limit by the normal approximation of Mathematics 10, 4364 (2022)",
    ),
    Column("probability_paper_high", "upper limit by that approximation"),
    Column("rank", "rank of `precision` among the algorithms of the problem; ties share a rank"),
)

PRINTED = (
    Layout(
        caption="Quantiles of the precision f − f_opt at the end of a run: peak, average and bad "
        "case; runs of all instances pooled. 0: the final target was reached. Parentheses: rank "
        "among the algorithms. ∞: too many runs found no finite value.",
        values=(Value("precision", "Precision", "low", rank="rank"),),
        rows=("function", "quantile"),
        columns="algorithm",
    ),
    Layout(
        caption="Quantiles of the precision f − f_opt at the end of a run, and the probability "
        "of a run at least as good. 0: the final target was reached. ∞: too many runs found no "
        "finite value.",
        brackets=INTERVAL,
        values=(
            Value.with_limits("precision", "Precision", "low"),
            Value.with_limits("probability", "Probability", decimals=2),
        ),
        parts=("suite", "dimension", "quantile"),
        name="intervals",
    ),
)


@exhibit(
    "quantiles",
    question=questions.QUALITY,
    title="Quantiles of the precision at the end",
    caption="""
    Quantiles of the best precision at the end of a run (0 if the final target was reached). The
    runs of all instances are pooled. A low probability shows the peak, 0.5 the average and a high
    probability the bad case. Intervals are distribution-free.
    """,
    columns=QUANTILES_COLUMNS,
    layouts=PRINTED,
    figures=[
        Figure(
            "quantiles",
            "Quantiles of the precision at the end",
            "Quantiles of the best precision at the end of a run, with the runs of all instances "
            "pooled: a line from the lowest to the highest quantile, with the marker of the "
            "algorithm at the quantile nearest to the median. The pale bar is the "
            "distribution-free interval of that quantile. Further left is better. An arrow at the "
            "right edge is a quantile without a finite value.",
            Picture("timefair.exhibits.charts.dots:quantiles", "functions", reading=MAP),
            default=True,
        )
    ],
    default=True,
)
def at_the_end(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Q_p of the best precision, with the runs of all instances pooled, one row per probability."""
    return pooled(runs, analysis, confidence=analysis.confidence)


def pooled(runs: Runs, analysis: Analysis, *, confidence: float | None) -> pd.DataFrame:
    """The table `quantiles`; without a confidence, its intervals and probabilities are NaN."""
    best = precision_at_the_end(runs)
    rows = []
    for names, members in runs.groups(tuple(column_names(CELL))):
        values = best[members]
        for p in sorted(analysis.quantiles):
            precision = float(sample_quantile(values, p))
            row = {**names, "runs": len(members), "quantile": p, "precision": precision}
            if confidence is not None:
                row |= _limits(values, p, confidence, runs.least_precision)
            rows.append(row)
    frame = pd.DataFrame(rows, columns=column_names(QUANTILES_COLUMNS[:-1]))
    frame["rank"] = ranks_within(frame, column_names((*PROBLEM, QUANTILE)), "precision")
    return frame


def _limits(
    values: NDArray[np.float64], p: float, confidence: float, least: float
) -> dict[str, float]:
    """The interval of the quantile, and the probability of a run at least as good."""
    limits = quantile_interval(values, p, confidence)
    exact, paper = (
        probability_of_quantile(values, p, confidence=confidence, method=method)
        for method in ("beta", "paper")
    )
    return {
        "precision_low": max(float(limits.low), least),
        "precision_high": float(limits.high),
        "precision_coverage": limits.coverage,
        "probability": float(exact.value),
        "probability_low": float(exact.low),
        "probability_high": float(exact.high),
        "probability_paper_low": float(paper.low),
        "probability_paper_high": float(paper.high),
    }


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
SUCCESS_COLUMNS = (
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
    columns=SUCCESS_COLUMNS,
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
            parts=("suite", "dimension", "target"),
            points=(Points("target", 1),),
        )
    ],
    default=True,
)
def of_targets(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Success rate and three mean costs, targets from easy to hard."""
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
    return stacked(parts, column_names(SUCCESS_COLUMNS))


COLUMN: dict[Unit, str] = {"seconds": "runtime_s", "evaluations": "runtime_evaluations"}
SIGN: dict[Unit, str] = {"seconds": " s", "evaluations": ""}


def _columns(unit: Unit, in_words: str) -> tuple[Column, ...]:
    name = COLUMN[unit]
    return (
        *columns_of(f"""
            {name} [{in_words}]: the quantile of the cost to the target; `inf` if fewer than ⌈np⌉ of
                the n runs reached it, because a run that ended without the target is censored
            {name}_low [{in_words}]: lower limit of a distribution-free interval; 0 if the runs are
                too few
            {name}_high [{in_words}]: upper limit of that interval; `inf` if the runs are too few
            {name}_rank: rank among the algorithms of the problem; infinite values share the last
                rank
            {name}_text (text): the quantile as it is printed, with four digits. `> 0.8` is a
                censored quantile with its lower bound: the budget or, without a budget in this
                unit, the same quantile of what the runs had spent
        """),
    )


FIXED_TARGET_COLUMNS = (
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
    columns=FIXED_TARGET_COLUMNS,
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
    """Q_p of seconds and of evaluations to each target, one row per target and probability."""
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
    frame = stacked(
        parts, [name for name in column_names(FIXED_TARGET_COLUMNS) if not name.endswith("_rank")]
    )
    for column in COLUMN.values():
        known = frame[frame[column].notna()]
        ranks = ranks_within(known, column_names((*PROBLEM, TARGET, QUANTILE)), column)
        frame[f"{column}_rank"] = pd.Series(ranks, known.index)
    return frame[column_names(FIXED_TARGET_COLUMNS)]


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
