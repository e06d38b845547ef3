"""The steps of "How to add …" in CONTRIBUTING.md, followed in a copy of the repository."""

import filecmp
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fences import ROOT, fences
from registry_pages import MADE

PAGE = ROOT / "CONTRIBUTING.md"
COPIED = ("README.md", "CONTRIBUTING.md", "pyproject.toml", "docs", "tests", "workflow")


class Steps:
    """A section of the page, and a copy of the repository to follow it in."""

    def __init__(self, heading: str, folder: Path) -> None:
        self.folder = folder
        text = PAGE.read_text(encoding="utf-8")
        (self.text,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, flags=re.M | re.S)
        start = text[: text.index(f"## {heading}\n")].count("\n")
        self._lines = range(start, start + self.text.count("\n") + 1)
        for name in COPIED:
            if (ROOT / name).is_dir():
                ignored = shutil.ignore_patterns("*.c", "*.png", "data")
                shutil.copytree(ROOT / name, folder / name, ignore=ignored)
            else:
                shutil.copy(ROOT / name, folder)

    def write_files(self) -> None:
        """Write each block that begins with the name of a file."""
        for fence in fences(PAGE):
            name = re.match(r"# (\S+\.py)\n", fence.text)
            if fence.line in self._lines and name:
                (self.folder / name[1]).write_text(fence.text, encoding="utf-8")

    def add_requirement(self) -> None:
        """Add the package that the section names to ``extras``."""
        (package,) = re.findall(r'Add `("\S+>=\S+")` to `extras`', self.text)
        project = self.folder / "pyproject.toml"
        text = project.read_text()
        project.write_text(text.replace("extras = [\n", f"extras = [\n  {package},\n", 1))

    def commands(self) -> Iterator[str]:
        """The command lines of the steps, in their order."""
        prose = re.sub(r"^ *```.*?^ *```", "", self.text, flags=re.M | re.S)
        yield from re.findall(r"`((?:python|timefair) [^`]+)`", prose)

    def run(self, line: str) -> str:
        """Run a command line; it has to end with 0. What it printed."""
        program, _, arguments = line.partition(" ")
        module = " -m timefair" if program == "timefair" else ""
        done = subprocess.run(
            f'"{sys.executable}"{module} {arguments}',
            shell=True, cwd=self.folder, capture_output=True, text=True,
            env=os.environ | {
                "PYTHONPATH": str(self.folder / "workflow"),
                "TIMEFAIR_LOCKS": str(self.folder / "locks"),
                "OMP_NUM_THREADS": "1",
            },
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout

    def changed(self) -> set[str]:
        """The files that differ from the repository's, without those that are generated."""
        files = {
            str(path.relative_to(self.folder))
            for name in ("workflow", "docs", "README.md", "pyproject.toml")
            for path in [self.folder / name, *self.folder.glob(f"{name}/**/*")]
            if path.is_file() and "__pycache__" not in path.parts
        }
        here = {name for name in files if (ROOT / name).is_file()}
        same, _, _ = filecmp.cmpfiles(ROOT, self.folder, here, shallow=False)
        return files - set(same) - set(MADE)


def follow(steps: Steps) -> dict[str, str]:
    """What each command of the steps printed."""
    printed = {line: steps.run(line) for line in steps.commands()}
    checked = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--config", "pyproject.toml", "workflow"],
        cwd=steps.folder, capture_output=True, text=True,
    )  # fmt: skip
    if "No module named ruff" not in checked.stderr:
        assert checked.returncode == 0, checked.stdout
    return printed


def passed(printed: dict[str, str]) -> int:
    """How many tests the command with pytest passed."""
    (text,) = (text for line, text in printed.items() if "pytest" in line)
    return int(re.findall(r"(\d+) passed", text)[0])


@pytest.mark.slow
def test_a_suite_is_one_file(tmp_path):
    steps = Steps("How to add a suite", tmp_path)
    steps.write_files()
    assert passed(follow(steps)) >= 5
    assert steps.changed() == {"workflow/timefair/problems/ridge.py"}
    for page in ("README.md", "docs/reference/suites.md"):
        assert "`ridge`" in (tmp_path / page).read_text(encoding="utf-8")
    assert "## `ridge`" in (tmp_path / "docs/reference/suites.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.thorough
def test_a_library_is_one_file_and_a_line_of_pyproject(tmp_path):
    pytest.importorskip("directsearch")
    steps = Steps("How to add a library of algorithms", tmp_path)
    steps.write_files()
    steps.add_requirement()
    printed = follow(steps)
    assert passed(printed) >= 9
    assert steps.changed() == {
        "workflow/timefair/algorithms/adapters/direct_search.py",
        "pyproject.toml",
    }
    lines = printed["timefair audit directsearch"].splitlines()
    head, _, *rows = ([cell.strip() for cell in line[1:-1].split("|")] for line in lines)
    assert len(rows) == 3
    for row in rows:
        found = dict(zip(head, row, strict=True))
        assert (found["status"], found["deterministic"], found["inside"]) == ("ok", "yes", "yes")
    for page in ("README.md", "docs/reference/algorithms.md", "docs/guide/installation.md"):
        assert "directsearch" in (tmp_path / page).read_text(encoding="utf-8")
