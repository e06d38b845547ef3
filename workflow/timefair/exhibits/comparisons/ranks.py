"""Average ranks of the algorithms under several criteria."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.charts import costs
from timefair.charts.chart import RankAxis, Slopes
from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM, SPACE
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.rundata.frames import quantile_name
from timefair.rundata.problems import Spent, precision_at_the_end, problems
from timefair.rundata.published import with_published
from timefair.rundata.runs import UNITS, Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.ert import ert
from timefair.statistics.means import mean_of
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.ranks import average_ranks, critical_difference, rank

CRITERION = (
    Column(
        "measure",
        "what is ranked: `precision` at the end of the run, or `seconds` or `evaluations` to the "
        "targets",
        text=True,
    ),
    Column(
        "criterion",
        "of a precision: `mean` or a quantile such as `Q.50`; of a cost: `ERT` or a quantile of "
        "the runtimes, with failures as `inf`",
        text=True,
    ),
)
KEYS = tuple(column_names((*SPACE, *CRITERION)))
COLUMNS = (
    *SPACE,
    *CRITERION,
    ALGORITHM,
    Column(
        "problems", "number of functions that were run with every algorithm; others are omitted"
    ),
    Column("average_rank", "average rank over these functions; 1 is the best"),
    Column(
        "critical_difference",
        "Nemenyi's critical difference: average ranks that differ by more differ significantly; "
        "empty for fewer than two algorithms or functions",
        "ranks",
    ),
)


def _slopes(frame: pd.DataFrame) -> pd.DataFrame:
    """Average ranks over the criteria, one panel per measure."""
    panels: dict[str, str] = {unit: f"{costs.counted_in(frame, unit)} to targets" for unit in UNITS}
    panels["precision"] = "precision at the end"
    return frame.assign(panel=frame["measure"].map(panels), position=frame["criterion"])


Values = dict[tuple[str, str], NDArray[np.float64]]
"""For each (measure, criterion), the values of one algorithm on one problem, one per target."""


@dataclass(frozen=True)
class Case:
    """The values that are ranked under one criterion.

    Attributes
    ----------
    names
        Suite, dimension, measure and criterion.
    algorithms
        Algorithms in alphabetical order.
    scores
        Values, shape (problems, algorithms); smaller is better.
    """

    names: dict[str, Any]
    algorithms: tuple[str, ...]
    scores: NDArray[np.float64]

    def averages(self) -> dict[str, float]:
        """The average rank of each algorithm; NaN if no function was run with all of them."""
        return dict(zip(self.algorithms, average_ranks(self.scores).tolist(), strict=True))


@exhibit(
    "ranks",
    question=questions.BETTER,
    title="Average ranks under several criteria",
    caption="""
    Average rank of each algorithm over the functions, under each criterion. The runs of all
    instances are pooled, and runs that reached the final target have equal precision. Ties share a
    rank, and infinite values share the worst. If there are several targets, the algorithms are
    ranked on each function by their average rank over the targets, so each function counts once. If
    blocks mix several kinds of machines, precisions and seconds are ranked within each kind, and
    the ranks are averaged in the same way.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Average rank of the algorithms over the functions, by quantiles or mean of "
            "the precision at the end, and of the seconds and evaluations to the targets.",
            values=(Value("average_rank", "Average rank", "low", decimals=2),),
            rows=("measure", "algorithm"),
            columns="criterion",
        )
    ],
    figures=[
        Figure(
            "ranks",
            "Average ranks under several criteria",
            "Average ranks of the algorithms over the functions under several criteria. Higher is "
            "better. Left: the precision at the end of the run, by its mean and its quantiles; "
            "then {seconds} and evaluations to the targets, by ERT and by the quantiles of the "
            "runtimes. If two lines cross, the order of the two depends on the criterion.",
            Slopes(_slopes),
        ),
        Figure(
            "critical_difference",
            "Critical differences of average ranks",
            "Average ranks over the functions, by the precision at the end of the run and by the "
            "cost to the targets. Further left is better. Verdicts on pairs come from the table "
            "`comparison`, because a difference of average ranks depends on the other algorithms.",
            RankAxis(),
            default=True,
        ),
    ],
    default=True,
    comparing=True,
)
def averaged(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Average rank for each (suite, dimension, measure, criterion, algorithm).

    Published data are ranked only by ``evaluations``.
    """
    rows = [
        {
            **case.names,
            "algorithm": algorithm,
            "problems": len(case.scores),
            "average_rank": average,
            "critical_difference": difference,
        }
        for case in cases(runs, analysis)
        for difference in [
            critical_difference(
                len(case.algorithms), len(case.scores), alpha=1 - analysis.confidence
            )
        ]
        for algorithm, average in case.averages().items()
    ]
    return pd.DataFrame(rows, columns=column_names(COLUMNS))


def cases(runs: Runs, analysis: Analysis) -> list[Case]:
    """The ranked values for each (suite, dimension) under each criterion."""
    key = ("ranked", tuple(analysis.targets), tuple(analysis.quantiles))
    return runs.once(key, lambda: list(_cases(runs, analysis)))


def _cases(runs: Runs, analysis: Analysis) -> Iterator[Case]:
    for (suite, dimension), functions in _values(runs, analysis).items():
        for measure, criterion in max(functions[0].values(), key=len):
            ranked = [
                {name: values for name, values in cells.items() if (measure, criterion) in values}
                for cells in functions
            ]
            algorithms = tuple(sorted({name for cells in ranked for name in cells}))
            complete = [cells for cells in ranked if len(cells) == len(algorithms)]
            values = [
                np.array([cells[name][measure, criterion] for name in algorithms])
                for cells in complete
            ]
            yield Case(
                dict(zip(KEYS, (suite, dimension, measure, criterion), strict=True)),
                algorithms,
                _mean_ranks(values, len(algorithms)),
            )


def _mean_ranks(values: list[NDArray[np.float64]], algorithms: int) -> NDArray[np.float64]:
    """The mean rank of each algorithm on each function, shape (functions, algorithms).

    `values` has for each function an array of shape (algorithms, m), with its own m.
    """
    scores = np.empty((len(values), algorithms))
    sizes = np.array([value.shape[1] for value in values], dtype=np.intp)
    for size in np.unique(sizes):
        alike = np.flatnonzero(sizes == size)
        scores[alike] = rank(np.stack([values[k] for k in alike]), axis=1).mean(axis=2)
    return scores


def _values(runs: Runs, analysis: Analysis) -> dict[tuple[Any, Any], list[dict[str, Values]]]:
    """For each (suite, dimension), the values of each algorithm on each function."""
    runs = with_published(runs)
    best = precision_at_the_end(runs)
    reached_at = {unit: runs.runtimes(unit, analysis.targets) for unit in UNITS}
    spent = {unit: Spent.until(reached_at[unit], runs.spent(unit)) for unit in UNITS}
    quantiles = {quantile_name(p): p for p in sorted(analysis.quantiles)}
    machine = runs.frame["machine"].to_numpy(dtype=object)
    together = defaultdict(list)
    for problem in problems(runs):
        cells: dict[str, Values] = {}
        for algorithm, rows in problem.samples(np.arange(len(best))).items():
            values: Values = {}
            on_each = [rows[machine[rows] == kind] for kind in sorted(set(machine[rows]))]
            if runs.timed[rows].all():
                values["precision", "mean"] = np.array([mean_of(best[some]) for some in on_each])
                for name, p in quantiles.items():
                    found = [sample_quantile(best[some], p) for some in on_each]
                    values["precision", name] = np.array(found, dtype=np.float64)
            for unit in runs.units_of(rows):
                split = on_each if unit == "seconds" else [rows]  # machines have equal weight
                cost, success = spent[unit].cost, spent[unit].success
                erts = [ert(cost[some], success[some], axis=0) for some in split]
                values[unit, "ERT"] = np.concatenate(erts)
                for name, p in quantiles.items():
                    found = [sample_quantile(reached_at[unit][some], p, axis=0) for some in split]
                    values[unit, name] = np.concatenate(found)
            cells[algorithm] = values
        together[problem.names["suite"], problem.names["dimension"]].append(cells)
    return together
