"""Commands about a campaign file: check it, and the schema for editors."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from timefair.cli.common import Commands


def add_to(commands: Commands) -> None:
    """Add the commands of this module."""
    check = commands.add_parser("check", help="check a campaign and say what it will cost")
    check.add_argument("config", type=Path, metavar="CONFIG")
    check.set_defaults(command=_check)

    schema = commands.add_parser("schema", help="print the JSON schema of a campaign file")
    schema.add_argument(
        "--write", type=Path, nargs="?", const=Path("config/schema.json"), metavar="PATH",
        help="write it instead, to config/schema.json unless told",
    )  # fmt: skip
    schema.set_defaults(command=_schema)


def _check(arguments: argparse.Namespace) -> None:
    from timefair import config, plan

    campaign = config.load(arguments.config)
    jobs = sum(1 for _ in plan.jobs(campaign))
    problems = campaign.problems
    cells = (
        len(campaign.algorithms)
        * len(problems.functions)
        * len(problems.dimensions)
        * len(problems.instances)
    )
    print(f"campaign      {campaign.name}")
    print(f"algorithms    {len(campaign.algorithms)}")
    if campaign.published:
        print(f"published     {len(campaign.published)}, in evaluations only")
    print(f"cells         {cells}")
    print(f"runs          {cells * campaign.runs} in {campaign.rounds} round(s)")
    print(f"jobs          {jobs}")
    seconds, of_job = plan.core_seconds(campaign), plan.job_seconds(campaign)
    if seconds is None or of_job is None:
        print("core-seconds  unknown: evaluations are the only budget")
        return
    cores = len(os.sched_getaffinity(0))
    estimate = (seconds + jobs * plan.JOB_OVERHEAD_S) / cores
    print(f"core-seconds  at most {seconds:.0f}")
    print(f"longest job   at most {_duration(of_job)} in runs")
    print(f"wall time     at most about {_duration(estimate)} on {cores} core(s)")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _schema(arguments: argparse.Namespace) -> None:
    from timefair.config import json_schema

    if arguments.write is None:
        print(json_schema(), end="")
    else:
        arguments.write.write_text(json_schema(), encoding="utf-8")
