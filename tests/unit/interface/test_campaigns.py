"""A campaign from Python: the same records as from its file, and nothing is measured twice."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import pytest

import timefair
from timefair.basics.errors import InputError
from timefair.records.store import open_record

ROOT = Path(__file__).parents[3]

WALK = """
def walk(objective, rng):
    while True:
        objective(rng.uniform(objective.lower, objective.upper))

def bowl(x):
    return float((x**2).sum())

bowl.lower, bowl.upper, bowl.f_opt = -5, 5, 0
"""


@pytest.fixture
def own(here, monkeypatch):
    (here / "own.py").write_text(WALK)
    monkeypatch.syspath_prepend(here)
    monkeypatch.delitem(sys.modules, "own", raising=False)
    import own  # type: ignore[import-not-found]

    yield own
    del sys.modules["own"]


SMALL = {"dimensions": 2, "evaluations": 60, "runs": 2, "tables": ["ert"], "figures": []}


@pytest.mark.thorough
def test_a_campaign_is_that_of_its_file(own, here):
    asked = {"mine": own.walk, "half": {"use": "timefair:random-search"}}
    results = timefair.run(asked, suite=own.bowl, functions=range(1, 2), name="small", **SMALL)
    assert set(results.table("ert")["algorithm"]) == {"mine", "half"}
    config = here / "campaigns/small/campaign.yaml"
    assert "own.py:walk" in config.read_text()
    record, *_ = (here / "results/small/collected").glob("mine.parquet")
    before, state = open_record(record).checksum, record.stat().st_mtime_ns
    timefair.run(asked, suite=own.bowl, functions=range(1, 2), name="small", **SMALL)
    assert record.stat().st_mtime_ns == state
    (here / "results").rename(here / "first")
    subprocess.run(
        [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "workflow/Snakefile"),
         "--cores", "1", "--configfile", str(config)], check=True, capture_output=True,
    )  # fmt: skip
    assert open_record(record).checksum == before or _same(here / "first/small", record.parents[1])


def _same(one: Path, other: Path) -> bool:
    tables = [timefair.load(folder).table("ert") for folder in (one, other)]
    columns = ["algorithm", "target", "runs", "ert_evaluations"]
    return tables[0][columns].equals(tables[1][columns])


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"runz": 3}, "runz: unknown key; did you mean 'runs'"),
        ({"functions": 25}, "functions: 25"),
        ({"evaluations": None}, "budget"),
        ({"suite": "bbobb"}, "did you mean 'bbob'"),
    ],
)
def test_faults_are_those_of_the_campaign(here, keys, line):
    asked = {"a": "timefair:random-search"}
    with pytest.raises(InputError, match=line):
        timefair.run(asked, **(SMALL | keys))
    assert not (here / "results").exists()


@pytest.mark.parametrize(
    ("label", "keys", "line"),
    [
        ("a", {"name": "../x"}, "name: '../x': letters, digits and . _ [+] - only"),
        ("a", {"name": 3}, "name: 3: should be text"),
        ("../a", {}, "algorithms.../a: '../a': letters, digits"),
        ("a", {"runs": 0}, "runs: 0: should be at least 1"),
    ],
)
def test_no_file_is_written_before_names_and_numbers_are_checked(here, label, keys, line):
    def walk(objective, rng): ...

    walk.__module__ = "__main__"
    before = sorted(here.parent.rglob("*"))
    with pytest.raises(InputError, match=line):
        timefair.run({label: walk}, **(SMALL | keys))
    assert sorted(here.parent.rglob("*")) == before


@pytest.mark.parametrize("name", ["../x", "a/b", "", 3])
def test_the_name_of_an_analysis_is_checked(here, name):
    before = sorted(here.parent.rglob("*"))
    with pytest.raises(InputError, match=r"^name: "):
        timefair.analyse(pd.DataFrame({"algorithm": ["a"]}), name=name)
    assert sorted(here.parent.rglob("*")) == before


@pytest.mark.thorough
def test_an_interrupted_call_continues(own, here):
    asked = {"a": own.walk, "b": "timefair:random-search"}
    long = SMALL | {"evaluations": None, "time_s": 2.0, "runs": 4}

    def interrupt():
        while not list(here.glob("results/long/records/**/*.journal")):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    # A shell ignores Ctrl-C in what it starts in the background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            timefair.run(asked, name="long", cores=1, **long)
    finally:
        signal.signal(signal.SIGINT, before)
    results = timefair.run(asked, name="long", cores=1, **long)
    assert results.verdict[-1].startswith("0 of 8 runs failed")


@pytest.mark.slow
def test_the_notebook_runs(here):
    cells = json.loads((ROOT / "docs/start/python.ipynb").read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    (here / "notebook.py").write_text(code.replace("runs=10", "runs=2"))
    done = subprocess.run([sys.executable, "notebook.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in ("notebook", "timed"):
        assert timefair.load(f"results/{name}").verdict
