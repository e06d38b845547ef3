"""Several launches begin and are paused after their share; the best one continues."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from timefair.basics.sections import Repeats
from timefair.policies.restarts.base import Launches, WithTau

CANDIDATES = 40
"""The number of candidates that Friedrich, Kötzing and Wagner recommend."""


def _or_usual(value: object) -> object:
    """Older campaigns have null for the default number."""
    return CANDIDATES if value is None else value


class BetAndRun(WithTau):
    """Each of the first `candidates` launches is paused after tau. The best of them then continues
    with the rest of the budget (Friedrich, Kötzing and Wagner 2017).

    Launches that ended within tau cannot continue. Of equal launches, the first one continues. When
    the best launch returns, or if no launch can continue, independent launches follow.

    References
    ----------
    T. Friedrich, T. Kötzing and M. Wagner, A generic bet-and-run strategy for speeding up
    stochastic local search, AAAI 2017.
    """

    policy: Literal["bet-and-run"] = "bet-and-run"
    candidates: Annotated[Repeats, BeforeValidator(_or_usual)] = Field(
        default=CANDIDATES, description="Number of launches from which the best one is chosen."
    )

    def make(self, launches: Launches) -> None:
        if not launches.made:
            field = [launches.begin(self.tau) for _ in range(self.candidates)]
            paused = [launch for launch in field if not launch.has_ended]
            if paused:
                min(paused, key=lambda launch: launch.best).go_on()
        super().make(launches)
