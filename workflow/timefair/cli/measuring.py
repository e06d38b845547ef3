"""Commands that the rules call to measure, and to collect what was measured."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.basics.errors import InputError, Interrupted
from timefair.campaign.holder import snakemake_above
from timefair.cli.analysing import forked
from timefair.cli.common import Command, Commands, entry, measuring_environment, status_of
from timefair.cli.paths import prepare_files
from timefair.processes import prepared
from timefair.records.begun import begun_path

if TYPE_CHECKING:
    from timefair.campaign.plan import Job
    from timefair.measure.job.cell import Prepared

_REQUEST = ("algorithm", "function", "dimension", "instances", "round", "key")
"""The arguments that say, with the record, what a job is."""


def add_to(commands: Commands, campaign: Command) -> None:
    """Add the commands of this module."""
    measure = commands.add_parser(
        "measure",
        help="measure one job",
        description="Measures the runs of one algorithm on one function, dimension and chunk of "
        "instances in one round, and writes their record. Runs that a killed job has finished are "
        "taken from the journal beside the record. Snakemake calls this command, with a key that "
        "only this campaign and this code have. The example prints these calls.",
        example="snakemake --cores all --configfile mine.yaml --printshellcmds",
        parents=[campaign],
    )
    measure.add_argument("--algorithm", required=True, metavar="LABEL", help="in the campaign")
    measure.add_argument("--function", required=True, type=int, help="number of the function")
    measure.add_argument("--dimension", required=True, type=int, help="of the search space")
    measure.add_argument("--instances", required=True, metavar="1-5_71", help="of the function")
    measure.add_argument("--round", required=True, type=int, help="number of the round, from 1")
    measure.add_argument("--key", required=True, help="key that the campaign was planned with")
    measure.add_argument("--record", required=True, type=Path, metavar="PARQUET", help="to write")
    measure.add_argument("--serve", nargs=3, type=int, help=argparse.SUPPRESS)
    measure.set_defaults(command=_measure)

    collect = commands.add_parser(
        "collect",
        help="join the records of an algorithm",
        description="Joins the records of one algorithm into one file. All records of the campaign "
        "must exist, be undamaged, and come from one kind of machine and software. Snakemake "
        "calls this command.",
        example="timefair collect --campaign results/default/campaign.json"
        " --algorithm Nelder-Mead --output collected.parquet",
        parents=[campaign],
    )
    collect.add_argument("--algorithm", required=True, metavar="LABEL", help="in the campaign")
    collect.add_argument("--output", required=True, type=Path, metavar="PARQUET", help="to write")
    collect.set_defaults(command=forked, work=_collect)


def _measure(arguments: argparse.Namespace) -> int | None:
    """Have a prepared process measure, or do it here."""
    if arguments.serve:
        _serve(arguments, *arguments.serve)
        return None
    spec = _spec(arguments)
    threads = str(spec["threads"])
    environment = measuring_environment(spec["threads"])
    request = {name: getattr(arguments, name) for name in _REQUEST}
    request["record"] = str(arguments.record)
    options = (word for name, value in request.items() for word in (f"--{name}", str(value)))
    command = [sys.executable, "-m", "timefair", "measure"]
    command += ["--campaign", str(arguments.campaign), *options]
    folder = arguments.campaign.absolute().parent
    if (snakemake := snakemake_above(folder)) is not None:
        stages = {
            "campaign": (),
            "library": (spec["use"].partition(":")[0],),
            "algorithm": (arguments.algorithm, arguments.dimension),
        }
        levels = [
            prepared.Level(
                prepared.address(snakemake, folder, threads, stage, *names),
                request | {"stage": stage},
            )
            for stage, names in stages.items()
        ]
        serve = [*command, "--serve", str(snakemake)]
        begun = begun_path(arguments.record)
        status = prepared.hand_over(levels, request, serve, environment, begun)
        if status is not None:
            return status
    if environment != os.environ:
        # Hash seed and threads are read when the interpreter and the libraries start.
        os.execve(command[0], command, environment)
    try:
        _measure_job(_unprepared(arguments), arguments)
    except Interrupted:
        begun_path(arguments.record).unlink(missing_ok=True)
        raise
    return None


def _serve(arguments: argparse.Namespace, snakemake: int, listener: int, starter: int) -> None:
    """Be a prepared process of the first level."""
    from timefair.measure.job.cores import held_cores
    from timefair.processes import serving

    serving.begin(starter)

    with held_cores(_spec(arguments)["threads"]), _timed("all algorithms"):
        from timefair.campaign.provenance import code_digest, measuring_sources

        ready = _unprepared(arguments)
        code_digest(measuring_sources())  # it is remembered, and each algorithm's key needs it
    _wait_for_jobs(arguments, ready, snakemake, socket.socket(fileno=listener))


def _wait_for_jobs(
    arguments: argparse.Namespace,
    ready: Prepared,
    snakemake: int,
    listener: socket.socket,
    starter: socket.socket | None = None,
) -> None:

    from timefair.processes import serving

    def work(task: serving.Task) -> int:
        asked = argparse.Namespace(**vars(arguments) | task.request)
        if task.listener is None:
            return status_of(lambda: _measure_job(ready, asked, task.number))
        become = partial(_become, asked, ready, snakemake, task.listener, task.connection)
        return status_of(become)

    serving.serve(listener, snakemake, work, starter)


def _become(
    asked: argparse.Namespace,
    ready: Prepared,
    snakemake: int,
    listener: socket.socket,
    starter: socket.socket,
) -> None:
    """Be a prepared process of the next level, in a fork of one."""
    from timefair.measure.job.cores import held_cores

    with held_cores(_spec(asked)["threads"]), _timed(f"the {asked.stage}"):
        if asked.stage == "library":
            ready.import_library(_job(asked))
        else:
            _check_key(ready, asked)
            if not ready.campaign.is_apart(asked.algorithm):
                ready.get_ready(_job(asked))
            ready.origin(asked.algorithm)
    _wait_for_jobs(asked, ready, snakemake, listener, starter)


@contextlib.contextmanager
def _timed(what: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    spent_s = time.monotonic() - start
    print(f"prepared {what} in {spent_s:.3f} s, for this job and others", file=sys.stderr)


def _unprepared(arguments: argparse.Namespace) -> Prepared:
    from timefair.campaign import configuration
    from timefair.measure.job.cell import Prepared

    return Prepared(configuration.restore(arguments.campaign))


def _check_key(ready: Prepared, arguments: argparse.Namespace) -> None:
    """Raise `InputError` if the job was planned with other code than is here now."""
    from timefair.campaign import plan

    try:
        key = ready.key(_job(arguments))
    except ValueError as error:
        raise InputError(str(error)) from None
    if arguments.key != key:
        raise InputError(
            f"code, software or configuration changed since this job was planned; {plan.AGAIN}"
        )


def _measure_job(ready: Prepared, arguments: argparse.Namespace, number: int = 1) -> None:
    from timefair.measure.job.cell import measure_job

    _check_key(ready, arguments)
    record = Path(arguments.record)
    prepare_files([record])
    measure_job(ready, _job(arguments), record, arguments.key, number)


def _job(arguments: argparse.Namespace) -> Job:
    from timefair.campaign import plan

    try:
        instances = plan.parse_instances(arguments.instances)
    except ValueError as error:
        raise InputError(str(error)) from None
    return plan.Job(
        algorithm=arguments.algorithm,
        function=arguments.function,
        dimension=arguments.dimension,
        instances=instances,
        round=arguments.round,
    )


def _spec(arguments: argparse.Namespace) -> dict[str, Any]:
    """The algorithm of a job, as the campaign has it."""
    algorithms = _algorithms(arguments.campaign)
    if arguments.algorithm not in algorithms:
        raise InputError(f"--algorithm: {arguments.algorithm!r} is not in {arguments.campaign}")
    return algorithms[arguments.algorithm]


def _algorithms(snapshot: Path) -> dict[str, dict[str, Any]]:
    """The algorithms as the file has them: to check the whole of it would import much, twice."""
    try:
        known: dict[str, dict[str, Any]] = json.loads(snapshot.read_text("utf-8"))["algorithms"]
    except (OSError, ValueError, LookupError, TypeError):
        from timefair.campaign import configuration

        configuration.restore(snapshot)  # says what is wrong
        raise
    return known


def _collect(arguments: argparse.Namespace) -> None:
    from timefair.campaign import configuration, plan
    from timefair.records.collect import collect
    from timefair.records.integrity import Place

    campaign = configuration.restore(arguments.campaign)
    prepare_files([arguments.output])
    label: str = arguments.algorithm
    entry("--algorithm", label, campaign.algorithms)
    # The paths are not on the command line: a large campaign has more than fit there.
    folder = arguments.campaign.parent
    keys = plan.read_keys(folder, campaign)
    records = {
        folder / job.record(keys[label, job.round]): Place(key=keys[label, job.round], **vars(job))
        for job in plan.jobs(campaign)
        if job.algorithm == label
    }
    collect(
        label,
        records,
        plan.expected_runs(campaign),
        arguments.output,
        allow_mixed=campaign.statistics.mixed == "allow",
    )
