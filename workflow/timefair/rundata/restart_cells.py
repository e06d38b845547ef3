"""The launches and runs of an algorithm on a function, from which restart policies are judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from timefair.rundata.launches import TracedLaunches
from timefair.rundata.problems import BUDGETS, KEYS, Spent, cut_off
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.restarts.what_if import Launches, Law, law, run_sums

CostUnit = Literal["seconds", "evaluations"]

CELL = (*KEYS, "algorithm")
LEAST_CUTOFF = {"seconds": 1e-6, "evaluations": 10.0}
"""First value of the grid of cutoffs for each unit."""
STEPS = (1.0, 1.4)
"""Cutoffs per factor of 2, so that twice a cutoff is a cutoff, too."""
DOUBLING = len(STEPS)


@dataclass(frozen=True)
class RestartCell:
    """The runs of one algorithm on one function, all instances together, in one unit.

    Attributes
    ----------
    names
        Keys of the cell.
    strata
        The instance of each run; shape (runs,).
    launches
        The traced launches, None if there are none; their runs are numbered as in `strata`.
    spent
        Cost of each run up to each target; shape (runs, targets).
    ended
        Whether each run ended by itself or at the final target, before its budget.
    budget
        Budget of a run: that of the campaign in this unit, or else the median cost of the runs that
        were cut off, or else that of the longest run.
    """

    names: dict[str, Any]
    strata: NDArray[np.intp]
    launches: Launches | None
    spent: Spent
    ended: NDArray[np.bool_]
    budget: float

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Number of runs of each instance."""
        return np.unique(self.strata, return_counts=True)[1].astype(np.float64)

    def law(self, weights: NDArray[np.float64], cutoffs: NDArray[np.float64]) -> Law | None:
        """That of a launch within the cutoffs that were observed, for samples of runs.

        The budget is the last cutoff if launches were observed for this long. None without
        launches.
        """
        if self.launches is None:
            return None
        known = self.launches.known_until
        within = cutoffs[(cutoffs < self.budget) & (cutoffs <= known)]
        if known >= self.budget:
            within = np.append(within, self.budget)
        if not within.size:
            return None
        return law(run_sums(self.launches, within, len(self.strata)), self.strata, weights)

    def law_of_runs(self, weights: NDArray[np.float64], cutoffs: NDArray[np.float64]) -> Law:
        """That of whole runs up to the budget, as if each were one launch."""
        hit = np.where(self.spent.success, self.spent.cost, np.inf)
        length = np.maximum(self.spent.cost.max(axis=1), np.finfo(float).tiny)
        whole = np.where(self.ended, length, np.maximum(length, self.budget))
        runs = Launches(hit, whole, self.ended, np.arange(len(whole)))
        within = np.append(cutoffs[cutoffs < self.budget], self.budget)
        return law(run_sums(runs, within, len(whole)), self.strata, weights)


def cutoffs(unit: CostUnit, longest: float) -> NDArray[np.float64]:
    """The grid of cutoffs of a unit, below a cost.

    Examples
    --------
    >>> cutoffs("evaluations", 60).tolist()
    [10.0, 14.0, 20.0, 28.0, 40.0, 56.0]
    """
    least = LEAST_CUTOFF[unit]
    if not longest > least:
        return np.empty(0)
    powers = 2.0 ** np.arange(np.ceil(np.log2(longest / least)))
    grid = least * np.multiply.outer(powers, STEPS).ravel()
    return np.asarray(grid[grid < longest])


def restart_cells(
    runs: Runs, analysis: Analysis, traced: TracedLaunches, unit: CostUnit
) -> Iterator[RestartCell]:
    """The cells of every algorithm on every function, in the order of their keys.

    `traced` are the launches of the runs, with the targets of the analysis from easy to hard. A
    cell with a budget of 0, in which no run spent anything, is omitted: every policy is the same.
    """
    targets = analysis.targets_from_easy
    spent = Spent.until(runs.runtimes(unit, targets), runs.spent(unit))
    reached_at = traced.reached_at(unit)
    log = runs.launches
    of_rows = log["row"].to_numpy()
    place = np.searchsorted(of_rows, traced.rows) + traced.launch
    # a charge may leave no time for the last launches of a run
    left = place < np.searchsorted(of_rows, traced.rows, side="right")
    place = np.where(left, place, 0)
    if unit == "seconds":
        length = (log["end_s"] - log["start_s"]).to_numpy(np.float64)[place]
    else:
        length = log["evaluations"].to_numpy(np.float64)[place]
    unlimited = log["unlimited"].to_numpy(np.bool_)[place]
    began = left & (length > 0) & np.isfinite(length)
    order = np.flatnonzero(began)[np.argsort(traced.rows[began], kind="stable")]
    first = np.searchsorted(traced.rows[order], np.arange(len(runs.frame) + 1))
    budgets = runs.frame[BUDGETS[unit]].to_numpy(np.float64)
    cut = cut_off(runs)
    instances = runs.frame["instance"].to_numpy()
    whole = runs.spent(unit)
    for names, rows in runs.groups(CELL):
        budget = _budget(budgets[rows], whole[rows], cut[rows])
        if budget == 0:
            continue
        mine = np.concatenate([order[first[row] : first[row + 1]] for row in rows])
        own = np.repeat(np.arange(len(rows)), first[rows + 1] - first[rows])
        # the end of a launch and its last event are rounded separately
        lengths = np.maximum(length[mine], _last_hit(reached_at[mine]))
        launches = Launches.of(reached_at[mine], lengths, unlimited[mine], own)
        yield RestartCell(
            names,
            np.unique(instances[rows], return_inverse=True)[1],
            launches if len(mine) else None,
            Spent(spent.cost[rows], spent.success[rows]),
            ~cut[rows],
            budget,
        )


def _last_hit(reached_at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cost of each launch at its last target; 0 if it reached no target."""
    hits = np.where(np.isfinite(reached_at), reached_at, 0.0)
    return np.asarray(hits.max(axis=1, initial=0.0))


def _budget(
    given: NDArray[np.float64], whole: NDArray[np.float64], cut: NDArray[np.bool_]
) -> float:
    if np.isfinite(given).all():
        return float(np.median(given))
    return float(np.median(whole[cut]) if cut.any() else whole.max())
