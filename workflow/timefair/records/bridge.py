"""The bridge between two machines: how many seconds here are a second of the other machine.

Each record has the times of three reference kernels (`timefair.measure.kernels`) on its machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, Literal, NamedTuple

import numpy as np

from timefair.basics.errors import InputError

KERNELS = ("arithmetic", "memory", "interpreter")
OF_CODE = {
    "compiled": ("arithmetic", "memory"),
    "program": ("arithmetic", "memory"),
    "Python with numpy": ("interpreter", "arithmetic", "memory"),
    "your Python": ("interpreter", "arithmetic", "memory"),
}
"""For each kind of implementation (`timefair.algorithms.base.Implementation`), the kernel whose
ratio is taken, and those to whose ratios the interval extends.
"""
CLOCKS = ("cpu", "wall")
"""What the two times of a kernel are, in their order."""
LEAST_BATCHES, BATCHES = 2, 8
LEAST_ERROR = 0.02
"""Smallest standard error of a logarithm, for which few records are no evidence."""

Kernels = Mapping[str, Any]
"""The two times of each kernel in a job: the fact ``kernels`` of its record."""


class Bridge(NamedTuple):
    """Seconds here for each second of the other machine, with an interval, and the kernel."""

    ratio: float
    low: float
    high: float
    kernel: str


def bridge(
    implementation: str,
    here: Sequence[Kernels],
    there: Sequence[Kernels],
    *,
    confidence: float = 0.95,
    clock: Literal["cpu", "wall"] = "wall",
) -> Bridge:
    """The bridge for code of some kind, from the kernels of the records of two machines.

    `here` and `there` are in the order in which the records were measured. The ratio is that of
    the median times of one kernel. Nobody knows which share of an algorithm is like which kernel,
    so the interval is the union of those of all kernels that the code may depend on (`OF_CODE`).
    `InputError`, one line, if one side has no kernels.
    """
    for side, timed in (("this campaign", here), ("the other machine", there)):
        if not timed:
            raise InputError(
                f"no reference kernels in the records of {side}: seconds are not comparable; "
                "measure them again"
            )
    place = CLOCKS.index(clock)
    deviation = NormalDist().inv_cdf((1 + confidence) / 2)
    found = []
    for name in OF_CODE[implementation]:
        (mine, error), (others, its_error) = (_log_time(of, name, place) for of in (here, there))
        spread = deviation * float(np.hypot(error, its_error))
        found.append((mine - others, mine - others - spread, mine - others + spread))
    lows, highs = ([one[k] for one in found] for k in (1, 2))
    ratio, low, high = np.exp([found[0][0], min(lows), max(highs)]).tolist()
    return Bridge(ratio, low, high, OF_CODE[implementation][0])


def _log_time(timed: Sequence[Kernels], name: str, place: int) -> tuple[float, float]:
    """The logarithm of the median time of a kernel, and its standard error.

    Records that follow each other are measured at the same load, so medians of batches of records
    vary as independent ones would, and single records do not.
    """
    logs = np.log([one[name][place] for one in timed])
    batches = min(BATCHES, len(logs) // 2)
    error = 0.0
    if batches >= LEAST_BATCHES:
        medians = [np.median(batch) for batch in np.array_split(logs, batches)]
        error = float(np.std(medians, ddof=1) / np.sqrt(batches))
    return float(np.median(logs)), max(error, LEAST_ERROR)
