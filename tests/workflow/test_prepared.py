"""An algorithm is prepared once for its jobs, and what they measure does not depend on it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from timefair.records.store import open_record, read_runs

pytestmark = pytest.mark.workflow

DECIDED = ["function", "instance", "run", "seed", "status", "evaluations", "best_f"]


def by_hand(workspace, said: str, path: Path) -> None:
    """Measure the job of a record with the command that Snakemake printed, without Snakemake."""
    record = path.relative_to(workspace.folder)
    (command,) = re.findall(rf"-m (timefair measure .* {re.escape(str(record))}) >", said)
    subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=workspace.folder, env=workspace.environment, check=True, capture_output=True,
    )  # fmt: skip


@pytest.mark.thorough
def test_jobs_share_the_preparation_of_their_algorithm(workspace):
    said = workspace.complete("--until", "finish_round", "--printshellcmds", "--verbose")
    assert "Submitting maximum" not in said  # with a limit, Snakemake computes beside timed runs
    logs = [path.read_text() for path in (workspace.results / "logs").rglob("*.log")]
    prepared = Counter(re.findall(r"prepared (.*) in ", "\n".join(logs)))
    assert prepared == {"all algorithms": 1, "the library": 2, "the algorithm": 2}
    records = list((workspace.results / "records").rglob("*.parquet"))
    facts = {path: open_record(path).facts["prepared"] for path in records}
    numbers = Counter((path.parts[-3], fact["job"]) for path, fact in facts.items())
    assert numbers == {(label, job): 1 for label in ("random", "simplex") for job in (1, 2)}

    # A job that is started by hand prepares its algorithm itself, and finds the same.
    path = records[0]
    before = read_runs([path]).select(DECIDED)
    path.unlink()
    path.with_name(path.name + ".journal").unlink()
    by_hand(workspace, said, path)
    assert read_runs([path]).select(DECIDED) == before
    assert open_record(path).facts["prepared"]["job"] == 1


SLOW_S = 2.5
SLOW = f"""
import time
time.sleep({SLOW_S})
"""
OWN = """
import slow

def solve(objective, rng):
    objective(objective.lower)
"""
PROBLEM = f"""
import time
time.sleep({SLOW_S})

def bowl(x):
    return float(x @ x)

bowl.lower, bowl.upper = -1, 1
"""


@pytest.mark.thorough
def test_the_import_of_an_own_module_is_preparation(workspace):
    for name, text in {"slow": SLOW, "one": OWN, "two": OWN, "problem": PROBLEM}.items():
        (workspace.folder / f"{name}.py").write_text(text)
    workspace.configure(
        algorithms={
            "one": "one.py:solve",
            "two": "two:solve",
            "random": "timefair:random-search",
        },
        problems={"suite": "problem.py:bowl", "functions": 1, "dimensions": 2, "instances": 1},
        budget={"evaluations": 1, "final_target": None},
        stopping={"rule": "race"},  # so that the key of each depends on the code of all
        rounds=2,
    )
    said = workspace.complete("--until", "finish_round", "--printshellcmds")
    records = {path.parts[-3]: path for path in workspace.results.rglob("records/*/*/*_r1.parquet")}
    preparation_s = {
        label: read_runs([path]).column("preparation_s")[0].as_py()
        for label, path in records.items()
    }
    assert preparation_s["one"] >= SLOW_S
    assert preparation_s["two"] >= SLOW_S
    assert preparation_s["random"] < SLOW_S

    path = records["two"]
    path.unlink()
    path.with_name(path.name + ".journal").unlink()
    by_hand(workspace, said, path)
    assert SLOW_S <= read_runs([path]).column("preparation_s")[0].as_py() < 2 * SLOW_S
