"""Commands that the rules call to measure, and to collect what was measured."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from timefair.basics.errors import InputError
from timefair.cli.common import THREAD_VARIABLES, Command, Commands, entry
from timefair.cli.paths import prepare_files


def add_to(commands: Commands, campaign: Command) -> None:
    """Add the commands of this module."""
    measure = commands.add_parser(
        "measure",
        help="measure one job",
        description="Measures the runs of one algorithm on one function, dimension and chunk of "
        "instances in one round, and writes their record. Runs that a killed job has finished are "
        "taken from the journal beside the record. Snakemake calls it, with a key that only this "
        "campaign and this code have; how it calls it, it prints when asked.",
        example="snakemake --cores all --configfile mine.yaml --printshellcmds",
        parents=[campaign],
    )
    measure.add_argument("--algorithm", required=True, metavar="LABEL", help="in the campaign")
    measure.add_argument("--function", required=True, type=int, help="number of the function")
    measure.add_argument("--dimension", required=True, type=int, help="of the search space")
    measure.add_argument("--instances", required=True, metavar="1-5_71", help="of the function")
    measure.add_argument("--round", required=True, type=int, help="from 1")
    measure.add_argument("--key", required=True, help="what the campaign was planned with")
    measure.add_argument("--record", required=True, type=Path, metavar="PARQUET", help="to write")
    measure.set_defaults(command=_measure)

    collect = commands.add_parser(
        "collect",
        help="join the records of an algorithm",
        description="Joins the records of one algorithm to one file, once all that the campaign "
        "asks for are there, whole and of one kind of machine and software. Snakemake calls it.",
        example="timefair collect --campaign results/default/campaign.json"
        " --algorithm Nelder-Mead --output collected.parquet",
        parents=[campaign],
    )
    collect.add_argument("--algorithm", required=True, metavar="LABEL", help="in the campaign")
    collect.add_argument("--output", required=True, type=Path, metavar="PARQUET", help="to write")
    collect.set_defaults(command=_collect)


def _measure(arguments: argparse.Namespace) -> None:
    _settle_environment(arguments)
    from timefair.campaign import configuration, plan
    from timefair.campaign.provenance import measure_key

    campaign = configuration.restore(arguments.campaign)
    try:
        job = plan.Job(
            algorithm=arguments.algorithm,
            function=arguments.function,
            dimension=arguments.dimension,
            instances=plan.parse_instances(arguments.instances),
            round=arguments.round,
        )
        key = measure_key(campaign, job.algorithm, job.round)
    except ValueError as error:
        raise InputError(str(error)) from None
    if arguments.key != key:
        raise InputError(
            f"code, software or configuration changed since this job was planned; {plan.AGAIN}"
        )
    prepare_files([arguments.record])
    from timefair.measure.cell import measure

    measure(campaign, job, arguments.record, key)


def _settle_environment(arguments: argparse.Namespace) -> None:
    """Start this process once more, if need be, with the hash seed and the threads of the job.

    Both are read when the interpreter and the libraries start, too early to be set from within.
    """
    algorithms = _algorithms(arguments.campaign)
    if arguments.algorithm not in algorithms:
        raise InputError(f"--algorithm: {arguments.algorithm!r} is not in {arguments.campaign}")
    threads = str(algorithms[arguments.algorithm]["threads"])
    wanted = {"PYTHONHASHSEED": "0"} | dict.fromkeys(THREAD_VARIABLES, threads)
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        command = [
            sys.executable, "-m", "timefair", "measure",
            "--campaign", str(arguments.campaign),
            "--algorithm", arguments.algorithm,
            "--function", str(arguments.function),
            "--dimension", str(arguments.dimension),
            "--instances", arguments.instances,
            "--round", str(arguments.round),
            "--key", arguments.key,
            "--record", str(arguments.record),
        ]  # fmt: skip
        os.execve(command[0], command, os.environ | wanted)


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
