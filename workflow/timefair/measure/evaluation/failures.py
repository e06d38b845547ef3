"""How a run reports a failure of the algorithm or the problem that did not end its process."""

from __future__ import annotations

import errno
import socket
import sysconfig
import traceback
from pathlib import Path

from timefair.basics.errors import described
from timefair.machine.linux import private_folders
from timefair.records.status import Status

FAILURES = (Status.RAISED, Status.OUT_OF_MEMORY)
"""The failures. Processes send the index in this tuple."""

_UNREACHABLE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ECONNREFUSED, errno.EADDRNOTAVAIL}

_PACKAGE = Path(__file__).parents[2]


class SolverGone(Exception):
    """The process that a `Confined` algorithm has for a launch ended; the argument is its id."""


class LaunchFailed(Exception):
    """Raised by the algorithm in a solver, or the problem in an evaluator; see `failure`."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code, self.text = code, text


def failure(error: BaseException, of_problem: bool = False) -> tuple[int, str]:
    """The index in `FAILURES` of an exception, and its description on one line.

    With `of_problem`, the description ends with the user's file and line that raised it. Otherwise
    it contains the exception that a library replaced by this one (``raise ... from``).
    """
    if isinstance(error, LaunchFailed):
        return error.code if error.code in range(len(FAILURES)) else 0, error.text
    lacked_memory = isinstance(error, MemoryError) or (
        isinstance(error, OSError) and error.errno == errno.ENOMEM
    )
    status = Status.OUT_OF_MEMORY if lacked_memory else Status.RAISED
    text = described(error)
    if of_problem:
        text += _place(error)
    elif error.__cause__ is not None:
        text += f"; from {described(error.__cause__)}"
    if private_folders.in_own_network and _lacks_network(error):
        text += "; with network: true, runs use the network of the machine"
    return FAILURES.index(status), text


def _lacks_network(error: BaseException | None) -> bool:
    """Whether an exception, or one that led to it, says that a network is out of reach."""
    for _ in range(10):
        if isinstance(error, OSError) and (
            error.errno in _UNREACHABLE or isinstance(error, socket.gaierror)
        ):
            return True
        error = None if error is None else error.__cause__ or error.__context__
    return False


def outside(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames of a traceback in files that are not timefair's, the outermost first."""
    frames = traceback.extract_tb(error.__traceback__)
    places = ((frame, Path(frame.filename)) for frame in frames)
    return [f for f, p in places if p.is_absolute() and not p.is_relative_to(_PACKAGE)]


def _place(error: BaseException) -> str:
    """The last line of the user's own files in the traceback; of an installed package if there is
    none, and empty if only timefair's code raised.
    """
    found = outside(error)
    libraries = [sysconfig.get_path(key) for key in ("stdlib", "purelib", "platlib")]
    own = [f for f in found if not any(Path(f.filename).is_relative_to(at) for at in libraries)]
    places = [f" ({Path(f.filename).name}:{f.lineno})" for f in own or found]
    return places[-1] if places else ""
