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
from functools import partial
from pathlib import Path

import numpy as np

from timefair.algorithms.algorithm import Algorithm, Objective
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
    cores: tuple[int, ...]
    companion: Companion
    dimension: int

    def begin(self, state: State, seed: int) -> tuple[Algorithm, Callable[[], int]]:
        """The algorithm makes each launch in a solver that is free, with the same random stream."""
        solvers: list[Solver] = []

        def another() -> Solver:
            solvers.append(Solver(self, seed, state.output_fd))
            state["solvers"] += 1
            return solvers[-1]

        def solve(objective: Objective, rng: np.random.Generator) -> Remark:
            solver = next((one for one in solvers if not one.busy), None) or another()
            return solver.launch(int(state["launches"]) - 1, objective)

        return Algorithm(solve), partial(kernel.cpu_ns_of, another().pid)


class Solver:
    """A process of the algorithm, for one launch at a time."""

    def __init__(self, host: Host, seed: int, output: int) -> None:
        fd = os.memfd_create("timefair-channel")
        try:
            channel = Channel(fd, host.dimension)
            request: Request = (seed, host.cores, tempfile.gettempdir())
            self.pid = host.companion.forked(request, [fd, output])
        finally:
            os.close(fd)
        poll = select.poll()
        poll.register(os.pidfd_open(self.pid), select.POLLIN)
        self._server = Server(channel, lambda: not poll.poll(0))
        self._server.wait_until_ready()
        self.busy = False

    def launch(self, number: int, objective: Objective) -> Remark:
        self.busy = True
        try:
            return Remark(self._server.launch(number, objective))
        except SolverGone:
            raise SolverGone(self.pid) from None
        finally:
            self.busy = False


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
    name = f"{setup.use}: its process"
    with companion("timefair.extensions.strict.host", setup, name) as found:
        yield Host(found.pid, cores[-1], found.keeper, cores[:-1], found, len(setup.lower))
