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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.basics.disk import begun_path, regular, snakemake_above
from timefair.basics.errors import InputError, Interrupted
from timefair.basics.extension import interpreter
from timefair.cli.arguments import (
    OF_CAMPAIGN,
    Declared,
    argument,
    entry,
    measuring_environment,
    one_thread,
    prepare_files,
    status_of,
)
from timefair.machine.linux.kernel import SIGNALS
from timefair.measure import runner

if TYPE_CHECKING:
    from timefair.campaign.plan import Block, Job
    from timefair.measure.job import Prepared

PRINTED = "snakemake --cores all --configfile mine.yaml --printshellcmds"  # it prints these calls
_REQUEST = ("algorithm", "function", "dimension", "instances", "round", "key")
"""The arguments that say, with the record, what a job is."""

DECLARED = Declared()
command, add_to = DECLARED.command, DECLARED.add_to

SNAPSHOT = argument("--campaign", **OF_CAMPAIGN)
LABEL = argument("--algorithm", "LABEL", "label of the algorithm", required=True)
CELL = (
    argument("--function", help="number of the function", required=True, type=int),
    argument("--dimension", help="dimension of the search space", required=True, type=int),
    argument("--instances", "1-5_71", "instances of the function", required=True),
    argument("--round", help="number of the round, from 1", required=True, type=int),
)
RECORD = (
    argument("--key", help="key of the job, as in the path of the record", required=True),
    argument("--record", "PARQUET", "record to write", required=True, type=Path),
)
"""The arguments that say which job is measured, and where."""


@command(
    "measure",
    SNAPSHOT,
    LABEL,
    *CELL,
    *RECORD,
    argument("--serve", help=argparse.SUPPRESS, nargs=3, type=int),
    help="measure one job",
    example=PRINTED,
)
def _measure(arguments: argparse.Namespace) -> int | None:
    """Measures the runs of one algorithm on one function, dimension and chunk of instances in one
    round, and writes their record. Runs that a killed job has finished are taken from the journal
    beside the record. Snakemake calls this command, with a key that only this campaign and this
    code have. The example prints these calls.
    """
    if arguments.serve:
        _serve(arguments, *arguments.serve)
        return None
    spec = spec_of(arguments)
    threads = str(spec["threads"])
    environment = measuring_environment(spec["threads"])
    python, own = interpreter(spec, environment)
    request = {name: getattr(arguments, name) for name in _REQUEST}
    options = {"campaign": arguments.campaign, **request, "record": arguments.record}
    command = runner.command("measure", options)
    if own != environment:
        os.execve(python, [python, *command[1:]], own)  # with prepared processes of its own
    request["record"] = str(arguments.record)
    folder = arguments.campaign.absolute().parent
    if (snakemake := snakemake_above(folder)) is not None:
        spot = runner.address(snakemake, folder, threads, arguments.algorithm, arguments.dimension)
        serve, begun = [*command, "--serve", str(snakemake)], begun_path(arguments.record)
        status = runner.hand_over(spot, request, serve, environment, begun)
        if status is not None:
            return status
    if environment != os.environ:
        # Hash seed and threads are read when the interpreter and the libraries start.
        os.execve(command[0], command, environment)
    try:
        _measure_job(_unprepared(arguments), arguments)
    except Interrupted as stop:
        if stop.number in SIGNALS:  # no run is to blame
            begun_path(arguments.record).unlink(missing_ok=True)
        raise
    return None


@command(
    "measure-block",
    SNAPSHOT,
    *CELL,
    help="measure one block: all algorithms in turn, on this node",
    example=PRINTED,
)
def _measure_block(arguments: argparse.Namespace) -> int:
    """Measures all algorithms on one function, dimension and chunk of instances in one round, one
    after the other on this node, in a random order that the seed of the campaign determines. Runs
    of the block that another node has measured are measured again. Snakemake calls this command if
    the campaign has `block: node`. The example prints these calls.
    """
    from timefair.campaign import configuration, plan
    from timefair.machine.facts import some_facts
    from timefair.measure.isolation import on_one_node

    campaign = configuration.restore(arguments.campaign)
    folder = arguments.campaign.parent
    keys = plan.read_keys(folder, campaign)
    if not 1 <= arguments.round <= campaign.rounds:
        raise InputError(f"--round: {arguments.round}: should be 1 to {campaign.rounds}")
    block = _block(arguments)
    members = block.jobs(campaign)
    records = [folder / job.record(keys[job.algorithm, job.round]) for job in members]
    node = some_facts(["hostname"])["hostname"] or "unknown"

    def commands() -> Iterator[list[str]]:
        for number, job in enumerate(members, start=1):
            turn = f"{job.algorithm}: {number} of {len(members)} on {node}"
            print(turn, file=sys.stderr, flush=True)
            yield runner.measuring(folder, job, keys)

    with (
        on_one_node(folder / f"{block.place}.node", node, records),
        contextlib.closing(runner.in_turn(commands(), 1)) as ends,
    ):
        return next((one.status for one in ends if one.status), 0)


