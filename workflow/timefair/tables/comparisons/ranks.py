"""Average ranks of the algorithms under several criteria."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.ert import ert
from timefair.statistics.friedman import critical_difference
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.ranks import average_ranks, rank
from timefair.tables.measures import quantile_name
from timefair.tables.problems import Spent
from timefair.tables.published import with_published
from timefair.tables.runs import UNITS, Runs
from timefair.tables.settings import Analysis
from timefair.tables.standings import precision_at_the_end, problems

KEYS = ("suite", "dimension", "measure", "criterion")
COLUMNS = [*KEYS, "algorithm", "problems", "average_rank", "critical_difference"]

Values = dict[tuple[str, str], NDArray[np.float64]]
"""For each (measure, criterion) the values of one algorithm on one problem, a value a target."""


@dataclass(frozen=True)
class Case:
    """What is ranked under one criterion.

    Attributes
    ----------
    names
        Its suite, dimension, measure and criterion.
    algorithms
        By the alphabet.
    scores
        Shape (problems, algorithms); small is better.
    """

    names: dict[str, Any]
    algorithms: tuple[str, ...]
    scores: NDArray[np.float64]


def averaged(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Average rank for each (suite, dimension, measure, criterion, algorithm).

    ``measure`` is ``precision`` at the end (``criterion``: ``mean`` or a quantile as ``Q.50``), or
    ``seconds`` or ``evaluations`` to the targets (``ERT`` or a quantile of the runtimes, failures
    as `inf`). Ties share a rank, and so does all that is `inf`. A problem is a function with the
    runs of all instances together; where there are several targets, the algorithms are ranked at
    each and then by their average over the targets, so that a function counts once. ``problems`` is
    how many functions were run with every algorithm; the others are left out. Average ranks that
    lie further apart than ``critical_difference`` (Nemenyi) differ; it is NaN for fewer than two
    algorithms or problems. Published data are ranked by ``evaluations`` alone.
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
        for algorithm, average in zip(case.algorithms, average_ranks(case.scores), strict=True)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def cases(runs: Runs, analysis: Analysis) -> Iterator[Case]:
    """What is ranked for each (suite, dimension) under each criterion."""
    for (suite, dimension), functions in _values(runs, analysis).items():
        for measure, criterion in max(functions[0].values(), key=len):
            told = [
                {name: values for name, values in cells.items() if (measure, criterion) in values}
                for cells in functions
            ]
            algorithms = tuple(sorted({name for cells in told for name in cells}))
            complete = [cells for cells in told if len(cells) == len(algorithms)]
            scores = [
                rank([cells[name][measure, criterion] for name in algorithms], axis=0).mean(axis=1)
                for cells in complete
            ]
            yield Case(
                dict(zip(KEYS, (suite, dimension, measure, criterion), strict=True)),
                algorithms,
                np.array(scores).reshape(-1, len(algorithms)),
            )


def _values(runs: Runs, analysis: Analysis) -> dict[tuple[Any, Any], list[dict[str, Values]]]:
    """For each (suite, dimension) a list of functions: the values of each algorithm."""
    runs = with_published(runs)
    best = precision_at_the_end(runs)
    reached_at = {unit: runs.runtimes(unit, analysis.targets) for unit in UNITS}
    spent = {unit: Spent.until(reached_at[unit], runs.spent(unit)) for unit in UNITS}
    quantiles = {quantile_name(p): p for p in sorted(analysis.quantiles)}
    together = defaultdict(list)
    for problem in problems(runs):
        cells: dict[str, Values] = {}
        for algorithm, rows in problem.samples(np.arange(len(best))).items():
            values: Values = {}
            if runs.timed[rows].all():
                values["precision", "mean"] = best[rows].mean(keepdims=True)
                for name, p in quantiles.items():
                    values["precision", name] = np.atleast_1d(sample_quantile(best[rows], p))
            for unit in runs.units_of(rows):
                values[unit, "ERT"] = ert(spent[unit].cost[rows], spent[unit].success[rows], axis=0)
                for name, p in quantiles.items():
                    values[unit, name] = sample_quantile(reached_at[unit][rows], p, axis=0)
            cells[algorithm] = values
        together[problem.names["suite"], problem.names["dimension"]].append(cells)
    return together
