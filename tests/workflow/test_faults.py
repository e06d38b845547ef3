"""Misbehaving algorithms do not stop a campaign; kill -9 anywhere loses and repeats nothing."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest

from timefair.records.journal import Journal, journal_path
from timefair.records.store import open_record

pytestmark = pytest.mark.workflow

MISBEHAVING = Path(__file__).parents[1] / "unit" / "measure" / "misbehaving.py"
KILLS = 12


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
        budget={"time_s": 0.5},
        limits={"memory_mb": 100},
    )
    workspace.complete()
    rows = workspace.rows()
    assert len(rows) == 2 * len(expected)
    assert {row["algorithm"]: row["status"] for row in rows} == expected
    table = pd.read_parquet(workspace.results / "tables" / "runs.parquet")
    assert set(table["status"]) == set(expected.values())


def processes(folder: Path) -> dict[str, list[int]]:
    """The campaign's processes by kind: snakemake, a measuring job, the process of a run."""
    found: dict[str, list[int]] = {"snakemake": [], "job": [], "run": []}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if path.joinpath("cwd").readlink() != folder:
                continue
            command = path.joinpath("cmdline").read_bytes().split(b"\0")
            parent = path.joinpath("stat").read_text().rpartition(")")[2].split()[1]
            above = Path("/proc", parent, "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"measure" in command and b"-m" in command:
            is_run = b"measure" in above and b"-m" in above
            found["run" if is_run else "job"].append(int(path.name))
        elif b"snakemake" in command:
            found["snakemake"].append(int(path.name))
    return found


def finished_runs(results: Path, copies: Path) -> dict[tuple, object]:
    """(record, instance, run) -> start, of all runs that a journal or a record holds now."""
    found: dict[tuple, object] = {}
    for path in (results / "records").rglob("*.parquet*"):
        try:
            if path.suffix == ".parquet":
                batches = list(open_record(path).row_groups())
            elif path.suffix == ".journal":
                # A copy: the journal itself is locked while its job runs.
                record = copies / path.name.removesuffix(".journal")
                shutil.copy(path, journal_path(record))
                key = path.read_bytes()[31:95].decode()
                with Journal(record, key) as journal:
                    batches = list(journal.runs.values())
                journal_path(record).unlink()
            else:
                continue
        except FileNotFoundError:
            continue
        name = path.name.removesuffix(".journal")
        for batch in batches:
            for row in batch.to_pylist():
                key = (row["algorithm"], name, row["instance"], row["run"])
                found[key] = row["started_utc"]
    return found


def test_kill_9_at_random_moments_loses_nothing_and_repeats_nothing(workspace, tmp_path):
    workspace.configure(
        algorithms={"random": "timefair:random-search", "again": "timefair:random-search"},
        budget={"time_s": 0.15},
        runs=8,
        problems={"suite": "bbob", "functions": [1, 8], "dimensions": 2, "instances": "1-2"},
        tables=["runs"],
        figures=["ecdf"],
    )
    copies = tmp_path / "copies"
    copies.mkdir()
    chance = random.Random(0)
    finished: dict[tuple, object] = {}
    killed = {"snakemake": 0, "job": 0, "run": 0}

    def start() -> subprocess.Popen:
        return subprocess.Popen(
            workspace.command(), cwd=workspace.folder, env=workspace.environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def kept() -> None:
        now = finished_runs(workspace.results, copies)
        for key, started in finished.items():
            assert now.get(key) == started, f"{key} was lost or measured again"
        finished.update(now)

    campaign = start()
    for k in range(KILLS):
        kind = ("job", "run", "snakemake")[k % 3]
        end = time.monotonic() + 20
        while campaign.poll() is None and time.monotonic() < end:
            now = processes(workspace.folder)
            victims = now[kind]
            if victims and now["job"]:
                break
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.4))
        for victim in victims[:1]:
            try:
                os.kill(victim, signal.SIGKILL)
                killed[kind] += 1
            except ProcessLookupError:
                pass
        if kind == "snakemake":
            campaign.wait()  # its jobs run on
        kept()
        if campaign.poll() is not None:
            campaign = start()
    campaign.wait(120)
    kept()
    workspace.complete()
    kept()
    assert min(killed.values()) >= 1, killed
    rows = workspace.rows()
    assert len(rows) == 2 * 2 * 2 * 8
    keys = {(r["algorithm"], r["function"], r["instance"], r["run"]) for r in rows}
    assert len(keys) == len(rows)
    assert {row["status"] for row in rows} == {"ok"}
    assert "Nothing to be done" in workspace.complete()
