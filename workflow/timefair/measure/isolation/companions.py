"""Processes that work for a job, and the sockets to them."""

from __future__ import annotations

import pickle
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import NamedTuple

from timefair.basics.errors import InputError


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
    code = f"import sys; from {module} import main; main(*sys.argv[1:])"
    with connected(partial(_command_here, code), socket.SOCK_SEQPACKET) as (process, ours):
        ours.send(pickle.dumps(message))
        if not (answer := ours.recv(longest)):
            raise InputError(fault(process.wait()))
        yield Companion(process.pid, ours, answer)


def _command_here(code: str, argument: str) -> list[str]:
    return [sys.executable, "-P", "-c", code, argument]


@contextmanager
def connected(
    command: Callable[[str], Sequence[str]],
    kind: socket.SocketKind,
    variables: Mapping[str, str] | None = None,
    patience_s: float = 0.0,
) -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """Start a process with a socket to it, and end it when the block ends.

    Parameters
    ----------
    command
        The command, from the descriptor of its socket.
    variables
        Its environment variables; None for those of this process.
    patience_s
        How long it may take to end by itself, when its socket is closed and it is asked to.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
    with ours, theirs:
        words = command(str(theirs.fileno()))
        process = subprocess.Popen(words, pass_fds=[theirs.fileno()], env=variables)
        try:
            theirs.close()
            yield process, ours
        finally:
            if patience_s:
                ours.close()
                process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(patience_s)
            process.kill()
            process.wait()
