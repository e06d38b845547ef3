"""A launch that can be paused and go on later.

It has a thread of its own in the run's process, and only one of the run's threads moves at a time:
a launch is paused inside its evaluation, with all that it has in memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from timefair.measure.launch.seeds import global_states, restore_global_states


class PausableLaunch:
    """A launch in a thread of its own, which waits for `go_on`.

    numpy's and Python's global generators are for the launch as if it had never been paused.

    Parameters
    ----------
    launch
        ``launch(pause)``: makes the launch, and calls `pause` when its turn is used up.
    best
        The best precision that it has reached.
    """

    def __init__(
        self, launch: Callable[[Callable[[], None]], object], best: Callable[[], float]
    ) -> None:
        self._launch, self._best = launch, best
        self._on, self._back = threading.Semaphore(0), threading.Semaphore(0)
        self._error: BaseException | None = None
        self._paused = False
        threading.Thread(target=self._live, daemon=True).start()

    @property
    def paused(self) -> bool:
        """Whether it was paused and can go on; False if it has ended."""
        return self._paused

    @property
    def best(self) -> float:
        """The best precision that it has reached; `inf` before the first finite value."""
        return self._best()

    def go_on(self) -> None:
        """Let it move until it is paused or ends; raise here what it raised."""
        self._paused = False
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
        self._paused = True
        self._back.release()
        self._on.acquire()
        restore_global_states(states)
