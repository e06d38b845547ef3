"""Campaigns of one algorithm in an environment of its own, measured as Snakemake has it done."""

from pathlib import Path
from typing import Any

import pytest

from timefair.campaign import configuration, plan, provenance
from timefair.campaign.configuration import Campaign
from timefair.extensions.environments import interpreters
from timefair.measure.runner import measured as measured_jobs

SOLVER = """
def solve(objective, rng, most=60):
    for _ in range(most):
        objective(rng.uniform(objective.lower, objective.upper))
"""


@pytest.fixture(autouse=True)
def at_work(tmp_path, monkeypatch):
    """A working directory with a solver, and no answers of other tests."""
    monkeypatch.chdir(tmp_path)
    interpreters._answer.cache_clear()
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "mine.py").write_text(SOLVER)
    return folder


@pytest.fixture
def campaign():
    """A campaign with one algorithm, ``a``; keys of the campaign can be changed."""

    def make(spec: dict[str, Any], **changes: Any) -> Campaign:
        mapping = {
            "name": "own",
            "problems": {"suite": "bbob", "functions": 8, "dimensions": 3, "instances": "1-2"},
            "algorithms": {"a": spec},
            "budget": {"evaluations": 300},
            "runs": 2,
            "instances_per_job": 2,
            "timing": {"reference": False},
        }
        return configuration.parse(mapping | changes)

    return make


@pytest.fixture
def measured():
    """Measures a campaign with one job; its record."""

    def measure_all(campaign: Campaign) -> Path:
        folder = Path("results/own")
        folder.mkdir(parents=True, exist_ok=True)
        keys = provenance.measure_keys(campaign)
        plan.write_snapshot(campaign, folder)
        plan.write_keys(keys, folder)
        (record,) = measured_jobs(folder, list(plan.jobs(campaign)), keys, 1)
        return record

    return measure_all
