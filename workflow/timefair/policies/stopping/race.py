"""Drop an algorithm that can no longer be the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from timefair.basics.sections import Share
from timefair.policies.stopping.base import Comparing

DROPPED = "dropped"
"""Reason for an algorithm that has left the race."""

WON = "won"
"""Reason for the last algorithm in the race."""


class Racing(Comparing):
    """The algorithm can no longer be the best, by a Mann-Whitney test against the leader after each
    round.

    Promise: the best algorithm is dropped with a probability of at most 1 − `confidence`, over all
    algorithms and rounds.
    """

    tests: ClassVar[bool] = True

    rule: Literal["race"] = "race"
    confidence: Share = Field(
        default=0.95, description="Probability that the best algorithm is never dropped."
    )

    def rests(
        self, samples: Sequence[Sequence[float]], place: int, looks: Sequence[int], runs: int
    ) -> str | None:
        from timefair.statistics.run_count.racing import Race

        state = Race(1.0 - self.confidence, tuple(looks), runs).state(samples)
        if not state.goes_on[place]:
            return DROPPED
        return WON if state.goes_on.sum() == 1 and len(samples) > 1 else None
