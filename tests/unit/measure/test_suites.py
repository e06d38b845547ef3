"""A measured job of each suite: what reaches the record."""

import sys
from pathlib import Path
from typing import Any

import pytest
from campaigns import SMALL
from measurements import do_jobs

from timefair.campaign import configuration
from timefair.records.store import read_runs

OWN = """
def bowl(x):
    return sum(x * x) - 5
"""


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """A function: the rows of a small campaign on some problems."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [p for p in sys.path if p])
    Path("mine.py").write_text(OWN)

    def run(use: str, **changes: Any) -> list[dict[str, Any]]:
        problems = {"functions": 1, "dimensions": 5, "instances": 1, **changes}
        one = {"algorithms": {"only": use}, "budget": {"evaluations": 300}}
        wanted = configuration.parse(SMALL | one | {"problems": problems})
        return read_runs(do_jobs(wanted, tmp_path)).to_pylist()

    return run


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("problems", "use"),
    [
        ({"suite": "bbob-boxed", "functions": 8}, "timefair:random-search"),
        ({"suite": "bbob-largescale", "dimensions": 40}, "timefair:random-search"),
        ({"suite": "bbob-mixint", "functions": 3}, "scipy:differential_evolution"),
        ({"suite": "bbob-noisy", "functions": 109}, "timefair:random-search"),
        ({"suite": "cec2017", "functions": 29, "dimensions": 10}, "timefair:random-search"),
        ({"suite": "cec2022", "functions": 7, "dimensions": 10}, "timefair:random-search"),
        ({"suite": "engineering", "functions": 31, "dimensions": 4}, "timefair:random-search"),
        ({"suite": "f1-f23", "functions": 21, "dimensions": 4}, "scipy:Nelder-Mead"),
        ({"suite": "pbo", "functions": 2}, "timefair:OnePlusOneEA"),
        (
            {"suite": "mine.py:bowl", "parameters": {"lower": -1, "upper": 2, "f_opt": -5}},
            "scipy:Nelder-Mead",
        ),
    ],
    ids=lambda value: value.get("suite") if isinstance(value, dict) else "",
)
def test_a_job_of_each_suite(measured, problems, use):
    for row in measured(use, **problems):
        assert (row["status"], row["message"]) == ("ok", None)
        assert row["suite"] == problems["suite"]
        assert row["evaluations"] == 300 or row["stop_reason"] == "target"
        assert row["best_precision"] == max(row["best_f"] - row["f_opt"], 0.0)
        assert row["best_precision"] == row["events"][-1]["precision"]
