"""What several executions give: of whole runs, and of the launches within a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.best_of import affordable_runs, best_of_mean, best_of_quantile
from timefair.tables.measures import MEAN, quantile_name
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

KEYS = ("suite", "dimension", "function", "algorithm")
COLUMNS = [*KEYS, "runs", "k", "measure", "precision"]
PROBLEM_KEYS = ("suite", "dimension", "function", "instance", "algorithm")
LAUNCH_COLUMNS = [
    *PROBLEM_KEYS,
    *("runs", "unit", "budget", "complete_launches", "tau", "k", "measure"),
    *("one_launch", "best_of_k_launches", "best_of_restarts"),
]


def of_executions(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Best precision of k runs, each with the whole budget, for k in ``executions``.

    A row a ``measure``: ``mean`` is the expected best of k of the runs, a quantile such as ``Q.10``
    that of the best of k. Runs of all instances together are executions on the function. NaN where
    there are fewer than k runs. `inf` where all k may have found nothing.

    A run already holds its restarts: this is what more runs of the same budget give, not what
    restarts give within it, which `within_budget` tells.
    """
    best = runs.frame["best_precision"].to_numpy(dtype=np.float64)
    rows = [
        {**names, "runs": len(members), "k": k, "measure": measure, "precision": precision}
        for names, members in runs.groups(KEYS)
        for k in sorted(set(analysis.executions))
        for measure, precision in _best_of(best[members], k, analysis).items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def within_budget(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """What k = floor(T/tau) launches within one budget give, observed and from single launches.

    Each (suite, dimension, function, instance, algorithm) by itself, a row a ``measure`` of the
    best precision: ``one_launch``, ``best_of_k_launches`` in closed form, both from the complete
    launches, and ``best_of_restarts``, what the runs found with the restarts that they made.
    ``budget`` is T and ``tau`` the mean length of a complete launch, in ``unit``: seconds, or
    evaluations where they are the only budget. A launch is complete that ended by itself, by its
    share tau or at the final target. NaN where no launch is, and where k exceeds them.
    """
    problem = runs.frame.groupby(list(PROBLEM_KEYS)).ngroup().to_numpy()
    every = runs.launches
    launches = dict(iter(every.groupby(problem[every["row"]])))
    best = runs.frame["best_precision"].to_numpy(dtype=np.float64)
    budgets = runs.frame[["budget_s", "budget_evaluations"]]
    rows = []
    for names, members in runs.groups(PROBLEM_KEYS):
        own = launches.get(problem[members[0]], every.iloc[:0])
        fair = _fair(budgets.iloc[members], own)
        singles = own.loc[own["complete"], "best_precision"].to_numpy(dtype=np.float64)
        one, several = _best_of(singles, 1, analysis), _best_of(singles, fair["k"], analysis)
        observed = _best_of(best[members], 1, analysis)
        rows += [
            {
                **names,
                "runs": len(members),
                **fair,
                "measure": measure,
                "one_launch": one[measure],
                "best_of_k_launches": several[measure],
                "best_of_restarts": observed[measure],
            }
            for measure in observed
        ]
    return pd.DataFrame(rows, columns=LAUNCH_COLUMNS)


def _best_of(values: NDArray[np.float64], k: float, analysis: Analysis) -> dict[str, float]:
    """Mean and quantiles of the best of k; NaN for no k."""
    probabilities = sorted(analysis.quantiles)
    names = [MEAN, *map(quantile_name, probabilities)]
    if not k >= 1:
        return dict.fromkeys(names, np.nan)
    quantiles = [best_of_quantile(values, p, int(k)) for p in probabilities]
    return dict(zip(names, map(float, [best_of_mean(values, int(k)), *quantiles]), strict=True))


def _fair(budgets: pd.DataFrame, launches: pd.DataFrame) -> dict[str, Any]:
    """How many launches the budget affords, but for what is charged before the first of them."""
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
