"""The campaign that measures the claims of another one again, with fresh seeds."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from timefair.basics.errors import InputError, storing
from timefair.basics.files import atomic_file
from timefair.campaign import configuration, plan, scaffold
from timefair.campaign.configuration import Campaign

SUFFIX = "-claims"
"""Suffix of its name."""


def campaign_again(
    campaign: Campaign, *, seed: int, runs: int | None, minutes: float | None, cores: int
) -> Campaign:
    """The same campaign with other seeds, and without published data.

    It may be measured on any machine, and always has all of its runs: neither what the campaign
    requires of a machine nor its stopping rule is part of a claim.

    Parameters
    ----------
    seed
        Added to the seed of the campaign; at least 1.
    runs
        The runs on each problem; None for those of the campaign.
    minutes
        Approximate limit of the time of measuring on these cores, which limits the runs; None for
        no limit.

    Raises
    ------
    InputError
        If the minutes are not enough for one run on each problem, or if the budget has no real
        seconds.
    """
    wanted = campaign.runs if runs is None else runs
    again = _with_runs(campaign, wanted, seed)
    if minutes is None:
        return again
    if plan.wall_seconds(campaign, cores) is None:
        raise InputError("--minutes: the budget of the campaign has no real seconds; use --runs")
    while (needed := plan.wall_seconds(again, cores) or 0.0) > 60 * minutes:
        if again.runs == 1:
            raise InputError(
                f"--minutes: {minutes:g}: one run on each problem takes about "
                f"{needed / 60:.1f} min on {cores} cores"
            )
        fitting = max(1, int(again.runs * 60 * minutes / needed))
        again = _with_runs(campaign, min(fitting, again.runs - 1), seed)
    return again


def _with_runs(campaign: Campaign, runs: int, seed: int) -> Campaign:
    asked = campaign.model_dump(mode="json") | {
        "name": campaign.name + SUFFIX,
        "seed": campaign.seed + seed,
        "runs": runs,
        "rounds": min(campaign.rounds, runs),
        "published": {},
        "registered": None,
        "machine": {},
        "stopping": {"rule": "fixed"},
    }
    return configuration.parse(asked, name="--claims")


def measure(campaign: Campaign, folder: Path, cores: int) -> None:
    """Measure a campaign with Snakemake, up to its collected runs; a second call continues.

    Parameters
    ----------
    folder
        ``results/NAME`` below the working directory.

    Raises
    ------
    InputError
        If Snakemake fails. It has printed why.
    """
    content = campaign.model_dump(mode="json")
    path = folder / "campaign-again.json"
    with storing(), atomic_file(path) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())
    command = scaffold.command(path, cores, "--until", "collect_records")
    status = subprocess.run(command, check=False).returncode
    if status:
        raise InputError(f"{folder}: snakemake ended with status {status}; correct it, and repeat")
