"""How a slow machine lengthens times."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Slowdown = TypeVar("Slowdown", float, "NDArray[np.float64]")


def lengthened(slowdown: Slowdown, real: float) -> Slowdown:
    """Factor by which a slowdown of the machine lengthens the clock of a run.

    - `slowdown`: Real time of the run, as a multiple of its real time without the slowdown; a
      number or an array. NaN gives NaN.
    - `real`: Share of real time in the clock of the run; the rest is simulated evaluation cost.

    >>> lengthened(2.0, 1.0), round(lengthened(2.0, 0.1), 3)
    (2.0, 1.053)
    """
    return 1.0 / (real / slowdown + (1.0 - real))
