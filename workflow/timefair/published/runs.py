"""Published runs, with the data that all formats contain."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.records.status import Status, StopReason


@dataclass(frozen=True)
class ListedRun:
    """A run in an index file.

    Attributes
    ----------
    instance : int
        Number of the instance.
    evaluations : int or None
        Number of evaluations; None if the file gives none, because the run was aborted.
    best : float or None
        Best value or precision, rounded; None if the file gives none.
    best_at : int or None
        The evaluation that found it; None if the file gives none.
    """

    instance: int
    evaluations: int | None = None
    best: float | None = None
    best_at: int | None = None

    def has_best(self, found: float, digits: int) -> bool:
        """Whether a value equals the listed best value to a number of significant digits.

        True if either value is not finite or not known. The absolute tolerance is 2e-8, because
        COCO's loggers of 2009 wrote the distance to the final target, 1e-8.
        """
        if self.best is None or not (math.isfinite(self.best) and math.isfinite(found)):
            return True
        return math.isclose(self.best, found, rel_tol=10.0 ** (1 - digits), abs_tol=2e-8)


@dataclass(frozen=True)
class Timed:
    """Further data of a run with times that others have recorded.

    Attributes
    ----------
    time_s : ndarray, shape (events,)
        Seconds since the start of the run, one entry per improvement.
    end_s : float
        Seconds of the complete run.
    best_f : float
        Best value of f; inf if the run has no finite value.
    status : Status
        Whether the result is the algorithm's own.
    stop_reason : StopReason
        Reason why the run ended.
    budget_s : float or None
        Seconds that the run was allowed; None without such a budget.
    budget_evaluations : int or None
        Evaluations that the run was allowed; None without such a budget.
    """

    time_s: NDArray[np.float64]
    end_s: float
    best_f: float
    status: Status
    stop_reason: StopReason
    budget_s: float | None = None
    budget_evaluations: int | None = None


@dataclass(frozen=True)
class PublishedRun:
    """One run on an instance.

    Attributes
    ----------
    instance : int
        Number of the instance.
    f_opt : float or None
        The optimum that precisions refer to; None if it is not known. Precisions are then values
        of f.
    evaluations, precision : ndarray, shape (events,)
        One entry per improvement. Precisions decrease strictly. They are negative where a value is
        below the optimum that the data contain.
    all_evaluations : int
        Number of evaluations of the run.
    timed : Timed or None
        None for data without times.
    """

    instance: int
    f_opt: float | None
    evaluations: NDArray[np.int64]
    precision: NDArray[np.float64]
    all_evaluations: int
    timed: Timed | None = None

    @classmethod
    def of_lines(
        cls,
        instance: int,
        f_opt: float | None,
        evaluations: ArrayLike,
        precision: ArrayLike,
        all_evaluations: int = 0,
    ) -> PublishedRun:
        """Make a run from all its logged lines.

        Parameters
        ----------
        instance, f_opt
            As in the class.
        evaluations, precision : array_like, shape (lines,)
            In any order; may be empty. Those that are not finite are not improvements.
        all_evaluations : int
            End of the run in an index file; 0 if it is not known. The run ends there or at its
            last line, whichever is later.
        """
        at, values = np.asarray(evaluations, np.int64), np.asarray(precision, np.float64)
        order = np.lexsort((values, at))
        at, values = at[order], values[order]
        values = np.where(np.isfinite(values), values, np.inf)
        before = np.minimum.accumulate(np.concatenate([[np.inf], values]))[:-1]
        better = values < before
        end = max(int(at[-1]) if at.size else 0, all_evaluations)
        return cls(instance, f_opt, at[better], values[better], end)


@dataclass(frozen=True)
class DataSet:
    """The runs of an algorithm on a function in a dimension.

    Attributes
    ----------
    algorithm, suite : str
        Names of the algorithm and of the suite in the data.
    function, dimension : int
        Number of the function, and dimension.
    read : callable
        Reads the data files and returns the runs.
    index : Path
        The index file that lists the runs, relative to the folder of the data.
    name : str
        Name of the function; empty if it has only a number.
    """

    algorithm: str
    suite: str
    function: int
    dimension: int
    read: Callable[[], list[PublishedRun]]
    index: Path
    name: str = ""


def content(runs: list[PublishedRun]) -> bytes:
    """SHA-256 of the runs: equal for equal runs in the same order."""
    digest = hashlib.sha256()
    for run in runs:
        digest.update(f"{run.instance} {run.all_evaluations} {run.evaluations.size} ".encode())
        digest.update(run.evaluations.tobytes())
        digest.update(run.precision.tobytes())
        if run.timed is not None:
            digest.update(run.timed.time_s.tobytes())
            digest.update(str(run.timed.end_s).encode())
    return digest.digest()
