"""Run the one of two algorithms that reduces the error of their difference more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from timefair.basics.sections import CampaignView, Fault
from timefair.basics.values import Positive
from timefair.policies.stopping.base import Comparing, Started

RESTING = "resting"
"""Reason for a round in which only the other algorithm of the pair has runs."""


class Pair(Comparing, Started):
    """The standard error of the ratio (or difference) of the means of two algorithms is at most
    `width`. Until then, each round runs only the algorithm that reduces this error more (Campelo
    and Takahashi 2019).

    Promise: none.
    """

    least_start: ClassVar[int] = 2
    looks_at: ClassVar[str] = "a standard error"

    rule: Literal["pair"] = "pair"
    width: Positive = Field(default=0.5, description="Standard error to reach.")
    relative: bool = Field(
        default=True,
        description="`width` is for the ratio of the means (`true`) or for their difference "
        "(`false`).",
    )

    def rests(
        self, samples: Sequence[Sequence[float]], place: int, looks: Sequence[int], runs: int
    ) -> str | None:
        from timefair.statistics.run_count.racing import PairRule
        from timefair.statistics.run_count.stopping import Reason

        rule = PairRule(self.width, self.relative, self.first_look(runs), 2 * runs)
        decision = rule.decide(*samples)
        if decision.reason is Reason.START:
            return None
        if decision.following is None:
            return decision.reason.value
        return None if decision.following == place else RESTING

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        yield from super().faults(campaign)
        if len(campaign.algorithms) != 2:
            yield "rule", f"{self.rule!r} with {len(campaign.algorithms)} algorithms: takes two"
