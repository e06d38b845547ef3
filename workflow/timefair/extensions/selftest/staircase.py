"""The problems of the self-test: a staircase that falls from 100 to 0.001, and a ramp.

The staircase divides the unit interval into `LEVELS` + 1 equal parts with constant values, so an
algorithm that evaluates ``point(j)``, the middle of part j, finds ``precision(j)`` exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEVELS = 40
"""Number of steps; level 0 is the start and the last level is the final target."""

EASIEST, HARDEST = 2.0, -3.0
"""Decimal logarithms of the values of the first and the last level."""


def precision(level: int) -> float:
    """Value of a level, 0 to `LEVELS`; no point has the optimal value 0.

    >>> precision(0), precision(LEVELS)
    (100.0, 0.001)
    """
    return float(10.0 ** (EASIEST + (HARDEST - EASIEST) * level / LEVELS))


VALUES = tuple(precision(level) for level in range(LEVELS + 1))
"""The values of all levels."""


def point(level: int) -> NDArray[np.float64]:
    """A point in the middle of a level, shape (1,)."""
    return np.array([(level + 0.5) / (LEVELS + 1)])


def staircase(x: NDArray[np.float64], *, function: int) -> float:
    """The value at a point of shape (1,). It does not depend on the number of the function.

    Functions are repetitions of one experiment, each with its own seeds.
    """
    return VALUES[min(max(int(x[0] * (LEVELS + 1)), 0), LEVELS)]


staircase.lower, staircase.upper, staircase.f_opt = 0.0, 1.0, 0.0  # type: ignore[attr-defined]


EVALUATIONS_A_LEVEL = 8
"""Evaluations per level of the ramp that `timefair.extensions.selftest.laws.work` needs."""

RAMP_LEVELS = 1e6
"""Number of levels of the ramp, more than any run reaches."""


def ramp(x: NDArray[np.float64], *, function: int) -> float:
    """A value that falls by 1 with each level ``x[0]`` and does not depend on the function."""
    return RAMP_LEVELS - float(x[0])


ramp.lower, ramp.upper, ramp.f_opt = 0.0, RAMP_LEVELS, 0.0  # type: ignore[attr-defined]
