"""The best of several executions, or of the launches that the budget allows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.charts.chart import LEADERS, OVERVIEWS, Picture
from timefair.exhibits.columns import CELL, INSTANCE_CELL, MEASURE, RUNS, UNIT
from timefair.exhibits.exhibit import Column, Figure, column_names, columns_of, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.records.rundata.frames import MEAN, quantile_name, stacked
from timefair.records.rundata.problems import equal_if_solved, precision_at_the_end
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.probability import affordable_runs, best_of_mean, best_of_quantile

KEYS = tuple(column_names(CELL))
PROBLEM_KEYS = tuple(column_names(INSTANCE_CELL))
COLUMNS = (
    *CELL,
    RUNS,
    Column("k", "number of executions, each with the complete budget"),
    MEASURE,
    *columns_of("""
        precision [precision]: best precision of k executions; empty if there are fewer than k runs,
            `inf` if it is possible that none of the k found a finite value
    """),
)
LAUNCH_COLUMNS = (
    *INSTANCE_CELL,
    RUNS,
    UNIT,
    Column("budget", "budget T of a run", "`unit`"),
    Column(
        "complete_launches",
        "launches that returned, were ended by the restart policy or reached the final target",
    ),
    Column("tau", "mean length τ of a complete launch", "`unit`"),
    Column("k", "number of launches that the budget allows: floor(T/τ)"),
    MEASURE,
    *columns_of("""
        one_launch [precision]: best precision of single complete launches
        best_of_k_launches [precision]: best precision of k complete launches, in closed form; empty
            if there are fewer than k
        best_of_restarts [precision]: best precision of the runs with their actual restarts,
            including the last launch, which is cut at T
    """),
)


@exhibit(
    "best_of",
    question=questions.EXECUTIONS,
    title="Best of several executions",
    caption="""
    Best precision of k executions, each with the complete budget. The runs of all instances are
    pooled, and a run that reached the final target counts as 0. The mean is the unbiased estimate
    of the expected best of k runs, computed from the R runs without resampling. Quantiles are those
    of the best of k. A run already contains its restarts, so k executions cost k budgets.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Best precision f − f_opt of k executions, each with the complete budget; runs "
            "of all instances pooled. k executions need k runs. ∞: too many runs found no finite "
            "value.",
            values=(Value("precision", "Precision", "low"),),
            columns="k",
            parts=("suite", "dimension", "measure"),
        )
    ],
    figures=[
        Figure(
            "best_of",
            "Expected best of several executions",
            "Expected best precision of k executions, each with the complete budget, over k. The "
            "runs of all instances are pooled. The estimate is unbiased and needs no resampling. A "
            "line ends where there are fewer than k runs. The steeper it falls, the more the "
            "results of an algorithm vary.",
            Picture(
                "timefair.exhibits.charts.quality:best_of",
                "functions",
                reading=OVERVIEWS["own log"] + " " + LEADERS,
            ),
        )
    ],
)
def of_executions(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Best precision of k runs, each with the complete budget, for k in ``executions``."""
    best = precision_at_the_end(runs)
    cells = list(runs.groups(KEYS))
    samples = [best[members] for _, members in cells]
    executions = sorted(set(analysis.executions))
    measures = _measures(analysis)
    precision = np.stack(
        [_best_of(samples, np.full(len(samples), k), analysis) for k in executions], axis=1
    )
    parts = (
        {
            **group,
            "runs": len(members),
            "k": np.repeat(executions, len(measures)),
            "measure": measures * len(executions),
            "precision": of_cell.ravel(),
        }
        for (group, members), of_cell in zip(cells, precision, strict=True)
    )
    return stacked(parts, column_names(COLUMNS))


@exhibit(
    "restart_fairness",
    question=questions.EXECUTIONS,
    title="Best of the launches that the budget allows",
    caption="""
    Effect of the restarts within one budget T on each instance (*time-fair*, Definition 2): the
    best of k = floor(T/τ) complete launches, in closed form, and the best of the runs with their
    actual restarts. The best of k is empty if there are fewer than k complete launches, and the
    result of one launch if there are none. Long launches are cut more often, so τ is too small if k
    is small. A launch or run that reached the final target counts as 0.
    """,
    columns=LAUNCH_COLUMNS,
    layouts=[
        Layout(
            caption="Best precision f − f_opt of one launch, of the k launches of mean length τ "
            "that the budget allows, and of the runs with their actual restarts.",
            values=(
                Value("tau", "τ"),
                Value("k", "k"),
                Value("one_launch", "One launch", "low"),
                Value("best_of_k_launches", "Best of k", "low"),
                Value("best_of_restarts", "With restarts", "low"),
            ),
            rows=("function", "instance", "algorithm"),
            parts=("suite", "dimension", "unit", "measure"),
        )
    ],
)
def within_budget(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Best of the actual launches of a run, and of k = floor(T/τ) complete ones."""
    cells = list(runs.groups(PROBLEM_KEYS))
    rows_of = [rows for _, rows in cells]
    fair, singles = _fair(runs, rows_of)
    best = precision_at_the_end(runs)
    once = np.ones(len(cells))
    results = {
        "one_launch": _best_of(singles, once, analysis),
        "best_of_k_launches": _best_of(singles, fair["k"].to_numpy(dtype=np.float64), analysis),
        "best_of_restarts": _best_of([best[rows] for rows in rows_of], once, analysis),
    }
    names = pd.DataFrame([group for group, _ in cells], columns=list(PROBLEM_KEYS))
    of_cells = pd.concat([names.assign(runs=list(map(len, rows_of))), fair], axis=1)
    measures = _measures(analysis)
    frame = of_cells.loc[of_cells.index.repeat(len(measures))].reset_index(drop=True)
    frame["measure"] = measures * len(cells)
    frame = frame.assign(**{name: found.ravel() for name, found in results.items()})
    return frame[column_names(LAUNCH_COLUMNS)]


def _measures(analysis: Analysis) -> list[str]:
    return [MEAN, *map(quantile_name, sorted(analysis.quantiles))]


def _best_of(
    samples: Sequence[NDArray[np.float64]], executions: NDArray[np.float64], analysis: Analysis
) -> NDArray[np.float64]:
    """Mean and quantiles of the best of k values of each sample, shape (samples, measures).

    Every sample has its own k. A row is NaN if its k is NaN, below 1, or larger than the sample.
    """
    probabilities = sorted(analysis.quantiles)
    sizes = np.array([sample.size for sample in samples])
    found = np.full((len(samples), 1 + len(probabilities)), np.nan)
    known = (executions >= 1) & (executions <= sizes)
    for size, k in set(zip(sizes[known].tolist(), executions[known].tolist(), strict=True)):
        alike = np.flatnonzero((sizes == size) & (executions == k))
        values = np.stack([samples[place] for place in alike])
        found[alike, 0] = best_of_mean(values, int(k))
        for column, p in enumerate(probabilities, start=1):
            found[alike, column] = best_of_quantile(values, p, int(k))
    return found


def _fair(
    runs: Runs, rows_of: Sequence[NDArray[np.intp]]
) -> tuple[pd.DataFrame, list[NDArray[np.float64]]]:
    """Number of launches that the budget allows, and the best precisions of complete launches.

    `rows_of` contains the runs of each cell. The frame has one row per cell, and the list one array
    per cell. The charge before the first launch is not part of the budget.
    """
    launches = runs.launches
    cell = np.empty(len(runs.frame), dtype=np.intp)
    for place, rows in enumerate(rows_of):
        cell[rows] = place
    launches_of = launches.groupby(cell[launches["row"]]).indices
    complete = launches["complete"].to_numpy(dtype=np.bool_)
    start_s = launches["start_s"].to_numpy(dtype=np.float64)
    of_launches = launches["best_precision"].to_numpy(dtype=np.float64)
    precision = equal_if_solved(runs, of_launches, launches["row"].to_numpy())
    lengths = {
        "seconds": launches["end_s"].to_numpy(dtype=np.float64) - start_s,
        "evaluations": launches["evaluations"].to_numpy(dtype=np.float64),
    }
    budgets = {
        "seconds": runs.frame["budget_s"].to_numpy(dtype=np.float64),
        "evaluations": runs.frame["budget_evaluations"].to_numpy(dtype=np.float64),
    }
    table, singles = [], []
    for place, rows in enumerate(rows_of):
        own = np.asarray(launches_of.get(place, ()), dtype=np.intp)
        ended = own[complete[own]]
        unit = "evaluations" if np.isnan(budgets["seconds"][rows]).any() else "seconds"
        used = lengths[unit][ended]
        table.append(
            {
                "unit": unit,
                "budget": np.fmax.reduce(budgets[unit][rows]),
                "complete_launches": ended.size,
                "tau": used.mean() if used.sum() > 0 else np.nan,
                "before": start_s[own].min() if unit == "seconds" and own.size else 0.0,
            }
        )
        singles.append(precision[ended])
    names = ["unit", "budget", "complete_launches", "tau", "before"]
    fair = pd.DataFrame(table, columns=names)
    known = np.isfinite(fair["budget"].to_numpy(dtype=np.float64))
    fair["k"] = np.nan
    left = fair.loc[known, "budget"] - fair.loc[known, "before"]
    fair.loc[known, "k"] = affordable_runs(left, fair.loc[known, "tau"])
    return fair.drop(columns="before"), singles
