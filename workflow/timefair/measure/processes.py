"""Processes that work for a job: forks that call one function, and new interpreters.

A new interpreter talks with the process that started it on a socket.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from timefair.basics.errors import InputError
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import ends_at_once


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
    with os.fdopen(answers) as file:
        file.seek(0)
        text = file.read()
    if not text:
        raise NoAnswer
    answer = json.loads(text)
    if "faults" in answer:
        raise InputError(*answer["faults"])
    return answer["value"]


class Companion(NamedTuple):
    """The process id, the socket, and the answer to the first message."""

    pid: int
    connection: socket.socket
    answer: bytes


@contextmanager
def companion(
    module: str, message: object, longest: int, fault: Callable[[int], str]
) -> Iterator[Companion]:
    """Start an interpreter for a module's ``main``, and end it when the block ends.

    ``main`` gets the descriptor of its socket, and answers the message, which is pickled.
    `InputError` with the line of `fault`, from the exit status, if it ends without an answer.
    """
    code = f"import sys; from {module} import main; main(*sys.argv[1:])"
    with connected(lambda fd: [sys.executable, "-P", "-c", code, fd], socket.SOCK_SEQPACKET) as (
        process,
        ours,
    ):
        ours.send(pickle.dumps(message))
        if not (answer := ours.recv(longest)):
            raise InputError(fault(process.wait()))
        yield Companion(process.pid, ours, answer)


@contextmanager
def connected(
    command: Callable[[str], Sequence[str]],
    kind: socket.SocketKind,
    variables: Mapping[str, str] | None = None,
    patience_s: float = 0.0,
) -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """Start a process with a socket to it, and end it when the block ends.

    The command depends on the descriptor of its socket. If there is `patience_s`, it is asked to
    end, and has so long.
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
