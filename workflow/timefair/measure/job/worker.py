"""Measures the runs of a job in the environment of its algorithm, for the job's own process.

It needs numpy, the library of the algorithm and that of the suite, but no other package. The
process that starts it (`remote`) reads the campaign, keeps the journal, and writes the record. The
two processes exchange lines of JSON on a socket, one pair per run.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from timefair.basics.errors import InputError, Interrupted
from timefair.campaign.plan import Job
from timefair.environments.answers import Question, collected, here
from timefair.linux import kernel
from timefair.linux.interruption import interruptible
from timefair.measure.job.prepared import Prepared, allowance_of
from timefair.measure.job.resolved import Resolved
from timefair.measure.job.runner import Runner

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign


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
