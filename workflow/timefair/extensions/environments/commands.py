"""The hidden command that describes an algorithm in the interpreter that will measure it."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.basics.errors import InputError, described
from timefair.cli.common import Commands

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

BUILD = "`python setup.py build_ext --inplace` in a clone of timefair with this interpreter"

MEASURING = "timefair.measure.job.cell"
"""The module that measures in another interpreter, which needs all its imports."""


def add_to(commands: Commands) -> None:
    describe = commands.add_parser(
        "describe-algorithm",
        help="describe an algorithm in this interpreter",
        description="Describes an algorithm of a campaign to the process that plans it. timefair "
        "calls this command with the interpreter of the algorithm.",
        example="snakemake --cores all --configfile mine.yaml --printshellcmds",
    )
    describe.add_argument("--campaign", type=Path, required=True, help="the campaign as JSON")
    describe.add_argument("--algorithm", required=True, metavar="LABEL", help="its label")
    describe.add_argument("--output", type=int, required=True, help="descriptor of the answer")
    describe.set_defaults(command=_describe)


def _describe(arguments: argparse.Namespace) -> None:
    from timefair.campaign import configuration

    answer = described_here(configuration.restore(arguments.campaign), arguments.algorithm)
    with os.fdopen(arguments.output, "w", encoding="utf-8") as file:
        json.dump(answer, file)


def described_here(campaign: Campaign, label: str) -> Mapping[str, Any]:
    """What `timefair.basics.extension.elsewhere` returns, found in this interpreter."""
    if faults := list(_faults(campaign, label)):
        return {"faults": faults}
    from timefair.algorithms import registry
    from timefair.campaign import provenance

    spec = campaign.algorithms[label]
    return {
        "faults": [],
        "variables": sorted(registry.variables(spec.use, spec.arguments)),
        "tasks": sorted(registry.tasks(spec.use, spec.arguments)),
        "batches": registry.batches(spec.use, spec.arguments),
        "sources": list(map(str, provenance.sources_of_algorithm(campaign, label))),
        "decisive": provenance.decisive_alone(campaign, label),
        "code": provenance.measure_code(campaign, label),
        "python": platform.python_version(),
    }


def _faults(campaign: Campaign, label: str) -> Iterator[str]:
    """Why this interpreter cannot measure the algorithm."""
    from timefair.algorithms import registry
    from timefair.problems import registry as suites

    spec, problems = campaign.algorithms[label], campaign.problems
    try:
        importlib.import_module(MEASURING)

        suite = suites.find(problems.suite, problems.parameters)
        suite.problem(*problems.spaces[0], problems.instances[0])
        yield from registry.faults(spec.use, spec.arguments)
    except InputError as error:
        yield from error.faults
    except ImportError as error:
        yield lacking(error)
    except Exception as error:
        yield described(error)


def lacking(error: ImportError) -> str:
    """One line on a module that this interpreter does not have."""
    name = (error.name or "").partition(".")[0]
    if name == "timefair":
        version = "{}.{}".format(*sys.version_info)
        return f"timefair is not compiled for Python {version}; run {BUILD}"
    if isinstance(error, ModuleNotFoundError) and name:
        return f"lacks {name}; run `{sys.executable} -m pip install {name}`"
    return described(error)
