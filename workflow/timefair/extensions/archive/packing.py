"""Writes an archive as a zip, the same files as the same bytes, and checks one.

The manifest is a file for ``sha256sum --check``. Its first line is a comment with the checksum of
the others, so that a change of the manifest is noticed too.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.basics.files import atomic_file
from timefair.campaign import plan
from timefair.extensions.archive.files import OWN, Member, files_below

MANIFEST, METADATA = "manifest-sha256.txt", "ro-crate-metadata.json"
"""The checksums and the description of an archive, in its top folder."""

_HEAD = "# SHA-256 of the lines below: "
_DATE = (1980, 1, 1, 0, 0, 0)
_LINUX, _REGULAR_FILE = 3, 0o100644 << 16
_UNREADABLE = (
    zipfile.BadZipFile, RuntimeError, OSError, EOFError, ValueError, MemoryError, OverflowError,
)  # fmt: skip

# --- Writing ------------------------------------------------------------------------------------


def write_zip(members: Iterable[Member], path: Path) -> None:
    """Write files, with ascending paths, and their manifest; the zip appears when complete.

    Nothing is compressed, because records are already, and because different versions of a
    compressor would make different bytes. All dates are the earliest that a zip can contain.
    """
    digests = {}
    with atomic_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for member in members:
            digests[member.path] = _store(archive, member)
        _store(archive, Member(MANIFEST, _manifest(digests)))


def _store(archive: zipfile.ZipFile, member: Member) -> str:
    entry = zipfile.ZipInfo(member.path, _DATE)
    entry.create_system, entry.external_attr = _LINUX, _REGULAR_FILE
    entry.file_size = member.size
    with archive.open(entry, "w") as file:
        return _copied(member, file.write)


def _copied(member: Member, write: Callable[[bytes], object] = lambda chunk: None) -> str:
    """Write the bytes of a file; their SHA-256, in hex."""
    known = hashlib.sha256()
    for chunk in member.chunks():
        known.update(chunk)
        write(chunk)
    return known.hexdigest()


def _manifest(digests: Mapping[str, str]) -> bytes:
    """The manifest of files, whose checksums are given by their paths."""
    lines = "".join(f"{digests[path]}  {path}\n" for path in sorted(digests)).encode()
    return _first_line(lines) + b"\n" + lines


def _first_line(lines: bytes) -> bytes:
    return (_HEAD + hashlib.sha256(lines).hexdigest()).encode()


# --- Checking -----------------------------------------------------------------------------------


def is_archive(target: Path) -> bool:
    """Whether a path is that of an archive: a zip, or a folder with a manifest or RO-Crate."""
    if target.is_dir():
        return any((target / name).is_file() for name in (MANIFEST, METADATA))
    return target.suffix == ".zip"


@contextlib.contextmanager
def opened(target: Path, say: Callable[[str], None]) -> Iterator[Path]:
    """The folder of an archive, after a check of every byte; `say` gets a line for each fault.

    A zip is unpacked into a temporary folder. The working directory is then that of the user's
    files, if the archive contains some, so that their code can run.
    """
    with contextlib.ExitStack() as stack:
        folder = target.absolute()
        if not target.is_dir():
            place = stack.enter_context(tempfile.TemporaryDirectory(prefix="timefair-verify-"))
            folder = Path(place).resolve() / "crate"
            folder.mkdir()
        for fault in faults(folder) if target.is_dir() else _faults_of_zip(target, folder):
            say(f"{target}: {fault}")
        if (folder / OWN).is_dir():
            stack.enter_context(contextlib.chdir(folder / OWN))
        yield folder


def results_of(folder: Path) -> Path:
    """``results/NAME`` in an archive; `InputError` if it does not exist."""
    found = sorted((folder / "results").glob(f"*/{plan.SNAPSHOT}"))
    if not found:
        raise InputError(f"{folder}: contains no campaign")
    return found[0].parent


def faults(folder: Path) -> Iterator[str]:
    """A line for each file that differs from the manifest, beginning with its path in the archive.

    `InputError` if there is no manifest.
    """
    path = folder / MANIFEST
    try:
        head, _, lines = path.read_bytes().partition(b"\n")
    except OSError:
        raise InputError(f"{path}: there is no manifest; name an archive of timefair") from None
    if head != _first_line(lines):
        yield f"{MANIFEST}: not as archived (checksum in its first line)"
    entries = (line.partition("  ") for line in lines.decode(errors="replace").splitlines())
    expected = {name: checksum for checksum, _, name in entries}
    there = {member.path: member for member in files_below(folder) if member.path != MANIFEST}
    for name in sorted(expected.keys() | there.keys()):
        if name not in there:
            yield f"{name}: missing"
        elif name not in expected:
            yield f"{name}: not part of the archive"
        elif _copied(there[name]) != expected[name]:
            yield f"{name}: not as archived (SHA-256)"


def _faults_of_zip(path: Path, folder: Path) -> Iterator[str]:
    """Unpack a zip into a folder; a line for each fault of its files, or one of the zip itself."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such file or folder")
    yield from _unpack(path, folder)
    if not (folder / MANIFEST).is_file():
        raise InputError(f"{path}: contains no {MANIFEST}; name an archive of timefair")
    yield from faults(folder)


def _unpack(path: Path, folder: Path) -> Iterator[str]:
    """Write the files of a zip into a folder; a line for each that cannot be read."""
    try:
        archive = zipfile.ZipFile(path)
    except _UNREADABLE as error:
        raise InputError(f"{path}: cannot be read as a zip ({error})") from None
    with archive:
        for entry in archive.infolist():
            try:
                archive.extract(entry, folder)
            except (*_UNREADABLE, NotImplementedError) as error:
                yield f"{entry.filename}: cannot be read from the zip ({error})"
