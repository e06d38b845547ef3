"""Runs as they would have been if every evaluation had taken a given time longer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from timefair.records.consistency import BATCH_FIELDS
from timefair.records.rundata.problems import (
    ProblemRuns,
    Space,
    Spent,
    evaluations_allowed,
    problems,
)
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.runtimes import rounds

COSTS_S = (0.0, *(float(f"{10 ** (k / 4):.6g}") for k in range(-24, 17)))
"""Evaluation costs of curves and maps: 0, and four per decade."""


@dataclass(frozen=True)
class UsedByRuns:
    """Cost of each run to each target in seconds and evaluations, targets from easy to hard.

    - `runs`: Those for which the effect of another evaluation cost is known: not if launches end by
      seconds, nor with several workers and without recorded batches.
    - `seconds`, `rounds`: Cost up to the target, or up to the run's own end; rounds: by one worker.
    - `observed_s`, `observed_rounds`: Cost up to which each run was observed, shape (runs,); `inf`
      rounds for a run that could not continue.
    - `remarks`: Sentences for captions: which algorithms are omitted and why; number of workers.
    """

    runs: Runs
    seconds: Spent
    rounds: Spent
    observed_s: NDArray[np.float64]
    observed_rounds: NDArray[np.float64]
    remarks: str

    @classmethod
    def of(cls, runs: Runs, analysis: Analysis) -> UsedByRuns:
        """The costs of some runs; tables with the same settings share the result."""
        by_seconds = tuple(sorted(analysis.restarted_by_seconds.items()))
        key = (cls, analysis.targets_from_easy, analysis.workers, by_seconds)
        return runs.once(key, lambda: cls._of(runs, analysis))

    @classmethod
    def _of(cls, runs: Runs, analysis: Analysis) -> UsedByRuns:
        batches = runs.read_batches() if analysis.workers > 1 else None
        algorithms = runs.frame["algorithm"]
        lost = [] if batches is None else algorithms[np.asarray(batches.is_null())].astype(str)
        unknown = tuple(sorted(set(lost)))
        refused = algorithms.isin([*analysis.restarted_by_seconds, *unknown])
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


def _remarks(analysis: Analysis, unknown: Sequence[str]) -> str:
    of_batches = (
        f"Omitted, because their batches were not recorded: {', '.join(unknown)}."
        if unknown
        else ""
    )
    return " ".join(filter(None, (parallel(analysis), restarted(analysis), of_batches)))


def restarted(analysis: Analysis) -> str:
    """Sentence on algorithms that are omitted because of their restarts; empty without any."""
    named = [f"{label} ({key})" for label, key in sorted(analysis.restarted_by_seconds.items())]
    if not named:
        return ""
    return (
        "Omitted, because their launches end by seconds and would be others at another "
        f"evaluation cost: {', '.join(named)}."
    )


def parallel(analysis: Analysis) -> str:
    """Sentence on the effect of several workers; empty for one worker."""
    if analysis.workers == 1:
        return ""
    return (
        f"Up to {analysis.workers} evaluations of a batch run at the same time and count as one; "
        "an algorithm that asks for one point at a time gains nothing."
    )


def complete_problems(
    every: Iterable[ProblemRuns],
) -> Iterator[tuple[Space, tuple[str, ...], list[ProblemRuns]]]:
    """For each suite and dimension, its algorithms and the problems on which all were run."""
    together: dict[Space, list[ProblemRuns]] = {}
    for problem in every:
        together.setdefault(problem.space, []).append(problem)
    for space, members in together.items():
        algorithms = tuple(sorted({name for problem in members for name in problem.algorithms}))
        complete = [one for one in members if len(one.algorithms) == len(algorithms)]
        yield space, algorithms, complete


def in_rounds(
    evaluations: NDArray[np.float64], batches: pa.Array, workers: int
) -> NDArray[np.float64]:
    """Number of rounds that runs had started when they had made some evaluations, (runs, ...).

    `inf` is returned unchanged; `batches` are from `Runs.read_batches`, none of them null.
    """
    found = evaluations.copy()
    for run, rows in enumerate(batches.to_pylist()):
        if rows:
            columns = ([row[name] for row in rows] for name in BATCH_FIELDS)
            found[run] = rounds(evaluations[run], *columns, workers=workers)
    return found
