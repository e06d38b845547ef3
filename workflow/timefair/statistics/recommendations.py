"""What a noisy run has truly found: the noise-free value of the point that it would recommend.

A run is described by rows in the order in which they were made: an evaluation that improved the
measured or the noise-free value of its run, or a point that a launch recommended. Both have a
noise-free value; only an evaluation has a measured value. There are three rules:

- ``recommended``: The point that the launch with the best measured value has recommended last; as
  long as this launch has not recommended a point, the best measured point of the run.
- ``best_measured``: The best measured point of the run.
- ``best_evaluated``: The point with the best noise-free value among all evaluated points, as in
  COCO's logger. Nobody who sees only measured values can choose it.

Under the first two rules, the value rises if a worse point has a lucky measurement. Their trace is
therefore the *settled* value: at each moment, the worst value from then to the end of the run. A
target is reached at the moment from which the value of the recommended point stays at or below it.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from timefair.statistics.checks import Floats

Rule = Literal["recommended", "best_measured", "best_evaluated"]
RULES: tuple[Rule, ...] = get_args(Rule)


def trace(
    rule: Rule, launch: NDArray[np.intp], measured: Floats, true: Floats
) -> tuple[NDArray[np.intp], Floats]:
    """The falling trace of a run: rows at which the value falls, and the value from there on.

    - `launch`, `measured`, `true`: The rows, shape (rows,): the launch that made each, its measured
      value (NaN for a recommendation) and its noise-free value, of which NaN counts as `inf`.

    Returns: Rising row numbers and strictly falling finite values; empty if there is no finite
    value.
    """
    values = np.where(np.isnan(true), np.inf, true)
    if rule == "best_evaluated":
        evaluated = np.where(np.isnan(measured), np.inf, values)
        return _falls(np.minimum.accumulate(evaluated))
    return _falls(settled(at_each_row(rule, launch, measured, values)))


def at_each_row(rule: Rule, launch: NDArray[np.intp], measured: Floats, true: Floats) -> Floats:
    """The noise-free value of the recommended point after each row, by the first two rules.

    Shape (rows,); `inf` before the first measured value. Parameters are as in `trace`.
    """
    value = np.full(len(true), np.inf)
    best, leader, of_best = np.inf, -1, np.inf
    by_launch: dict[int, float] = {}
    for row in range(len(true)):
        if np.isnan(measured[row]):
            by_launch[int(launch[row])] = float(true[row])
        elif measured[row] < best:
            best, leader, of_best = measured[row], int(launch[row]), float(true[row])
        value[row] = by_launch.get(leader, of_best) if rule == "recommended" else of_best
    return value


def settled(values: Floats) -> Floats:
    """The worst value from each row to the last one, shape (rows,)."""
    return np.maximum.accumulate(values[::-1])[::-1]


def _falls(values: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Where a trace that never rises falls to a finite value."""
    before = np.concatenate([[np.inf], values[:-1]])
    rows = np.flatnonzero((values < before) & np.isfinite(values))
    return rows, values[rows]
