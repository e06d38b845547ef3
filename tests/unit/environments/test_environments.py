"""An algorithm in another interpreter: the same results, little software, one line per fault."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from timefair.basics.errors import InputError, Interrupted
from timefair.basics.files import begun_path
from timefair.campaign import plan, provenance
from timefair.environments import environment
from timefair.extensions.reproduce.chosen import chosen_run
from timefair.extensions.reproduce.verdict import Replayer, campaign_of
from timefair.linux import kernel
from timefair.measure.job.cell import measure
from timefair.measure.job.remote import RemoteRunner
from timefair.measure.runs.run import ATTEMPTS
from timefair.records.status import Status
from timefair.records.store import open_record, read_runs

DECIDED = (
    "function", "dimension", "instance", "algorithm", "run", "f_opt", "seed", "budget_evaluations",
    "status", "stop_reason", "message", "evaluations", "launches", "completed_restarts", "best_f",
    "best_x", "best_precision", "isolation",
)  # fmt: skip
"""Columns that do not depend on the time that anything takes."""

UNNEEDED = (
    "matplotlib", "pandas", "pyarrow", "pydantic", "pydantic_core", "scipy", "seaborn", "snakemake",
    "yaml",
)  # fmt: skip


def results(record: Path) -> list[dict[str, object]]:
    """What the runs of a record found, with the evaluations and precisions of all events."""
    rows = read_runs([record]).to_pylist()
    return [
        {name: row[name] for name in DECIDED}
        | {
            log: [(e["launch"], e["evaluations"], e["precision"]) for e in row[log]]
            for log in ("events", "launch_events")
        }
        for row in rows
    ]


@pytest.mark.thinned(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"restart": {"policy": "bet-and-run", "candidates": 3, "tau_evaluations": 20}},
        {"restart": {"policy": "luby", "tau_evaluations": 40}},
        {"stopping": {"rule": "quantile", "start": 2}},
        {"isolation": "strict"},
    ],
    ids=lambda changes: next(iter(changes), "plain"),
)
def test_the_interpreter_of_the_workflow_gives_the_same_results(campaign, measured, changes):
    spec = {"use": "checkout/mine.py:solve"}
    here = measured(campaign(spec, **changes))
    own = measured(campaign({**spec, "python": sys.executable}, **changes))
    assert here != own
    assert results(here) == results(own)
    assert [row["status"] for row in read_runs([own]).to_pylist()] == ["ok"] * 4


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize("use", ["timefair:DE", "pycma:BIPOP", "scipy:Nelder-Mead"])
def test_algorithms_of_libraries_do_too(campaign, measured, use):
    here = measured(campaign({"use": use}))
    assert results(here) == results(measured(campaign({"use": use, "python": sys.executable})))


@pytest.mark.slow
def test_nothing_is_needed_but_numpy_and_the_suite(campaign, measured, at_work):
    for name in UNNEEDED:
        (at_work / f"{name}.py").write_text("raise ImportError('needed')\n")
    own = measured(campaign({"use": "mine:solve", "path": "checkout"}))
    assert {row["status"] for row in read_runs([own]).to_pylist()} == {"ok"}


@pytest.mark.slow
def test_an_algorithm_gets_the_packages_of_its_environment(campaign, measured, at_work):
    """Also those that timefair itself does without there."""
    (at_work / "pydantic.py").write_text("VERSION = 'its own'\n")
    (at_work / "mine.py").write_text(
        "import pydantic\n\n\ndef solve(objective, rng):\n    raise ValueError(pydantic.VERSION)\n"
    )
    own = measured(campaign({"use": "mine:solve", "path": "checkout"}))
    assert {row["message"] for row in read_runs([own]).to_pylist()} == {"ValueError: its own"}


@pytest.mark.slow
def test_a_run_cannot_reach_the_process_that_writes_its_record(campaign, measured, at_work):
    (at_work / "mine.py").write_text(
        "import os\n\n\ndef solve(objective, rng):\n"
        "    numbers = [n for n in range(3, 100) if os.path.islink(f'/proc/self/fd/{n}')]\n"
        "    files = [os.readlink(f'/proc/self/fd/{n}') for n in numbers]\n"
        "    raise ValueError([file for file in files if file.startswith('socket')])\n"
    )
    own = measured(campaign({"use": "mine:solve", "path": "checkout"}))
    assert {row["message"] for row in read_runs([own]).to_pylist()} == {"ValueError: []"}


@pytest.mark.slow
def test_a_run_that_ends_what_measures_it_is_given_up(campaign, monkeypatch):
    ask = RemoteRunner._ask

    def killing(self, request):
        if request.get("give_up") is False:
            for pid in kernel.children():
                os.kill(pid, signal.SIGKILL)
        return ask(self, request)

    monkeypatch.setattr(RemoteRunner, "_ask", killing)
    problems = {"suite": "bbob", "functions": 8, "dimensions": 3, "instances": 1}
    one = campaign({"use": "mine:solve", "path": "checkout"}, runs=1, problems=problems)
    (job,) = plan.jobs(one)
    key = provenance.measure_key(one, "a", 1)
    record = Path("results/own") / job.record(key)
    record.parent.mkdir(parents=True)
    for _ in range(ATTEMPTS):
        with pytest.raises(Interrupted):
            measure(one, job, record, key)
        assert begun_path(record).exists()
    measure(one, job, record, key)
    assert read_runs([record])["status"].to_pylist() == [Status.KILLED]


@pytest.mark.slow
def test_the_record_names_the_environment(campaign, measured, at_work):
    spec = {"use": "mine:solve", "python": sys.executable, "path": "checkout"}
    facts = open_record(measured(campaign(spec))).facts["machine"]
    own = {"python": sys.executable, "path": "checkout", "commit": None}
    assert facts["own_environment"] == own
    assert facts["versions"]["numpy"] == np.__version__
    assert facts["versions"]["timefair"] is not None
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=at_work, check=True)
    environment._asked.cache_clear()
    commit = open_record(measured(campaign(spec | {"parameters": {"most": 9}}))).facts["machine"]
    commit = commit["own_environment"]["commit"]
    assert commit
    assert not commit.endswith("-dirty")


@pytest.mark.slow
def test_a_recorded_run_is_replayed_in_its_environment(campaign, measured):
    record = measured(campaign({"use": "mine:solve", "path": "checkout"}))
    recorded = chosen_run(record, {"instance": 2, "run": 1})
    again = Replayer(campaign_of(recorded)).measure(recorded)
    assert again["best_x"] == recorded.row["best_x"]
    assert again["seed"] == recorded.row["seed"]
    Path("checkout").rename("gone")
    with pytest.raises(InputError, match=r"^algorithms\.a\.path: 'checkout': there is no"):
        campaign_of(recorded)


# --- What is planned --------------------------------------------------------------------------


def key_of(campaign) -> str:
    environment._asked.cache_clear()
    return provenance.measure_key(campaign, "a", 1)


@pytest.mark.slow
def test_files_of_the_folder_are_measured_again_when_they_change(campaign, at_work):
    one = campaign({"use": "mine:solve", "path": "checkout"})
    key = key_of(one)
    (at_work / "part").mkdir()
    (at_work / "part/deep.py").write_text("answer = 42\n")
    assert key_of(one) != key
    (at_work / "part/deep.py").unlink()
    assert key_of(one) == key


@pytest.mark.slow
def test_a_change_since_the_plan_is_refused(campaign, at_work):
    one = campaign({"use": "mine:solve", "path": "checkout"})
    (job,) = plan.jobs(one)
    key = key_of(one)
    (at_work / "mine.py").write_text("solve = print\n")
    record = Path("results/own") / job.record(key)
    record.parent.mkdir(parents=True)
    with pytest.raises(InputError, match=r"^algorithms\.a: its environment changed since"):
        measure(one, job, record, key)
    assert not record.exists()


# --- What is wrong ----------------------------------------------------------------------------


def fault_of(campaign, **spec: str) -> str:
    with pytest.raises(InputError) as error:
        campaign({"use": "mine:solve", **spec})
    (line,) = error.value.faults
    return line


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        (
            {"python": "no/python"},
            "python: 'no/python': there is no such file; name an interpreter",
        ),
        ({"python": "."}, "python: '.': a folder; name the interpreter in it, bin/python"),
        ({"python": "checkout/mine.py"}, "python: 'checkout/mine.py': cannot be executed; name"),
        ({"path": "no"}, "path: 'no': there is no such folder; name the one with the package"),
        ({"path": "checkout", "use": "mine:solved"}, "path: 'checkout': mine has no function"),
        ({"python": sys.executable}, f"python: {sys.executable!r}: there is no library and no mod"),
        ({"python": sys.executable, "use": "external:./x"}, "python: only for algorithms in Pyth"),
    ],
)
def test_what_is_wrong_is_one_line(campaign, spec, line):
    if spec.get("use", "").startswith("external:"):
        Path("x").touch(mode=0o755)
    assert fault_of(campaign, **spec).startswith(f"algorithms.a.{line}")


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("exit 99", "is older than Python 3.11; name a newer one"),
        ("exit 0", "cannot run timefair (exit status 0)"),
        ("echo no >&2; exit 3", "cannot run timefair (no)"),
    ],
)
def test_what_is_no_interpreter(campaign, script, line):
    Path("python").write_text(f"#!/bin/sh\n{script}\n")
    Path("python").chmod(0o755)
    assert fault_of(campaign, python="python") == f"algorithms.a.python: 'python': {line}"


# --- How it ends ------------------------------------------------------------------------------

JOB = """
from pathlib import Path
from timefair.basics.errors import Interrupted
from timefair.campaign import configuration, plan, provenance
from timefair.measure.job.cell import measure

