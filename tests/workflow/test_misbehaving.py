"""Misbehaving algorithms do not stop a campaign."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

pytestmark = pytest.mark.workflow

MISBEHAVING = Path(__file__).parents[1] / "unit" / "measure" / "misbehaving.py"


def test_a_campaign_of_misbehaving_algorithms_completes(workspace):
    shutil.copy(MISBEHAVING, workspace.folder / "misbehaving.py")
    expected = {
        "raises": "raised",
        "ends_the_process": "exited",
        "segfaults": "crashed",
        "allocates": "out_of_memory",
        "never_evaluates": "no_evaluation",
        "evaluates_nan": "no_finite_value",
        "kills_itself": "killed",
        "swallows_everything": "ok",
        "spins_in_c": "ok",
        "forks_children": "ok",
    }
    workspace.configure(
        algorithms={name: f"misbehaving.py:{name}" for name in expected},
        problems={"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1},
        budget={"time_s": 0.3},
        runs=1,
        limits={"memory_mb": 100},
        tables=["anytime"],
        figures={"names": ["anytime"], "formats": ["svg"]},
    )
    workspace.complete()
    rows = workspace.rows()
    assert len(rows) == len(expected)
    assert {row["algorithm"]: row["status"] for row in rows} == expected
    table = pd.read_parquet(workspace.results / "tables" / "runs.parquet")
    assert set(table["status"]) == set(expected.values())
    campaign = configuration.restore(workspace.results / "campaign.json")
    runs = Runs.read((workspace.results / "collected").glob("*.parquet"))
    for name, every in TABLES.items():
        every(runs, Analysis.of(campaign.settings_of(name)))
