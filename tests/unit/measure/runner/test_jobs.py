"""Jobs that are measured without Snakemake: in processes, whose ends are noticed."""

import os
import time
from pathlib import Path

import pytest
from campaigns import SMALL

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.measure.runner import complete, in_turn

ALGORITHMS = {"a": "timefair:random-search", "b": "timefair:DE"}
CAMPAIGN = SMALL | {"algorithms": ALGORITHMS, "rounds": 2}


def test_processes_that_run_are_ended_when_nobody_waits_for_them_any_more():
    start = time.monotonic()
    ends = in_turn([["sh", "-c", "exit 3"], ["sleep", "600"]], 2)
    first = next(ends)
    assert (first.number, first.status) == (0, 3)
    ends.close()
    assert time.monotonic() - start < 300


def test_a_signal_is_a_status():
    (ended,) = in_turn([["sh", "-c", "kill -9 $$"]], 1)
    assert ended.status == 128 + 9


@pytest.fixture
def begun(tmp_path, monkeypatch):
    package = str(Path(configuration.__file__).parents[3])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results/test"


@pytest.mark.slow
def test_a_campaign_is_measured_once(begun):
    campaign, said = configuration.parse(CAMPAIGN), []
    files = complete(campaign, begun, 1, lambda done, jobs: said.append((done, jobs)))
    assert [path.stem for path in files] == ["a", "b"]
    assert said == [(k, 4) for k in range(1, 5)]
    assert complete(campaign, begun, 1, lambda done, jobs: said.append(done)) == files
    assert len(said) == 4


@pytest.mark.slow
def test_the_first_job_that_fails_is_one_line(begun, monkeypatch):
    monkeypatch.setenv("PYTHONHOME", "/nowhere")  # no interpreter starts
    with pytest.raises(InputError, match=r"logs/.*r1\.log: the job failed: ") as error:
        complete(configuration.parse(CAMPAIGN), begun, 1, lambda done, jobs: None)
    assert len(error.value.faults) == 1
