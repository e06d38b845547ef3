"""The evaluator's side of runs whose algorithm has its own process (`isolation: strict`).

The job starts one host (`host`), which holds the algorithm. The process of a run holds the problem
and the objective. It asks the host to fork a solver, and evaluates for the solver on a separate
core. Neither process can read the other: the host is a new process and not a fork, and processes of
the same user cannot read or trace the job and its runs.
"""

from __future__ import annotations

import json
import os
import pickle
import select
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from timefair.algorithms.base import Algorithm, Objective
from timefair.basics.errors import InputError
from timefair.linux import kernel
from timefair.measure import launching
from timefair.measure.apart.channel import Channel, Server, SolverGone
from timefair.measure.apart.messages import LONGEST, Ready, Request, Setup
from timefair.measure.isolation.companions import companion


@dataclass(frozen=True)
class Host:
    """A host that is ready.

    Attributes
    ----------
    pid
        Process id of the host.
    ready
        First answer of the host.
    cores
        Cores of the solvers.
    own_core
        Core of the process that evaluates.
    connection
        Socket to the host; the runs of this job use it too, one after the other.
    dimension
        Dimension of the problems.
    """

    pid: int
    ready: Ready
    cores: tuple[int, ...]
    own_core: int
    connection: socket.socket
    dimension: int

    def solver(self, seed: int) -> Solver:
        """Ask the host for a solver of a run with this seed, and wait until the solver can be
        launched.
        """
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
    """Start a host, and end it when the block ends. The last of the cores is for evaluations.

    From here on, other processes of this user cannot read this process's memory or files.

    Raises
    ------
    InputError
        If the algorithm cannot be loaded, or its process ends while it is loaded.
    """
    kernel.forbid_inspection()

    def fault(code: int) -> str:
        return f"{setup.use}: its process ended with status {code} when loaded"

    with companion("timefair.measure.apart.host", setup, LONGEST, fault) as process:
        ready = Ready(**json.loads(process.answer))
        if ready.faults:
            raise InputError(*ready.faults)
        kernel.end_orphans(spare=[process.pid])  # that the trial launch left
        connection = process.connection
        yield Host(process.pid, ready, cores[:-1], cores[-1], connection, len(setup.lower))


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
        """Make a launch, see `channel.Server.launch`."""
        self.busy = True
        try:
            return self._server.launch(number, objective)
        except SolverGone:
            raise SolverGone(self.pid) from None
        finally:
            self.busy = False


class Solvers:
    """The solvers of one run: one, and another one for each paused launch.

    Parameters
    ----------
    seed
        Seed of the run.
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
        """The algorithm in the form that the launch loop uses."""
        return Algorithm(self._solve)

    def _solve(self, objective: Objective, rng: np.random.Generator) -> launching.Remark:
        """Make the launch in a solver. The solver uses the same random stream as `rng`."""
        solver = next((one for one in self._solvers if not one.busy), None) or self._another()
        return launching.Remark(solver.launch(self._launch(), objective))

    def _another(self) -> Solver:
        solver = self._host.solver(self._seed)
        self._begun()
        self._solvers.append(solver)
        return solver
