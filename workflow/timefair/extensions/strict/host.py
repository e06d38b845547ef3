"""The process that holds the algorithm, and neither function nor instances; it forks solvers."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.algorithm import Algorithm
from timefair.algorithms.libraries import involved, source_files
from timefair.basics import threads
from timefair.basics.errors import InputError
from timefair.extensions.strict.channel import Caller, Channel
from timefair.machine.linux import kernel
from timefair.measure.evaluation.objective import LaunchCut
from timefair.measure.evaluation.state import failure, take_output
from timefair.measure.isolation import Views, views
from timefair.measure.trial import Ready, load, of_a_return, prepare, stream
from timefair.problems.problem import Problem, ProblemName
from timefair.records.status import Isolation


@dataclass(frozen=True)
class Setup:
    """What a host needs: an algorithm as in `trial.load`, its search space, arrays of shape
    ``(dimension,)``, and the memory of a solver. With ``network``, it has one of its own.
    """

    use: str
    parameters: Mapping[str, object]
    integer_as: str
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    integer: NDArray[np.bool_]
    memory_mb: float | None
    folder: Path | None = None
    network: bool = True


Request: TypeAlias = "tuple[int, tuple[int, ...], str]"
"""For a solver: the seed of the run, its cores and its temporary folder."""


def ready(starter: int, setup: Setup) -> Ready:
    """Load and prepare the algorithm. What is told: seconds of preparation, the trace of the trial
    launch and files that appeared in it, the folders that solvers share, and why.
    """
    if setup.network:
        with suppress(OSError):  # as with private views, the record says that it is refused
            kernel.own_network()
    begun = monotonic()
    algorithm = load(setup.use, setup.parameters, setup.integer_as)
    seconds = monotonic() - begun
    sources = source_files(*involved(setup.use, setup.parameters))
    folders = views(Isolation.PRIVATE, sources, setup.memory_mb, network=False)
    if setup.folder is not None:
        folders = folders.without(setup.folder)
    begun = monotonic()
    trial = prepare(algorithm, _stand_in(setup), setup.memory_mb, folders)
    if lost := threads.lost():
        raise InputError(
            f"{setup.use}: its module starts or opens {lost}, which its runs lose or share with "
            "isolation: strict; write isolation: private"
        )
    seconds += monotonic() - begun
    watched = [str(folder) for folder in folders.watched]
    told = seconds, trial.trace, trial.appeared, watched, folders.because
    return told, partial(_live, starter, algorithm, setup, folders), folders


def _stand_in(setup: Setup) -> Problem:
    """Function of the trial launch: the sphere in the search space of the problems."""
    middle = (setup.lower + setup.upper) / 2
    name = ProblemName("stand-in", 1, len(middle), 1)

    def evaluate(x: NDArray[np.float64]) -> float:
        return float(np.sum(np.square(x - middle)))

    return Problem(name, evaluate, setup.lower, setup.upper, 0.0, setup.integer)


def _live(
    starter: int,
    algorithm: Algorithm,
    setup: Setup,
    folders: Views,
    request: Request,
    fds: list[int],
) -> NoReturn:
    caller, own = None, os.getpid()
    seed, cores, folder = request
    try:
        channel_fd, output = fds
        kernel.keep_descriptors(fds)
        take_output(output)
        os.setsid()
        tempfile.tempdir = folder
        os.sched_setaffinity(0, cores)
        folders.enter()
        kernel.die_with_parent(starter)
        kernel.limit_memory(setup.memory_mb)
        kernel.leave_for_others()
        channel = Channel(channel_fd, len(setup.lower))
        caller = Caller(channel, setup.lower, setup.upper, setup.integer)
        os.register_at_fork(after_in_child=caller.disown)
        objective = caller.objective
        launch = caller.next_launch()
        while True:
            rng = stream(seed, launch)
            remark = ""
            with suppress(LaunchCut):
                remark = of_a_return(algorithm.solve(objective, rng))
            kernel.end_if_forked(own)
            launch = caller.returned(remark)
    except BaseException as error:
        kernel.end_if_forked(own)
        if caller is not None:
            caller.failed(*failure(error))
    finally:
        kernel.end_process(1)
