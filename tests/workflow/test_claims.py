"""`timefair reproduce --claims` measures a real campaign again, with other seeds."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from workspace import Workspace

pytestmark = pytest.mark.workflow


def test_the_claims_of_a_campaign_hold_with_other_seeds(workspace: Workspace) -> None:
    workspace.configure(
        problems={"suite": "bbob", "functions": 1, "dimensions": 2, "instances": "1-2"},
        runs=8, tables=["runs"], figures=["ert"],
    )  # fmt: skip
    workspace.complete("--until", "collect_records")
    words = ["reproduce", "results/test", "--claims", "--cores", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "timefair", *words],
        cwd=workspace.folder, env=workspace.environment, capture_output=True, text=True,
        timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    again = workspace.folder / "results/test-claims"
    snapshots = [
        json.loads((folder / "campaign.json").read_text()) for folder in (workspace.results, again)
    ]
    assert [one["seed"] for one in snapshots] == [3, 4]
    found = json.loads((again / "claims.json").read_text())
    pairs = [one for one in found if one["kind"] == "pair" and one["function"] == "1"]
    assert [(one["better"], one["verdict"]) for one in pairs] == [("simplex", "reproduced")]
    assert "code: as recorded" in done.stdout
