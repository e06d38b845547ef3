"""When each traced launch reached each target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
        Index of each launch in its run, from 0.
    seconds, evaluations
        Cost of each launch to each target, counted from its own start; `inf` if it did not reach
        the target. Shape (launches, targets).
    """

    rows: NDArray[np.intp]
    launch: NDArray[np.intp]
    seconds: NDArray[np.float64]
    evaluations: NDArray[np.float64]

    def reached_at(self, unit: Literal["seconds", "evaluations"]) -> NDArray[np.float64]:
        """The cost in one of the units."""
        return self.seconds if unit == "seconds" else self.evaluations
