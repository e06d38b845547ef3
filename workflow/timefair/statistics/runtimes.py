"""Runtimes to targets, read from the events of runs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.traces import check_traces


def runtimes(
    cost: ArrayLike, precision: ArrayLike, offsets: ArrayLike, targets: ArrayLike
) -> NDArray[np.float64]:
    """Cost at the first event whose precision is at most the target.

    - `cost`, shape (events,): Seconds or evaluations since the start of the run, at each event.
    - `precision`, shape (events,): Best precision so far. It must not increase within a run.
    - `offsets`, shape (runs + 1,): The events of run i are ``offsets[i]:offsets[i + 1]``. A run may
      have no events.
    - `targets`, shape (targets,) or (runs, targets): Precisions to reach, in any order: the same
      for all runs, or one row per run.

    Returns, shape (runs, targets): In the unit of `cost`; `inf` where the run did not reach the
    target. Raises ValueError if lengths differ, the offsets do not divide the events into runs, a
    precision rises within a run, the targets have another shape, or a number is NaN.

    This is the time to target t_i of J. J. Lian, "Time-Fair Benchmarking for Metaheuristics", 2025,
    Definition 3, before its truncation at T. Each target is found by bisection of the events.
    """
    spent, reached, cuts = check_traces(cost, precision, offsets)
    runs = cuts.size - 1
    wanted = np.asarray(targets, dtype=np.float64)
    if wanted.ndim not in (1, 2) or wanted.shape[:-1] not in ((), (runs,)):
        raise ValueError(
            f"targets must have the shape (targets,) or ({runs}, targets), not {wanted.shape}"
        )
    if np.isnan(wanted).any():
        raise ValueError("targets must not be NaN")
    each = np.broadcast_to(wanted, (runs, wanted.shape[-1]))
    times = np.empty(each.shape)
    for run, (first, end) in enumerate(pairwise(cuts)):
        hit = np.searchsorted(-reached[first:end], -each[run])
        times[run] = np.append(spent[first:end], np.inf)[hit]
    return times
