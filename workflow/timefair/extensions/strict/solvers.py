"""The evaluator's side of runs whose algorithm has its own process. The job starts one host, which
holds the algorithm and forks a solver for each run. The process of the run holds the problem, and
evaluates for the solver on another core; neither reads the other.
"""

from __future__ import annotations

import os
import select
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from timefair.algorithms.base import Algorithm, Objective
from timefair.campaign.plan import Job
from timefair.extensions.strict.channel import Channel, Server
from timefair.extensions.strict.host import Request, Setup
from timefair.machine.linux import kernel
from timefair.measure.evaluation.state import SolverGone, State
from timefair.measure.isolation import Views
from timefair.measure.job import Prepared
from timefair.measure.run import Confined
from timefair.measure.trial import Companion, Remark, Trial, companion
from timefair.records.status import Isolation


@dataclass(frozen=True)
class Host(Confined):
    """A host that is ready, with the cores of its solvers."""

    cores: tuple[int, ...]
    companion: Companion
    dimension: int

    def begin(self, state: State, seed: int) -> tuple[Algorithm, Callable[[], int]]:
        solvers = _Solvers(self, state, seed)
        return Algorithm(solvers.solve), solvers.first.cpu_ns

    def solver(self, seed: int, output: int) -> Solver:
        fd = os.memfd_create("timefair-channel")
        try:
            channel = Channel(fd, self.dimension)
            request: Request = (seed, self.cores, tempfile.gettempdir())
            return Solver(self.companion.forked(request, [fd, output]), channel)
        finally:
            os.close(fd)


@contextmanager
def confined(prepared: Prepared, job: Job, cores: tuple[int, ...], folder: Path) -> Iterator[Host]:
    """Prepare the job's algorithm in a host, which lives until the block ends. The last of the
    cores is for evaluations. Solvers do not see the `folder` of the campaign.
    """
    spec = prepared.campaign.algorithms[job.algorithm]
    problem = prepared.suite.problem(job.function, job.dimension, job.instances[0])
    setup = Setup(
        use=spec.use,
        parameters=spec.arguments,
        integer_as=spec.integer,
        lower=problem.lower,
        upper=problem.upper,
        integer=problem.integer,
        memory_mb=prepared.campaign.limits.memory_mb,
        folder=folder.resolve(),
        network=not prepared.campaign.network,
    )
    with hosted(setup, cores) as host:
        seconds, trace, appeared, folders, because = host.companion.told
        prepared.views = Views(Isolation.STRICT, because, watched=tuple(map(Path, folders)))
        prepared.trial = Trial((), trace, appeared)
        prepared.seconds += seconds
        os.sched_setaffinity(0, host.cores)
        yield host


@contextmanager
def hosted(setup: Setup, cores: tuple[int, ...]) -> Iterator[Host]:
    """Start a host, and end it when the block ends. From here on, other processes of this user
    cannot read this one's memory or files. `InputError` if the algorithm cannot be loaded.
    """
    kernel.forbid_inspection()

    def fault(code: int) -> str:
        return f"{setup.use}: its process ended with status {code} when loaded"

    with companion("timefair.extensions.strict.host", setup, fault) as found:
        yield Host(found.pid, cores[-1], found.keeper, cores[:-1], found, len(setup.lower))


class Solver:
    def __init__(self, pid: int, channel: Channel) -> None:
        self.pid = pid
        self._poll = select.poll()
        self._poll.register(os.pidfd_open(pid), select.POLLIN)
        self._server = Server(channel, lambda: not self._poll.poll(0))
        self._server.wait_until_ready()
        self.busy = False

    def cpu_ns(self) -> int:
        return kernel.cpu_ns_of(self.pid)

    def launch(self, number: int, objective: Objective) -> str:
        self.busy = True
        try:
            return self._server.launch(number, objective)
        except SolverGone:
            raise SolverGone(self.pid) from None
        finally:
            self.busy = False


class _Solvers:
    def __init__(self, host: Host, state: State, seed: int) -> None:
        self._host, self._state, self._seed = host, state, seed
        self._solvers: list[Solver] = []
        self.first = self._another()

    def solve(self, objective: Objective, rng: np.random.Generator) -> Remark:
        """Make the launch in a solver. The solver uses the same random stream as `rng`."""
        solver = next((one for one in self._solvers if not one.busy), None) or self._another()
        return Remark(solver.launch(int(self._state["launches"]) - 1, objective))

    def _another(self) -> Solver:
        solver = self._host.solver(self._seed, self._state.output_fd)
        self._state["solvers"] += 1
        self._solvers.append(solver)
        return solver
