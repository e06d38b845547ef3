"""Commands about a campaign file: begin one, check it, and the schema for editors."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.basics.errors import InputError, storing
from timefair.basics.extension import each
from timefair.basics.words import rough
from timefair.cli.common import CONFIG, Commands, one_thread, prepare_files

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

LONG_S, MANY = 3600.0, 3
"""A campaign that is longer gets a hint if it has more instances and more runs on each of them."""


def add_to(commands: Commands) -> None:
    """Add the commands of this module."""
    init = commands.add_parser(
        "init",
        help="create a folder for campaigns",
        description="Writes the files that `snakemake` needs to run campaigns in a folder: a "
        "Snakefile that includes the installed workflow, the profiles, and campaign.yaml, a copy "
        "of the default campaign for you to edit. A clone of timefair already has these files. "
        "Existing files are never overwritten.",
        example="timefair init study\ncd study && snakemake --cores all --configfile campaign.yaml",
    )
    init.add_argument("folder", type=Path, metavar="DIR", help="created if it does not exist")
    init.set_defaults(command=_init)

    check = commands.add_parser(
        "check",
        help="check a campaign, and show what it costs and what it can detect",
        description="Reads a campaign file. Prints one line per fault, with the key, the value and "
        "what would be right. Without faults, prints how many runs and jobs the campaign has, "
        "how long it takes at most, and how large a difference between two algorithms must be to "
        "be detected. Nothing is measured.",
        example="timefair check mine.yaml",
    )
    check.add_argument("config", **CONFIG)
    check.set_defaults(command=_check)

    schema = commands.add_parser(
        "schema",
        help="print the JSON schema of a campaign file",
        description="Prints the JSON schema of a campaign file. An editor uses it to complete and "
        "check keys while you type. With --write the schema is written to a file instead.",
        example="timefair schema\ntimefair schema --write config/schema.json",
    )
    schema.add_argument(
        "--write", type=Path, nargs="?", const=Path("config/schema.json"), metavar="PATH",
        help="write to this file (config/schema.json)",
    )  # fmt: skip
    schema.set_defaults(command=_schema)


def _init(arguments: argparse.Namespace) -> None:
    from timefair.campaign import scaffold

    scaffold.begin(arguments.folder)
    print(
        f"{arguments.folder}: change campaign.yaml, then\n"
        f"  cd {arguments.folder}\n"
        "  timefair check campaign.yaml\n"
        "  snakemake --cores all --configfile campaign.yaml"
    )


def _check(arguments: argparse.Namespace) -> None:
    """Check in a fork, which a module of the user's may end."""
    one_thread()
    from timefair.measure.processes import NoAnswer, elsewhere

    def lines() -> list[str]:
        try:
            with storing():
                return list(_lines(arguments))
        except Exception as error:
            if not isinstance(error, InputError):
                sys.excepthook(*sys.exc_info())
            raise

    try:
        print(*elsewhere(lines), sep="\n")
    except NoAnswer:
        raise InputError(f"{arguments.config}: it could not be checked to its end") from None


def _lines(arguments: argparse.Namespace) -> Iterator[str]:
    """What `check` prints."""
    from timefair.campaign import configuration, plan
    from timefair.machine.facts import check_installed

    campaign = configuration.load(arguments.config)
    check_installed()
    jobs = sum(1 for _ in plan.jobs(campaign))
    in_turn = len(campaign.algorithms)
    blocks = "" if campaign.block is None else f", in blocks of {in_turn} on one node"
    cells = plan.cell_count(campaign)
    yield f"campaign      {campaign.name}"
    yield f"runs          {_runs_line(campaign, cells)}"
    yield from (*_time_lines(campaign), *_finished_lines(campaign))
    yield f"algorithms    {len(campaign.algorithms)}"
    if campaign.published:
        recorded = any(of.format == "timefair" for of in campaign.published.values())
        seconds = "; seconds if kernels were timed" if recorded else " only"
        yield f"published     {len(campaign.published)}, in evaluations{seconds}"
    yield f"jobs          {jobs}{blocks}"
    yield from _change_lines(campaign)
    yield from (*_machine_lines(campaign), *_isolation_lines(campaign))
    yield from (*campaign.not_drawn, *configuration.warnings(campaign))
    yield from each("check", campaign)


