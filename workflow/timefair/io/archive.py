"""Folders and archives of published data; no file outside of them is read or written."""

from __future__ import annotations

import hashlib
import os
import re
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import IO

from timefair.basics.errors import InputError

DATA_SUFFIXES = (".info", ".dat", ".tdat", ".cdat", ".idat", ".json", ".parquet")
"""Suffixes of data files, in lower case."""

LISTED = set(DATA_SUFFIXES) - {".info", ".json"}
"""Suffixes of the files that an index file lists."""

MOST_MB = 8192
"""Maximal unpacked size of an archive."""

MOST_RATIO = 200
"""Maximal unpacked size as a multiple of the packed size. It is below 50 for text."""

SMALL_MB = 64
"""Size up to which an archive is unpacked for any ratio."""

MOST_FILES = 100_000
"""Maximal number of data files in an archive."""

_CHUNK = 1 << 20

_ARCHIVE_SUFFIX = re.compile(r"\.(zip|tgz|tar(\.\w+)?)$", re.IGNORECASE)

Member = tuple[str, IO[bytes]]


@dataclass(frozen=True)
class Folder:
    """A folder of published data. File names match in any case, if only one file matches."""

    root: Path
    name: str
    """Name of the folder, or of the archive without its suffix."""
    _named: set[Path] = field(default_factory=set)
    """Data files that an index file names, without suffix and in lower case."""

    @cached_property
    def _spellings(self) -> dict[str, list[Path]]:
        """Data files, grouped by their path in lower case."""
        spellings: dict[str, list[Path]] = {}
        for path in sorted(self.root.rglob("*")):
            if path.suffix.lower() in DATA_SUFFIXES and path.is_file():
                spellings.setdefault(self.place(path).as_posix().lower(), []).append(path)
        return spellings

    def place(self, path: Path) -> Path:
        """The path of a file relative to the folder."""
        return path.relative_to(self.root)

    def indices(self, suffix: str) -> list[Path]:
        """Files with a suffix, in any case, except hidden files such as ``._x.info``."""
        files = (path for same in self._spellings.values() for path in same)
        return sorted(p for p in files if p.suffix.lower() == suffix and not p.name.startswith("."))

    def beside(self, index: Path, name: str) -> Path | None:
        """The data file that an index file names, if it exists; ``/`` and ``\\`` separate folders.

        `InputError` if the path is outside the folder.
        """
        path = Path(os.path.normpath(index.parent / name.replace("\\", "/")))
        if not path.is_relative_to(self.root):
            raise InputError(
                f"{self.place(index)}: data file {name!r} is outside the folder of the data"
            )
        self._named.add(_stem(self.place(path)))
        same = self._spellings.get(self.place(path).as_posix().lower(), [])
        return path if path in same else next(iter(same), None) if len(same) == 1 else None

    def unlisted(self) -> list[Path]:
        """Data files whose name no call of `beside` had, with any suffix, and inner archives."""
        return [
            place
            for place in map(self.place, files(self.root))
            if not any(part.startswith(".") for part in place.parts)
            and (
                _ARCHIVE_SUFFIX.search(place.name)
                or (place.suffix.lower() in LISTED and _stem(place) not in self._named)
            )
        ]


def _stem(place: Path) -> Path:
    return Path(place.with_suffix("").as_posix().lower())


@contextmanager
def unpacked(path: Path) -> Iterator[Folder]:
    """The folder itself, or a temporary folder with the data files of an archive.

    Archives are ``.zip`` files and ``.tar`` files, compressed or not. Links in them are skipped.
    `InputError` if the path does not exist, is not a whole archive, has a member outside the
    archive's folder, or more data than an archive of its size holds.
    """
    if path.is_dir():
        root = path.resolve()
        yield Folder(root, root.name)
        return
    if not path.is_file():
        raise InputError(f"{path}: there is no such file or folder")
    with tempfile.TemporaryDirectory(prefix="timefair-") as folder:
        try:
            _unpack(path, Path(folder))
        except (OSError, EOFError, ValueError, RuntimeError, NotImplementedError) as error:
            raise _broken(path, error) from None
        except (tarfile.TarError, zipfile.BadZipFile, zlib.error, LZMAError) as error:
            raise _broken(path, error) from None
        yield Folder(Path(folder).resolve(), _ARCHIVE_SUFFIX.sub("", path.name))


def _broken(path: Path, error: Exception) -> InputError:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    reason = text.splitlines()[0].rstrip(":")
    return InputError(
        f"{path}: not a complete archive ({reason}); expected a folder, a .zip or a .tar(.gz)"
    )


def _unpack(path: Path, folder: Path) -> None:
    room = _Room(path)
    for number, (name, content) in enumerate(_data_files(path, room)):
        if number == MOST_FILES:
            raise _too_much(path, f"more than {MOST_FILES} data files")
        target = folder / name.replace("\\", "/")
        target.parent.mkdir(parents=True, exist_ok=True)
        with content, target.open("wb") as file:
            while chunk := content.read(_CHUNK):
                room.take(len(chunk))
                file.write(chunk)


class _Room:
    """Remaining number of bytes that an archive may have when unpacked."""

    def __init__(self, archive: Path) -> None:
        megabytes = max(SMALL_MB, MOST_RATIO * archive.stat().st_size / 1e6)
        self._left, self._archive = 1e6 * min(MOST_MB, megabytes), archive

    def take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            most = f"{MOST_RATIO} times its size, or {MOST_MB} MB"
            raise _too_much(self._archive, f"unpacks to more than {most}")


def _too_much(path: Path, what: str) -> InputError:
    return InputError(f"{path}: {what}; if you trust it, unpack it yourself and name the folder")


def _data_files(path: Path, room: _Room) -> Iterator[Member]:
    """Name and content of each data file in an archive, once its name is known to be inside."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                _refuse_outside(entry.filename, path)
            for entry in archive.infolist():
                if entry.filename.lower().endswith(DATA_SUFFIXES):
                    yield entry.filename, archive.open(entry)
        return
    with tarfile.open(path) as archive:
        for member in archive:
            _refuse_outside(member.name, path)
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None and member.name.lower().endswith(DATA_SUFFIXES):
                yield member.name, content
            else:
                room.take(member.size)  # a compressed archive is unpacked to find what follows


def _refuse_outside(name: str, archive: Path) -> None:
    inside = PurePosixPath(name.replace("\\", "/"))
    if inside.is_absolute() or ".." in inside.parts or ":" in "".join(inside.parts[:1]):
        raise InputError(f"{archive}: member {name!r} is outside its folder; not unpacked")


def digest(path: Path) -> str:
    """Hexadecimal SHA-256 of a file, or of the names and contents of all files in a folder."""
    if path.is_file():
        return _of_file(path)
    lines = [f"{p.relative_to(path).as_posix()} {_of_file(p)}\n" for p in files(path)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def files(path: Path) -> list[Path]:
    """The file itself, or all files in a folder, sorted."""
    return sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]


def _of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
