"""Campaigns that were really measured and analysed, to be archived."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from measurements import do_jobs

from timefair import cli
from timefair.campaign import configuration, plan

WORDS = ["--author", "Doe, Jane 0000-0002-1825-0097", "--license", "CC-BY-4.0"]
"""Options that every archive needs."""


def command(*words: object) -> int:
    return cli.main([str(word) for word in words])


def measured(folder: Path, content: Mapping[str, Any]) -> Path:
    """Measure and analyse a campaign below a folder, without Snakemake; its ``results/NAME``."""
    results = collected(folder, content)
    analyse(results)
    return results


def collected(folder: Path, content: Mapping[str, Any]) -> Path:
    """Measure a campaign, one run at a time, and collect its runs; its ``results/NAME``."""
    campaign = configuration.parse(dict(content))
    results = folder / "results" / campaign.name
    snapshot = plan.write_snapshot(campaign, results)
    do_jobs(campaign, results)
    for label in campaign.algorithms:
        path = results / f"collected/{label}.parquet"
        words = ("--campaign", snapshot, "--algorithm", label, "--output", path)
        assert command("collect", *words) == 0
    return results


def analyse(results: Path) -> None:
    """Make tables, figures and report of collected runs with the commands of the rules."""
    snapshot = results / "campaign.json"
    campaign = configuration.restore(snapshot)
    files = [results / f"collected/{label}.parquet" for label in campaign.algorithms]
    words = ("--campaign", snapshot, "--output", results)
    assert command("make-tables", *files, *words) == 0
    assert command("report", results) == 0
