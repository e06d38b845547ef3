"""A campaign through the generic executor, with a batch system that starts each job at once."""

import importlib.util
from pathlib import Path

import pytest

PLUGIN = "snakemake_executor_plugin_cluster_generic"
pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(importlib.util.find_spec(PLUGIN) is None, reason=f"not installed: {PLUGIN}"),
]

PROFILE = Path(__file__).resolve().parents[3] / "profiles" / "cluster"
SUBMIT = """#!/bin/sh
echo "$1" >> submitted
shift
setsid sh "$1" > /dev/null 2>&1 < /dev/null &
echo $!
"""


def test_jobs_are_submitted_by_a_command(workspace):
    workspace.configure(
        algorithms={"random": "timefair:random-search"},
        problems={"suite": "bbob", "functions": 1, "dimensions": 2, "instances": "1-2"},
        limits={"memory_mb": 1000},
    )
    submit = workspace.folder / "submit"
    submit.write_text(SUBMIT)
    submit.chmod(0o755)
    workspace.complete(
        "--workflow-profile", str(PROFILE), "--until", "collect_records",
        "--seconds-between-status-checks", "1",
        "--cluster-generic-submit-cmd", f"{submit} {{threads}}-{{resources.mem_mb}}",
    )  # fmt: skip
    measuring, collecting = (workspace.folder / "submitted").read_text().split()
    assert measuring == "1-2024"
    assert collecting == "1-4096"
    assert len(workspace.rows()) == 2 * 2
