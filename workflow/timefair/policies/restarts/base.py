"""What a restart policy is, and what it may do with the launches of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from timefair.basics.sections import CampaignView, Fault, Section
from timefair.basics.values import Count, Seconds


@dataclass(frozen=True)
class Limit:
    """What a launch may use, in seconds and in evaluations; None for no limit."""

    seconds: float | None = None
    evaluations: int | None = None

    def times(self, factor: float) -> Limit:
        """Multiply both, evaluations rounded down; what becomes infinite is no limit.

        Examples
        --------
        >>> Limit(evaluations=5).times(1.5)
        Limit(seconds=None, evaluations=7)
        """
        seconds, evaluations = _finite(self.seconds, factor), _finite(self.evaluations, factor)
        return Limit(seconds, None if evaluations is None else int(evaluations))


def _finite(number: float | None, factor: float) -> float | None:
    """The product; None if it is infinite or there is no number."""
    product = math.inf if number is None else number * factor
    return None if product == math.inf else product


UNLIMITED = Limit()
"""A launch ends with the run, or when the algorithm returns."""


class BegunLaunch(Protocol):
    """A launch that was begun with `Launches.begin`."""

    @property
    def has_ended(self) -> bool:
        """Whether it cannot go on."""

    @property
    def best(self) -> float:
        """The best precision that it has reached; `inf` before the first finite value."""

    def go_on(self) -> None:
        """Let it go on without a limit until it ends."""


class Launches(Protocol):
    """The launches of one run.

    The budget, the final target and a failure end the run within any of these calls, which then
    do not return. A launch without an evaluation ends the run too.
    """

    @property
    def made(self) -> int:
        """Launches that were begun. A run may go on in a new process, with those of the old one."""

    def launch(self, limit: Limit = UNLIMITED, plateau: Limit = UNLIMITED) -> None:
        """Launch the algorithm with a random stream of its own, and return when the launch ends.

        Parameters
        ----------
        limit
            What the launch may use before it is cut.
        plateau
            What it may use without an improvement of its own best value.
        """

    def begin(self, turn: Limit) -> BegunLaunch:
        """Launch the algorithm and pause the launch when it has used its turn."""

    def finish(self) -> None:
        """End the run although there is budget left."""


class RestartPolicy(Section):
    """How the launches of a run follow each other.

    A policy derives from this class and gives `policy` its name as a default. Its other fields are
    its keys in the campaign file. It overrides `limit`, `plateau` or, if it does not simply make
    one launch after the other, `make`.
    """

    policy: str

    def make(self, launches: Launches) -> None:
        """Make launches, one after the other, until the run ends; never returns before that."""
        while True:
            launches.launch(self.limit(launches.made), self.plateau)

    def limit(self, launch: int) -> Limit:
        """What a launch, counted from 0, may use before it is cut."""
        return UNLIMITED

    @property
    def plateau(self) -> Limit:
        """What a launch may use without an improvement of its own best value."""
        return UNLIMITED

    @property
    def seconds_key(self) -> str:
        """The key in seconds by which launches end; empty if they end by evaluations alone."""
        keys = (name for name, value in self if name.endswith("_s") and value is not None)
        return next(keys, "")


class WithTau(RestartPolicy):
    """A policy with a share tau, in seconds or in evaluations."""

    tau_s: Seconds | None = Field(default=None, description="tau in seconds.")
    tau_evaluations: Count | None = Field(
        default=None, description="tau in evaluations, instead of `tau_s`."
    )

    @property
    def tau(self) -> Limit:
        """The share tau."""
        return Limit(self.tau_s, self.tau_evaluations)

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        if (self.tau_s is None) == (self.tau_evaluations is None):
            what = "no tau" if self.tau_s is None else "both tau_s and tau_evaluations"
            yield "policy", f"{self.policy!r} with {what}: give tau_s or tau_evaluations"
