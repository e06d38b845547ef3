"""Counts parallel evaluations in rounds.

If an algorithm asks for a batch of points, several workers can evaluate them at the same time. With
k workers, up to k evaluations of one batch are one round, which takes as long as one evaluation. A
batch of n points therefore has ⌈n / k⌉ rounds. A point that is not in a batch is one round.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def rounds(
    evaluations: ArrayLike, first: ArrayLike, size: ArrayLike, count: ArrayLike, *, workers: int
) -> NDArray[np.float64]:
    """Number of rounds that a run has started when it has made a number of evaluations.

    - `evaluations`: Numbers of evaluations since the start of the run, at least 0. `inf` and NaN
      are returned unchanged.
    - `first`, `size`, `count`, shape (rows,): The batches of the run in their order. Row j: after
      ``first[j]`` evaluations, there are ``count[j]`` batches of ``size[j]`` points, one after the
      other. All other evaluations are not in a batch.
    - `workers`: Number of evaluations that can run at the same time, at least 1.

    Returns: The shape of `evaluations`. At most the number of evaluations; equal to it for one
    worker. Raises ValueError if there is no worker, or if the rows overlap, are not in order, or
    have a batch without points.

    The points of a batch are evaluated in their order. If m points of an unfinished batch have been
    evaluated, they take ⌈m / workers⌉ rounds.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    begins, points, times = (np.asarray(x, dtype=np.int64) for x in (first, size, count))
    ends = begins + points * times
    if (points < 1).any() or (times < 1).any() or (begins[1:] < ends[:-1]).any():
        raise ValueError("batches must have points and follow one another")
    each = -(-points // workers)
    inside = np.concatenate([[0], np.cumsum(points * times)])
    taken = np.concatenate([[0], np.cumsum(each * times)])
    made = np.asarray(evaluations, dtype=np.float64)
    known = np.isfinite(made)
    number = np.where(known, made, 0.0).astype(np.int64)
    row = np.searchsorted(begins, number, side="left") - 1  # the last that has begun
    last = np.maximum(row, 0)
    if not begins.size:
        return made.copy()
    within = np.where(row < 0, 0, np.minimum(number - begins[last], (ends - begins)[last]))
    whole, rest = np.divmod(within, points[last])
    of_batches = taken[last] + whole * each[last] + -(-rest // workers)
    alone = number - inside[last] - within
    return np.where(known, alone + of_batches, made)
