"""Completion: the words that a command line may go on with, and what the shells make of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program ``timefair`` on the PATH that runs this package, in a folder with some files."""
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "timefair").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m timefair "$@"\n')
    (bin_ / "timefair").chmod(0o755)
    work = tmp_path / "work"
    (work / "results").mkdir(parents=True)
    (work / "mine.yaml").touch()
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", os.pathsep.join([str(bin_), os.environ["PATH"]]))
    return bin_ / "timefair"


def words(program: Path, line: str) -> list[str]:
    """The answer to a shell in which this line is written."""
    answer = program.with_name("answer")
    request = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    subprocess.run([program], env=os.environ | request, check=True, capture_output=True)
    return answer.read_text().splitlines()


LINES = {
    "timefair ": ["algorithms", "verify"],
    "timefair ver": ["verify"],
    "timefair table results ert_b": ["ert_by_instance"],
    "timefair algorithms --library sci": ["scipy"],
    "timefair figure results critical": ["critical_difference"],
    "timefair export coco --cost seconds --ou": ["--output"],
    "timefair export coco --cost=sec": ["--cost=seconds"],
    "timefair check ": ["mine.yaml"],
    "timefair verify res": ["results/"],
    "timefair rep": ["report", "reproduce"],
}


@pytest.mark.parametrize("line", LINES)
def test_words(program: Path, line: str) -> None:
    found = words(program, line)
    assert set(LINES[line]) <= set(found)
    assert all(word.startswith(line.split(" ")[-1].rpartition("=")[2]) or "=" in word
               for word in found)  # fmt: skip


@pytest.mark.slow
def test_a_command_without_a_question_loads_nothing_for_completion() -> None:
    code = (
        "import sys; from timefair import cli; cli.main(['schema']); "
        "sys.exit('argcomplete' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
