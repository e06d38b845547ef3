"""Distributes the next runs of a campaign so that they decide the ranking."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from timefair.basics.sections import CampaignView, Fault
from timefair.basics.values import Positive, Share
from timefair.policies.stopping.base import StoppingPolicy

if TYPE_CHECKING:
    from timefair.extensions.race.statistics import CampaignRace

LEAST_START = 4
"""Runs of an algorithm on a function in the first round, on all instances together."""

LEAST_FIRST_RUNS = 15
"""Runs of an algorithm on all functions of a dimension in the first round: with fewer, the
confidence sequences do not keep their level in simulation."""


class CampaignRacing(StoppingPolicy):
    """The order of this algorithm and each other one, over all functions, is decided, or further
    runs are unlikely to decide it. Each round after the first one contains only the runs that are
    most likely to decide further pairs of algorithms, relative to their core-seconds.

    Promise: with a probability of at least `confidence`, not a single pair of algorithms is stated
    in the wrong order, in any dimension or round (asymptotically).
    """

    compares: ClassVar[bool] = True
    allocates: ClassVar[bool] = True
    tests: ClassVar[bool] = True
    tables: ClassVar[tuple[str, ...]] = ("allocation", "decided_pairs")
    caution: ClassVar[str] = (
        "The stopping rule campaign_race gave more runs where results were close. Its own "
        "statements (table decided_pairs) take this into account. The intervals and p-values "
        "of all other tables treat the numbers of runs as fixed beforehand, and compare "
        "samples of different sizes: use them as descriptions."
    )

    rule: Literal["campaign_race"] = "campaign_race"
    confidence: Share = Field(
        default=0.95,
        description="Probability that no pair of algorithms has the wrong order.",
    )
    budget_core_s: Positive | None = Field(
        default=None,
        description="Core-seconds of all runs together, with those of the first round. `null`: "
        "only `runs` and `rounds` limit them.",
    )

    def race(self, campaign: CampaignView) -> CampaignRace:
        """The race in each dimension; pairs are indices of algorithms in the campaign."""
        from timefair.extensions.race.statistics import ranking_race

        problems = campaign.problems
        return ranking_race(
            len(campaign.algorithms),
            len(problems.functions),
            len(problems.dimensions),
            _first_runs(campaign),
            self.confidence,
        )

    def allocate(
        self, campaign: CampaignView, keys: Any, round: int, folder: Path
    ) -> dict[str, Any]:
        from timefair.extensions.race.rounds import decided

        return decided(self, campaign, keys, round, folder)

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        yield from super().faults(campaign)
        if campaign.rounds < 2:
            yield (
                "rule",
                f"{self.rule!r} with rounds {campaign.rounds}: runs are given after each round; "
                "give rounds: 2 or more",
            )
        if len(campaign.algorithms) < 2:
            yield "rule", f"{self.rule!r} with 1 algorithm: takes two or more"
        if campaign.problems.own_dimensions:
            yield "rule", f"{self.rule!r}: needs problems.dimensions, which all functions have"
        start, functions = _first_runs(campaign), len(campaign.problems.functions)
        least = max(LEAST_START, -(-LEAST_FIRST_RUNS // functions))
        if start < least:
            yield (
                "rule",
                f"{self.rule!r} with {start} runs of an algorithm on a function in the first "
                f"round: should be {least} or more; increase runs or the instances, or decrease "
                "rounds",
            )
        first_s = _first_core_s(campaign)
        if self.budget_core_s is not None and self.budget_core_s < first_s:
            yield (
                "budget_core_s",
                f"{self.budget_core_s:g}: the first round alone may take {first_s:g} core-seconds; "
                "give more, or decrease runs",
            )


def _first_core_s(campaign: CampaignView) -> float:
    """Maximal core-seconds of the first round; 0 if they are unknown."""
    if campaign.budget.time_s is None or campaign.budget.evaluation_cost_s:
        return 0.0
    problems = campaign.problems
    cells = len(problems.functions) * len(problems.dimensions)
    cores = sum(map(campaign.cores_of, campaign.algorithms))
    return cells * _first_runs(campaign) * campaign.budget.time_s * cores


def _first_runs(campaign: CampaignView) -> int:
    """Runs of an algorithm on all instances of a function in the first round."""
    return -(-campaign.runs // campaign.rounds) * len(campaign.problems.instances)
