"""A launch that can be paused during an evaluation and continued later."""

from __future__ import annotations

from collections.abc import Callable

from timefair.algorithms.pausable import PausableThread


class PausableLaunch(PausableThread):
    """A launch in its own thread.

    Parameters
    ----------
    launch
        ``launch(pause)``: makes the launch, and calls `pause` when its turn is used up.
    best
        ``best() -> float``: the best precision that the launch has reached.
    """

    def __init__(
        self, launch: Callable[[Callable[[], None]], object], best: Callable[[], float]
    ) -> None:
        super().__init__(lambda: launch(self.pause))
        self._best = best

    @property
    def best(self) -> float:
        """The best precision that it has reached; `inf` before the first finite value."""
        return self._best()
