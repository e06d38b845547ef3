"""The runs of each suite and dimension, from which portfolios are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.rundata.evaluation_cost import complete_problems
from timefair.rundata.problems import BUDGETS, ProblemRuns, cut_off, problems
from timefair.rundata.runs import UNITS, Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.portfolios.portfolios import FunctionRuns, Search


@dataclass(frozen=True)
class Field:
    """The algorithms of a suite and dimension that may share a budget.

    Attributes
    ----------
    names
        Suite, dimension, unit and ``budget``: the T up to which every run is known.
    algorithms
        Algorithms in alphabetical order.
    search
        The search for portfolios, over the functions and instances on which all algorithms were
        run.
    """

    names: dict[str, Any]
    algorithms: tuple[str, ...]
    search: Search


def fields(runs: Runs, analysis: Analysis) -> Iterator[Field]:
    """The fields of all suites and dimensions, one for each unit in which there is a budget.

    T is the budget, or less if another limit ended a run earlier, because the run is unknown after
    this point. Suites and dimensions without a function on which all algorithms were run are
    omitted.
    """
    reached = {unit: runs.runtimes(unit, analysis.targets_from_easy) for unit in UNITS}
    cut = cut_off(runs)
    for (suite, dimension), algorithms, complete in complete_problems(problems(runs)):
        if not algorithms:
            continue
        for unit, column in BUDGETS.items():
            known = np.where(cut, runs.spent(unit), np.inf)
            limits = runs.frame[column].to_numpy(dtype=np.float64)
            rows = np.concatenate([np.empty(0, np.intp), *(one.rows for one in complete)])
            if not rows.size or np.isnan(limits[rows]).any():
                continue
            budget = float(min(limits[rows].min(), known[rows].min()))
            functions = [_instances(runs, one, reached[unit], known) for one in complete]
            functions = [function for function in functions if function]
            if functions and budget > 0:
                names = {"suite": suite, "dimension": dimension, "unit": unit, "budget": budget}
                yield Field(names, algorithms, Search(functions, budget))


def _instances(
    runs: Runs, problem: ProblemRuns, reached: NDArray[np.float64], known: NDArray[np.float64]
) -> FunctionRuns:
    """The runs of each algorithm on each instance on which all algorithms were run."""
    instance = runs.frame["instance"].to_numpy()
    found = []
    for number in np.unique(instance[problem.rows]):
        mine = [
            rows[instance[rows] == number]
            for rows in (problem.rows[of] for of in problem.algorithms.values())
        ]
        if all(len(rows) for rows in mine):
            found.append([(reached[rows], known[rows]) for rows in mine])
    return found
