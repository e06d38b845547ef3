"""Restart policies: when a launch ends, and which launch follows.

A class derived from `RestartPolicy` is a policy: its fields are the keys of `restart` in the
campaign file, and its methods make the launches of a run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field

from timefair.basics.sections import CampaignView, Count, Fault, Positive, Repeats, Seconds, Section


@dataclass(frozen=True)
class Limit:
    """Limit of a launch in seconds and in evaluations, which are rounded down; inf for no limit."""

    seconds: float = math.inf
    evaluations: float = math.inf

    def times(self, factor: float) -> Limit:
        return Limit(self.seconds * factor, self.evaluations * factor)


UNLIMITED = Limit()  # a launch ends with the run, or when the algorithm returns


class Launches(Protocol):
    """The launches of one run.

    If the budget, the final target or a failure ends the run within one of these calls, the call
    does not return. A launch without an evaluation also ends the run.
    """

    @property
    def made(self) -> int:
        """Number of launches that were begun, also in an earlier process of the same run."""

    def launch(
        self, limit: Limit = UNLIMITED, plateau: Limit = UNLIMITED, *, until_change: bool = False
    ) -> None:
        """Launch the algorithm with its own random stream, and return when the launch ends: at the
        latest at `limit`, after `plateau` without an improvement of its own best value, or with
        `until_change` at the next change of the problem.
        """

    def begin(self, turn: Limit) -> Any:
        """Launch the algorithm and pause the launch when it has used its turn: an object with
        ``has_ended``, ``best``, its best precision (`inf` before the first finite value), and
        ``go_on()``, which continues it without a limit until it ends.
        """

    def finish(self) -> None:
        """End the run before its budget is used up."""


class RestartPolicy(Section):
    """A restart policy: when a launch ends, and which launch follows.

    A policy derives from this class, and the default of `policy` is its name. It overrides `limit`
    or `plateau`, or `make` if it does not simply make one launch after the other.
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
        return Limit(self.tau_s or math.inf, self.tau_evaluations or math.inf)

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        if (self.tau_s is None) == (self.tau_evaluations is None):
            what = "no tau" if self.tau_s is None else "both tau_s and tau_evaluations"
            yield "policy", f"{self.policy!r} with {what}: give tau_s or tau_evaluations"


class AtChange(RestartPolicy):
    """A launch ends when the problem changes, or when the algorithm returns. Only for suites whose
    problems change, such as `moving`.

    The algorithm is thus informed of each change, and forgets what it has found before.
    """

    policy: Literal["at_change"] = "at_change"

    def make(self, launches: Launches) -> None:
        while True:
            launches.launch(until_change=True)


CANDIDATES = 40  # the number of candidates that Friedrich, Kötzing and Wagner recommend


class BetAndRun(WithTau):
    """Each of the first `candidates` launches is paused after tau. The best of them then continues
    with the rest of the budget (Friedrich, Kötzing and Wagner 2017).

    Launches that ended within tau cannot continue. Of equal launches, the first one continues. When
    the best launch returns, or if no launch can continue, independent launches follow.

    Source: T. Friedrich, T. Kötzing and M. Wagner, A generic bet-and-run strategy for speeding up
    stochastic local search, AAAI 2017.
    """

    policy: Literal["bet-and-run"] = "bet-and-run"
    candidates: Repeats = Field(
        default=CANDIDATES, description="Number of launches from which the best one is chosen."
    )

    def make(self, launches: Launches) -> None:
        if not launches.made:
            field = [launches.begin(self.tau) for _ in range(self.candidates)]
            paused = [launch for launch in field if not launch.has_ended]
            if paused:
                min(paused, key=lambda launch: launch.best).go_on()
        super().make(launches)


class FixedLength(WithTau):
    """A launch ends when it has used tau (*time-fair*, Algorithm 2). If no launch returns earlier,
    the budget T contains ⌊T/tau⌋ complete launches.

    The rest of T is used by a last launch, which is cut at T and recorded as cut.
    """

    policy: Literal["fixed"] = "fixed"

    def limit(self, launch: int) -> Limit:
        return self.tau


class Geometric(WithTau):
    """The first launch ends when it has used tau, and each later one may use `factor` times as much
    as the previous one: by default tau, 2 tau, 4 tau, 8 tau, … (Walsh 1999).

    The length that a problem needs is reached after few launches. All launches before that one
    together cost at most 1 / (factor - 1) times as much as it does. Launches that the algorithm
    itself ended count, too.

    Source: T. Walsh, Search in a small world, IJCAI 1999: geometric restarts.
    """

    policy: Literal["geometric"] = "geometric"
    factor: Annotated[Positive, Field(gt=1)] = Field(
        default=2.0,
        description="Factor by which a launch may be longer than the previous one; above 1.",
    )

    def limit(self, launch: int) -> Limit:
        try:
            growth = self.factor**launch
        except OverflowError:
            growth = math.inf
        return self.tau.times(growth)


class Independent(RestartPolicy):
    """A launch ends when the algorithm returns (*time-fair*, Algorithm 1)."""

    policy: Literal["independent"] = "independent"


class Luby(WithTau):
    """A launch ends when it has used tau times its term of Luby's sequence 1, 1, 2, 1, 1, 2, 4, 1,
    1, 2, … (Luby, Sinclair and Zuckerman 1993).

    For every distribution of the launches' runtimes, the expected runtime is within a logarithmic
    factor of the best expected runtime of any sequence of lengths.

    Source: M. Luby, A. Sinclair and D. Zuckerman, Optimal speedup of Las Vegas algorithms,
    Information Processing Letters 47 (1993).
    """

    policy: Literal["luby"] = "luby"

    def limit(self, launch: int) -> Limit:
        return self.tau.times(luby(launch + 1))


def luby(i: int) -> int:
    """The i-th term of Luby's sequence, from 1.

    2^(k-1) for i = 2^k - 1, else the term of i - 2^(k-1) + 1, for 2^(k-1) <= i < 2^k - 1.

    >>> [luby(i) for i in range(1, 16)]
    [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]
    """
    while (i + 1) & i:  # i + 1 is not a power of 2
        i -= (1 << (i.bit_length() - 1)) - 1
    return (i + 1) >> 1


class NoRestart(RestartPolicy):
    """The run is one launch and ends when the algorithm returns."""

    policy: Literal["none"] = "none"

    def make(self, launches: Launches) -> None:
        launches.launch()
        launches.finish()


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
        return Limit(self.plateau_s or math.inf, self.plateau_evaluations or math.inf)

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        if self.plateau_s is None and self.plateau_evaluations is None:
            yield (
                "policy",
                f"{self.policy!r} with no plateau: give plateau_s, plateau_evaluations or both",
            )
