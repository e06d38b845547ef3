"""Trials of published data, as far as every format has them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class ListedRun:
    """A trial that an index file lists.

    Attributes
    ----------
    instance
        Its number.
    evaluations
        How many it made; None if it broke off.
    best
        Its best value or precision, rounded; None if the file does not say.
    best_at
        The evaluation that found it; None if the file does not say.
    """

    instance: int
    evaluations: int | None = None
    best: float | None = None
    best_at: int | None = None

    def has_best(self, found: float, digits: int) -> bool:
        """Whether a value may be the best one, of which the file has so many digits.

        COCO's loggers of 2009 wrote its distance to the final target, 1e-8.
        """
        if self.best is None or not (math.isfinite(self.best) and math.isfinite(found)):
            return True
        return math.isclose(self.best, found, rel_tol=10.0 ** (1 - digits), abs_tol=2e-8)


@dataclass(frozen=True)
class PublishedRun:
    """One trial on an instance.

    Attributes
    ----------
    instance
        Its number.
    f_opt
        The optimum that its precisions are taken from.
    evaluations, precision
        At each improvement; precisions fall from one to the next and are at least 0.
    all_evaluations
        How many it made.
    """

    instance: int
    f_opt: float
    evaluations: NDArray[np.int64]
    precision: NDArray[np.float64]
    all_evaluations: int

    @classmethod
    def of_lines(
        cls,
        instance: int,
        f_opt: float,
        evaluations: ArrayLike,
        precision: ArrayLike,
        all_evaluations: int = 0,
    ) -> PublishedRun:
        """From all lines that were logged, in any order.

        The last evaluation that is known, logged or said, is the trial's end. A precision below 0
        is a rounded 0; one that is not finite is no improvement.
        """
        at, values = np.asarray(evaluations, np.int64), np.asarray(precision, np.float64)
        order = np.lexsort((values, at))
        at, values = at[order], values[order]
        values = np.where(np.isfinite(values), np.maximum(values, 0.0), np.inf)
        before = np.minimum.accumulate(np.concatenate([[np.inf], values]))[:-1]
        better = values < before
        end = max(int(at[-1]) if at.size else 0, all_evaluations)
        return cls(instance, f_opt, at[better], values[better], end)


@dataclass(frozen=True)
class DataSet:
    """The trials of an algorithm on a function in a dimension; read only when they are needed.

    ``index`` is the file that lists them, within the data.
    """

    algorithm: str
    suite: str
    function: int
    dimension: int
    read: Callable[[], list[PublishedRun]]
    index: Path


def content(trials: list[PublishedRun]) -> bytes:
    """A digest that is equal for equal trials in equal order."""
    told = hashlib.sha256()
    for trial in trials:
        told.update(f"{trial.instance} {trial.all_evaluations} {trial.evaluations.size} ".encode())
        told.update(trial.evaluations.tobytes())
        told.update(trial.precision.tobytes())
    return told.digest()
