"""Writes an archive as a folder or as a zip: the same files make the same bytes."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from timefair.basics.errors import InputError
from timefair.basics.files import atomic_file
from timefair.extensions.archive import manifest
from timefair.extensions.archive.member import Member, files_below

_DATE = (1980, 1, 1, 0, 0, 0)
_LINUX, _REGULAR_FILE = 3, 0o100644 << 16
_UNREADABLE = (
    zipfile.BadZipFile, RuntimeError, OSError, EOFError, ValueError, MemoryError, OverflowError,
)  # fmt: skip


def write_folder(members: Iterable[Member], folder: Path) -> None:
    """Write files and their manifest into a folder. The folder appears when it is complete.

    `members` come with ascending paths. An existing folder has to be empty.
    """
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    digests = {}
    try:
        for member in members:
            path = part / member.path
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                digests[member.path] = _copied(member, file.write)
        (part / manifest.NAME).write_bytes(_bytes(manifest.manifest(digests)))
        part.replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def write_zip(members: Iterable[Member], path: Path) -> None:
    """Write files and their manifest into a zip. The zip appears when it is complete.

    Nothing is compressed, because records are already compressed, and because different versions of
    a compressor would make different bytes. All dates are the earliest that a zip can contain.
    `members` come with ascending paths.
    """
    digests = {}
    with atomic_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for member in members:
            digests[member.path] = _store(archive, member)
        _store(archive, manifest.manifest(digests))


def _copied(member: Member, write: Callable[[bytes], object]) -> str:
    """Write the bytes of a file; their SHA-256, in hex."""
    known = hashlib.sha256()
    for chunk in member.chunks():
        known.update(chunk)
        write(chunk)
    return known.hexdigest()


def _bytes(member: Member) -> bytes:
    return b"".join(member.chunks())


def _store(archive: zipfile.ZipFile, member: Member) -> str:
    entry = zipfile.ZipInfo(member.path, _DATE)
    entry.create_system, entry.external_attr = _LINUX, _REGULAR_FILE
    entry.file_size = member.size
    with archive.open(entry, "w") as file:
        return _copied(member, file.write)


def unpack(path: Path, folder: Path) -> list[str]:
    """Write the files of a zip into a folder; a line for each that cannot be read.

    Each line begins with the path of the file in the zip.

    Raises
    ------
    InputError
        If the file is not a zip, or damaged so that its files cannot be listed.
    """
    faults = []
    try:
        archive = zipfile.ZipFile(path)
    except _UNREADABLE as error:
        raise InputError(f"{path}: cannot be read as a zip ({error})") from None
    with archive:
        for entry in archive.infolist():
            try:
                archive.extract(entry, folder)
            except (*_UNREADABLE, NotImplementedError) as error:
                faults.append(f"{entry.filename}: cannot be read from the zip ({error})")
    return faults


def container_fault(path: Path, folder: Path) -> str | None:
    """Compare a zip with the zip that `write_zip` makes of its files.

    `unpack` has written these files into `folder`.

    Returns
    -------
    str or None
        A line with the position of the first byte that differs, and the file that it belongs to.
    """
    again = folder.parent / f"{folder.name}.zip"
    members = [member for member in files_below(folder) if member.path != manifest.NAME]
    write_zip(members, again)
    with path.open("rb") as one, again.open("rb") as other:
        position = _first_difference(one, other)
    if position is None:
        return None
    with zipfile.ZipFile(again) as archive:
        place = _place(archive.infolist(), archive.start_dir, position)
    return f"{place}: byte {position} of the zip is not as written"


def _first_difference(one: BinaryIO, other: BinaryIO) -> int | None:
    position = 0
    while True:
        left, right = one.read(2**20), other.read(2**20)
        if left != right:
            same = (k for k, (a, b) in enumerate(zip(left, right, strict=False)) if a != b)
            return position + next(same, min(len(left), len(right)))
        if not left:
            return None
        position += len(left)


def _place(entries: Sequence[zipfile.ZipInfo], directory: int, position: int) -> str:
    if position >= directory:
        return "the directory of the zip"
    return [entry.filename for entry in entries if entry.header_offset <= position][-1]
