"""Jobs of the analysis share prepared processes, and do without where there is none."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.campaign.holder import NAME
from timefair.processes import prepared

DRIVER = f"""
import os, subprocess, sys
from pathlib import Path

def ready():
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            here = path.joinpath("cwd").readlink() == Path.cwd()
            if here and path.joinpath("comm").read_text().strip() == {prepared.NAMES["ready"]!r}:
                found.append(path.name)
        except OSError:
            continue
    return found

Path("{NAME}").write_text(str(os.getpid()))
for words in sys.argv[1:]:
    if words.startswith("replace "):
        os.replace(*words.split()[:0:-1])
        continue
    if words.startswith("threads "):
        os.environ["OMP_NUM_THREADS"] = words.split()[1]
        continue
    status = subprocess.run([sys.executable, "-m", "timefair", *words.split()]).returncode
    print(status, *ready(), flush=True)
"""
"""Stands for snakemake: calls commands in turn, and prints the prepared processes after each.

Two of them are not commands of timefair: ``replace FILE BY`` moves another file to the place of a
file, and ``threads N`` sets a variable as snakemake does for jobs with N threads.
"""


@pytest.fixture
def study(tmp_path: Path, row, write) -> Path:
    """A campaign's folder with collected runs."""
    (tmp_path / "c.yaml").write_text(
        """
name: trial
problems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}
algorithms: {a: timefair:random-search}
budget: {evaluations: 4}
tables: [ert_by_instance, quantiles]
figures: {names: [ert_evaluations], formats: [pdf, svg, png]}
"""
    )
    plan.write_snapshot(configuration.load(tmp_path / "c.yaml"), tmp_path)
    write(tmp_path / "a.parquet", row(0), row(1))
    return tmp_path


def analyse(room: str, output: str) -> str:
    return f"make-room {room} a.parquet --campaign campaign.json --output {output}"


def drive(study: Path, *commands: str) -> tuple[list[list[str]], str]:
    """The status of each command with the prepared processes after it, and the errors."""
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, *commands],
        cwd=study, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    return [line.split() for line in done.stdout.splitlines()], done.stderr


def made(folder: Path) -> dict[str, bytes]:
    files = [path for kind in ("tables", "figures") for path in (folder / kind).glob("*")]
    return {path.name: path.read_bytes() for path in files}


def lives(process: str) -> bool:
    """Whether a process has not ended; one that nobody has waited for has."""
    try:
        stat = Path("/proc", process, "stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.slow
def test_jobs_are_forks_of_prepared_processes_that_end_with_snakemake(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, errors = drive(
        study, analyse("runtimes", "forked"), analyse("runtime", "forked"),
        analyse("quality", "forked"),
    )  # fmt: skip
    assert [line[0] for line in lines] == ["0", "2", "0"]
    assert "ROOM: 'runtime' is unknown" in errors  # in the log of the job that is wrong
    (processes,) = {frozenset(line[1:]) for line in lines}
    assert len(processes) == 3
    end = time.monotonic() + 10
    while any(map(lives, processes)):
        assert time.monotonic() < end
        time.sleep(0.02)
    monkeypatch.chdir(study)
    for room in ("runtimes", "quality"):
        assert cli.main(analyse(room, "alone").split()) == 0
    assert made(study / "forked") == made(study / "alone")


@pytest.mark.slow
def test_runs_are_read_again_after_they_have_changed(study: Path, row, write) -> None:
    write(study / "later.parquet", row(0), row(1), row(2))
    analysis = analyse("runtimes", "out")
    lines, errors = drive(study, analysis, "replace a.parquet later.parquet", analysis)
    assert [line[0] for line in lines] == ["0", "0"], errors
    assert [len(line[1:]) for line in lines] == [3, 4]
    assert pd.read_parquet(study / "out/tables/ert_by_instance.parquet")["runs"].eq(3).all()


@pytest.mark.slow
def test_a_campaign_that_cannot_be_read_is_an_error_of_the_job(study: Path) -> None:
    (study / "campaign.json").write_text("{}")
    lines, errors = drive(study, analyse("runtimes", "out"))
    assert lines == [["2"]]
    assert "campaign.json" in errors


@pytest.mark.slow
def test_runs_of_records_that_are_not_planned_are_refused(
    study: Path, row, write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snakemake collects them again only where it knows that the plan has changed."""
    monkeypatch.chdir(study)
    campaign = configuration.restore(study / "campaign.json")
    old, new = ({("a", 1): digit * 64} for digit in "01")
    plan.write_keys(new, study)
    for keys, status in ((old, 2), (new, 0)):
        records = plan.records_by("algorithm", campaign, keys, Path())["a"]
        facts = {"algorithm": "a", "records": [{"path": path, "checksum": ""} for path in records]}
        write(study / "a.parquet", row(0), row(1), **facts)
        assert cli.main(analyse("runtimes", ".").split()) == status
        assert ("a.parquet: has runs of another" in capsys.readouterr().err) == (status == 2)
        assert (study / "tables/ert_by_instance.csv").exists() == (status == 0)
