"""Tables and figures of a campaign in which runs have each status: see `tests/adversaries`."""

from __future__ import annotations

import pandas as pd
import pytest
from bench import BENCH

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

pytestmark = pytest.mark.workflow


def test_a_campaign_of_misbehaving_algorithms_completes(workspace):
    names = (
        "raises", "ends_the_process", "segfaults", "allocates", "never_evaluates", "evaluates_nan",
        "kills_itself", "swallows_everything", "forks_children",
    )  # fmt: skip
    expected = {name: BENCH[name].status for name in names}
    workspace.configure(
        algorithms={name: BENCH[name].use for name in names},
        problems={"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1},
        budget={"time_s": 0.3},
        runs=1,
        limits={"memory_mb": 100},
        tables=["anytime"],
        figures={"names": ["anytime"], "formats": ["svg"]},
    )
    workspace.collect_and_analyse_here()
    rows = workspace.rows()
    assert len(rows) == len(expected)
    assert {row["algorithm"]: row["status"] for row in rows} == expected
    table = pd.read_parquet(workspace.results / "tables" / "runs.parquet")
    assert set(table["status"]) == set(expected.values())
    campaign = configuration.restore(workspace.results / "campaign.json")
    runs = Runs.read((workspace.results / "collected").glob("*.parquet"))
    for name, every in TABLES.items():
        every(runs, Analysis.of(campaign.settings_of(name)))
