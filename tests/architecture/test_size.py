"""Budgets of lines and files: what is added beyond them is paid by what is deleted."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "workflow/timefair"
EXTENSIONS = PACKAGE / "extensions"
SOURCES = {".py", ".pyx", ".pyi", ".pxd", ".css", ".js"}
GENERATED = (
    "config/schema.json",
    "workflow/timefair/exhibits/index.json",
    "docs/reference/commands.md",
    "docs/reference/checklist.md",
    "docs/reference/tables/*.md",
    "docs/gallery.md",
)
"""Files that are committed, and that a command of CONTRIBUTING.md writes."""

BUDGETS = {
    "lines of the package": 58_000,
    "lines of the core": 42_000,
    "files of the core": 190,
    "rooms of the core": 13,
    "lines of the extensions": 16_000,
    "lines of the tests": 38_000,
    "committed lines that are generated": 3_500,
}
"""The most that there may be."""


def sources(folder: Path) -> list[Path]:
    """The files that somebody wrote, in a folder and those below it."""
    found = [path for path in folder.rglob("*") if path.suffix in SOURCES and path.is_file()]
    return [path for path in found if not path.is_symlink()]


def rooms() -> set[Path]:
    """The folders of the core's first level."""
    return {path.parent for path in core() if path.parent.parent == PACKAGE}


def core() -> list[Path]:
    return [path for path in sources(PACKAGE) if not path.is_relative_to(EXTENSIONS)]


def lines(paths: Iterable[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


MEASURED: dict[str, Callable[[], int]] = {
    "lines of the package": lambda: lines(sources(PACKAGE)),
    "lines of the core": lambda: lines(core()),
    "files of the core": lambda: len(core()),
    "rooms of the core": lambda: len(rooms()),
    "lines of the extensions": lambda: lines(sources(EXTENSIONS)),
    "lines of the tests": lambda: lines(sources(ROOT / "tests")),
    "committed lines that are generated": lambda: lines(
        path for pattern in GENERATED for path in ROOT.glob(pattern)
    ),
}


@pytest.mark.parametrize("what", BUDGETS)
def test_nothing_is_over_its_budget(what):
    assert MEASURED[what]() <= BUDGETS[what]
