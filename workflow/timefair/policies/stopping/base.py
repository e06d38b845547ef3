"""The interface of a stopping rule that a campaign file selects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from timefair.basics.sections import CampaignView, Fault, Repeats, Section

if TYPE_CHECKING:
    from timefair.statistics.run_count.stopping import StoppingRule


class StoppingPolicy(Section):
    """A stopping rule: when an algorithm has enough runs on a problem; `runs` is the maximum.

    A rule derives from this class or from one of those below, and the default of `rule` is its
    name. Its other fields are its keys in the campaign file. In its docstring, the paragraph that
    begins with "Promise:" states what is guaranteed at the number of runs at which it stops.
    """

    compares: ClassVar[bool] = False
    """Whether the rule decides by the results of all algorithms, after each round."""

    tests: ClassVar[bool] = False
    """Whether the rule decides by tests between algorithms. In this case, another test of the same
    runs does not keep its level.
    """

    rule: str

    def judge(self, runs: int) -> StoppingRule | None:
        """The rule that judges each algorithm separately, after each of at most `runs` runs; None
        if the rule compares algorithms, or never ends the runs earlier.
        """
        return None


class Started(StoppingPolicy):
    """A rule that examines a sample only after `start` runs."""

    usual_start: ClassVar[int] = 10
    least_start: ClassVar[int] = 1
    looks_at: ClassVar[str] = ""
    """Name of the quantity that needs at least `least_start` runs, for a message."""

    start: Repeats | None = Field(
        default=None,
        description="Smallest number of runs; `null`: 10, or `runs` if that is smaller.",
    )

    def first_look(self, runs: int) -> int:
        """The smallest number of runs, at most `runs`."""
        return self.start or min(self.usual_start, runs)

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        yield from super().faults(campaign)
        if self.start is not None and self.start > campaign.runs:
            yield "start", f"{self.start}: more than runs ({campaign.runs})"
        if (self.start or campaign.runs) < self.least_start:
            yield "start", f"{self.looks_at} needs at least {self.least_start} runs"


class Comparing(StoppingPolicy):
    """A rule that compares the algorithms on a problem by the runs of the previous rounds."""

    compares: ClassVar[bool] = True

    def rests(
        self, samples: Sequence[Sequence[float]], place: int, looks: Sequence[int], runs: int
    ) -> str | None:
        """The reason why the algorithm at a place has no run on a problem in the next round, for
        the table ``stopping``; None if it has runs.

        `samples` has, for each algorithm, the best precisions of its runs so far; `inf` for a run
        without a finite value, and equal ones for runs that reached the final target. At least one
        is not empty. `looks` are the numbers of runs after each round except the last one, and
        `runs` is the maximal number.
        """
        raise NotImplementedError

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        yield from super().faults(campaign)
        if campaign.rounds < 2:
            yield (
                "rule",
                f"{self.rule!r} with rounds {campaign.rounds}: algorithms are compared after each "
                "round; give rounds: 2 or more",
            )
