"""A member of a portfolio while it runs: launches of its own within its share."""

from __future__ import annotations

import random
import threading
from typing import Any

import numpy as np

from timefair.algorithms.base import Algorithm, Objective
from timefair.algorithms.builtin.portfolio.share import Share, ShareUsed


class Member:
    """One algorithm with its share of an objective.

    A launch that returns is followed by another one with a stream of its own, until the share is
    used up or a launch makes no evaluation.

    Parameters
    ----------
    algorithm
        The member.
    objective
        What the portfolio minimizes.
    rng
        The source of the streams of its launches.
    evaluations_left
        Its share of a budget of evaluations; None without one.
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
        """Run for one turn, which is all that it gets."""
        self.share.grant(evaluations, time_ns)
        self._live()

    def _live(self) -> None:
        made = -1
        try:
            while self.share.evaluations != made:
                made = self.share.evaluations
                (rng,) = self._rng.spawn(1)
                _seed_global_generators(rng)
                self._algorithm.solve(self.share, rng)
        except ShareUsed:
            pass
        finally:
            self.share.closed = True

    def _hand_over(self) -> None:
        self.share.closed = True
        raise ShareUsed


class PausingMember(Member):
    """A member that is paused after each turn, inside its evaluation, and goes on with the next.

    It has a thread of its own, and only one thread of the portfolio moves at a time. numpy's and
    Python's global generators are for it as if it had never been paused. Use it in a ``with``
    block, which ends it.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._on, self._back = threading.Semaphore(0), threading.Semaphore(0)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._in_thread, daemon=True)

    def __enter__(self) -> PausingMember:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.share.closed = True
        self._on.release()
        self._thread.join()

    @property
    def has_ended(self) -> bool:
        """Whether it can make no further turn."""
        return self.share.closed

    def turn(self, evaluations: int | None, time_ns: int | None) -> None:
        """Let it move for a turn, from now; raise here what it raised."""
        self.share.grant(evaluations, time_ns)
        self._on.release()
        self._back.acquire()
        if self._error is not None:
            raise self._error

    def _in_thread(self) -> None:
        self._on.acquire()
        if not self.share.closed:
            try:
                self._live()
            except BaseException as error:
                self._error = error
        self._back.release()

    def _hand_over(self) -> None:
        states = np.random.get_state(), random.getstate()  # noqa: NPY002
        self._back.release()
        self._on.acquire()
        np.random.set_state(states[0])  # noqa: NPY002
        random.setstate(states[1])
        if self.share.closed:
            raise ShareUsed


def _seed_global_generators(rng: np.random.Generator) -> None:
    """Seed numpy's and Python's global generators, which some libraries draw from."""
    np.random.seed(rng.integers(2**32, dtype=np.uint32))  # noqa: NPY002
    random.seed(int(rng.integers(2**63)))
