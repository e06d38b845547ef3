"""Has the runs of a job measured by a process in the environment of its algorithm.

The worker is a child of this process and ends with it. It needs numpy, the library of the algorithm
and that of the suite, but no other package. This process reads the campaign, keeps the journal, and
writes the record. The two exchange lines of JSON on a socket, one pair per run.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from timefair.basics.errors import InputError, Interrupted
from timefair.campaign import provenance
from timefair.campaign.plan import Job
from timefair.environments.answers import Answers, Question, collected, here
from timefair.environments.environment import Environment
from timefair.linux import kernel
from timefair.linux.kernel import interruptible
from timefair.measure.job.prepared import Prepared, Runner, allowance_of
from timefair.measure.job.resolved import Resolved, resolved
from timefair.measure.perturbation import Row
from timefair.measure.processes import connected

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

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
    command = partial(environment.command, "timefair.measure.job.remote")
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


def main(descriptor: str) -> None:
    """Run a worker. The argument is the descriptor of the socket to its starter."""
    connection = socket.socket(fileno=int(descriptor))
    try:
        with interruptible():
            _serve(connection)
    except Interrupted as stop:
        sys.exit(128 + stop.number)


def _serve(connection: socket.socket) -> None:
    """Measure the requested runs, until the starter closes the socket."""
    requests = connection.makefile("r", encoding="utf-8")

    def send(answer: Mapping[str, Any]) -> None:
        connection.sendall(json.dumps(answer, default=_plain).encode() + b"\n")

    begin = json.loads(requests.readline())
    kernel.die_with_parent(begin["starter"])
    job = Job(**begin["job"] | {"instances": tuple(begin["job"]["instances"])})
    cores = tuple(begin["cores"])
    prepared = Prepared(cast("Campaign", Resolved(**begin["campaign"])))
    question = Question(**begin["question"])
    try:
        with prepared.ready(job, cores) as algorithm:
            answers = collected(here(), prepared.suite.distributions, question)
            send({"seconds": prepared.seconds, "answers": asdict(answers)})
            allowance = allowance_of(prepared.campaign, prepared.views, job, Path(begin["folder"]))
            runner = Runner(prepared, job, algorithm, allowance, cores)
            for line in requests:
                send({"row": runner.measure(**json.loads(line))})
    except InputError as error:
        send({"faults": list(error.faults)})


def _plain(value: Any) -> Any:
    """Convert what JSON cannot represent: times to text, arrays and their numbers to Python's
    types.
    """
    return value.isoformat() if isinstance(value, datetime) else value.tolist()
