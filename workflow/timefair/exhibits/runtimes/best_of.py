"""Best of several executions: of complete runs, and of the launches within a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.charts.chart import LEADERS, OVERVIEWS, Picture
from timefair.exhibits.columns import CELL, INSTANCE_CELL, MEASURE, RUNS, UNIT
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.exhibits.questions import Question
from timefair.rundata.measures import MEAN, quantile_name
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.best_of import affordable_runs, best_of_mean, best_of_quantile

KEYS = tuple(column_names(CELL))
PROBLEM_KEYS = tuple(column_names(INSTANCE_CELL))
COLUMNS = (
    *CELL,
    RUNS,
    Column("k", "number of executions, each with the complete budget"),
    MEASURE,
    Column(
        "precision",
        "best precision of k executions; empty if there are fewer than k runs, `inf` if it is "
        "possible that none of the k found a finite value",
        "precision",
    ),
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
    Column("one_launch", "best precision of single complete launches", "precision"),
    Column(
        "best_of_k_launches",
        "best precision of k complete launches, in closed form; empty if there are fewer than k",
        "precision",
    ),
    Column(
        "best_of_restarts",
        "best precision of the runs with their actual restarts, including the last launch, which "
        "is cut at T",
        "precision",
    ),
)


@exhibit(
    "best_of",
    question=Question.EXECUTIONS,
    title="Best of several executions",
    caption="""
    Best precision of k executions, each with the complete budget. The runs of all instances are
    pooled. The mean is the unbiased estimate of the expected best of k runs, computed from the R
    runs without resampling. Quantiles are those of the best of k. A run already contains its
    restarts, so k executions cost k budgets.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Best precision f − f_opt of k executions, each with the complete budget; runs "
            "of all instances pooled. k executions need k runs. ∞: too many runs found no finite "
            "value.",
            values=(Value("precision", "Precision", "low"),),
            rows=("function", "algorithm"),
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
            Picture("best_of", "functions", reading=OVERVIEWS["own log"] + " " + LEADERS),
        )
    ],
)
def of_executions(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Best precision of k runs, each with the complete budget, for k in ``executions``.

    One row per measure. A run already contains its restarts. This table therefore shows the effect
    of more runs with the same budget; `within_budget` shows the effect of restarts within one
    budget.
    """
    best = runs.frame["best_precision"].to_numpy(dtype=np.float64)
    rows = [
        {**group, "runs": len(members), "k": k, "measure": measure, "precision": precision}
        for group, members in runs.groups(KEYS)
        for k in sorted(set(analysis.executions))
        for measure, precision in _best_of(best[members], k, analysis).items()
    ]
    return pd.DataFrame(rows, columns=column_names(COLUMNS))


@exhibit(
    "restart_fairness",
    question=Question.EXECUTIONS,
    title="Best of the launches that the budget allows",
    caption="""
    Effect of the restarts within one budget T on each instance (*time-fair*, Definition 2): the
    best of k = floor(T/τ) complete launches, in closed form, and the best of the runs with their
    actual restarts. Values are empty if no launch is complete or if k is larger than the number of
    complete launches. Long launches are cut more often, so τ is too small if k is small.
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
    """Best of k = floor(T/τ) launches within one budget, observed and from single launches.

    One row per (suite, dimension, function, instance, algorithm) and measure of the best precision.
    The unit is seconds, or evaluations if they are the only budget. NaN if no launch is complete,
    and if k exceeds their number.
    """
    problem = runs.frame.groupby(list(PROBLEM_KEYS)).ngroup().to_numpy()
    every = runs.launches
    launches = dict(iter(every.groupby(problem[every["row"]])))
    best = runs.frame["best_precision"].to_numpy(dtype=np.float64)
    budgets = runs.frame[["budget_s", "budget_evaluations"]]
    rows = []
    for group, members in runs.groups(PROBLEM_KEYS):
        own = launches.get(problem[members[0]], every.iloc[:0])
        fair = _fair(budgets.iloc[members], own)
        singles = own.loc[own["complete"], "best_precision"].to_numpy(dtype=np.float64)
        one, several = _best_of(singles, 1, analysis), _best_of(singles, fair["k"], analysis)
        observed = _best_of(best[members], 1, analysis)
        rows += [
            {
                **group,
                "runs": len(members),
                **fair,
                "measure": measure,
                "one_launch": one[measure],
                "best_of_k_launches": several[measure],
                "best_of_restarts": observed[measure],
            }
            for measure in observed
        ]
    return pd.DataFrame(rows, columns=column_names(LAUNCH_COLUMNS))


def _best_of(values: NDArray[np.float64], k: float, analysis: Analysis) -> dict[str, float]:
    """Mean and quantiles of the best of k; NaN if there is no k."""
    probabilities = sorted(analysis.quantiles)
    measures = [MEAN, *map(quantile_name, probabilities)]
    if not k >= 1:
        return dict.fromkeys(measures, np.nan)
    quantiles = [best_of_quantile(values, p, int(k)) for p in probabilities]
    return dict(zip(measures, map(float, [best_of_mean(values, int(k)), *quantiles]), strict=True))


def _fair(budgets: pd.DataFrame, launches: pd.DataFrame) -> dict[str, Any]:
    """Number of launches that the budget allows, without the charge before the first launch."""
    complete = launches[launches["complete"]]
    if budgets["budget_s"].notna().all():
        unit, column, lengths = "seconds", "budget_s", complete["end_s"] - complete["start_s"]
        before = launches["start_s"].min() if len(launches) else 0.0
    else:
        unit, column, lengths = "evaluations", "budget_evaluations", complete["evaluations"]
        before = 0.0
    budget = float(budgets[column].max())
    tau = float(lengths.mean()) if lengths.sum() > 0 else np.nan
    known = np.isfinite(budget)
    return {
        "unit": unit,
        "budget": budget,
        "complete_launches": len(complete),
        "tau": tau,
        "k": float(affordable_runs(budget - before, tau)) if known else np.nan,
    }
