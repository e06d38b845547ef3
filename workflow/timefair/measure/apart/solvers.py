"""The evaluator's side of runs whose algorithm has a process of its own (`isolation: strict`).

The job starts one host (`host`), which holds the algorithm. The process of a run holds the problem
and the objective; it has the host fork a solver, and evaluates for it on a core of its own. Neither
can look into the other: the host is a new process and no fork, and the job and its runs cannot
be read or traced by processes of the same user.
"""

from __future__ import annotations

import json
import os
import pickle
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from timefair.algorithms.base import Algorithm, Objective
from timefair.basics.errors import InputError
from timefair.linux import kernel
from timefair.measure.apart.channel import Channel, Server, SolverGone
from timefair.measure.apart.messages import LONGEST, Ready, Request, Setup
from timefair.measure.launch import idleness


@dataclass(frozen=True)
class Host:
    """A host that is ready.

    Attributes
    ----------
    pid
        Its process.
    ready
        Its answer.
    cores
        Those of the solvers.
    own_core
        That of the process that evaluates.
    connection
        To the host; the runs of this job have it too, one after the other.
    dimension
        Of the problems.
    """

    pid: int
    ready: Ready
    cores: tuple[int, ...]
    own_core: int
    connection: socket.socket
    dimension: int

    def solver(self, seed: int) -> Solver:
        """Have a solver forked for a run with a seed, and wait until it can be launched."""
        fd = os.memfd_create("timefair-channel")
        try:
            channel = Channel(fd, self.dimension)
            request = Request(seed, self.cores, tempfile.gettempdir())
            socket.send_fds(self.connection, [pickle.dumps(request)], [fd])
        finally:
            os.close(fd)
        return Solver(int(self.connection.recv(32)), channel)


@contextmanager
def hosted(setup: Setup, cores: tuple[int, ...]) -> Iterator[Host]:
    """Start a host, and end it at the end. The last core is for evaluations.

    From here on, other processes of this user cannot read this process's memory or files.

    Raises
    ------
    InputError
        If the algorithm cannot be loaded, or its process ended meanwhile.
    """
    kernel.forbid_inspection()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        command = [sys.executable, "-m", "timefair.measure.apart.host", str(theirs.fileno())]
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        try:
            theirs.close()
            ours.send(pickle.dumps(setup))
            answer = ours.recv(LONGEST)
            if not answer:
                code = process.wait()
                raise InputError(f"{setup.use}: its process ended with status {code} when loaded")
            ready = Ready(**json.loads(answer))
            if ready.faults:
                raise InputError(*ready.faults)
            kernel.end_orphans(spare=[process.pid])  # that the trial launch left
            yield Host(process.pid, ready, cores[:-1], cores[-1], ours, len(setup.lower))
        finally:
            process.kill()
            process.wait()


class Solver:
    """A process that makes launches, and the channel to it."""

    def __init__(self, pid: int, channel: Channel) -> None:
        self.pid = pid
        self._poll = select.poll()
        self._poll.register(os.pidfd_open(pid), select.POLLIN)
        self._server = Server(channel, self._alive)
        self._server.wait_until_ready()
        self.busy = False

    def _alive(self) -> bool:
        return not self._poll.poll(0)

    def cpu_ns(self) -> int:
        """Its CPU time so far."""
        return kernel.cpu_ns_of(self.pid)

    def launch(self, number: int, objective: Objective) -> str:
        """Have it make a launch; `channel.Server.launch`."""
        self.busy = True
        try:
            return self._server.launch(number, objective)
        except SolverGone:
            raise SolverGone(self.pid) from None
        finally:
            self.busy = False


class Solvers:
    """The solvers of one run: one, and one more for each launch that is paused.

    Parameters
    ----------
    seed
        Of the run.
    launch
        ``launch() -> int``: the number of the launch that was begun last.
    begun
        Called when there is another solver.
    """

    def __init__(
        self, host: Host, seed: int, launch: Callable[[], int], begun: Callable[[], object]
    ) -> None:
        self._host, self._seed, self._launch, self._begun = host, seed, launch, begun
        self._solvers: list[Solver] = []
        self.first = self._another()

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm as the launch loop has it."""
        return Algorithm(self._solve)

    def _solve(self, objective: Objective, rng: np.random.Generator) -> idleness.Remark:
        """Have a solver make the launch; it draws from the same stream as `rng` does."""
        solver = next((one for one in self._solvers if not one.busy), None) or self._another()
        return idleness.Remark(solver.launch(self._launch(), objective))

    def _another(self) -> Solver:
        solver = self._host.solver(self._seed)
        self._begun()
        self._solvers.append(solver)
        return solver
