"""Folders and archives of published data; no file outside of them is read or written."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
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

_ARCHIVE_SUFFIX = re.compile(r"\.(zip|tgz|tar(\.\w+)?)$", re.IGNORECASE)

_BROKEN = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    LZMAError,
)
"""What a damaged archive raises."""


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
    `InputError` if the path does not exist, is not a whole archive, or has a member outside the
    archive's folder.
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
        except _BROKEN as error:
            text = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise InputError(
                f"{path}: not a complete archive ({text.splitlines()[0].rstrip(':')}); expected a "
                "folder, a .zip or a .tar(.gz)"
            ) from None
        yield Folder(Path(folder).resolve(), _ARCHIVE_SUFFIX.sub("", path.name))


def _unpack(path: Path, folder: Path) -> None:
    for name, content in _data_files(path):
        target = folder / name.replace("\\", "/")
        target.parent.mkdir(parents=True, exist_ok=True)
        with content, target.open("wb") as file:
            shutil.copyfileobj(content, file)


def _data_files(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
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
