"""Signals that end a measuring job from outside: it ends in order, and its runs at once."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

from timefair.basics.errors import Interrupted

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Raise `Interrupted` when one of `SIGNALS` comes, also where it was ignored until now.

    A process that a shell starts in the background inherits that SIGINT is ignored. Such a job
    would continue to measure when its workflow has ended. Only the main thread may call this.
    """
    before = {number: signal.signal(number, _interrupt) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ends_at_once() -> None:
    """Let `SIGNALS` end this process, regardless of inherited settings."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise Interrupted(number)
