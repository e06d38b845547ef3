"""A zip has the same bytes everywhere, and a changed byte in it is found."""

from pathlib import Path

import pytest

from timefair.basics.errors import InputError
from timefair.extensions.archive import files
from timefair.extensions.archive.files import Member, opened


@pytest.fixture
def small_zip(tmp_path):
    """A zip with two files and their manifest."""
    members = [Member("a.txt", b"first file\n" * 9), Member("b/c.txt", b"second\n")]
    files.write_zip(members, tmp_path / "small.zip")
    return tmp_path / "small.zip"


def faults_of_zip(path: Path) -> list[str]:
    lines: list[str] = []
    try:
        with opened(path, lines.append):
            pass
    except InputError as error:
        lines += error.faults
    return lines


def test_a_changed_byte_of_a_file_in_a_zip(small_zip, flip):
    assert faults_of_zip(small_zip) == []
    flip(small_zip, small_zip.read_bytes().index(b"second"))
    (unread, missing) = faults_of_zip(small_zip)
    assert "b/c.txt: cannot be read from the zip" in unread
    assert missing.endswith("b/c.txt: not as archived (SHA-256)")
