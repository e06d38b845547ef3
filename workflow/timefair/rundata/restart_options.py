"""The restart policies that are compared, and the cost of each of them in a cell."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from timefair.rundata.problems import Spent
from timefair.rundata.restart_cells import DOUBLING, CostUnit, RestartCell, cutoffs
from timefair.statistics.restarts.what_if import (
    Launches,
    Law,
    Outcome,
    fixed_cutoffs,
    geometric,
    luby,
    one_launch,
    side_by_side,
)

MEASURED, NONE, INDEPENDENT = "measured", "none", "independent"
FIXED, LUBY, GEOMETRIC, COPIES = "fixed", "luby", "geometric", "copies"

EVERY_CUTOFF = DOUBLING
"""Every second cutoff of the grid is an option, so that options double."""
EVERY_UNIT = 3 * DOUBLING
"""The units of sequences differ by factors of 8."""
NUMBERS_OF_COPIES = (2, 4, 8)
LEAST_HITS = 5
"""Number of launches that have to reach a target before it is used to judge policies."""


@dataclass(frozen=True)
class Option:
    """A policy with its parameter.

    Attributes
    ----------
    policy
        ``measured`` (the policy of the campaign), or another policy.
    tau
        The cutoff of ``fixed``, the unit of ``luby``, the first length of ``geometric``; else NaN.
    copies
        Number of copies of ``copies``; else 1.
    """

    policy: str
    tau: float = np.nan
    copies: int = 1


@dataclass(frozen=True)
class Predicted:
    """The result of each option in a cell, for samples of its runs.

    Attributes
    ----------
    options
        The options; the measured one is first.
    ert, success
        ERT, and the probability of reaching the target within the budget. For the measured option,
        the ERT and the success rate of the runs. NaN if launches were not observed for long enough.
        Shape (samples, options, targets).
    """

    options: tuple[Option, ...]
    ert: NDArray[np.float64]
    success: NDArray[np.float64]


def options(unit: CostUnit, longest: float) -> tuple[Option, ...]:
    """All options that are compared if the largest budget is `longest`."""
    grid = cutoffs(unit, longest)
    units = grid[::EVERY_UNIT]
    return (
        *(Option(policy) for policy in (MEASURED, NONE, INDEPENDENT)),
        *(Option(FIXED, tau) for tau in grid[::EVERY_CUTOFF]),
        *(Option(policy, tau) for policy in (LUBY, GEOMETRIC) for tau in units),
        *(Option(COPIES, copies=number) for number in NUMBERS_OF_COPIES),
    )


def predicted(
    cell: RestartCell,
    weights: NDArray[np.float64],
    unit: CostUnit,
    longest: float,
    *,
    left_out: Collection[str] = (),
) -> Predicted:
    """The results of the options.

    Parameters
    ----------
    cell : RestartCell
        The launches and runs.
    weights : ndarray, shape (samples, runs)
        Number of times that each run is in each sample.
    unit : str
        Unit of the cell.
    longest : float
        The largest budget of all cells, which share the same options.
    left_out : collection of str
        Policies that are not computed; the measured one always is.
    """
    every = tuple(one for one in options(unit, longest) if one.policy not in left_out)
    policies, grid = [option.policy for option in every], cutoffs(unit, longest)
    samples, targets = len(weights), cell.spent.cost.shape[1]
    ert = np.full((samples, len(every), targets), np.nan)
    success = ert.copy()
    ert[:, 0], success[:, 0] = _measured(cell.spent, weights)

    def fill(places: list[int], outcome: Outcome, times: float = 1.0) -> None:
        pooled = outcome.pooled(cell.shares)
        ert[:, places] = times * pooled.ert.reshape(samples, len(places), targets)
        success[:, places] = pooled.chance.reshape(samples, len(places), targets)

    law = cell.law(weights, grid)
    if law is not None:
        if NONE in policies and law.cutoffs[-1] >= cell.budget:
            fill([policies.index(NONE)], one_launch(law, cell.budget))
        for policy, at, outcome in _sequences(law, cell.budget):
            if at.size:
                first = policies.index(policy)
                fill(list(range(first, first + at.size)), outcome)
    if COPIES in policies:
        of_runs = cell.law_of_runs(weights, grid)
        for place, option in enumerate(every):
            if option.policy == COPIES:
                outcome = side_by_side(of_runs, option.copies, cell.budget)
                fill([place], outcome, option.copies if unit == "evaluations" else 1.0)
    return Predicted(every, ert, success)


def _sequences(law: Law, budget: float) -> Iterator[tuple[str, NDArray[np.intp], Outcome]]:
    """The policies that use a sequence of cutoffs, with the cutoffs that are options, and their
    costs.

    With independent restarts, the cutoff is the budget.
    """
    below = np.flatnonzero(law.cutoffs < budget)
    lengths, units = below[::EVERY_CUTOFF], below[::EVERY_UNIT]
    whole = np.flatnonzero(law.cutoffs >= budget)
    yield INDEPENDENT, whole, fixed_cutoffs(law, budget, whole)
    yield FIXED, lengths, fixed_cutoffs(law, budget, lengths)
    yield LUBY, units, luby(law, DOUBLING, budget, units)
    yield GEOMETRIC, units, geometric(law, budget, units)


def _measured(
    spent: Spent, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """ERT and success rate of the runs; NaN for a sample without a run."""
    successes = weights @ spent.success
    with np.errstate(divide="ignore", invalid="ignore"):
        ert = np.where(successes > 0, (weights @ spent.cost) / successes, np.inf)
        return ert, successes / weights.sum(axis=1, keepdims=True)


def judged_target(cell: RestartCell) -> int:
    """The hardest target that some run and at least `LEAST_HITS` launches reached; -1: none.

    Targets go from easy to hard.
    """
    if cell.launches is None:
        return -1
    hits = np.isfinite(cell.launches.hit).sum(axis=0)
    enough = np.flatnonzero((hits >= LEAST_HITS) & cell.spent.success.any(axis=0))
    return int(enough[-1]) if enough.size else -1


def at_target(cell: RestartCell, target: int) -> RestartCell:
    """The same with one of its targets."""
    launches = cell.launches
    if launches is not None:
        hit = launches.hit[:, [target]]
        launches = Launches(hit, launches.length, launches.ended, launches.run)
    spent = Spent(cell.spent.cost[:, [target]], cell.spent.success[:, [target]])
    return replace(cell, launches=launches, spent=spent)
