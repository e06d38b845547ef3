"""The steps of CONTRIBUTING's "How to add ..." work, and touch no other files than they name."""

import filecmp
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from fences import ROOT, Fence, commands, fences
from reference_tables import BLOCKS

from timefair.exhibits.indexing import generated

PAGE = ROOT / "CONTRIBUTING.md"
GENERATED = {
    "config/schema.json",
    *(block.page for block in BLOCKS),
    *(str(path) for path, _ in generated()),
}

IN_WORDS = ("How to add a suite", "How to add a library of algorithms")
"""Sections whose commands are in sentences; test_how_to_add_to_registries.py follows them."""

COPIED = ("config", "docs", "tests", "workflow", "pyproject.toml", "CONTRIBUTING.md", "README.md")
NOT_COPIED = (".hypothesis", ".pytest_cache", "*.png", "*.svg", "*.tgz")


class HowTo(NamedTuple):
    """A section of the page: its heading, and its blocks."""

    heading: str
    blocks: list[Fence]

    def files(self) -> Iterator[tuple[str, str]]:
        """The files that the reader writes: paths and texts."""
        for block in self.blocks:
            if name := re.match(r"# ([\w./]+\.\w+)\n", block.text):
                yield name[1], block.text


def sections() -> list[HowTo]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    begins = [number for number, line in enumerate(lines) if line.startswith("## ")]
    blocks = list(fences(PAGE))
    return [
        HowTo(lines[first][3:], [block for block in blocks if first < block.line <= last])
        for first, last in zip(begins, [*begins[1:], len(lines)], strict=True)
        if lines[first].startswith("## How to add ")
    ]


SECTIONS = [section for section in sections() if section.heading not in IN_WORDS]


@pytest.fixture
def copy(tmp_path):
    """A copy of what is worked on, with the compiled extensions."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns(*NOT_COPIED)
            shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.thinned(6)
@pytest.mark.parametrize("how_to", SECTIONS, ids=[section.heading for section in SECTIONS])
def test_the_steps_work_and_touch_what_they_say(how_to, copy):
    written = dict(how_to.files())
    for path, text in written.items():
        assert not (copy / path).exists(), f"{path} is there already: choose another example"
        (copy / path).write_text(text, encoding="utf-8")
    shell = [line for block in how_to.blocks if block.language == "sh" for line in commands(block)]
    assert shell
    for line in shell:
        run(line, copy)
    changed = set(differences(copy))
    by_hand = changed - GENERATED
    assert by_hand == set(written)
    assert changed & GENERATED, "nothing was generated"
    assert len([path for path in by_hand if path.startswith("workflow/")]) == 1


def run(line: str, folder: Path) -> None:
    environment = os.environ | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(folder / "workflow"),
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    said = textwrap.indent(f"{done.stdout[-3000:]}{done.stderr[-3000:]}", "  ")
    assert done.returncode == 0, f"{line}\n{said}"


def differences(copy: Path) -> Iterator[str]:
    """Files of the copy that are new or changed."""
    for path in copy.rglob("*"):
        name = path.relative_to(copy)
        if path.is_file() and not {".hypothesis", "__pycache__"} & {*name.parts}:
            original = ROOT / name
            if not original.is_file() or not filecmp.cmp(path, original, shallow=False):
                yield str(name)
