"""Campaigns that were really measured and analysed, to be archived."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.measure.job.cell import Prepared, measure

WORDS = ["--author", "Doe, Jane 0000-0002-1825-0097", "--license", "CC-BY-4.0"]
"""Options that every archive needs."""


def command(*words: object) -> int:
    """The exit status of a command of timefair."""
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
    prepared = Prepared(campaign)
    jobs = list(plan.jobs(campaign))
    keys = {(job.algorithm, job.round): prepared.key(job) for job in jobs}
    plan.write_keys(keys, results)
    for job in jobs:
        key = keys[job.algorithm, job.round]
        record = results / job.record(key)
        record.parent.mkdir(parents=True, exist_ok=True)
        measure(campaign, job, record, key)
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
