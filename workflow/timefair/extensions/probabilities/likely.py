"""Draws of the expected running times of all algorithms, for estimating probabilities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.extensions.probabilities.posterior import OnFunction, ert_draws, informed_by_the_field
from timefair.records.rundata.problems import KnownCosts, ProblemRuns, Space, limits, problems
from timefair.records.rundata.published import with_published
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.statistics.ert import ert, success_rate
from timefair.statistics.ranks import average_ranks
from timefair.statistics.runtimes import decisive_target


@dataclass(frozen=True)
class LikelyCosts:
    """The costs of the algorithms, in alphabetical order, on one function.

    - `target`: See `statistics.runtimes.decisive_target`.
    - `runs`, `successes`: Numbers of each algorithm.
    - `ert`: Expected running time of each, `inf` without a success.
    - `draws`: Of the expected running time, (draws, algorithms); NaN for fewer than two runs, and
      if the runs of an algorithm cost nothing.
    """

    function: int
    target: float
    algorithms: tuple[str, ...]
    runs: NDArray[np.intp]
    successes: NDArray[np.intp]
    ert: NDArray[np.float64]
    draws: NDArray[np.float64]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which algorithms have draws."""
        return np.asarray(~np.isnan(self.draws).any(axis=0))


@dataclass(frozen=True)
class LikelySpace:
    """The functions of a suite and dimension on which a run reached a target, for one unit."""

    space: Space
    unit: Unit
    functions: tuple[LikelyCosts, ...]

    @property
    def names(self) -> dict[str, Any]:
        """The keys of its rows."""
        return {"suite": self.space[0], "dimension": self.space[1], "unit": self.unit}

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms of all functions, in alphabetical order."""
        return tuple(sorted({name for one in self.functions for name in one.algorithms}))

    def table(self) -> NDArray[np.float64]:
        """ERT, (functions, algorithms); NaN if an algorithm was not run on a function."""
        places = {name: k for k, name in enumerate(self.algorithms)}
        values = np.full((len(self.functions), len(places)), np.nan)
        for row, one in zip(values, self.functions, strict=True):
            row[[places[name] for name in one.algorithms]] = one.ert
        return values

    def ranks(self) -> dict[str, float]:
        """The average rank of each algorithm; the worst where it was not run."""
        values = np.nan_to_num(self.table(), nan=np.inf, posinf=np.inf)
        return dict(zip(self.algorithms, average_ranks(values).tolist(), strict=True))


def likely_costs(runs: Runs, analysis: Analysis) -> Sequence[LikelySpace]:
    """Every suite and dimension, for each unit with costs; the tables of the same runs share them.

    The draws for an algorithm depend only on its own runs and names. Published data are used only
    in evaluations.
    """
    key = ("likely costs", analysis.targets_from_easy, analysis.resamples, analysis.seed)
    return runs.once(key, lambda: list(_likely_costs(runs, analysis)))


def _likely_costs(runs: Runs, analysis: Analysis) -> Iterator[LikelySpace]:
    everyone = with_published(runs)
    targets = analysis.targets_from_easy
    costs = {unit: KnownCosts.of(everyone, unit, targets) for unit in UNITS}
    together: dict[Space, list[ProblemRuns]] = defaultdict(list)
    for problem in problems(everyone):
        together[problem.space].append(problem)
    for space, of_space in together.items():
        for unit in UNITS:
            found = [
                one
                for problem in of_space
                if (one := _on_function(everyone, problem, unit, costs[unit], analysis))
            ]
            if found:
                rng = analysis.stream({"suite": space[0], "dimension": space[1], "unit": unit})
                yield LikelySpace(space, unit, tuple(_informed(found, rng)))


def _on_function(
    runs: Runs, problem: ProblemRuns, unit: Unit, costs: KnownCosts, analysis: Analysis
) -> LikelyCosts | None:
    rows = problem.samples(np.arange(len(runs.frame)))
    rows = {name: mine for name, mine in rows.items() if unit in runs.units_of(mine)}
    if not rows:
        return None
    until = limits(problem, costs.known)
    spent = costs.spent.within(min(until[name] for name in rows))
    targets = analysis.targets_from_easy
    rates = [success_rate(spent.success[mine], axis=0) for mine in rows.values()]
    target = decisive_target(targets, rates)
    if target is None:
        return None
    at = targets.index(target)
    cells = {name: (spent.cost[mine, at], spent.success[mine, at]) for name, mine in rows.items()}
    return LikelyCosts(
        int(problem.names["function"]),
        target,
        tuple(cells),
        np.array([len(cost) for cost, _ in cells.values()], dtype=np.intp),
        np.array([success.sum() for _, success in cells.values()], dtype=np.intp),
        np.array([float(ert(*cell)) for cell in cells.values()]),
        np.column_stack(
            [
                _drawn(*cell, analysis, analysis.stream({**problem.names, "algorithm": name}))
                for name, cell in cells.items()
            ]
        ),
    )


def _drawn(
    cost: NDArray[np.float64],
    success: NDArray[np.bool_],
    analysis: Analysis,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    drawn = ert_draws(cost, success, draws=analysis.resamples, rng=rng)
    return np.where(drawn > 0, drawn, np.nan)


def _informed(found: list[LikelyCosts], rng: np.random.Generator) -> Iterator[LikelyCosts]:
    """With the draws that follow from all functions and algorithms."""
    known = [one.known for one in found]
    informed = informed_by_the_field(
        [
            OnFunction(one.draws[:, mine], one.runs[mine], one.successes[mine])
            for one, mine in zip(found, known, strict=True)
        ],
        rng=rng,
    )
    for one, mine, draws in zip(found, known, informed, strict=True):
        one.draws[:, mine] = draws
        yield one
