"""How the process of a run reports a failure of the algorithm that did not end this process."""

from __future__ import annotations

import errno

from timefair.basics.errors import described
from timefair.records.status import Status

FAILURES = (Status.RAISED, Status.OUT_OF_MEMORY)
"""The failures. Processes send the index in this tuple."""


class LaunchFailed(Exception):
    """The algorithm raised in a solver. The solver reports `code` and `text` as `failure` does."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code, self.text = code, text


def failure(error: BaseException) -> tuple[int, str]:
    """The index in `FAILURES` of the exception that the algorithm raised, and its description on
    one line.
    """
    if isinstance(error, LaunchFailed):
        return error.code if error.code in range(len(FAILURES)) else 0, error.text
    lacked_memory = isinstance(error, MemoryError) or (
        isinstance(error, OSError) and error.errno == errno.ENOMEM
    )
    status = Status.OUT_OF_MEMORY if lacked_memory else Status.RAISED
    return FAILURES.index(status), described(error)
