"""`timefair reproduce --claims` measures a real campaign again, with other seeds."""

from __future__ import annotations

import json

import pytest
from workspace import Workspace

from timefair import cli

pytestmark = pytest.mark.workflow


@pytest.mark.thorough
def test_the_claims_of_a_campaign_hold_with_other_seeds(workspace: Workspace, capfd) -> None:
    workspace.configure(
        problems={"suite": "bbob", "functions": 1, "dimensions": 2, "instances": "1-2"},
        runs=8, tables=["runs"], figures={"names": ["ert"], "formats": ["svg"]},
    )  # fmt: skip
    workspace.complete_here()
    with workspace.here():
        status = cli.main(["reproduce", "results/test", "--claims", "--cores", "2"])
    said = capfd.readouterr().out
    assert status == 0, said
    again = workspace.folder / "results/test-claims"
    snapshots = [
        json.loads((folder / "campaign.json").read_text()) for folder in (workspace.results, again)
    ]
    assert [one["seed"] for one in snapshots] == [3, 4]
    found = json.loads((again / "claims.json").read_text())
    pairs = [one for one in found if one["kind"] == "pair" and one["function"] == "1"]
    assert [(one["better"], one["verdict"]) for one in pairs] == [("simplex", "reproduced")]
    assert "code: as recorded" in said
