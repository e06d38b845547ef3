"""A zip has the same bytes everywhere, and a changed byte in it is found."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from timefair.basics.errors import InputError
from timefair.extensions.archive import packing
from timefair.extensions.archive.files import Member
from timefair.extensions.archive.packing import opened


@pytest.fixture
def small_zip(tmp_path: Path) -> Path:
    """A zip with two files and their manifest."""
    members = [Member("a.txt", b"first file\n" * 9), Member("b/c.txt", b"second\n")]
    packing.write_zip(members, tmp_path / "small.zip")
    return tmp_path / "small.zip"


def faults_of_zip(path: Path) -> list[str]:
    lines: list[str] = []
    try:
        with opened(path, lines.append):
            pass
    except InputError as error:
        lines += error.faults
    return lines


def test_the_bytes_of_a_zip_do_not_depend_on_the_version_of_python(tmp_path: Path):
    packing.write_zip([Member("a/b.txt", b"one\n"), Member("ä", b"two")], tmp_path / "x.zip")
    found = hashlib.sha256((tmp_path / "x.zip").read_bytes()).hexdigest()
    assert found == "2a123e573c99d77b3bbedff5ee8015023c52369e8d19b6a776532e0b19a84031"


@pytest.mark.slow
def test_a_changed_byte_anywhere_in_a_zip(small_zip: Path, flip):
    assert faults_of_zip(small_zip) == []
    unnoticed = []
    for position in range(small_zip.stat().st_size):
        flip(small_zip, position)
        if not faults_of_zip(small_zip):
            unnoticed.append(position)
        flip(small_zip, position)
    assert unnoticed == []
