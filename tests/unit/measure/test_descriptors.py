"""A run inherits no socket, and no file of the records or of the locks of cores."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from timefair.campaign import configuration
from timefair.campaign.plan import jobs
from timefair.campaign.provenance import measure_keys
from timefair.measure.isolation import of_the_measurement
from timefair.measure.job.cell import measure
from timefair.records.store import read_runs

LISTS = """
import os

def solve(objective, rng):
    objective(objective.lower)
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink("/proc/self/fd/" + name))
        except OSError:
            pass
    raise RuntimeError(" ".join(found))
"""


def test_sockets_and_files_of_the_measurement_are_found(tmp_path):
    inside, beside = tmp_path / "records", tmp_path / "records-of-others"
    with socket.socket(socket.AF_UNIX) as connection, inside.open("w") as other:
        inside.unlink()
        inside.mkdir()
        with (inside / "a").open("w") as mine, beside.open("w") as theirs:
            found = of_the_measurement([inside])
            assert {connection.fileno(), mine.fileno()} <= set(found)
            assert not {theirs.fileno(), other.fileno(), 0, 1, 2} & set(found)


@pytest.mark.slow
def test_a_run_does_not_inherit_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIMEFAIR_LOCKS", str(tmp_path / "locks"))
    Path("lists.py").write_text(LISTS)
    campaign = configuration.parse(
        {
            "name": "test",
            "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1},
            "algorithms": {"lists": "lists.py:solve"},
            "budget": {"evaluations": 30},
            "runs": 1,
        }
    )
    (job,) = jobs(campaign)
    (key,) = measure_keys(campaign).values()
    record = tmp_path / "results/test" / job.record(key)
    record.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX):
        measure(campaign, job, record, key)
    (run,) = read_runs([record]).to_pylist()
    open_files = run["message"].removeprefix("RuntimeError: ").split()
    assert open_files
    assert not [path for path in open_files if path.startswith("socket:")]
    assert not [path for path in open_files if "results" in path or "locks" in path]
