"""Distances to an optimum, which a run may have refuted, and times on a slow machine."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Numbers = TypeVar("Numbers", float, "NDArray[np.float64]")  # a number, or an array of numbers
ROUNDING = 1e-9
"""Largest distance below an optimum that counts as rounding, as a share of 1 plus the size of the
optimum; a larger one means that the optimum is wrong.
"""

LARGEST = sys.float_info.max  # the largest finite number
NOTHING_YET = 9.999999999999999e299
"""The precision before the first finite value in exported files, which imports read as inf: cocopp
does not terminate with `inf`. This is the number next below 1e300, a usual penalty.
"""


def rounding(f_opt: Numbers) -> Numbers:
    return ROUNDING * (1 + abs(f_opt))


def difference(value: Any, f_opt: Any) -> Any:
    """A value minus an optimum; of finite numbers, it is at most the largest float in size.

    >>> difference(3.0, 1.0), difference(1e308, -1e308) == LARGEST, difference(math.inf, 1.0)
    (2.0, True, inf)
    """
    if isinstance(value, (int, float)) and isinstance(f_opt, (int, float)):
        distance = float(value) - float(f_opt)
        over = math.isinf(distance) and math.isfinite(value) and math.isfinite(f_opt)
        return math.copysign(LARGEST, distance) if over else distance
    import numpy as np

    with np.errstate(over="ignore", invalid="ignore"):
        distance = value - f_opt
    over = np.isinf(distance) & np.isfinite(value) & np.isfinite(f_opt)
    return np.where(over, np.copysign(LARGEST, distance), distance)


def precision(value: Numbers, f_opt: Numbers) -> Numbers:
    """The distance of a value to the optimum: negative below it, and 0 if that is rounding.

    >>> precision(7.0, 5.0), precision(5.0 - 1e-12, 5.0), precision(4.0, 5.0)
    (2.0, 0.0, -1.0)
    """
    distance: Numbers = difference(value, f_opt)
    return distance * ((distance > 0) | (distance < -rounding(f_opt))) + 0.0


def is_below(value: Any, f_opt: Any) -> Any:
    """Whether a value is below the optimum by more than rounding; False if one of them is NaN."""
    return difference(value, f_opt) < -rounding(f_opt)


def lengthened(slowdown: Numbers, real: float) -> Numbers:
    """Factor by which a slowdown of the machine lengthens the clock of a run.

    - `slowdown`: Real time of the run, as a multiple of its real time without the slowdown; a
      number or an array. NaN gives NaN.
    - `real`: Share of real time in the clock of the run; the rest is simulated evaluation cost.

    >>> lengthened(2.0, 1.0), round(lengthened(2.0, 0.1), 3)
    (2.0, 1.053)
    """
    return 1.0 / (real / slowdown + (1.0 - real))
