"""The interface of a tuner.

A search is a generator: it yields an `Evaluation` and is sent its loss. With the same losses, it
makes the same proposals. Therefore an interrupted search can continue from its trace.
"""

from __future__ import annotations

from collections.abc import Generator
from statistics import fmean
from typing import NamedTuple, Protocol, TypeAlias

from timefair.tuners.outcome import DEFAULT
from timefair.tuners.space import Values


class Evaluation(NamedTuple):
    """A run that a tuner requests; see `outcome.Tried`."""

    candidate: int
    parameters: Values
    problem: int
    repetition: int


Search: TypeAlias = Generator[Evaluation, float, None]


class AskTell(Protocol):
    """An optimizer that proposes one candidate after the other."""

    def ask(self) -> Values:
        """The parameters of the next candidate."""

    def tell(self, loss: float) -> None:
        """Pass the mean loss of the latest candidate to the optimizer."""


def in_blocks(proposals: AskTell, problems: int) -> Search:
    """Evaluate the default, and then each proposal, once on every problem; endless."""
    for problem in range(problems):
        yield Evaluation(DEFAULT, {}, problem, 0)
    candidate = DEFAULT
    while True:
        candidate += 1
        parameters = proposals.ask()
        losses = []
        for problem in range(problems):
            losses.append((yield Evaluation(candidate, parameters, problem, 0)))
        proposals.tell(fmean(losses))
