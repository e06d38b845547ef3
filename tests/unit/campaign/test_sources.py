"""What is found in a source file is remembered by its content, and never wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from timefair.environments.compiled import sources

TEXT = "import timefair.basics.errors\n\n\ndef f():\n    return {value}\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source file, with an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "code.py"
    path.write_text(TEXT.format(value=1))
    return path


def found(path: Path) -> sources.Source:
    """What another process would find in a file."""
    return sources.source.__wrapped__(path)


def test_a_file_is_parsed_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = found(file)
    assert first.imports == {"timefair.basics.errors"}
    monkeypatch.setattr(sources, "_parsed", None)
    assert found(file) == first


def test_other_code_is_found_in_a_file_that_changed(file: Path) -> None:
    first = found(file)
    file.write_text("# a comment\n" + TEXT.format(value=1))
    assert found(file) == first
    file.write_text(TEXT.format(value=2))
    assert found(file).digest != first.digest


@pytest.mark.parametrize("damage", ["", "[]", "7", "{"])
def test_a_damaged_cache_is_replaced(file: Path, damage: str) -> None:
    first = found(file)
    (mark,) = (file.parent / "cache").rglob("*.json")
    mark.write_text(damage)
    assert found(file) == first
    assert mark.read_text() != damage


def test_without_a_cache_a_file_is_parsed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = found(file)
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert found(file) == first
