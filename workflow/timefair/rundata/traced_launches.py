"""When each traced launch reached each target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class TracedLaunches:
    """Launches of runs, in any order.

    Attributes
    ----------
    rows
        The run of each launch; shape (launches,).
    launch
        Its index in the run, from 0.
    reached_at
        Its cost to each target, `inf` where it did not reach it; shape (launches, targets).
    """

    rows: NDArray[np.intp]
    launch: NDArray[np.intp]
    reached_at: NDArray[np.float64]
