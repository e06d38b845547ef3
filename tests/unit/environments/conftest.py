"""Campaigns of one algorithm in an environment of its own, measured here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from timefair.campaign import configuration, plan, provenance
from timefair.campaign.configuration import Campaign
from timefair.cli.common import THREAD_VARIABLES
from timefair.environments import environment
from timefair.measure.job.cell import measure

SOLVER = """
def solve(objective, rng, most=60):
    for _ in range(most):
        objective(rng.uniform(objective.lower, objective.upper))
"""


@pytest.fixture(autouse=True)
def at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a solver, cores of the tests' own, and no answers of other tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIMEFAIR_LOCKS", str(tmp_path / "locks"))
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    for name in THREAD_VARIABLES:
        monkeypatch.setenv(name, "1")
    environment._asked.cache_clear()
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "mine.py").write_text(SOLVER)
    return folder


Make = Callable[..., Campaign]


@pytest.fixture
def campaign() -> Make:
    """A campaign with one algorithm, ``a``; keys of the campaign can be changed."""

    def make(spec: dict[str, Any], **changes: Any) -> Campaign:
        mapping = {
            "name": "own",
            "problems": {"suite": "bbob", "functions": 8, "dimensions": 3, "instances": "1-2"},
            "algorithms": {"a": spec},
            "budget": {"evaluations": 300},
            "runs": 2,
            "instances_per_job": 2,
        }
        return configuration.parse(mapping | changes)

    return make


@pytest.fixture
def measured() -> Callable[[Campaign], Path]:
    """Measures a campaign with one job; its record."""

    def measure_all(campaign: Campaign) -> Path:
        (job,) = plan.jobs(campaign)
        Path("results/own").mkdir(parents=True, exist_ok=True)
        key = provenance.measure_key(campaign, "a", 1)
        plan.write_keys({("a", 1): key}, Path("results/own"))
        record = Path("results/own") / job.record(key)
        record.parent.mkdir(parents=True, exist_ok=True)
        measure(campaign, job, record, key)
        return record

    return measure_all
