"""The steps of CONTRIBUTING's "How to add ..." work, and touch no other files than they name."""

import filecmp
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import exhibit_pages
import pytest
import reference_tables
import registry_pages
from fences import ROOT, Fence, commands, fences

PAGE = ROOT / "CONTRIBUTING.md"
GENERATED = {"config/schema.json", *reference_tables.MADE, *registry_pages.MADE}
GENERATED |= {path for path, _ in exhibit_pages.pages()}

SUITE, LIBRARY = IN_WORDS = ("How to add a suite", "How to add a library of algorithms")
"""Sections whose commands are in sentences."""

COPIED = ("config", "docs", "tests", "workflow", "pyproject.toml", "CONTRIBUTING.md", "README.md")
NOT_COPIED = (".hypothesis", ".pytest_cache", "*.svg", "*.tgz")


class HowTo(NamedTuple):
    heading: str
    blocks: list[Fence]
    prose: str

    def write_files(self, copy: Path) -> Iterator[str]:
        """Write what the reader writes; the paths."""
        for block in self.blocks:
            if name := re.match(r"# ([\w./]+\.\w+)\n", block.text):
                path = copy / name[1]
                assert not path.exists(), f"{path} is there already: choose another example"
                path.write_text(block.text, encoding="utf-8")
                yield name[1]

    def add_section(self, page: Path) -> None:
        """Add what the reader writes into a page of the reference, behind its other sections."""
        (block,) = (block.text for block in self.blocks if block.text.startswith("### "))
        text = page.read_text(encoding="utf-8")
        *_, last = re.finditer(r"^### .*\n[^#]*", text, flags=re.M)
        before, after = text[: last.end()], text[last.end() :]
        page.write_text(f"{before}{block}\n{after}", encoding="utf-8")


def sections() -> Iterator[HowTo]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    begins = [number for number, line in enumerate(lines) if line.startswith("## ")]
    blocks = list(fences(PAGE))
    for first, last in zip(begins, [*begins[1:], len(lines)], strict=True):
        if lines[first].startswith("## How to add "):
            of_section = [block for block in blocks if first < block.line <= last]
            text = "\n".join(lines[first:last])
            prose = re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)
            yield HowTo(lines[first][3:], of_section, prose)


SECTIONS = {section.heading: section for section in sections()}


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
@pytest.mark.parametrize("heading", [name for name in SECTIONS if name not in IN_WORDS])
def test_the_steps_work_and_touch_what_they_say(heading, copy):
    how_to = SECTIONS[heading]
    written = set(how_to.write_files(copy))
    shell = [line for block in how_to.blocks if block.language == "sh" for line in commands(block)]
    assert shell
    for line in shell:
        run(line, copy)
    changed = set(differences(copy))
    by_hand = changed - GENERATED
    assert by_hand == written
    assert changed & GENERATED, "nothing was generated"
    assert len([path for path in by_hand if path.startswith("workflow/")]) == 1


@pytest.mark.slow
def test_a_suite_is_one_file_and_a_section_of_a_page(copy):
    (written,) = SECTIONS[SUITE].write_files(copy)
    SECTIONS[SUITE].add_section(copy / "docs/reference/suites.md")
    assert passed(follow(SECTIONS[SUITE].prose, copy)) >= 7
    assert set(differences(copy)) - GENERATED == {written}
    for page in ("README.md", "docs/reference/suites.md"):
        assert "`ridge`" in (copy / page).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.thorough
def test_a_library_is_one_file_a_section_and_a_line_of_pyproject(copy):
    pytest.importorskip("directsearch")
    (written,) = SECTIONS[LIBRARY].write_files(copy)
    SECTIONS[LIBRARY].add_section(copy / "docs/reference/algorithms.md")
    (package,) = re.findall(r'Add `("\S+>=\S+")` to `extras`', SECTIONS[LIBRARY].prose)
    text = (copy / "pyproject.toml").read_text()
    text = text.replace("extras = [\n", f"extras = [\n  {package},\n", 1)
    (copy / "pyproject.toml").write_text(text)
    printed = follow(SECTIONS[LIBRARY].prose, copy)
    assert passed(printed) >= 12
    assert set(differences(copy)) - GENERATED == {written, "pyproject.toml"}
    lines = printed["timefair audit directsearch"].splitlines()
    head, _, *rows = ([cell.strip() for cell in line[1:-1].split("|")] for line in lines)
    assert len(rows) == 3
    for row in rows:
        found = dict(zip(head, row, strict=True))
        assert (found["status"], found["deterministic"], found["inside"]) == ("ok", "yes", "yes")
    for page in ("README.md", "docs/reference/algorithms.md", "docs/guide/installation.md"):
        assert "directsearch" in (copy / page).read_text(encoding="utf-8")


def follow(prose: str, copy: Path) -> dict[str, str]:
    lines = re.findall(r"`((?:python|timefair) [^`]+)`", prose)
    printed = {line: run(line, copy) for line in lines}
    if importlib.util.find_spec("ruff"):
        run("python -m ruff check --no-cache workflow", copy)
    return printed


def passed(printed: dict[str, str]) -> int:
    (text,) = (text for line, text in printed.items() if "pytest" in line)
    return int(re.findall(r"(\d+) passed", text)[0])


def run(line: str, folder: Path) -> str:
    """Run a command line; it has to end with 0. What it printed."""
    environment = os.environ | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(folder / "workflow"),
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
        "TIMEFAIR_LOCKS": str(folder / ".locks"),
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    said = textwrap.indent(f"{done.stdout[-3000:]}{done.stderr[-3000:]}", "  ")
    assert done.returncode == 0, f"{line}\n{said}"
    return done.stdout


def differences(copy: Path) -> Iterator[str]:
    for path in copy.rglob("*"):
        name = path.relative_to(copy)
        if path.is_file() and not {".hypothesis", ".locks", "__pycache__"} & {*name.parts}:
            original = ROOT / name
            if not original.is_file() or not filecmp.cmp(path, original, shallow=False):
                yield str(name)
