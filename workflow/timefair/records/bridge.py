"""The bridge between two machines: how many seconds here are a second of the other machine.

Each record has the times of three reference kernels (`measure.perturbation`) on its machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from timefair.basics.errors import InputError

KERNELS = ("arithmetic", "memory", "interpreter")
OF_CODE = {
    "compiled": "arithmetic",
    "program": "arithmetic",
    "Python with numpy": "interpreter",
    "your Python": "interpreter",
}
"""The kernel whose ratio is taken for an implementation (`algorithms.base.Implementation`)."""
CLOCKS = ("cpu", "wall")  # what the two times of a kernel are, in their order
BATCHES = 8
LEAST_ERROR, FEW_ERROR = 0.02, 0.3
"""Smallest standard error of a logarithm, and that of a single record, which shows no noise."""

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
    """The bridge for code of some kind, from the kernels of the records of two machines, in order.

    The ratio is that of the median times of one kernel (`OF_CODE`). Nobody knows which share of an
    algorithm is like which kernel, so the interval reaches from the least limit of all three
    kernels to the largest. `InputError`, one line, if one side has no kernels.
    """
    for side, timed in (("this campaign", here), ("the other machine", there)):
        if not timed:
            raise InputError(
                f"no reference kernels in the records of {side}: seconds are not comparable; "
                "measure them again"
            )
    place, kernel = CLOCKS.index(clock), OF_CODE[implementation]
    ratios, spreads = {}, {}
    for name in KERNELS:
        (mine, error), (others, its_error) = (
            _log_time(of, name, place, confidence) for of in (here, there)
        )
        ratios[name], spreads[name] = mine - others, float(np.hypot(error, its_error))
    low = min(ratios[name] - spreads[name] for name in KERNELS)
    high = max(ratios[name] + spreads[name] for name in KERNELS)
    ratio, least, most = np.exp([ratios[kernel], low, high]).tolist()
    return Bridge(ratio, least, most, kernel)


def _log_time(
    timed: Sequence[Kernels], name: str, place: int, confidence: float
) -> tuple[float, float]:
    """The logarithm of the median time of a kernel, and how far from it the true one may be.

    Records that follow each other are measured at the same load: only batches vary independently.
    """
    from scipy.stats import t

    logs = np.log([one[name][place] for one in timed])
    batches = np.array_split(logs, min(BATCHES, max(len(logs) // 2, min(len(logs), 3))))
    error, count = FEW_ERROR, len(batches)
    if count > 1:
        medians = [np.median(batch) for batch in batches]
        error = max(float(np.std(medians, ddof=1) / np.sqrt(count)), LEAST_ERROR)
    deviation = float(t.ppf((1 + confidence) / 2, max(count - 1, 2)))
    return float(np.median(logs)), deviation * error
