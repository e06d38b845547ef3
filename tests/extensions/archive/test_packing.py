"""A zip has the same bytes everywhere, and a changed byte in it is found."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from timefair.basics.errors import InputError
from timefair.extensions.archive import packing
from timefair.extensions.archive.inspection import opened
from timefair.extensions.archive.member import Member


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


def test_the_file_that_a_byte_of_a_zip_belongs_to(small_zip: Path, flip):
    archive = zipfile.ZipFile(small_zip)
    entry = archive.getinfo("b/c.txt")
    flip(small_zip, entry.header_offset + 10)  # the time of the file
    (line,) = faults_of_zip(small_zip)
    position = entry.header_offset + 10
    assert line == f"{small_zip}: b/c.txt: byte {position} of the zip is not as written"


def test_a_file_that_is_no_zip(tmp_path: Path, verify):
    (tmp_path / "x.zip").write_text("no")
    status, (line,) = verify(tmp_path / "x.zip")
    assert status == 2
    assert line.startswith(f"timefair: {tmp_path}/x.zip: cannot be read as a zip")