def _serve(arguments: argparse.Namespace, snakemake: int, listener: int, starter: int) -> None:
    from timefair.measure.isolation import held_cores

    runner.begin(starter)
    start = time.monotonic()
    with held_cores(spec_of(arguments)["threads"]):
        ready = _unprepared(arguments)
        _checked_key(ready, arguments)
        if not ready.campaign.is_apart(arguments.algorithm):
            ready.get_ready(_job(arguments))
        ready.origin(arguments.algorithm)
    spent_s = time.monotonic() - start
    print(f"prepared in {spent_s:.3f} s, for this job and others", file=sys.stderr)

    def work(number: int, request: runner.Request) -> int:
        asked = argparse.Namespace(**vars(arguments) | request)
        return status_of(lambda: _measure_job(ready, asked, number))

    runner.serve(socket.socket(fileno=listener), snakemake, work)


def _unprepared(arguments: argparse.Namespace) -> Prepared:
    from timefair.campaign import configuration
    from timefair.measure.job import Prepared

    return Prepared(configuration.restore(arguments.campaign))


def _checked_key(ready: Prepared, arguments: argparse.Namespace) -> str:
    """The key of a job, with found parameters; `InputError` if planned with other code."""
    from timefair.measure.job import take_parameters

    take_parameters(ready, arguments.algorithm, arguments.campaign.absolute().parent)
    try:
        key = ready.key(_job(arguments))
    except ValueError as error:
        raise InputError(str(error)) from None
    return as_planned(arguments, key)


def as_planned(arguments: argparse.Namespace, key: str) -> str:
    """The key of a job; raises `InputError` if it was planned with another one."""
    from timefair.campaign import plan

    if plan.short_key(key) != arguments.key:
        raise InputError(
            f"code, software or configuration changed since this job was planned; {plan.AGAIN}"
        )
    return key


def _measure_job(ready: Prepared, arguments: argparse.Namespace, number: int = 1) -> None:
    from timefair.measure.job import measure_job

    key, record = _checked_key(ready, arguments), Path(arguments.record)
    prepare_files([record])
    measure_job(ready, _job(arguments), record, key, number)


def _job(arguments: argparse.Namespace) -> Job:
    from timefair.campaign import plan

    return plan.Job(arguments.algorithm, **vars(_block(arguments)))


def _block(arguments: argparse.Namespace) -> Block:
    from timefair.campaign import plan

    try:
        instances = plan.parse_instances(arguments.instances)
    except ValueError as error:
        raise InputError(f"--instances: {error}") from None
    return plan.Block(arguments.function, arguments.dimension, instances, arguments.round)


def spec_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The algorithm of a job as the file has it: to check all of it would import much, twice."""
    try:
        snapshot = json.loads(regular(arguments.campaign).read_text("utf-8"))
        algorithms: dict[str, dict[str, Any]] = snapshot["algorithms"]
    except (OSError, ValueError, LookupError, TypeError):
        from timefair.campaign import configuration

        configuration.restore(arguments.campaign)  # says what is wrong
        raise
    if arguments.algorithm not in algorithms:
        raise InputError(f"--algorithm: {arguments.algorithm!r} is not in {arguments.campaign}")
    return algorithms[arguments.algorithm]


@command(
    "collect",
    SNAPSHOT,
    LABEL,
    argument("--output", "PARQUET", "file to write", required=True, type=Path),
    help="join the records of an algorithm",
    example="timefair collect --campaign results/default/campaign.json"
    " --algorithm Nelder-Mead --output collected.parquet",
)
def _collect(arguments: argparse.Namespace) -> None:
    """Joins the records of one algorithm into one file. All records of the campaign must exist, be
    undamaged, and come from one kind of machine and software. Snakemake calls this command.
    """
    one_thread()
    from timefair.campaign import collected, configuration, plan
    from timefair.records.store import avoid_pandas

    avoid_pandas()
    campaign = configuration.restore(arguments.campaign)
    prepare_files([arguments.output])
    label: str = arguments.algorithm
    entry("--algorithm", label, campaign.algorithms)
    # The paths are not on the command line: a large campaign has more than fit there.
    folder = arguments.campaign.parent
    collected.join(campaign, plan.read_keys(folder, campaign), folder, label, arguments.output)
