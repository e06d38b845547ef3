"""Where published data lie: a folder, or an archive, whose files never leave their folder."""

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
from dataclasses import dataclass
from functools import cached_property
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import IO

from timefair.basics.errors import InputError

KEPT = (".info", ".dat", ".tdat", ".cdat", ".idat", ".json", ".parquet")
"""The endings of the files that hold data, in lower case."""

_ENDING = re.compile(r"\.(zip|tgz|tar(\.\w+)?)$", re.IGNORECASE)

Member = tuple[str, IO[bytes]]


@dataclass(frozen=True)
class Folder:
    """A folder of published data, of whose files some may be asked for in another case."""

    root: Path
    name: str
    """What the user called it: the folder, or the archive without its ending."""

    @cached_property
    def _spellings(self) -> dict[str, list[Path]]:
        """The files by their paths in lower case."""
        spellings: dict[str, list[Path]] = {}
        for path in sorted(self.root.rglob("*")):
            if path.suffix.lower() in KEPT and path.is_file():
                spellings.setdefault(self.place(path).as_posix().lower(), []).append(path)
        return spellings

    def place(self, path: Path) -> Path:
        """Where a file is in it."""
        return path.relative_to(self.root)

    def indices(self, ending: str) -> list[Path]:
        """The files of an ending, in any case, but for hidden ones such as ``._x.info``."""
        files = (path for same in self._spellings.values() for path in same)
        return sorted(p for p in files if p.suffix.lower() == ending and not p.name.startswith("."))

    def beside(self, index: Path, name: str) -> Path | None:
        """The data file that an index file names, in whatever system's manner of writing paths.

        None if there is no such file; InputError if it would lie outside of the folder.
        """
        path = Path(os.path.normpath(index.parent / name.replace("\\", "/")))
        if not path.is_relative_to(self.root):
            raise InputError(
                f"{self.place(index)}: names the data file {name!r}, which is outside of the data"
            )
        same = self._spellings.get(self.place(path).as_posix().lower(), [])
        return path if path in same else next(iter(same), None) if len(same) == 1 else None


@contextmanager
def unpacked(path: Path) -> Iterator[Folder]:
    """The folder itself, or a temporary one with the data files of an archive.

    Raises
    ------
    InputError
        If there is nothing, or no archive (.zip, or .tar as it is or compressed), or a broken one,
        or one with a member that leads out of it. Links in it are left out.
    """
    if path.is_dir():
        root = path.resolve()
        yield Folder(root, root.name)
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
        yield Folder(Path(folder).resolve(), _ENDING.sub("", path.name))


def _broken(path: Path, error: Exception) -> InputError:
    told = getattr(error, "strerror", None) or str(error) or type(error).__name__
    reason = told.splitlines()[0].rstrip(":")
    return InputError(f"{path}: no whole archive ({reason}); give a folder, a .zip or a .tar(.gz)")


def _members(path: Path) -> Iterator[Member]:
    """The name and content of each data file in an archive."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if entry.filename.lower().endswith(KEPT):
                    yield entry.filename, archive.open(entry)
        return
    with tarfile.open(path) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None and member.name.lower().endswith(KEPT):
                yield member.name, content


def _copy(name: str, content: IO[bytes], folder: Path, archive: Path) -> None:
    inside = PurePosixPath(name.replace("\\", "/"))
    if inside.is_absolute() or ".." in inside.parts or ":" in inside.parts[0]:
        raise InputError(f"{archive}: its member {name!r} leads out of it; it is not to be trusted")
    target = folder / inside
    target.parent.mkdir(parents=True, exist_ok=True)
    with content, target.open("wb") as file:
        shutil.copyfileobj(content, file)


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
