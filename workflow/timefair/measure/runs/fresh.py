"""Runs in processes that are not forks of one with the algorithm's or the problem's threads.

In such a fork, a module would wait for its threads for ever (`basics.threads`). A new process
without code of the user (`job.fresh`) forks the runs, and each imports the modules itself.
"""

from __future__ import annotations

import json
import pickle
import signal
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from timefair.basics.errors import Interrupted
from timefair.machine.linux import kernel
from timefair.machine.linux.keeper import Keeper
from timefair.measure.evaluation.state import State
from timefair.measure.processes import companion

if TYPE_CHECKING:
    from timefair.campaign.plan import Job

LONGEST = 1 << 20
"""Maximal length of a message, in bytes."""

LOADING_S = 600.0
"""A run that has not loaded its modules after this time is killed."""


@dataclass(frozen=True)
class Context:
    """What the new process needs: its starter, the snapshot, arguments of `Views`, the job."""

    starter: int
    campaign: str
    job: Job
    views: Mapping[str, Any]


class Request(NamedTuple):
    """A request for the process of a run; the files of its `State` come with it."""

    instance: int
    seed: int
    folder: str
    numbers: int
    recommended: int


@dataclass(frozen=True)
class Fresh:
    """The new process, ready to fork runs, and what would be lost in forks of the job."""

    pid: int
    seconds: float
    trial: tuple[list[str], str, str | None]
    because: str
    connection: socket.socket
    keeper: Keeper | None

    @property
    def remark(self) -> str:
        """What the record says about the runs."""
        return f"its modules were imported again, because forks would lose or share {self.because}"

    def fork(self, state: State, instance: int, seed: int) -> int:
        """Let the process of a run be forked, and adopt it; return its process id."""
        folder = tempfile.gettempdir()
        request = Request(instance, seed, folder, state.numbers, state.recommended_dimension)
        socket.send_fds(self.connection, [pickle.dumps(request)], state.fds)
        answer = self.connection.recv(32)
        if not answer:
            raise Interrupted(signal.SIGKILL)
        return int(answer)


@contextmanager
def fresh(context: Context, because: str) -> Iterator[Fresh]:
    """Start the new process, and end it when the block ends. `InputError` if it ends before."""
    kernel.adopt_orphans()

    def fault(code: int) -> str:
        return f"the process that imports {because} again ended with {code}"

    with companion("timefair.measure.job.fresh", context, LONGEST, fault) as process:
        kernel.end_orphans(spare=[process.pid])  # that the trial launch left
        seconds, trial = json.loads(process.answer)
        keeper = Keeper.received(process.connection)
        yield Fresh(process.pid, seconds, trial, because, process.connection, keeper)
