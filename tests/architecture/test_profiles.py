"""The profiles differ where the places differ, and nowhere else."""

from pathlib import Path
from typing import Any

import pytest
import yaml

PROFILES = Path(__file__).parents[2] / "profiles"
FOR_ARRAYS = {"scheduler-subsample"}
"""Not in the profile for Slurm: the executor loses jobs of which it is handed a part."""


def settings(name: str) -> dict[str, Any]:
    return yaml.safe_load((PROFILES / name / "config.yaml").read_text())


@pytest.mark.parametrize(("name", "without"), [("slurm", FOR_ARRAYS), ("cluster", set())])
def test_what_holds_on_a_workstation_holds_on_a_cluster(name, without):
    here, there = settings("default"), settings(name)
    assert {key: there.get(key) for key in here} == here | dict.fromkeys(without)


def test_nothing_holds_jobs_of_an_array_back():
    slurm = settings("slurm")
    assert slurm["slurm-array-jobs"] == "all"
    assert slurm["jobs"] == "unlimited"
