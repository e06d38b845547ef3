"""Processes that work for a job: forks that call one function, and new interpreters."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn

from timefair.basics.errors import InputError, Interrupted
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import ends_at_once

LONGEST = 1 << 20  # maximal length of a message between interpreters, in bytes


class NoAnswer(Exception):
    """The process of a function ended before the function had returned."""


def elsewhere(function: Callable[[], Any], within_s: float | None = None) -> Any:
    """The value of a function, computed in a fork of this process; JSON can represent it.

    The fork is killed after `within_s` seconds; None for no limit. An `InputError` is raised here
    as well; `NoAnswer` if the function raises anything else, ends its process or takes too long. A
    fork that somebody else has killed is repeated once, unless its time is limited.
    """
    answers = os.memfd_create("timefair-answer")

    def live() -> None:
        ends_at_once()
        try:
            answer = {"value": function()}
        except InputError as error:
            answer = {"faults": list(error.faults)}
        os.write(answers, json.dumps(answer).encode())

    for _ in range(1 if within_s else 2):
        pid = kernel.forked(live)
        if within_s is not None:
            kernel.wait_or_kill(pid, within_s)
        if os.waitpid(pid, 0)[1] != signal.SIGKILL:
            break
    if not (text := kernel.taken(answers)):
        raise NoAnswer
    answer = json.loads(text)
    if "faults" in answer:
        raise InputError(*answer["faults"])
    return answer["value"]


@contextmanager
def companion(
    module: str, message: object, fault: Callable[[int], str]
) -> Iterator[tuple[int, socket.socket, bytes]]:
    """Start an interpreter for a module's ``main``, and end it when the block ends: its process id,
    the socket, and its answer.

    ``main`` gets the descriptor of its socket, and answers the message, which is pickled.
    `InputError` with the line of `fault`, from the exit status, if it ends without an answer.
    """
    code = f"import sys; from {module} import main; main(*sys.argv[1:])"
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        fd = theirs.fileno()
        process = subprocess.Popen([sys.executable, "-P", "-c", code, str(fd)], pass_fds=[fd])
        try:
            theirs.close()
            ours.send(pickle.dumps(message))
            if not (answer := ours.recv(LONGEST)):
                raise InputError(fault(process.wait()))
            yield process.pid, ours, answer
        finally:
            process.kill()
            process.wait()


def forked(connection: socket.socket, request: object, fds: Sequence[int]) -> int:
    """Let the `companion` at the other end fork a process, and adopt it; return its number."""
    socket.send_fds(connection, [pickle.dumps(request)], fds)
    if not (answer := connection.recv(32)):
        raise Interrupted(signal.SIGKILL)
    return int(answer)


def fork_on_request(connection: socket.socket, live: Callable[[Any, list[int]], NoReturn]) -> None:
    """Fork ``live(request, fds)`` whenever `forked` asks for it, as a child of who asks."""
    while True:
        message, fds, *_ = socket.recv_fds(connection, LONGEST, 16)
        if not message:
            return
        pid = kernel.forked_beside(partial(live, pickle.loads(message), fds))
        for fd in fds:
            os.close(fd)
        connection.send(str(pid).encode())
