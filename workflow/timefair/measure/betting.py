"""Bet-and-run: several launches begin, each is paused after its share, and the best goes on.

Each candidate has a thread of its own in the run's process, and only one of them moves at a time:
a launch is paused inside its evaluation, with all that it has in memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from timefair.measure.seeds import global_states, restore_global_states


def bet(
    launch: Callable[[Callable[[], None]], object],
    candidates: int,
    best_precisions: Callable[[], Sequence[float]],
) -> None:
    """Make the first launches of a run, one after the other, and let the best of them go on.

    It returns when that one ends. Launches that ended within their share are not among those that
    can go on; of equal ones the first does.

    Parameters
    ----------
    launch
        As `Candidate` takes it.
    best_precisions
        What each launch has reached so far.
    """
    field = []
    for _ in range(candidates):
        field.append(Candidate(launch))
        field[-1].go_on()
    reached = best_precisions()
    paused = [i for i, candidate in enumerate(field) if candidate.paused]
    if paused:
        field[min(paused, key=lambda i: reached[i])].go_on()


class Candidate:
    """A launch that can be paused.

    Parameters
    ----------
    launch
        ``launch(pause)``: make the launch, and call `pause` when its share is used up.
    """

    def __init__(self, launch: Callable[[Callable[[], None]], object]) -> None:
        self._launch = launch
        self._on, self._back = threading.Semaphore(0), threading.Semaphore(0)
        self._error: BaseException | None = None
        self.paused = False
        threading.Thread(target=self._live, daemon=True).start()

    def go_on(self) -> None:
        """Let it move until it is paused or ends; raise here what it raised."""
        self.paused = False
        self._on.release()
        self._back.acquire()
        if self._error is not None:
            raise self._error

    def _live(self) -> None:
        self._on.acquire()
        try:
            self._launch(self._pause)
        except BaseException as error:
            self._error = error
        self._back.release()

    def _pause(self) -> None:
        states = global_states()
        self.paused = True
        self._back.release()
        self._on.acquire()
        restore_global_states(states)
