"""Where published data lie: a folder, or an archive, whose files never leave their folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import IO

from timefair.errors import InputError

KEPT = (".info", ".dat", ".tdat", ".json")
"""The endings of the files that hold data."""

Member = tuple[str, IO[bytes]]


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The folder itself, or a temporary one with the data files of an archive.

    Raises
    ------
    InputError
        If there is nothing, or no archive (.zip, or .tar as it is or compressed), or a broken one,
        or one with a member that leads out of it. Links in it are left out.
    """
    if path.is_dir():
        yield path
        return
    if not path.is_file():
        raise InputError(f"{path}: there is no such file or folder")
    with tempfile.TemporaryDirectory(prefix="timefair-") as folder:
        try:
            for name, content in _members(path):
                _copy(name, content, Path(folder), path)
        except (OSError, EOFError, ValueError, RuntimeError, NotImplementedError) as error:
            raise _broken(path, error) from None
        except (tarfile.TarError, zipfile.BadZipFile, zlib.error, LZMAError) as error:
            raise _broken(path, error) from None
        yield Path(folder)


def _broken(path: Path, error: Exception) -> InputError:
    reason = (str(error) or type(error).__name__).splitlines()[0]
    return InputError(f"{path}: no whole archive ({reason}); give a folder, a .zip or a .tar(.gz)")


def _members(path: Path) -> Iterator[Member]:
    """The name and content of each data file in an archive."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if entry.filename.endswith(KEPT):
                    yield entry.filename, archive.open(entry)
        return
    with tarfile.open(path) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None and member.name.endswith(KEPT):
                yield member.name, content


def _copy(name: str, content: IO[bytes], folder: Path, archive: Path) -> None:
    inside = PurePosixPath(name.replace("\\", "/"))
    if inside.is_absolute() or ".." in inside.parts or ":" in inside.parts[0]:
        raise InputError(f"{archive}: its member {name!r} leads out of it; it is not to be trusted")
    target = folder / inside
    target.parent.mkdir(parents=True, exist_ok=True)
    with content, target.open("wb") as file:
        shutil.copyfileobj(content, file)


def indices(folder: Path, ending: str) -> list[Path]:
    """The files of an ending in a folder, but for hidden ones such as ``._x.info``."""
    return sorted(p for p in folder.rglob(f"*{ending}") if not p.name.startswith("."))


def beside(index: Path, name: str, folder: Path) -> Path:
    """The data file that an index file names, in whatever system's manner of writing paths.

    Raises
    ------
    InputError
        If it leads out of the folder, or is not there.
    """
    path = Path(os.path.normpath(index.parent / name.replace("\\", "/")))
    shown = index.relative_to(folder)
    if not path.is_relative_to(os.path.normpath(folder)):
        raise InputError(f"{shown}: names the data file {name!r}, which is outside of the data")
    if not path.is_file():
        raise InputError(f"{shown}: names the data file {name!r}, which is not there")
    return path


def digest(path: Path) -> str:
    """SHA-256, in hex, of a file, or of the names and contents of all files of a folder."""
    if path.is_file():
        return _of_file(path)
    lines = [f"{p.relative_to(path).as_posix()} {_of_file(p)}\n" for p in files(path)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def files(path: Path) -> list[Path]:
    """The file itself, or all files in a folder, in order."""
    return sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]


def _of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