def _runs_line(campaign: Campaign, cells: int) -> str:
    """The runs of an algorithm on a function in a dimension, and those of the campaign."""
    instances, runs = len(campaign.problems.instances), campaign.runs
    of = f" ({instances} instances with {runs} runs each)" if instances > 1 and runs > 1 else ""
    many = f", {campaign.rounds} rounds" if campaign.rounds > 1 else ""
    most = "" if campaign.stopping.rule == "fixed" else "at most "
    return (
        f"{most}{instances * runs} of each algorithm on a function{of}; {cells * runs} in all{many}"
    )


def _time_lines(campaign: Campaign) -> Iterator[str]:
    """How long the campaign takes."""
    from timefair.campaign import plan

    cores = len(os.sched_getaffinity(0))
    estimate, of_job = plan.wall_seconds(campaign, cores), plan.job_seconds(campaign)
    in_all = plan.core_seconds(campaign)
    budget = campaign.budget
    if budget.time_s is not None and (cost_s := budget.evaluation_cost_s):
        most = f"at most {ceil(budget.time_s / cost_s)} evaluations in turn in a run"
        yield f"simulated cost  {cost_s:g} s per evaluation, without waiting for it; {most}"
        yield "wall time     unknown: the simulated cost takes no time"
    elif budget.cpu_s is not None:
        yield "wall time     unknown: runs end by CPU time, and waiting does not count"
    elif estimate is None or of_job is None or in_all is None:
        yield "wall time     unknown: evaluations are the only budget"
    else:
        yield (
            f"wall time     at most about {rough(estimate)} on {cores} core(s); {rough(in_all)} of "
            f"core time, at most {rough(of_job)} in a job"
        )
        instances = len(campaign.problems.instances)
        if estimate > LONG_S and min(instances, campaign.runs) > MANY:
            yield (
                f"              runs: {campaign.runs} is for each of the {instances} instances; "
                f"with COCO's way, one run on each instance, write runs: 1"
            )


def _finished_lines(campaign: Campaign) -> Iterator[str]:
    """What snakemake would keep of the runs in the folder of the campaign."""
    from timefair.campaign import earlier, provenance

    if (folder := _results(campaign)).is_dir():
        yield from earlier.finished(campaign, provenance.measure_keys(campaign), folder).lines()


def _change_lines(campaign: Campaign) -> Iterator[str]:
    """When the problems of the campaign change, if they do."""
    from timefair.problems import registry

    environments = registry.find(campaign.problems.suite, campaign.problems.parameters).environments
    if environments == 1:
        return
    if campaign.budget.time_s is not None:
        period_s = campaign.budget.time_s / environments
        yield f"changes       every {period_s:g} s, {environments - 1} in a run"
        return
    evaluations = campaign.budget.evaluations
    if evaluations is not None:
        period = evaluations / environments
        yield f"changes       every {period:g} evaluations, {environments - 1} in a run"
        return
    for dimension in campaign.problems.dimensions:
        period = (campaign.budget.evaluations_for(dimension) or 0) / environments
        yield (
            f"changes       every {period:g} evaluations, {environments - 1} in a run, in "
            f"{dimension} dimensions"
        )


def _machine_lines(campaign: Campaign) -> Iterator[str]:
    """What machine the campaign requires, and whether this is one; jobs may run elsewhere."""
    from timefair.campaign import requirement
    from timefair.records.requirement import required_in_words

    if required := campaign.machine.required:
        yield f"machine       {required_in_words(required)}"
        if fault := requirement.shortcoming_here(campaign):
            yield f"{fault}. Only jobs that run here fail."


def _isolation_lines(campaign: Campaign) -> Iterator[str]:
    """What this machine does not let runs have of the isolation that the campaign asks for."""
    from timefair.machine.doctor import private_folders_refused
    from timefair.machine.host import Host

    if refused := private_folders_refused(Host()):
        asked = ", ".join(sorted({campaign.isolation_of(label) for label in campaign.algorithms}))
        yield (
            f"isolation     {asked} is not possible here ({refused}): a run can write where later "
            "runs read, and signal other processes; run timefair doctor"
        )


def _results(campaign: Campaign) -> Path:
    return Path("results") / campaign.name


def _schema(arguments: argparse.Namespace) -> None:
    from timefair.campaign.configuration import json_schema

    if arguments.write is None:
        print(json_schema(), end="")
    else:
        prepare_files([arguments.write])
        arguments.write.write_text(json_schema(), encoding="utf-8")
