"""A process of this interpreter that works for a job, and the socket to it."""

from __future__ import annotations

import pickle
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from timefair.basics.errors import InputError
from timefair.environments.environment import command_here


class Companion(NamedTuple):
    """The process id, the socket, and the answer to the first message."""

    pid: int
    connection: socket.socket
    answer: bytes


@contextmanager
def companion(
    module: str, message: object, longest: int, fault: Callable[[int], str]
) -> Iterator[Companion]:
    """Start a process, and end it when the block ends.

    Parameters
    ----------
    module
        Its ``main`` is called with the descriptor of its socket, and answers the message.
    message
        Pickled.
    longest
        Maximal length of the answer, in bytes.
    fault
        The line of the error, from the exit status.

    Raises
    ------
    InputError
        If the process ends without an answer.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        command = command_here(module, str(theirs.fileno()))
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        try:
            theirs.close()
            ours.send(pickle.dumps(message))
            if not (answer := ours.recv(longest)):
                raise InputError(fault(process.wait()))
            yield Companion(process.pid, ours, answer)
        finally:
            process.kill()
            process.wait()
