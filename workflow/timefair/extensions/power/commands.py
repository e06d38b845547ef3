"""The command that says what a difference takes to be found, from a pilot."""

from __future__ import annotations

import argparse
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from timefair.basics.errors import InputError, suggest
from timefair.cli.common import Commands, one_thread, refuse_mixed

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.extensions.power.pilot import Pilot

POWER = 0.8
"""Probability with which a difference is found, unless the user requests another probability."""

EFFECTS = {"a12": (0.5, 1.0), "ratio": (1.0, 1000.0), "success": (0.0, 1.0)}
"""What can be detected, and the values that it lies between."""


class Wanted(NamedTuple):
    """The difference that a user wants to find: one of `EFFECTS`, its size, and the power."""

    effect: str
    size: float
    power: float


def add_to(commands: Commands) -> None:
    """Add the commands of this module."""
    plan = commands.add_parser(
        "plan",
        help="estimate how many runs, instances and functions a difference needs",
        description="Reads the collected runs of a small campaign (a pilot). Prints how many runs, "
        "instances and functions the same algorithms need to detect a difference with a given "
        "probability after Bonferroni's correction, and how many core-hours this takes. Nothing "
        "is measured.",
        example="timefair plan results/default --detect ratio=1.25\n"
        "timefair plan results/default --detect a12=0.7 --power 0.9\n"
        "timefair plan results/default --detect success=0.2",
        exits={2: "the command line is wrong, or the pilot cannot answer; one line per fault"},
    )
    plan.add_argument("folder", type=Path, metavar="RESULTS", help="results/NAME of a pilot")
    plan.add_argument(
        "--detect",
        required=True,
        metavar="EFFECT=SIZE",
        help="difference to detect: ratio=1.25 (ratio of two ERTs), a12=0.7, or success=0.2 "
        "(difference of two success rates)",
    )
    plan.add_argument(
        "--power",
        type=float,
        default=POWER,
        metavar="P",
        help=f"probability to detect it ({POWER})",
    )
    plan.set_defaults(command=_plan)


def _wanted(arguments: argparse.Namespace) -> Wanted:
    effect, equals, text = arguments.detect.partition("=")
    if effect not in EFFECTS or not equals:
        raise InputError(
            f"--detect: {arguments.detect!r}: should be ratio=1.25, a12=0.7 or success=0.2, "
            f"with a size of your own{suggest(effect, EFFECTS)}"
        )
    low, high = EFFECTS[effect]
    try:
        size = float(text)
    except ValueError:
        size = inf
    if not low < size < high:
        raise InputError(
            f"--detect: {effect}={text}: should be a number above {low:g} and below {high:g}"
        )
    if not 0 < arguments.power < 1:
        raise InputError(f"--power: {arguments.power:g}: should be above 0 and below 1")
    return Wanted(effect, size, arguments.power)


def _plan(arguments: argparse.Namespace) -> None:
    one_thread()
    import numpy as np

    from timefair.extensions.power.needs import Needs

    wanted = _wanted(arguments)
    campaign, found = _read(arguments.folder)
    for pilot in found:
        needs = Needs(campaign, pilot, wanted, np.random.default_rng(campaign.seed))
        print(*needs.lines(), sep="\n")


def _read(folder: Path) -> tuple[Campaign, list[Pilot]]:
    """A campaign and its pilots; `InputError` if they cannot answer anything."""
    from timefair.campaign import collected, configuration, plan
    from timefair.extensions.power.pilot import pilots
    from timefair.records.rundata.runs import Runs
    from timefair.records.rundata.settings import Analysis

    campaign = configuration.restore(folder / plan.SNAPSHOT)
    runs = Runs.read(collected.in_folder(folder, campaign))
    refuse_mixed(runs.origins, campaign, runs.nodes)
    analysis = Analysis.of(campaign.analysis_settings).suited(runs.optimum)
    runs = runs.with_targets_in_values(bool(analysis.target_values))
    unit = campaign.budget.unit
    cores = {label: campaign.cores_of(label) for label in campaign.algorithms}
    found = list(pilots(runs, analysis, unit, cores))
    if not found:
        raise InputError(f"{folder}: has no runs; start snakemake and wait until it ends")
    for pilot in found:
        if len(pilot.algorithms) < 2:
            raise InputError(f"{folder}: has one algorithm; a comparison needs at least 2")
    return campaign, found
