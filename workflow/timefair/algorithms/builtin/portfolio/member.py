"""A running member of a portfolio. A member makes launches within its share."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from timefair.algorithms.base import Algorithm, Objective
from timefair.algorithms.builtin.portfolio.share import Share, ShareUsed
from timefair.algorithms.pausable import PausableThread, seed_global_generators


class Member:
    """One algorithm with its share of an objective.

    A launch that returns is followed by another one with its own random stream, until the share is
    used up or a launch makes no evaluation. `evaluations_left` is its share of a budget of
    evaluations; None without such a budget.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        objective: Objective,
        rng: np.random.Generator,
        evaluations_left: int | None,
    ) -> None:
        self._algorithm, self._rng = algorithm, rng
        self.share = Share(objective, self._hand_over, evaluations_left)

    def use_up(self, evaluations: int | None, time_ns: int | None) -> None:
        """Run for the only turn of the member."""
        self.share.grant(evaluations, time_ns)
        self._live()

    def _live(self) -> None:
        made = -1
        try:
            while not self.share.closed and self.share.evaluations != made:
                made = self.share.evaluations
                (rng,) = self._rng.spawn(1)
                seed_global_generators(rng)
                self._algorithm.solve(self.share, rng)
        except ShareUsed:
            pass
        finally:
            self.share.closed = True

    def _hand_over(self) -> None:
        self.share.closed = True
        raise ShareUsed


class PausingMember(Member):
    """A member that is paused in an evaluation at the end of a turn, and continues in the next one.

    Use it in a ``with`` block, which ends it.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._thread = PausableThread(self._live)

    def __enter__(self) -> PausingMember:
        return self

    def __exit__(self, *_: object) -> None:
        self.share.closed = True
        with suppress(Exception):  # of an algorithm that it was ended in
            self._thread.go_on()

    @property
    def has_ended(self) -> bool:
        """Whether the member cannot make a further turn."""
        return self.share.closed

    def turn(self, evaluations: int | None, time_ns: int | None) -> None:
        """Let the member run for one turn; raise its exception here, if any."""
        self.share.grant(evaluations, time_ns)
        self._thread.go_on()

    def _hand_over(self) -> None:
        self._thread.pause()
        if self.share.closed:
            raise ShareUsed
