"""Launches that end when they no longer improve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from timefair.basics.sections import CampaignView, Count, Fault, Seconds
from timefair.policies.restarts.base import Limit, RestartPolicy


class Stagnation(RestartPolicy):
    """A launch ends when it has not improved its own best value for a given number of seconds or
    evaluations, whichever comes first.
    """

    policy: Literal["stagnation"] = "stagnation"
    plateau_s: Seconds | None = Field(
        default=None, description="Seconds without an improvement that end a launch."
    )
    plateau_evaluations: Count | None = Field(
        default=None,
        description="Evaluations without an improvement that end a launch; the first evaluation "
        "counts.",
    )

    @property
    def plateau(self) -> Limit:
        return Limit(self.plateau_s, self.plateau_evaluations)

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        if self.plateau_s is None and self.plateau_evaluations is None:
            yield (
                "policy",
                f"{self.policy!r} with no plateau: give plateau_s, plateau_evaluations or both",
            )
