"""Completion: the words that a command line may go on with, and what the shells make of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from timefair import cli
from timefair.cli.completion import SCRIPTS, candidates
from timefair.exhibits.registry import FIGURES

LINES = {
    "": ["algorithms", "verify"],
    "ver": ["verify"],
    "--v": ["--version"],
    "tabulate ert_b": ["ert_by_instance"],
    "algorithms --library sci": ["scipy"],
    "draw critical": ["critical_difference"],
    "export ": ["coco"],
    "export coco --cost ": ["evaluations", "seconds"],
    "export coco --cost seconds --ca": ["--campaign"],
    "completion z": ["zsh"],
}


@pytest.mark.parametrize("line", LINES)
def test_words(line: str) -> None:
    found = candidates(cli.parser(), line.split(" "))
    assert set(LINES[line]) <= set(found)
    assert all(word.startswith(line.split(" ")[-1]) for word in found)


def test_all_of_a_kind() -> None:
    assert candidates(cli.parser(), ["draw", ""]) == sorted(FIGURES)


@pytest.mark.parametrize(
    "line", ["check ", "verify res", "draw ert --table ", "typeset a.parquet --output "]
)
def test_where_files_are_meant_there_are_no_words(line: str) -> None:
    assert candidates(cli.parser(), line.split(" ")) == []


ASK = {
    "bash": """
eval "$(timefair completion bash)"
COMP_WORDS=(timefair tabulate ert_b) COMP_CWORD=2
_timefair
printf '%s\\n' "${COMPREPLY[@]}"
""",
    "zsh": """
compdef() { true }
compadd() { print -l ${(P)argv[-1]} }
eval "$(timefair completion zsh)"
words=(timefair tabulate ert_b) CURRENT=3
_timefair
""",
    "fish": """
timefair completion fish | source
complete --do-complete 'timefair tabulate ert_b'
""",
}


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_shell_completes(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "timefair").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m timefair "$@"\n')
    (tmp_path / "timefair").chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        [program, "-c", ASK[shell]], env=os.environ | {"PATH": path, "HOME": str(tmp_path)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.split() == ["ert_by_instance"], done.stderr
