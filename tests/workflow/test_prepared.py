"""An algorithm is prepared once for its jobs, and what they measure does not depend on it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

import pytest

from timefair.records.store import open_record, read_runs

pytestmark = pytest.mark.workflow

DECIDED = ["function", "instance", "run", "seed", "status", "evaluations", "best_f"]


def test_jobs_share_the_preparation_of_their_algorithm(workspace):
    said = workspace.complete("--until", "finish_round", "--printshellcmds")
    logs = [path.read_text() for path in (workspace.results / "logs").rglob("*.log")]
    prepared = Counter(re.findall(r"prepared (.*) in ", "\n".join(logs)))
    assert prepared == {"all algorithms": 1, "the library": 2, "the algorithm": 2}
    records = list((workspace.results / "records").rglob("*.parquet"))
    facts = {path: open_record(path).facts["prepared"] for path in records}
    numbers = Counter((path.parts[-3], fact["job"]) for path, fact in facts.items())
    assert numbers == {(label, job): 1 for label in ("random", "simplex") for job in (1, 2)}

    # A job that is started by hand prepares its algorithm itself, and finds the same.
    for path in records:
        before = read_runs([path]).select(DECIDED)
        path.unlink()
        path.with_name(path.name + ".journal").unlink()
        (command,) = re.findall(rf"-m (timefair measure .* {path.name}) >", said.replace(
            str(path.relative_to(workspace.folder).parent) + "/", ""
        ))  # fmt: skip
        words = command.replace(path.name, str(path.relative_to(workspace.folder))).split()
        subprocess.run(
            [sys.executable, "-m", *words],
            cwd=workspace.folder, env=workspace.environment, check=True, capture_output=True,
        )  # fmt: skip
        assert read_runs([path]).select(DECIDED) == before
        assert open_record(path).facts["prepared"]["job"] == 1
