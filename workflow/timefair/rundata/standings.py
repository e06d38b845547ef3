"""The results of the runs on a problem, at their end or at equal evaluations.

A run that reaches the final target is ended by it. How far below the target it ended is a matter of
chance, so precisions at or below the final target count as 0 here, and such runs are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.records.status import FINAL_TARGET, StopReason
from timefair.rundata.runs import PER_DIMENSION, PROBLEM, SECONDS, Runs, Unit
from timefair.statistics.curves import best_so_far

Space: TypeAlias = tuple[str, int]
"""A suite and a dimension."""

KEYS = ("suite", "dimension", "function")
BUDGETS: dict[Unit, str] = {"seconds": "budget_s", "evaluations": "budget_evaluations"}
"""The column with the budget of runs in each unit."""
ENDED_BY_TIME = (StopReason.TIME, StopReason.TIME_KILLED)
ENDED_BY_BUDGET = (*ENDED_BY_TIME, StopReason.EVALUATIONS)


@dataclass(frozen=True)
class ProblemRuns:
    """The runs on one (suite, dimension, function), with all instances pooled.

    Attributes
    ----------
    names
        Suite, dimension and function, by the names in `KEYS`.
    rows
        Rows of these runs in the frame.
    algorithms
        For each algorithm, in alphabetical order, which of `rows` are its runs.
    """

    names: dict[str, Any]
    rows: NDArray[np.intp]
    algorithms: dict[str, NDArray[np.intp]]

    @property
    def space(self) -> Space:
        """Its suite and its dimension."""
        return str(self.names["suite"]), int(self.names["dimension"])

    def samples(self, of_runs: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """The part for each algorithm of an array with one row per run of the campaign."""
        return self.split(of_runs[self.rows])

    def split(self, of_rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """The part for each algorithm of an array with one row per run on this problem."""
        return {name: of_rows[mine] for name, mine in self.algorithms.items()}


def problems(runs: Runs) -> list[ProblemRuns]:
    """The problems of all suites and dimensions, in the order of their keys."""
    return runs.once("problems", lambda: list(_problems(runs)))


def _problems(runs: Runs) -> Iterator[ProblemRuns]:
    for names, rows in runs.groups(KEYS):
        labels = runs.frame["algorithm"].iloc[rows].to_numpy(dtype=object)
        algorithms = {str(name): np.flatnonzero(labels == name) for name in sorted(set(labels))}
        yield ProblemRuns(names, rows, algorithms)


def precision_at_the_end(runs: Runs) -> NDArray[np.float64]:
    """Best precision of each run, shape (runs,); 0 if it reached the final target."""
    return equal_if_solved(runs, runs.frame["best_precision"].to_numpy(dtype=np.float64))


def equal_if_solved(
    runs: Runs,
    precision: NDArray[np.float64],
    rows: NDArray[np.intp] | slice = slice(None),
) -> NDArray[np.float64]:
    """Precisions; those from 0 to the final target become 0, if the optimum is known.

    Parameters
    ----------
    precision
        Shape (rows,) or (rows, points).
    rows
        The run of each row; by default, all runs in their order.
    """
    limit = np.expand_dims(_solved_from(runs)[rows], tuple(range(1, precision.ndim)))
    return np.where((precision >= 0) & (precision <= limit), 0.0, precision)


def final_target(runs: Runs) -> float:
    """The largest precision that ends one of the runs; `-inf` if none is known.

    The campaigns in the records contain it. Without a campaign, as for runs that others have
    measured, it is `FINAL_TARGET`.
    """
    campaigns = (one for origins in runs.origins.values() for one in origins.campaign if one)
    ends = [one["budget"]["final_target"] for one in campaigns] or [FINAL_TARGET]
    return max((end for end in ends if end is not None), default=-np.inf)


def value_at_the_target(runs: Runs) -> NDArray[np.float64]:
    """The value of f at the final target on the problem of each run, shape (runs,).

    NaN without a final target or optimum, and where a run has found less than the optimum.
    """
    least = runs.frame.groupby(PROBLEM)["best_precision"].transform("min")
    value = np.asarray(runs.frame["f_opt"] + final_target(runs), dtype=np.float64)
    return np.where(np.isfinite(value) & (least >= 0), value, np.nan)


def _solved_from(runs: Runs) -> NDArray[np.float64]:
    """The precision from which each run counts as solved, shape (runs,); `-inf` for never."""

    def found() -> NDArray[np.float64]:
        frame = runs.frame
        limit = np.where(frame["f_opt"].notna(), final_target(runs), -np.inf)
        asked = frame["algorithm"].isin([k for k, one in runs.origins.items() if any(one.campaign)])
        ended = _solved(runs) & ~asked.to_numpy()
        return np.where(ended, np.maximum(limit, frame["best_precision"]), limit)

    return runs.once("solved from", found)


def precision_at(
    runs: Runs, evaluations: Sequence[tuple[ProblemRuns, NDArray[np.float64]]]
) -> list[NDArray[np.float64]]:
    """Best precision of the runs on each problem at given numbers of evaluations.

    It returns an array of shape (rows, points) for each problem, from one pass over all events.
    """
    best = [np.empty((len(problem.rows), points.size)) for problem, points in evaluations]
    owner = np.full(len(runs.frame), -1, dtype=np.intp)
    place = np.zeros(len(runs.frame), dtype=np.intp)
    for k, (problem, _) in enumerate(evaluations):
        owner[problem.rows] = k
        place[problem.rows] = np.arange(len(problem.rows))
    for part in runs.traces:
        owners = owner[part.rows]
        for k in np.unique(owners[owners >= 0]):
            mine = part.taken(np.flatnonzero(owners == k))
            found = best_so_far(mine.evaluations, mine.precision, mine.offsets, evaluations[k][1])
            best[k][place[mine.rows]] = equal_if_solved(runs, found, mine.rows)
    return best


def evaluations_allowed(runs: Runs) -> NDArray[np.float64]:
    """Evaluations up to which the result of each run is known, shape (runs,).

    This is its number of evaluations if the budget cut it off. It is `inf` if the run reached the
    final target, ended by itself or made no evaluation, because its result is then final.
    """
    evaluations = runs.spent("evaluations")
    return np.where(cut_off(runs) & (evaluations > 0), evaluations, np.inf)


def known_until(
    runs: Runs, unit: Unit, done: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Cost up to which the results of each run are known, shape (runs,).

    This is where the budget cut the run off, if it did, or the end of published data. It is `inf`
    if the result is final, as in `evaluations_allowed`. In seconds, runs with the same budget are
    cut off together, at the end of the longest of them.

    Parameters
    ----------
    runs, unit
        The runs, and the unit of the costs.
    done
        Which runs have reached everything that is asked, shape (runs,); these are known at every
        cost.
    """
    counted = PER_DIMENSION.get(unit, unit)
    evaluations, spent = runs.spent("evaluations"), runs.spent(counted)
    if counted in SECONDS:
        together = pd.Series(spent).groupby(runs.frame["budget_s"].to_numpy()).transform("max")
        timed_out = runs.frame["stop_reason"].isin(ENDED_BY_TIME) & together.notna()
        spent = np.where(timed_out, together, spent)
    known = np.where(cut_off(runs) & (evaluations > 0), spent, np.inf)
    known = np.where(runs.timed | _solved(runs), known, spent)
    known = known if done is None else np.where(done, np.inf, known)
    if unit in PER_DIMENSION:
        known = known / runs.frame["dimension"].to_numpy(dtype=np.float64)
    return np.asarray(known, dtype=np.float64)


def cut_off(runs: Runs) -> NDArray[np.bool_]:
    """Which runs their budget ended, shape (runs,)."""
    return np.asarray(runs.frame["stop_reason"].isin(ENDED_BY_BUDGET), dtype=np.bool_)


def _solved(runs: Runs) -> NDArray[np.bool_]:
    return np.asarray(runs.frame["stop_reason"] == StopReason.TARGET, dtype=np.bool_)
