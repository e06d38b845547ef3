"""Reports the progress of long computations on standard error."""

from __future__ import annotations

import sys
import time

EVERY_S = 5.0


class Progress:
    """Called with (done, of), prints a line every few seconds; short computations print none.

    Parameters
    ----------
    what : str
        The computation, in a few words.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self._next_s = time.monotonic() + EVERY_S

    def __call__(self, done: int, of: int) -> None:
        now_s = time.monotonic()
        if now_s >= self._next_s:
            print(f"{self.what}: {done} of {of}", file=sys.stderr, flush=True)
            self._next_s = now_s + EVERY_S