campaign = configuration.parse({
    "name": "own",
    "problems": {"suite": "bbob", "functions": 8, "dimensions": 3, "instances": 1},
    "algorithms": {"a": {"use": "mine:forever", "path": "checkout"}},
    "budget": {"time_s": 60, "final_target": None},
    "runs": 1,
})
(job,) = plan.jobs(campaign)
key = provenance.measure_key(campaign, "a", 1)
record = Path("results/own") / job.record(key)
record.parent.mkdir(parents=True)
try:
    measure(campaign, job, record, key)
except Interrupted as stop:
    raise SystemExit(128 + stop.number)
"""
FOREVER = """
def forever(objective, rng):
    while True:
        objective(objective.lower)
"""
WITHIN_S = 60


def workers(folder: Path) -> list[int]:
    """The processes of workers that were started in a folder, and of their runs."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_text()
        except OSError:
            continue
        if "measure.job.remote" in words and str(folder) in words:
            found.append(int(path.parent.name))
    return found


def wait_for(condition) -> None:
    end = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_the_job(number, at_work, tmp_path):
    (at_work / "mine.py").write_text(FOREVER)
    (tmp_path / "tmp").mkdir()
    job = subprocess.Popen(
        [sys.executable, "-c", JOB],
        env=os.environ | {"TMPDIR": str(tmp_path / "tmp")},
        stderr=subprocess.DEVNULL,
    )
    wait_for(lambda: len(workers(tmp_path)) >= 2)  # it, and the process of a run or a trial
    job.send_signal(number)
    job.wait(WITHIN_S)
    wait_for(lambda: not workers(tmp_path))
    if number == signal.SIGTERM:
        assert job.returncode == 128 + number
        assert not list((tmp_path / "tmp").glob("timefair-*"))
