"""The checksums of all files of an archive, in a file that ``sha256sum --check`` reads.

The first line is a comment with the checksum of the lines that follow, so that a change of the
manifest is noticed too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.extensions.archive.member import Member, files_below

NAME = "manifest-sha256.txt"
"""The manifest, in the top folder of an archive."""

_HEAD = "# SHA-256 of the lines below: "


def digest(member: Member) -> str:
    """SHA-256 of a file, in hex."""
    known = hashlib.sha256()
    for chunk in member.chunks():
        known.update(chunk)
    return known.hexdigest()


def manifest(digests: Mapping[str, str]) -> Member:
    """The manifest of files, whose checksums are given by their paths."""
    lines = "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))
    head = _HEAD + hashlib.sha256(lines.encode()).hexdigest() + "\n"
    return Member(NAME, (head + lines).encode())


def faults(folder: Path) -> Iterator[str]:
    """Compare every file of an archive with its manifest; a line for each that differs.

    Each line begins with the path of the file in the archive.

    Raises
    ------
    InputError
        If there is no manifest.
    """
    path = folder / NAME
    try:
        content = path.read_bytes()
    except OSError:
        raise InputError(f"{path}: there is no manifest; name an archive of timefair") from None
    head, _, lines = content.partition(b"\n")
    if head != (_HEAD + hashlib.sha256(lines).hexdigest()).encode():
        yield f"{NAME}: not as archived (checksum in its first line)"
    expected = dict(_entries(lines))
    there = {member.path: member for member in files_below(folder) if member.path != NAME}
    for name in sorted(expected.keys() | there.keys()):
        if name not in there:
            yield f"{name}: missing"
        elif name not in expected:
            yield f"{name}: not part of the archive"
        elif digest(there[name]) != expected[name]:
            yield f"{name}: not as archived (SHA-256)"


def _entries(lines: bytes) -> Iterator[tuple[str, str]]:
    for line in lines.decode(errors="replace").splitlines():
        checksum, _, name = line.partition("  ")
        yield name, checksum
