"""Each algorithm over all functions of a dimension in one line: the table for a paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM, SPACE
from timefair.exhibits.comparisons.ranks import Case, cases
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.rundata.frames import quantile_name
from timefair.rundata.problems import problems
from timefair.rundata.published import with_published
from timefair.rundata.runs import UNITS, Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.ranks import average_ranks

MEDIAN = ("precision", quantile_name(0.5))
RANKS = {
    ("seconds", "ERT"): "rank_s",
    ("evaluations", "ERT"): "rank_evaluations",
    MEDIAN: "rank_median",
}
"""Ranked measures, and the columns of their average ranks."""

BEST = {("seconds", "ERT"): "best_on_s", ("evaluations", "ERT"): "best_on_evaluations"}
"""Ranked measures, and the columns of the functions on which no algorithm has a better rank."""

EQUAL = 1e-9
"""Ranks that differ by less count as equal, because they are averages over the targets."""

OVER = "average over the functions of the rank by"
MOST = "number of functions on which no algorithm has a better rank by"
COLUMNS = (
    *SPACE,
    ALGORITHM,
    Column("functions", "number of functions on which the algorithm was run"),
    Column(
        "reached",
        "share of the targets that a run reaches, an average over functions, in which each "
        "function counts once",
    ),
    Column("rank_s", f"{OVER} the ERT in seconds to the targets"),
    Column("rank_evaluations", f"{OVER} the ERT in evaluations to the targets"),
    Column(
        "rank_median",
        f"{OVER} the median precision at the end; empty if 0.5 is not among the quantiles of the "
        "campaign",
    ),
    Column("best_on_s", f"{MOST} the ERT in seconds; ties count for all"),
    Column("best_on_evaluations", f"{MOST} the ERT in evaluations; ties count for all"),
)


@exhibit(
    "summary",
    question=questions.BETTER,
    title="Each algorithm over all functions of a dimension",
    caption="""
    Which algorithm is better over all functions of a dimension: the share of the targets that it
    reaches, its average ranks, and the number of functions on which it is the best. Ranks are those
    of the table `ranks`: the runs of all instances are pooled, and a function counts once. Rows are
    sorted by the average rank in seconds, or in evaluations if these are the only budget. The
    tables `friedman`, `posthoc` and `comparison` show whether a difference is certain.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Which algorithm is better over all functions of a dimension. Targets: share "
            "of the targets that a run reaches. Rank: average over the functions of the rank by "
            "the expected running time (ERT) to the targets, in seconds and in evaluations, and by "
            "the median precision at the end. Best: number of functions on which no algorithm has "
            "a better rank by ERT.",
            values=(
                Value("reached", "Targets", "high", decimals=3),
                Value("rank_s", "Rank, s", "low", decimals=2),
                Value("rank_evaluations", "Rank, evals", "low", decimals=2),
                Value("rank_median", "Rank, precision", "low", decimals=2),
                Value("best_on_s", "Best, s", "high", decimals=0),
                Value("best_on_evaluations", "Best, evals", "high", decimals=0),
            ),
            rows=("dimension", "algorithm"),
            parts=("suite",),
        )
    ],
    default=True,
    comparing=True,
)
def in_a_line(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """One row for each (suite, dimension, algorithm), the best average rank first.

    Values that cannot be ranked, such as the seconds of published data, are NaN.
    """
    lines = {
        (suite, dimension, algorithm): line
        for suite, dimension, algorithm, line in _reached(runs, analysis)
    }
    for case in cases(runs, analysis):
        for algorithm, values in _ranked(case):
            lines[case.names["suite"], case.names["dimension"], algorithm] |= values
    rows = [
        {"suite": suite, "dimension": dimension, "algorithm": algorithm, **line}
        for (suite, dimension, algorithm), line in lines.items()
    ]
    frame = pd.DataFrame(rows, columns=column_names(COLUMNS))
    first = "rank_s" if runs.frame["budget_s"].notna().any() else "rank_evaluations"
    return frame.sort_values(
        ["suite", "dimension", first, "algorithm"], ignore_index=True, na_position="last"
    )


def _reached(runs: Runs, analysis: Analysis) -> Iterator[tuple[Any, Any, str, dict[str, float]]]:
    """Suite, dimension, algorithm, and the share of the targets that it reaches."""
    runs = with_published(runs)
    reached = np.isfinite(runs.runtimes(UNITS[-1], analysis.targets)).mean(axis=1)
    shares: dict[tuple[Any, Any, str], list[float]] = {}
    for problem in problems(runs):
        space = problem.names["suite"], problem.names["dimension"]
        for algorithm, of_runs in problem.samples(reached).items():
            shares.setdefault((*space, algorithm), []).append(float(of_runs.mean()))
    for (suite, dimension, algorithm), of_functions in sorted(shares.items()):
        line = {"functions": len(of_functions), "reached": float(np.mean(of_functions))}
        yield suite, dimension, algorithm, line


def _ranked(case: Case) -> Iterator[tuple[str, dict[str, float]]]:
    """The values of each algorithm under a criterion that the table shows; empty for other
    criteria.
    """
    key = case.names["measure"], case.names["criterion"]
    if key not in RANKS or not len(case.scores):
        return
    best = (case.scores <= case.scores.min(axis=1, keepdims=True) + EQUAL).sum(axis=0)
    for algorithm, average, most in zip(
        case.algorithms, average_ranks(case.scores), best, strict=True
    ):
        count = {BEST[key]: float(most)} if key in BEST else {}
        yield algorithm, {RANKS[key]: float(average), **count}
