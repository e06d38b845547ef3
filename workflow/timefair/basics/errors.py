"""Errors of the user's input: one clear line each, without a traceback."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
from collections.abc import Collection, Iterable, Iterator

_ROOM = "make room and start again: what is done is kept"
_RIGHTS = "make it writable and start again: what is done is kept"
_MORE = "allow more ({}) and start again: what is done is kept"
_STORAGE = {
    errno.EAGAIN: _MORE.format("ulimit -u"),
    errno.EMFILE: _MORE.format("ulimit -n"),
    errno.ENFILE: _MORE.format("fs.file-max"),
    errno.ENOMEM: _MORE.format("memory"),
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EFBIG: _ROOM,
    errno.EROFS: _RIGHTS,
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.ENAMETOOLONG: "use a shorter name",
}


def full(folder: str | os.PathLike[str]) -> str | None:
    """The line about a disk on which not even a log can be written; None if it has room."""
    disk = os.statvfs(folder)
    if disk.f_bavail * disk.f_frsize > 1 << 16:
        return None
    return f"timefair: {folder}: {os.strerror(errno.ENOSPC)}; {_ROOM}"


class InputError(Exception):
    """The user's input is wrong. `faults` has one line per thing to correct."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults

    @property
    def told(self) -> str:
        return "\n".join(f"timefair: {fault}" for fault in self.faults)


LIST_OF_TABLES = "docs/reference/tables/README.md"  # where all tables and figures are listed
MOST_NAMES = 20  # an error message lists at most this many known names


def unknown(word: str, known: Iterable[object], where: str = "") -> str:
    """The message on an unknown name: the nearest name, and all names or `where` their list is."""
    names = [str(name) for name in known]
    short = len(names) <= MOST_NAMES or not where
    all_ = f"known: {', '.join(names)}" if short else f"all {len(names)} are listed in {where}"
    return f"{word!r} is unknown{suggest(word, names)}; {all_}"


def no_parameter(key: str, owner: str, known: Collection[str]) -> str:
    """The message on an unknown parameter: the nearest one, or the first ones."""
    names = [*known][:MOST_NAMES] + ["..."] * (len(known) > MOST_NAMES)
    has = f"; it has: {', '.join(names) or 'none'}"
    return f"{key!r} is not a parameter of {owner}{suggest(key, known) or has}"


def suggest(word: object, known: Iterable[object]) -> str:
    """A clause for a message with the known word that is nearest to a misspelled one, in any case,
    or else begins with it; empty if no word is near."""
    import difflib

    by_lower = {str(k).lower(): str(k) for k in known}
    asked = str(word).lower()
    near = difflib.get_close_matches(asked, by_lower, n=1, cutoff=0.6)
    near = near or sorted(name for name in by_lower if name.startswith(f"{asked}."))
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""


LONGEST = 500  # so many characters of an exception's own text are shown at most


def described(error: BaseException) -> str:
    """The type and the text of an exception, on one line; also of one that has no text to give."""
    kind = name_of(error)
    try:
        text = " ".join(str(error).split())
    except Exception:  # its own __str__ is the user's code
        text = "its text cannot be shown, because its __str__ raises"
    text = text if len(text) <= LONGEST else text[:LONGEST] + " ..."
    return f"{kind}: {text}".strip(": ")


def name_of(error: BaseException) -> str:
    """The name of the class, which the user's code cannot keep from us."""
    name: str = type.__dict__["__name__"].__get__(type(error))
    return name


class Interrupted(BaseException):
    """A signal ends this process; finished runs are kept.

    It is not an `Exception`, because algorithms and libraries catch those.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number


@contextlib.contextmanager
def storing() -> Iterator[None]:
    """Turn errors for want of space, permission, processes or memory into `InputError`."""
    try:
        yield
    except OSError as error:
        if error.errno not in _STORAGE:
            raise
        place = f"{error.filename}: " if error.filename else ""
        what = os.strerror(error.errno)
        raise InputError(f"{place}{what}; {_STORAGE[error.errno]}") from error
