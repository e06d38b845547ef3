"""Checks of events of many runs, which are stored in flat arrays.

The events of run i are ``offsets[i]:offsets[i + 1]`` of every flat array. Within a run, costs
increase and precisions decrease.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def check_traces(
    cost: ArrayLike, precision: ArrayLike, offsets: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Check the events of many runs, and return cost, precision and offsets as arrays.

    - `cost`, `precision`, shape (events,): Costs and precisions of the events of all runs, one run
      after the other.
    - `offsets`, shape (runs + 1,): As for `check_offsets`.

    Raises ValueError if lengths differ, the offsets do not divide the events into runs, a cost
    falls or a precision rises within a run, or a number is NaN.
    """
    spent = np.asarray(cost, dtype=np.float64)
    reached = np.asarray(precision, dtype=np.float64)
    if spent.ndim != 1 or spent.shape != reached.shape:
        raise ValueError(
            f"cost and precision must be vectors of one length, not {spent.shape}, {reached.shape}"
        )
    cuts = check_offsets(offsets, spent.size)
    _check_order(spent, cuts, "cost")
    _check_order(-reached, cuts, "falling precision")
    return spent, reached, cuts


def check_offsets(offsets: ArrayLike, events: int) -> NDArray[np.int64]:
    """The offsets as integers.

    - `offsets`, shape (runs + 1,): Start of the events of each run; from 0 to `events`, never
      decreasing.
    - `events`: Length of the flat arrays.

    Raises ValueError if the offsets do not divide the events into runs.

    >>> check_offsets([0, 2, 2, 3], 3).tolist()
    [0, 2, 2, 3]
    """
    cuts = np.asarray(offsets, dtype=np.int64)
    if cuts.ndim != 1 or cuts.size == 0 or cuts[0] != 0 or cuts[-1] != events:
        raise ValueError(f"offsets must be a vector from 0 to the number of events, {events}")
    if (np.diff(cuts) < 0).any():
        raise ValueError("offsets must not fall")
    return cuts


def _check_order(values: NDArray[np.float64], offsets: NDArray[np.int64], name: str) -> None:
    """Raise ValueError unless `values` never fall within a run and none is NaN."""
    if np.isnan(values).any():
        raise ValueError(f"{name} must not be NaN")
    with np.errstate(invalid="ignore"):
        falls = np.flatnonzero(values[1:] < values[:-1]) + 1
    starts = np.zeros(values.size + 1, dtype=np.bool_)
    starts[offsets] = True
    if not starts[falls].all():
        raise ValueError(f"{name} must be ordered within each run")


def count_within(mask: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of marked events of each run, shape (runs,).

    >>> count_within(np.array([True, False, True]), np.array([0, 2, 2, 3])).tolist()
    [1, 0, 1]
    """
    running = np.concatenate([[0], np.cumsum(mask, dtype=np.int64)])
    return np.asarray(running[offsets[1:]] - running[offsets[:-1]], dtype=np.int64)
