"""Values without noise of the points that a run has found, computed after the run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import InputError, described
from timefair.measure.evaluation.objective import vector_dtype
from timefair.measure.evaluation.state import Logs
from timefair.measure.runs.elsewhere import NoAnswer, elsewhere
from timefair.problems.base import Problem

LIMIT_S = 600.0
"""Time for computing the values without noise of a run's vectors, and again for those of its
recommended points.
"""


class NoValues(Exception):
    """The noise-free function failed; the text gives the reason."""


def completed(logs: Logs, problem: Problem) -> Logs:
    """Replace the points in the logs by their values without noise.

    A recommended point whose value is not finite is dropped.

    Parameters
    ----------
    logs
        The logs as the run's process wrote them. Recommended rows contain points; vectors contain
        points if the problem's `Outputs` are ``later``.
    problem
        The problem, whose noise-free function is called in a separate process.

    Returns
    -------
    Logs
        Vectors contain two numbers, the measured value and the value without noise. Recommended
        rows contain the value without noise.

    Raises
    ------
    NoValues
        If the function raises, does not return in time, or gives NaN or an infinite value for the
        point of a vector.
    """
    if logs.recommended is None or problem.noise_free is None:
        return logs
    vectors, recommended = logs.vectors, logs.recommended
    later = problem.outputs is not None and problem.outputs.later
    of_recommended = _values(problem, recommended["outputs"])
    if vectors is not None and later:
        measured, points = vectors["outputs"][:, :1], vectors["outputs"][:, 1:]
        of_vectors = _values(problem, points)
        wrong = of_vectors[~np.isfinite(of_vectors)]
        if wrong.size:
            raise NoValues(f"the noise-free function gave {wrong[0]}; it should be finite")
        vectors = _with_numbers(vectors, np.column_stack([measured, of_vectors]))
    recommended = _with_numbers(recommended, of_recommended[:, np.newaxis])
    finite = np.isfinite(of_recommended)
    return logs._replace(vectors=vectors, recommended=recommended[finite])


def of_the_best(vectors: NDArray[np.void] | None, events: NDArray[np.void]) -> float:
    """The value without noise of the point of the last event; `inf` if there is none."""
    if vectors is None:
        return math.inf
    last = vectors["evaluations"] == events["evaluations"][-1:]
    return float(vectors["outputs"][last, 1].min(initial=math.inf))


def recommended_rows(recommended: NDArray[np.void] | None) -> list[dict[str, Any]] | None:
    """The recommendations in the form of a record; None if the run does not record them."""
    if recommended is None:
        return None
    columns = {
        "launch": recommended["launch"],
        "evaluations": recommended["evaluations"],
        "time_s": recommended["time"] / 1e9,
        "noise_free": recommended["outputs"][:, 0],
    }
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in values]


def _with_numbers(rows: NDArray[np.void], numbers: NDArray[np.float64]) -> NDArray[np.void]:
    """The same rows with other numbers, shape ``(rows, numbers)``."""
    changed = np.empty(len(rows), dtype=vector_dtype(numbers.shape[1]))
    for name in ("launch", "evaluations", "time"):
        changed[name] = rows[name]
    changed["outputs"] = numbers
    return changed


def _values(problem: Problem, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of each point; NaN for a point that is not finite."""
    noise_free = problem.noise_free
    assert noise_free is not None

    def evaluate() -> list[float]:
        try:
            return [
                float(noise_free(x.copy())) if np.isfinite(x).all() else math.nan for x in points
            ]
        except Exception as error:
            raise InputError(f"the noise-free function raised {described(error)}") from error

    if not len(points):
        return np.empty(0)
    try:
        return np.array(elsewhere(evaluate, LIMIT_S), dtype=np.float64)
    except InputError as error:
        raise NoValues(error.faults[0]) from None
    except NoAnswer:
        raise NoValues(
            f"the noise-free function ended its process or took longer than {LIMIT_S:g} s"
        ) from None
