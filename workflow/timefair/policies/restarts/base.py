"""The interface of a restart policy, and of the launches of a run that it controls."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from timefair.basics.sections import CampaignView, Count, Fault, Seconds, Section


@dataclass(frozen=True)
class Limit:
    """Limit of a launch in seconds and in evaluations; None for no limit."""

    seconds: float | None = None
    evaluations: int | None = None

    def times(self, factor: float) -> Limit:
        """Multiply both limits, and round evaluations down; an infinite product is no limit.

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
        """Whether the launch cannot continue."""

    @property
    def best(self) -> float:
        """The best precision of the launch so far; `inf` before the first finite value."""

    def go_on(self) -> None:
        """Continue the launch without a limit until it ends."""


class Launches(Protocol):
    """The launches of one run.

    If the budget, the final target or a failure ends the run within one of these calls, the call
    does not return. A launch without an evaluation also ends the run.
    """

    @property
    def made(self) -> int:
        """Number of launches that were begun, also in an earlier process of the same run."""

    def launch(self, limit: Limit = UNLIMITED, plateau: Limit = UNLIMITED) -> None:
        """Launch the algorithm with its own random stream, and return when the launch ends: at the
        latest at `limit`, or after `plateau` without an improvement of its own best value.
        """

    def launch_until_change(self) -> None:
        """Launch the algorithm, and return when the launch ends, at the next change at the latest.

        After the last change, the launch has no limit.
        """

    def begin(self, turn: Limit) -> BegunLaunch:
        """Launch the algorithm and pause the launch when it has used its turn."""

    def finish(self) -> None:
        """End the run before its budget is used up."""


class RestartPolicy(Section):
    """A restart policy: when a launch ends, and which launch follows.

    A policy derives from this class, and the default of `policy` is its name. Its other fields are
    its keys in the campaign file. It overrides `limit` or `plateau`. If it does not simply make one
    launch after the other, it overrides `make`.
    """

    policy: str

    def make(self, launches: Launches) -> None:
        """Make launches, one after the other, until the run ends; must not return earlier."""
        while True:
            launches.launch(self.limit(launches.made), self.plateau)

    def limit(self, launch: int) -> Limit:
        """Limit at which a launch, counted from 0, is cut."""
        return UNLIMITED

    @property
    def plateau(self) -> Limit:
        """Limit of a launch without an improvement of its own best value."""
        return UNLIMITED

    @property
    def seconds_key(self) -> str:
        """The key in seconds that ends launches; empty if only evaluations end them."""
        keys = (name for name, value in self if name.endswith("_s") and value is not None)
        return next(keys, "")


class WithTau(RestartPolicy):
    """A policy with a limit tau for launches, in seconds or in evaluations."""

    tau_s: Seconds | None = Field(default=None, description="tau in seconds.")
    tau_evaluations: Count | None = Field(
        default=None, description="tau in evaluations, instead of `tau_s`."
    )

    @property
    def tau(self) -> Limit:
        """The limit tau for launches, in seconds or in evaluations."""
        return Limit(self.tau_s, self.tau_evaluations)

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        if (self.tau_s is None) == (self.tau_evaluations is None):
            what = "no tau" if self.tau_s is None else "both tau_s and tau_evaluations"
            yield "policy", f"{self.policy!r} with {what}: give tau_s or tau_evaluations"
