"""Trials of published data, as far as every format has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Trial:
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
    ) -> Trial:
        """From all lines that were logged, in any order.

        The last evaluation that is known, logged or said, is the trial's end. A precision below 0
        is a rounded 0; one that is not finite is no improvement.
        """
        at, values = np.asarray(evaluations, np.int64), np.asarray(precision, np.float64)
        order = np.lexsort((values, at))
        at, values = at[order], np.maximum(values[order], 0.0)
        values = np.where(np.isfinite(values), values, np.inf)
        before = np.minimum.accumulate(np.concatenate([[np.inf], values]))[:-1]
        better = values < before
        end = max(int(at[-1]) if at.size else 0, all_evaluations)
        return cls(instance, f_opt, at[better], values[better], end)


@dataclass(frozen=True)
class DataSet:
    """The trials of an algorithm on a function in a dimension; read only when they are needed.

    ``suite`` is None where the data do not name it, as those before 2016.
    """

    algorithm: str
    suite: str | None
    function: int
    dimension: int
    read: Callable[[], list[Trial]]
