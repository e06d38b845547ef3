"""Has the runs of a job measured by a process in the environment of its algorithm (`worker`).

The worker is a child of this process and ends with it. This process waits while a run is measured.
"""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.basics.errors import InputError, Interrupted
from timefair.campaign import provenance
from timefair.environments.answers import Answers
from timefair.environments.environment import Environment
from timefair.measure.job.resolved import resolved
from timefair.measure.perturbation.monitor import Row
from timefair.measure.processes import connected

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.campaign.plan import Job

END_S = 5.0
"""Time after which a worker that was asked to end is killed."""


class RemoteRunner:
    """Measures runs of a job in another process, as `Runner` does in forks of this one.

    ``preparation_s`` and ``answers`` are the time of preparation there and the facts of the
    environment.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._answers = connection.makefile("r", encoding="utf-8")
        self.preparation_s, self.answers = 0.0, Answers("", {})

    def begin(self, request: Mapping[str, Any]) -> None:
        """Have the worker get ready; `InputError` if its algorithm cannot be loaded."""
        ready = self._ask(request)
        self.preparation_s, self.answers = ready["seconds"], Answers(**ready["answers"])

    def measure(self, instance: int, run: int, seed: int, *, give_up: bool) -> Row:
        """Measure one run, or describe an abandoned one, in the columns of `records.schema`."""
        request = {"instance": instance, "run": run, "seed": seed, "give_up": give_up}
        row: Row = self._ask(request)["row"]
        return row | {"started_utc": datetime.fromisoformat(row["started_utc"])}

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        with suppress(ConnectionError):
            self._connection.sendall(json.dumps(request).encode() + b"\n")
            if line := self._answers.readline():
                answer: dict[str, Any] = json.loads(line)
                if "faults" in answer:
                    raise InputError(*answer["faults"])
                return answer
        # The run has ended the process that measured it, as a run in a fork can do, too.
        raise Interrupted(signal.SIGKILL)


@contextmanager
def remote_runner(
    environment: Environment,
    campaign: Campaign,
    job: Job,
    cores: tuple[int, ...],
    folder: Path,
) -> Iterator[RemoteRunner]:
    """Start a worker for a job on held cores, and end it when the block ends.

    Runs inherit no open files of the `folder`. `InputError` if the algorithm cannot be loaded
    there.
    """
    command = partial(environment.command, "timefair.measure.job.worker")
    variables = environment.variables()
    with connected(command, socket.SOCK_STREAM, variables, END_S) as (_, connection):
        runner = RemoteRunner(connection)
        runner.begin(
            {
                "starter": os.getpid(),
                "campaign": resolved(campaign, job.algorithm, job.dimension),
                "question": asdict(provenance.question(campaign, job.algorithm)),
                "job": vars(job),
                "cores": cores,
                "folder": str(folder),
            }
        )
        yield runner
