"""The launches of an algorithm on a function, and the cost of each restart policy there."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.extensions.restart_prediction.statistics import (
    Array,
    Launches,
    Law,
    Outcome,
    fixed_cutoffs,
    geometric,
    law,
    luby,
    run_sums,
)
from timefair.records.rundata.problems import BUDGETS, KEYS, Spent, cut_off
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.rundata.traces import TracedLaunches

CostUnit = Literal["seconds", "evaluations"]

CELL = (*KEYS, "algorithm")
LEAST_CUTOFF = {"seconds": 1e-6, "evaluations": 10.0}
"""First value of the grid of cutoffs for each unit."""
STEPS = (1.0, 1.4)
"""Cutoffs per factor of 2, so that twice a cutoff is a cutoff, too."""
DOUBLING = len(STEPS)

MEASURED, NONE, INDEPENDENT = "measured", "none", "independent"
FIXED, LUBY, GEOMETRIC = "fixed", "luby", "geometric"

EVERY_CUTOFF = DOUBLING
"""Every second cutoff of the grid is an option, so that options double."""
EVERY_UNIT = 3 * DOUBLING
"""The units of sequences differ by factors of 8."""
LEAST_HITS = 5
"""Number of launches that have to reach a target before it is used to judge policies."""


@dataclass(frozen=True)
class RestartCell:
    """The runs of one algorithm on one function, all instances together, in one unit.

    - `names`: Keys of the cell.
    - `strata`: The instance of each run; shape (runs,).
    - `launches`: The traced launches, None if there are none; runs are numbered as in `strata`.
    - `spent`: Cost of each run up to each target; shape (runs, targets).
    - `budget`: Budget of a run: that of the campaign in this unit, or else the median cost of the
      runs that were cut off, or else that of the longest run.
    """

    names: dict[str, Any]
    strata: NDArray[np.intp]
    launches: Launches | None
    spent: Spent
    budget: float

    @property
    def shares(self) -> Array:
        """Number of runs of each instance."""
        return np.unique(self.strata, return_counts=True)[1].astype(np.float64)

    def law(self, weights: Array, cutoffs: Array) -> Law | None:
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

    def judged_target(self) -> int:
        """The hardest target that some run and at least `LEAST_HITS` launches reached; -1: none.

        Targets go from easy to hard.
        """
        if self.launches is None:
            return -1
        hits = np.isfinite(self.launches.hit).sum(axis=0)
        enough = np.flatnonzero((hits >= LEAST_HITS) & self.spent.success.any(axis=0))
        return int(enough[-1]) if enough.size else -1

    def at_target(self, target: int) -> RestartCell:
        """The same with one of its targets."""
        launches = self.launches and replace(self.launches, hit=self.launches.hit[:, [target]])
        spent = Spent(self.spent.cost[:, [target]], self.spent.success[:, [target]])
        return replace(self, launches=launches, spent=spent)


def cutoffs(unit: CostUnit, longest: float) -> Array:
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
) -> list[RestartCell]:
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
    spans = log["end_s"] - log["start_s"] if unit == "seconds" else log["evaluations"]
    length = spans.to_numpy(np.float64)[place]
    unlimited = log["unlimited"].to_numpy(np.bool_)[place]
    began = left & (length > 0) & np.isfinite(length)
    order = np.flatnonzero(began)[np.argsort(traced.rows[began], kind="stable")]
    first = np.searchsorted(traced.rows[order], np.arange(len(runs.frame) + 1))
    # the end of a launch and its last event are rounded separately
    last_hit = np.where(np.isfinite(reached_at), reached_at, 0.0).max(axis=1, initial=0.0)
    length = np.maximum(length, last_hit)
    budgets = runs.frame[BUDGETS[unit]].to_numpy(np.float64)
    cut = cut_off(runs)
    instances = runs.frame["instance"].to_numpy()
    whole = runs.spent(unit)
    cells = []
    for names, rows in runs.groups(CELL):
        budget = _budget(budgets[rows], whole[rows], cut[rows])
        if budget == 0:
            continue
        mine = np.concatenate([order[first[row] : first[row + 1]] for row in rows])
        own = np.repeat(np.arange(len(rows)), first[rows + 1] - first[rows])
        launches = Launches.of(reached_at[mine], length[mine], unlimited[mine], own)
        strata = np.unique(instances[rows], return_inverse=True)[1]
        of_runs = Spent(spent.cost[rows], spent.success[rows])
        cells.append(RestartCell(names, strata, launches if len(mine) else None, of_runs, budget))
    return cells


def _budget(given: Array, whole: Array, cut: NDArray[np.bool_]) -> float:
    if np.isfinite(given).all():
        return float(np.median(given))
    return float(np.median(whole[cut]) if cut.any() else whole.max())


class Option(NamedTuple):
    """A policy with its parameter.

    - `policy`: ``measured`` (that of the campaign), or another one.
    - `tau`: The cutoff of ``fixed``, the unit of ``luby``, the first length of ``geometric``.
    """

    policy: str
    tau: float = np.nan


class Predicted(NamedTuple):
    """The result of each option in a cell, for samples of its runs.

    - `options`: The options; the measured one is first.
    - `ert`, `success`, shape (samples, options, targets): ERT, and the probability of reaching the
      target within the budget; those of the runs for the measured option. NaN if launches were not
      observed for long enough.
    """

    options: tuple[Option, ...]
    ert: Array
    success: Array


def predicted(
    cell: RestartCell,
    weights: Array,
    unit: CostUnit,
    longest: float,
    *,
    left_out: Collection[str] = (),
) -> Predicted:
    """The results of the options.

    - `weights`, shape (samples, runs): Number of times that each run is in each sample.
    - `longest`: The largest budget of all cells, which share the same options.
    - `left_out`: Policies that are not computed; the measured one always is.
    """
    grid = cutoffs(unit, longest)
    every = tuple(one for one in _options(grid) if one.policy not in left_out)
    policies = [option.policy for option in every]
    samples, targets = len(weights), cell.spent.cost.shape[1]
    ert = np.full((samples, len(every), targets), np.nan)
    success = ert.copy()
    ert[:, 0], success[:, 0] = _measured(cell.spent, weights)

    def fill(first: int, count: int, outcome: Outcome) -> None:
        pooled, places = outcome.pooled(cell.shares), slice(first, first + count)
        ert[:, places] = pooled.ert.reshape(samples, count, targets)
        success[:, places] = pooled.chance.reshape(samples, count, targets)

    of_launch = cell.law(weights, grid)
    if of_launch is not None:
        if NONE in policies and of_launch.cutoffs[-1] >= cell.budget:
            once = Outcome(of_launch.cost[:, :, -1], of_launch.chance[:, :, -1])
            fill(policies.index(NONE), 1, once)
        for policy, at, outcome in _sequences(of_launch, cell.budget):
            if at.size:
                fill(policies.index(policy), at.size, outcome)
    return Predicted(every, ert, success)


def _options(grid: Array) -> Iterator[Option]:
    """All options that are compared, with a grid of cutoffs."""
    yield from (Option(policy) for policy in (MEASURED, NONE, INDEPENDENT))
    yield from (Option(FIXED, tau) for tau in grid[::EVERY_CUTOFF])
    yield from (Option(policy, tau) for policy in (LUBY, GEOMETRIC) for tau in grid[::EVERY_UNIT])


def _sequences(law: Law, budget: float) -> Iterator[tuple[str, NDArray[np.intp], Outcome]]:
    """The policies with a sequence of cutoffs, the cutoffs that are options, and the outcomes.

    With independent restarts, the cutoff is the budget.
    """
    below = np.flatnonzero(law.cutoffs < budget)
    lengths, units = below[::EVERY_CUTOFF], below[::EVERY_UNIT]
    whole = np.flatnonzero(law.cutoffs >= budget)
    yield INDEPENDENT, whole, fixed_cutoffs(law, budget, whole)
    yield FIXED, lengths, fixed_cutoffs(law, budget, lengths)
    yield LUBY, units, luby(law, DOUBLING, budget, units)
    yield GEOMETRIC, units, geometric(law, budget, units)


def _measured(spent: Spent, weights: Array) -> tuple[Array, Array]:
    """ERT and success rate of the runs; NaN for a sample without a run."""
    successes = weights @ spent.success
    with np.errstate(divide="ignore", invalid="ignore"):
        ert = np.where(successes > 0, (weights @ spent.cost) / successes, np.inf)
        return ert, successes / weights.sum(axis=1, keepdims=True)
