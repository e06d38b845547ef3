"""What the user can mend: one clear line, no traceback."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
from collections.abc import Iterable, Iterator

_ROOM = "make room and start again: what is done is kept"
_RIGHTS = "make it writable and start again: what is done is kept"
_STORAGE = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EFBIG: _ROOM,
    errno.EROFS: _RIGHTS,
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
}


class InputError(Exception):
    """Input that a user gave is wrong. `faults` holds one line for each thing to mend."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults

    @property
    def told(self) -> str:
        """All of it, as it is printed."""
        return "\n".join(f"timefair: {fault}" for fault in self.faults)


def suggest(word: object, known: Iterable[object]) -> str:
    """A clause that helps with a misspelling: the nearest of the known words, else ``""``.

    Comparison ignores case; the answer is in the spelling of `known`.
    """
    import difflib

    by_lower = {str(k).lower(): str(k) for k in known}
    near = difflib.get_close_matches(str(word).lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""


class Interrupted(BaseException):
    """Somebody ends this process by a signal; what it has done is kept.

    Not an `Exception`: what an algorithm or a library catches must not hold it.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number


@contextlib.contextmanager
def storing() -> Iterator[None]:
    """Make `InputError` of what the system says about files: no room, or no right to write."""
    try:
        yield
    except OSError as error:
        if error.errno not in _STORAGE:
            raise
        place = f"{error.filename}: " if error.filename else ""
        what = os.strerror(error.errno)
        raise InputError(f"{place}{what}; {_STORAGE[error.errno]}") from error
