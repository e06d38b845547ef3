"""Results by which rules compare runs: for several problems, and limited by the final target."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def equal_if_solved(
    precision: ArrayLike, unknown: ArrayLike, final_target: float | None
) -> NDArray[np.float64]:
    """Best precisions, of which those beyond the final target are equal to it.

    A run that reached the final target was ended by it. How far beyond the target it happened to
    be says nothing about its algorithm.

    - `precision`: Best precision of each run, shape (runs,); `inf` stays as it is.
    - `unknown`: Whether the optimum is unknown, one value or shape (runs,). The precision is then a
      value, which the final target does not limit.
    - `final_target`: The precision that ends a run; None if none does.

    Returns: Shape (runs,).
    """
    best = np.asarray(precision, dtype=np.float64)
    reached = -np.inf if final_target is None else final_target
    return np.where(unknown, best, np.maximum(best, reached))


def pooled_results(
    precision: ArrayLike, unknown: ArrayLike, problems: ArrayLike, final_target: float | None
) -> NDArray[np.float64]:
    """Results by which runs are compared; results on several instances can be pooled.

    Where the optimum is unknown, the best value of these runs on the same problem is subtracted.
    The result of a run therefore depends on which runs there are.

    - `precision`, `unknown`, `final_target`: As for `equal_if_solved`.
    - `problems`: The problem of each run: numbers that identify it, shape (numbers, runs).

    Returns: Shape (runs,).
    """
    best = np.asarray(precision, dtype=np.float64)
    _, problem = np.unique(np.asarray(problems), axis=1, return_inverse=True)
    least = np.full(problem.max(initial=-1) + 1, np.inf)
    np.fmin.at(least, problem.ravel(), best)
    reference = np.where(np.isfinite(least), least, 0.0)[problem.ravel()]
    return equal_if_solved(best - np.where(unknown, reference, 0.0), unknown, final_target)
