"""The first process of a PID namespace: runs are forked into it, and none outlives a run.

From inside, neither the processes outside nor the keeper can be signalled, traced or seen.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
from collections.abc import Iterator
from functools import partial
from typing import NoReturn

from timefair.basics.errors import Interrupted
from timefair.machine.linux import kernel, private_folders
from timefair.machine.linux.kernel import Orphan


class Keeper:
    """The connection to the keeper of a namespace.

    Every process that its maker forks from now on is in the namespace. `number`: its process id.
    """

    def __init__(self, connection: socket.socket, answers: int, number: int) -> None:
        self.connection, self.answers, self.number = connection, answers, number

    @classmethod
    def received(cls, connection: socket.socket) -> Keeper | None:
        """The keeper that another process has made and handed over; None if it has none."""
        message, fds, *_ = socket.recv_fds(connection, 32, 2)
        if not message:
            raise Interrupted(signal.SIGKILL)
        return cls(socket.socket(fileno=fds[0]), fds[1], int(message)) if fds else None

    def hand_over(self, connection: socket.socket) -> None:
        fds = [self.connection.fileno(), self.answers]
        socket.send_fds(connection, [str(self.number).encode()], fds)

    def sweep(self) -> list[Orphan]:
        """End all processes in the namespace and wait for their end; return what they used.

        The run's own process has ended before. `Interrupted` if somebody has ended the keeper.
        """
        self.connection.send(b"sweep")
        if not self.connection.recv(8):
            raise Interrupted(signal.SIGKILL)
        text = os.pread(self.answers, os.fstat(self.answers).st_size, 0)
        return [Orphan(*one) for one in json.loads(text)]


def hand_over_new(connection: socket.socket, *, possible: bool, network: bool) -> None:
    """Make a keeper for what this process forks, and give it to another one, if `possible`."""
    if possible:
        made(network=network).hand_over(connection)
    else:
        connection.send(b"none")


def made(*, network: bool) -> Keeper:
    """Make a namespace and its keeper, which ends with this process; with `network`, also enter a
    network that only this process and its forks have.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    private_folders.own_processes()
    if network:
        private_folders.own_network()
    answers = os.memfd_create("timefair-swept")
    number = kernel.forked(partial(_keep, theirs, answers))
    theirs.close()
    return Keeper(ours, answers, number)


_kept: dict[int, Keeper] = {}
"""By process: the keeper of one that has no privilege, and so stays with it."""


@contextlib.contextmanager
def kept(*, network: bool) -> Iterator[Keeper]:
    """A keeper, as `made` makes it; with privileges, this process keeps its namespaces."""
    own, before = os.getpid(), private_folders.namespace("net")
    keeper = _kept.pop(own, None) or made(network=network)
    try:
        yield keeper
    finally:
        left = private_folders.leave(before)
        os.close(before)
        if left:
            os.kill(keeper.number, signal.SIGKILL)
            os.waitpid(keeper.number, 0)
            keeper.connection.close()
            os.close(keeper.answers)
        else:
            _kept[own] = keeper


def _keep(connection: socket.socket, answers: int) -> NoReturn:
    kernel.ends_at_once()
    kernel.forbid_inspection()
    kernel.name_process("timefair-keeper")
    kernel.keep_descriptors([connection.fileno(), answers])
    private_folders.own_mounts()
    private_folders.mount_proc()
    while connection.recv(8):
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        ended = []
        with contextlib.suppress(ChildProcessError):
            while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT):
                ended.append(kernel.reaped(found.si_pid))
        with contextlib.suppress(OSError), open("/proc/sys/kernel/ns_last_pid", "w") as file:
            file.write("1")
        os.ftruncate(answers, 0)
        os.pwrite(answers, json.dumps(ended).encode(), 0)
        connection.send(b"swept")
    kernel.end_process(0)
