"""What a stopping rule is, as a campaign chooses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from timefair.basics.sections import CampaignView, Fault, Section
from timefair.basics.values import Repeats

if TYPE_CHECKING:
    from timefair.statistics.run_count.stopping import StoppingRule


class StoppingPolicy(Section):
    """When an algorithm has run often enough on a problem; `runs` is the most that it gets.

    A rule derives from this class, or from one of those below, and gives `rule` its name as a
    default. Its other fields are its keys in the campaign file. In its docstring, the paragraph
    that begins with "Promise:" states what holds at the number of runs where it stops.
    """

    compares: ClassVar[bool] = False
    """Whether it decides by the results of all algorithms, after each round."""

    tests: ClassVar[bool] = False
    """Whether it decides by tests between algorithms. Another test of the same runs then does not
    keep its level."""

    rule: str

    def judge(self, runs: int) -> StoppingRule | None:
        """Give what judges each algorithm by itself, after each run.

        Parameters
        ----------
        runs
            The greatest number of runs.

        Returns
        -------
        StoppingRule or None
            None for a rule that compares, and for one that never ends the runs earlier.
        """
        return None


class Started(StoppingPolicy):
    """A rule that looks at a sample only when it has `start` runs."""

    usual_start: ClassVar[int] = 10
    least_start: ClassVar[int] = 1
    looks_at: ClassVar[str] = ""
    """What needs at least `least_start` runs, for a message."""

    start: Repeats | None = Field(
        default=None,
        description="Smallest number of runs; `null`: 10, or `runs` if that is smaller.",
    )

    def first_look(self, runs: int) -> int:
        """The least number of runs, of at most `runs`."""
        return self.start or min(self.usual_start, runs)

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        yield from super().faults(campaign)
        if self.start is not None and self.start > campaign.runs:
            yield "start", f"{self.start}: more than runs ({campaign.runs})"
        if (self.start or campaign.runs) < self.least_start:
            yield "start", f"{self.looks_at} needs at least {self.least_start} runs"


class Comparing(StoppingPolicy):
    """A rule that compares the algorithms on a problem by the runs of the rounds before."""

    compares: ClassVar[bool] = True

    def rests(
        self, samples: Sequence[Sequence[float]], place: int, looks: Sequence[int], runs: int
    ) -> str | None:
        """Say why an algorithm has no run on a problem in the next round.

        Parameters
        ----------
        samples
            For each algorithm the best precisions of its runs so far, in their order; `inf` for a
            run without a finite value. At least one is not empty.
        place
            Which of them is asked about.
        looks
            The numbers of runs after each round but the last.
        runs
            The greatest number of runs.

        Returns
        -------
        str or None
            The reason, for the table ``stopping``; None if it has its runs.
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
