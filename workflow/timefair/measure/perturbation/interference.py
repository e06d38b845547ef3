"""The rule that detects perturbed runs."""

from __future__ import annotations

from typing import NamedTuple

from timefair.basics.slowdowns import lengthened
from timefair.records.status import Perturbation

DELAY_SHARE = 0.05
"""Largest share of its clock that a clean run waits for a core that others use."""

REFERENCE_RATIO = 1.15
"""Largest factor by which the slowdown of the reference kernel lengthens a clean run's clock."""


class Judgement(NamedTuple):
    """Whether a run is perturbed, and why; the reason is None if it is not perturbed."""

    perturbation: Perturbation
    reason: str | None = None


def judge(
    real_s: float,
    foreign_delay_s: float | None,
    reference_s: float | None,
    best_reference_s: float | None,
    charged_s: float = 0.0,
) -> Judgement:
    """Judge a run by its time of waiting for others, and by the speed of its core before and after
    it.

    The clock of a run is its real time and its simulated evaluation cost, which no machine changes.

    Parameters
    ----------
    real_s
        Length of the run without simulated evaluation cost; 0 if it never began.
    foreign_delay_s
        Part of this time in which the run waited for a core that processes of others used; None
        if it is unknown.
    reference_s
        Mean time of the reference kernel before and after the run; None if it was not timed.
    best_reference_s
        Least time of the reference kernel on this core.
    charged_s
        Simulated evaluation cost of the run.

    Returns
    -------
    Judgement
        Unknown if neither the delay nor the reference time is known. If one of them is known, it
        decides alone.
    """
    clock_s = real_s + charged_s
    delay = foreign_delay_s / clock_s if foreign_delay_s is not None and clock_s > 0 else None
    ratio = reference_s / best_reference_s if reference_s and best_reference_s else None
    real = real_s / clock_s if clock_s > 0 else 1.0
    reasons = []
    if delay is not None and delay > DELAY_SHARE:
        reasons.append(f"waited {delay:.0%} of the time for a core that others had")
    if ratio is not None and lengthened(ratio, real) > REFERENCE_RATIO:
        reasons.append(f"the reference kernel took {ratio:.2f} x its best")
    if reasons:
        return Judgement(Perturbation.PERTURBED, "; ".join(reasons))
    if delay is None and ratio is None:
        return Judgement(Perturbation.UNKNOWN)
    return Judgement(Perturbation.CLEAN)
