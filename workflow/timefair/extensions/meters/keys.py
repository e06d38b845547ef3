"""The key ``meters`` of a campaign: what it reads around runs, and lines of `timefair check`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from timefair.algorithms.base import Algorithm
from timefair.basics.extension import Meter
from timefair.basics.sections import Distinct
from timefair.extensions.meters import energy, instructions
from timefair.machine.host import Unknown
from timefair.measure.runs.child import Fresh

Meters = Annotated[
    tuple[Literal["energy", "instructions"], ...],
    Distinct,
    Field(
        min_length=1,
        strict=False,
        description="What is read around each run besides time. `instructions`: those that its "
        "processes executed in user space. `energy`: joules of the processor (RAPL) above its idle "
        "power; jobs with this key wait for each other, so that a processor has one at a time. "
        "Runs that were measured without the key have no readings.",
    ),
]


def check(campaign: Any) -> Iterator[str]:
    """A line for each meter."""
    for name in campaign.section("meters") or ():
        try:
            if name == "energy":
                told = f"reads {', '.join(energy.Counters(os.sched_getaffinity(0)).names)}"
            else:
                os.close(instructions.opened(instructions.INSTRUCTIONS, inherit=True))
                told = "can be counted"
        except Unknown as reason:
            told = f"not available here: {reason}"
        yield f"{name:<13} {told}"


def meters(
    campaign: Any, cores: tuple[int, ...], algorithm: Any
) -> Iterator[AbstractContextManager[Meter]]:
    """The meters of a job; none for runs that import their modules themselves.

    Instructions are counted only if the process of a run is a fork of this one.
    """
    asked = campaign.section("meters") or ()
    if isinstance(algorithm, Fresh):
        return
    if "instructions" in asked and isinstance(algorithm, Algorithm):
        yield nullcontext(_count)
    if "energy" in asked:
        yield energy.meter(partial(energy.Counters, cores))


def _count() -> Callable[[], Mapping[str, float | None]]:
    end = instructions.begin(instructions.INSTRUCTIONS)
    return lambda: {"instructions": end()}
