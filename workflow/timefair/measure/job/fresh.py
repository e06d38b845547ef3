"""The process without any code of the user that forks runs which import it (`runs.fresh`)."""

from __future__ import annotations

import json
import os
import pickle
import socket
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from timefair.algorithms.base import Algorithm
from timefair.campaign.configuration import restored
from timefair.machine.linux import keeper, kernel
from timefair.machine.linux.kernel import ends_at_once
from timefair.measure.evaluation.state import State
from timefair.measure.isolation import Views
from timefair.measure.job.prepared import Prepared, allowance_of
from timefair.measure.runs.child import Allowance, Unloaded, live
from timefair.measure.runs.fresh import LOADING_S, LONGEST, Context, Request
from timefair.measure.trial import import_modules, trial_launch
from timefair.problems.base import Problem


class _Loader:
    """Loads the problem and the algorithm of a job, in a fork of this process."""

    def __init__(self, context: Context) -> None:
        self._campaign, self._job = restored(context.campaign), context.job
        self.modules: Sequence[str] = ()

    def allowance(self, views: Views) -> Allowance:
        return allowance_of(self._campaign, views, self._job)

    def problem(self, instance: int) -> Problem:
        self._prepared = Prepared(self._campaign)
        suite = self._prepared.suite
        return suite.problem(self._job.function, self._job.dimension, instance)

    def algorithm(self) -> tuple[Algorithm, float]:
        algorithm, begun = self._prepared.load(self._job), time.monotonic()
        algorithm.prepare()
        import_modules(self.modules)
        return algorithm, self._prepared.seconds + time.monotonic() - begun

    def on_trial(self) -> tuple[Algorithm, Problem]:
        problem = self.problem(self._job.instances[0])
        return self.algorithm()[0], problem


def main(descriptor: str) -> None:
    """Run the process. The argument is the descriptor of the socket to its starter."""
    connection = socket.socket(fileno=int(descriptor))
    context: Context = pickle.loads(connection.recv(LONGEST))
    kernel.die_with_parent(context.starter)
    ends_at_once()
    loader, views, begun = _Loader(context), Views(**context.views), time.monotonic()
    allowance = loader.allowance(views)
    memory_mb, cores = allowance.memory_mb, allowance.cores
    trial = trial_launch(loader.on_trial, memory_mb, views, cores, LOADING_S)
    loader.modules = trial.modules
    connection.send(json.dumps([time.monotonic() - begun, trial]).encode())
    keeper.hand_over_new(connection, possible=views.namespaces, network=views.network)
    while True:
        message, fds, *_ = socket.recv_fds(connection, LONGEST, 16)
        if not message:
            return
        request: Request = pickle.loads(message)
        pid = kernel.forked_beside(partial(_live, context.starter, loader, allowance, request, fds))
        for fd in fds:
            os.close(fd)
        connection.send(str(pid).encode())


def _live(
    starter: int, loader: _Loader, allowance: Allowance, request: Request, fds: list[int]
) -> NoReturn:
    """Be the process of a run."""
    try:
        for fd in fds:
            os.set_inheritable(fd, False)
        tempfile.tempdir = request.folder
        state = State(request.numbers, request.recommended, fds)
        unloaded = Unloaded(partial(loader.problem, request.instance), loader.algorithm)
        live(starter, unloaded, None, allowance, state, request.seed)
    finally:
        kernel.end_process(1)
