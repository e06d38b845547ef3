"""The events of a run whose quality depends on many vectors, computed after the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.measure.evaluation.objective import EVENT
from timefair.measure.evaluation.state import Unreadable
from timefair.problems.base import Problem
from timefair.records.consistency import Columns

Quality = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def events_of(
    vectors: NDArray[np.void], quality: Quality, problem: Problem
) -> tuple[NDArray[np.void], float]:
    """The events at which the best value so far decreases.

    Parameters
    ----------
    vectors
        As the run's process wrote them: rows of `objective.vector_dtype`.
    quality
        The quality function of the problem's `Outputs`.

    Returns
    -------
    events, best
        Rows of `objective.EVENT`, and the value after the last of them; `inf` without one.

    Raises
    ------
    Unreadable
        If a vector has a number that is not finite, or is none of the problem's vectors: a run
        never keeps such vectors.
    """
    outputs = vectors["outputs"]
    if not np.isfinite(outputs).all():
        raise Unreadable("a vector has a number that is not finite")
    try:
        best = np.minimum.accumulate(quality(outputs))
    except ValueError as error:
        raise Unreadable(str(error)) from None
    precision = np.array([problem.precision(value) for value in best.tolist()])
    falls = np.diff(precision, prepend=np.inf) < 0
    events = np.zeros(falls.sum(), dtype=EVENT)
    for name in ("launch", "evaluations", "time"):
        events[name] = vectors[name][falls]
    events["precision"] = precision[falls]
    return events, float(best[falls][-1]) if events.size else np.inf


def rows_of(vectors: NDArray[np.void] | None) -> list[dict[str, Any]] | None:
    """The vectors in the form of a record; None if the run does not record them."""
    if vectors is None:
        return None
    columns = [vectors["launch"], vectors["evaluations"], vectors["time"] / 1e9, vectors["outputs"]]
    names = ("launch", "evaluations", "time_s", "outputs")
    values = zip(*(column.tolist() for column in columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in values]


def columns_of(vectors: NDArray[np.void] | None) -> Columns | None:
    """The vectors in the form that `consistency.contradiction` needs."""
    if vectors is None:
        return None
    return {
        "launch": vectors["launch"],
        "evaluations": vectors["evaluations"],
        "time_s": vectors["time"] / 1e9,
        "finite": np.isfinite(vectors["outputs"]).all(axis=1),
    }


def best_after_launches(events: NDArray[np.void], launches: int) -> NDArray[np.float64]:
    """The best precision of the run at the end of each launch, shape ``(launches,)``."""
    best = np.full(launches, np.inf)
    made = (events["launch"] >= 0) & (events["launch"] < launches)
    np.minimum.at(best, events["launch"][made], events["precision"][made])
    return np.minimum.accumulate(best)
