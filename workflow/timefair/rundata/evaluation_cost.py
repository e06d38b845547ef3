"""Runs as they would have been if every evaluation had cost some seconds more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from timefair.rundata.problems import Spent
from timefair.rundata.rounds import in_rounds, without_batches
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
    """What each run used up to each target, targets from easy to hard: seconds and evaluations.

    With several workers, `rounds` has the rounds of evaluations instead; see `rundata.rounds`.

    Attributes
    ----------
    runs
        Those of algorithms of which it is known what another evaluation cost would change: launches
        that end by seconds would have been others, and several workers need the batches.
    seconds, rounds
        Up to the run's own end where it did not reach the target.
    observed_s, observed_rounds
        Up to where each run was observed, shape (runs,). `inf` in rounds for a run that nothing
        could follow: it reached the final target or ended by itself.
    remarks
        Sentences for captions: which algorithms are omitted and why, and the number of workers.
    """

    runs: Runs
    seconds: Spent
    rounds: Spent
    observed_s: NDArray[np.float64]
    observed_rounds: NDArray[np.float64]
    remarks: str

    @classmethod
    def of(cls, runs: Runs, analysis: Analysis) -> UsedByRuns:
        """Of some runs; the tables that ask for the same share it."""
        by_seconds = tuple(sorted(analysis.restarted_by_seconds.items()))
        key = (cls, analysis.targets_from_easy, analysis.workers, by_seconds)
        return runs.once(key, lambda: cls._of(runs, analysis))

    @classmethod
    def _of(cls, runs: Runs, analysis: Analysis) -> UsedByRuns:
        """Reads events and batches once."""
        batches = runs.read_batches() if analysis.workers > 1 else None
        unknown = () if batches is None else without_batches(runs.frame["algorithm"], batches)
        refused = runs.frame["algorithm"].isin([*analysis.restarted_by_seconds, *unknown])
        kept = runs.where(~refused.to_numpy()) if refused.any() else runs
        targets = analysis.targets_from_easy
        seconds, evaluations = (
            Spent.until(kept.runtimes(unit, targets), kept.spent(unit))
            for unit in ("seconds", "evaluations")
        )
        total = kept.spent("evaluations")
        final = np.isinf(evaluations_allowed(kept)) & (total > 0)
        begun = np.column_stack([evaluations.cost, total])
        if batches is not None:
            begun = in_rounds(begun, batches.filter(pa.array(~refused)), analysis.workers)
        return cls(
            kept,
            seconds,
            replace(evaluations, cost=begun[:, :-1]),
            kept.spent("seconds"),
            np.where(final, np.inf, begun[:, -1]),
            _remarks(analysis, unknown),
        )

    @cached_property
    def problems(self) -> tuple[ProblemRuns, ...]:
        """The problems of all suites and dimensions, in the order of their keys."""
        return tuple(problems(self.runs))

    def lines(self, problem: ProblemRuns) -> Lines:
        """The ERT of each algorithm on one of the problems."""
        return self._lines[tuple(problem.names.values())]

    @cached_property
    def _lines(self) -> dict[tuple[Any, ...], Lines]:
        found = {}
        for problem in self.problems:
            rows = [problem.rows[mine] for mine in problem.algorithms.values()]
            seconds, rounds = (
                np.stack([ert(spent.cost[r], spent.success[r], axis=0) for r in rows], axis=-1)
                for spent in (self.seconds, self.rounds)
            )
            found[tuple(problem.names.values())] = Lines(tuple(problem.algorithms), seconds, rounds)
        return found


@dataclass(frozen=True)
class Lines:
    """ERT to each target in seconds and in rounds, a straight line in the evaluation cost.

    Attributes
    ----------
    algorithms
        By the alphabet.
    seconds, rounds
        Shape (targets, algorithms); `inf` in both where no run reached the target.
    """

    algorithms: tuple[str, ...]
    seconds: NDArray[np.float64]
    rounds: NDArray[np.float64]


def _remarks(analysis: Analysis, unknown: Sequence[str]) -> str:
    of_batches = (
        f"Omitted, because their batches were not recorded: {', '.join(unknown)}."
        if unknown
        else ""
    )
    return " ".join(filter(None, (parallel(analysis), restarted(analysis), of_batches)))


def restarted(analysis: Analysis) -> str:
    """Which algorithms are omitted because of their restarts; empty for none."""
    named = [f"{label} ({key})" for label, key in sorted(analysis.restarted_by_seconds.items())]
    if not named:
        return ""
    return (
        "Omitted, because their launches end by seconds and would be others at another "
        f"evaluation cost: {', '.join(named)}."
    )


def parallel(analysis: Analysis) -> str:
    """What several workers change; empty for one."""
    if analysis.workers == 1:
        return ""
    return (
        f"Up to {analysis.workers} evaluations of a batch run at the same time and count as one; "
        "an algorithm that asks for one point at a time gains nothing."
    )


def complete_problems(
    every: Iterable[ProblemRuns],
) -> Iterator[tuple[Space, tuple[str, ...], list[ProblemRuns]]]:
    """Of each suite and dimension its algorithms, and the problems that all of them were run on."""
    together: dict[Space, list[ProblemRuns]] = {}
    for problem in every:
        together.setdefault(problem.space, []).append(problem)
    for space, members in together.items():
        algorithms = tuple(sorted({name for problem in members for name in problem.algorithms}))
        complete = [one for one in members if len(one.algorithms) == len(algorithms)]
        yield space, algorithms, complete
