"""Checks the files that a command reads and writes before the work, which may take long."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from errno import EIO
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.basics.errors import InputError
from timefair.basics.files import regular

if TYPE_CHECKING:
    import pandas as pd

    from timefair.report.exhibits import PictureFile


def prepare_files(paths: Iterable[Path], endings: Collection[str] = ()) -> None:
    """Make the folders of files that will be written, and refuse those that cannot be written.

    `endings` are the allowed ones, empty for any. `InputError` with one line per file of another
    ending, or for the first that cannot be written.
    """
    paths = list(paths)
    if wrong := [path for path in paths if endings and path.suffix not in endings]:
        known = " or ".join(endings)
        raise InputError(*(f"--output: {path}: should end in {known}" for path in wrong))
    for path in paths:
        if path.is_dir():
            raise InputError(f"{path}: is a folder; name a file in it")
        prepare_folder(path.parent)
        if path.exists():
            _refuse_locked(path)


def prepare_folder(path: Path) -> None:
    """Make a folder for files, if it does not exist; `InputError` if that fails."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InputError(f"{path}: is not a folder, and cannot be created") from None
    _refuse_locked(path)


def _refuse_locked(path: Path) -> None:
    if not os.access(path, os.W_OK):
        raise InputError(f"{path}: cannot be written; make it writable, or name another")


def read_table(path: Path, name: str) -> pd.DataFrame:
    """Read the table `name` from its Parquet or CSV file.

    `InputError` if the file cannot be read, is not a table, or is another table.
    """
    from timefair.exhibits import files
    from timefair.exhibits.registry import TABLES

    if not path.is_file():  # of a folder, pandas would read all files
        raise InputError(f"{path}: there is no such file")
    try:
        frame = files.read(path, TABLES[name].exhibit.columns)
    except OSError as error:
        raise InputError(f"{path}: {os.strerror(error.errno or EIO)}") from None
    except ValueError:
        raise InputError(f"{path}: not a table that timefair wrote") from None
    found = frame.attrs.get("table", name)
    if found != name:
        raise InputError(f"{path}: is the table {found}; should be {name}")
    return frame


def read_picture(path: Path) -> PictureFile:
    """A figure as SVG or PNG; `InputError` if the file cannot be read, or is neither."""
    from timefair.report.exhibits import PictureFile

    try:
        content = regular(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return PictureFile(content, "image/png")
    if b"<svg" not in content:
        raise InputError(f"{path}: should be an SVG or PNG file")
    return PictureFile(content, "image/svg+xml")
