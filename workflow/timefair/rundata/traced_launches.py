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
        Its index in the run, from 0.
    seconds, evaluations
        The cost of each launch to each target from its own start, `inf` where it did not reach it;
        shape (launches, targets).
    """

    rows: NDArray[np.intp]
    launch: NDArray[np.intp]
    seconds: NDArray[np.float64]
    evaluations: NDArray[np.float64]

    def reached_at(self, unit: Literal["seconds", "evaluations"]) -> NDArray[np.float64]:
        """In one of the units."""
        return self.seconds if unit == "seconds" else self.evaluations
