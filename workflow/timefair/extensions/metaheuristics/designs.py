"""Problems with constraints: how often and how far runs are feasible, and the best design."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from timefair.basics.errors import InputError
from timefair.exhibits import questions
from timefair.exhibits.campaign.outcomes import violations
from timefair.exhibits.exhibit import exhibit
from timefair.exhibits.layout import Layout, by_function
from timefair.problems.suites import find
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.probability import success_interval

CELL = ("suite", "dimension", "function", "algorithm")
FOUND = ("feasible_rate", "feasible_rate_low", "feasible_rate_high", "violation_mean", "f_best")
POINT = ("instance", "run", "x", "g", "h")
SHOWN = 9  # significant digits of constraints


@exhibit(
    question=questions.FEASIBLE,
    layouts=[
        Layout(
            caption="Share of the runs that found a feasible point, mean violation, and the least "
            "f of a feasible point. ∞: no run found a feasible point.",
            shown=("feasible_rate", "violation_mean", "f_best"),
            whole=True,
        ),
        Layout(
            caption="The best feasible point x of each algorithm, its inequalities g(x), at most 0 "
            "if satisfied, and its equalities h(x), 0 if satisfied.",
            shown=("x", "g", "h"),
            name="points",
        ),
    ],
    complete=True,
    charged=False,
)
def designs(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Feasible runs, and the best design with its constraints

    On problems with constraints: the share of feasible runs, the mean violation, and the best
    feasible point of each algorithm with the values of the constraints, which are evaluated again
    at that point. Problems without constraints have no rows.

    CELL, RUNS
    feasible_rate (interval, Clopper and Pearson) <Feasible; high .2 limits>: share of the runs that
        found a feasible point
    violation_mean <Violation; low>: mean over the runs of the least sum of violated constraints; 0
        for a feasible run
    f_best (exact) <Best f; low {SHOWN} digits>: least f of a feasible point; `inf` if there is none
    instance: instance of the best point
    run: run that found the best point
    x (text) <x; 40 letters>: the best point, with all digits
    g (text) <g(x); 28 letters>: values of the inequalities at that point: at most 0 if satisfied
    h (text) <h(x); 14 letters>: values of the equalities at that point: 0 if satisfied
    """
    violation = violations(runs)
    points = runs.column("best_x").to_pylist()
    rows = []
    for names, members in runs.groups(CELL):
        mine = members[~np.isnan(violation[members])]
        if not mine.size:
            continue
        f = runs.frame["best_f"].to_numpy(np.float64)[mine]
        feasible = int(np.isfinite(f).sum())
        rate = success_interval(np.array([feasible]), len(mine), analysis.confidence)
        found = (*(float(of[0]) for of in (rate.value, rate.low, rate.high)),)
        found += float(violation[mine].mean()), float(f.min())
        row = names | {"runs": len(mine)} | dict(zip(FOUND, found, strict=True))
        if feasible:
            best = int(mine[np.argmin(f)])
            row |= {key: int(runs.frame[key].iloc[best]) for key in ("instance", "run")}
            row |= _written(row, points[best], analysis.suite_parameters)
        rows.append(row)
    return by_function(pd.DataFrame(rows, columns=[*CELL, "runs", *FOUND, *POINT]))


def _written(
    row: dict[str, Any], x: Sequence[float] | None, parameters: dict[str, Any]
) -> dict[str, str]:
    """The point and its constraints as text; empty where the problem is not at hand."""
    if x is None:
        return {}
    found = {"x": " ".join(map(repr, x))}
    try:
        suite = find(row["suite"], parameters)
        problem = suite.problem(row["function"], row["dimension"], row["instance"])
    except (InputError, ImportError):
        return found
    if (constraints := problem.constraints) is None:
        return found
    point = np.array(x, dtype=np.float64)
    g, h = constraints.written(point) if constraints.written else (constraints.evaluate(point), ())
    return found | {"g": _numbers(g), "h": _numbers(h)}


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{float(value):.{SHOWN}g}" for value in values)
