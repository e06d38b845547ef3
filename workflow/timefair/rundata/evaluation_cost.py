"""Runs as they would have been if every evaluation had cost some seconds more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timefair.rundata.problems import Spent
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.rundata.standings import (
    ProblemRuns,
    Space,
    evaluations_allowed,
    problems,
)
from timefair.statistics.ert import ert

LISTED_S = (0.0, *(float(f"1e{power}") for power in range(-6, 5, 2)))
"""Evaluation costs of the long tables: none, and 1 µs to 10,000 s in steps of 100."""

COSTS_S = (0.0, *(float(f"{10 ** (k / 4):.6g}") for k in range(-24, 17)))
"""Evaluation costs of curves and maps: none, and four of each decade."""


@dataclass(frozen=True)
class UsedByRuns:
    """What each run used up to each target, targets from easy to hard, in both units.

    Attributes
    ----------
    runs
        Without those whose launches end by seconds.
    seconds, evaluations
        Up to the run's own end where it did not reach the target.
    """

    runs: Runs
    seconds: Spent
    evaluations: Spent

    @classmethod
    def of(cls, runs: Runs, analysis: Analysis) -> UsedByRuns:
        """Of all runs whose launches do not end by seconds."""
        kept = foreseeable(runs, analysis)
        targets = analysis.targets_from_easy
        seconds, evaluations = (
            Spent.until(kept.runtimes(unit, targets), kept.spent(unit))
            for unit in ("seconds", "evaluations")
        )
        return cls(kept, seconds, evaluations)

    def lines(self, problem: ProblemRuns) -> Lines:
        """The ERT of each algorithm on a problem."""
        rows = [problem.rows[mine] for mine in problem.algorithms.values()]
        seconds, evaluations = (
            np.stack([ert(spent.cost[r], spent.success[r], axis=0) for r in rows], axis=-1)
            for spent in (self.seconds, self.evaluations)
        )
        return Lines(tuple(problem.algorithms), seconds, evaluations)


@dataclass(frozen=True)
class Lines:
    """ERT to each target in both units, a straight line in the evaluation cost.

    Attributes
    ----------
    algorithms
        By the alphabet.
    seconds, evaluations
        Shape (targets, algorithms); `inf` in both where no run reached the target.
    """

    algorithms: tuple[str, ...]
    seconds: NDArray[np.float64]
    evaluations: NDArray[np.float64]


def foreseeable(runs: Runs, analysis: Analysis) -> Runs:
    """The runs of algorithms whose launches do not end by seconds.

    With another evaluation cost the others would have had other launches.
    """
    refused = runs.frame["algorithm"].isin(list(analysis.restarted_by_seconds)).to_numpy()
    return runs.where(~refused) if refused.any() else runs


def refusal(analysis: Analysis) -> str:
    """Which algorithms are omitted for that reason, as a sentence for captions; empty for none."""
    named = [f"{label} ({key})" for label, key in sorted(analysis.restarted_by_seconds.items())]
    if not named:
        return ""
    return (
        "Omitted, because their launches end by seconds and would be others at another "
        f"evaluation cost: {', '.join(named)}."
    )


def complete_problems(runs: Runs) -> Iterator[tuple[Space, tuple[str, ...], list[ProblemRuns]]]:
    """Of each suite and dimension its algorithms, and the problems that all of them were run on."""
    together: dict[Space, list[ProblemRuns]] = {}
    for problem in problems(runs):
        together.setdefault(problem.space, []).append(problem)
    for space, members in together.items():
        algorithms = tuple(sorted({name for problem in members for name in problem.algorithms}))
        complete = [one for one in members if len(one.algorithms) == len(algorithms)]
        yield space, algorithms, complete


def observed(runs: Runs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Up to which seconds and evaluations each run was observed, shape (runs,) each.

    `inf` in evaluations for a run that nothing could follow: it reached the final target or ended
    by itself.
    """
    seconds, evaluations = runs.spent("seconds"), runs.spent("evaluations")
    final = np.isinf(evaluations_allowed(runs)) & (evaluations > 0)
    return seconds, np.where(final, np.inf, evaluations)
