"""The rule that tells a disturbed run from a clean one."""

from __future__ import annotations

from typing import NamedTuple

from timefair.records.status import Disturbance

DELAY_SHARE = 0.05
"""Of the wall clock: what a clean run waits for a core, because of others, at most."""

REFERENCE_RATIO = 1.15
"""Of the best time of the reference kernel: what it takes around a clean run, at most."""


class Judgement(NamedTuple):
    """What a run is, and why it is disturbed; None where it is not."""

    disturbance: Disturbance
    reason: str | None = None


def judge(
    real_s: float,
    foreign_delay_s: float | None,
    reference_s: float | None,
    best_reference_s: float | None,
) -> Judgement:
    """Judge a run by what it waited for others, and by how fast its core was around it.

    Parameters
    ----------
    real_s
        Length of the run without virtual evaluation cost; 0 where it never began.
    foreign_delay_s
        Of these, waiting for a core that other processes than its own had; None: not known.
    reference_s
        The reference kernel, mean of the times before and after the run; None: not taken.
    best_reference_s
        The least that it has taken on this core.

    Returns
    -------
    Judgement
        Unknown if neither figure can be had. One of them alone decides.
    """
    delay = foreign_delay_s / real_s if foreign_delay_s is not None and real_s > 0 else None
    ratio = reference_s / best_reference_s if reference_s and best_reference_s else None
    reasons = []
    if delay is not None and delay > DELAY_SHARE:
        reasons.append(f"waited {delay:.0%} of the time for a core that others had")
    if ratio is not None and ratio > REFERENCE_RATIO:
        reasons.append(f"the reference kernel took {ratio:.2f} x its best")
    if reasons:
        return Judgement(Disturbance.DISTURBED, "; ".join(reasons))
    if delay is None and ratio is None:
        return Judgement(Disturbance.UNKNOWN)
    return Judgement(Disturbance.CLEAN)
