"""Checks an archive: its bytes, its records, and its tables."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.campaign import plan
from timefair.extensions.archive import manifest, packing
from timefair.extensions.archive.code import OWN
from timefair.extensions.archive.member import files_below
from timefair.extensions.archive.metadata import NAME as METADATA

Say = Callable[[str], None]


def is_archive(target: Path) -> bool:
    """Whether a path is that of an archive: a zip, or a folder with a manifest or RO-Crate."""
    if target.is_dir():
        return any((target / name).is_file() for name in (manifest.NAME, METADATA))
    return target.suffix == ".zip"


@contextlib.contextmanager
def opened(target: Path, say: Say) -> Iterator[Path]:
    """The folder of an archive, after a check of every byte.

    A zip is unpacked into a temporary folder. The working directory is then that of the user's
    files, if the archive contains some, so that their code can run.

    Parameters
    ----------
    say
        Called with one line for each file that is damaged, missing or not part of the archive.
    """
    with contextlib.ExitStack() as stack:
        folder = target.absolute()
        if not target.is_dir():
            place = stack.enter_context(tempfile.TemporaryDirectory(prefix="timefair-verify-"))
            folder = Path(place).resolve() / "crate"
            folder.mkdir()
            _check_zip(target, folder, say)
        else:
            _check_folder(target, folder, say)
        if (folder / OWN).is_dir():
            stack.enter_context(contextlib.chdir(folder / OWN))
        yield folder


def _check_folder(target: Path, folder: Path, say: Say) -> int:
    faults = [*manifest.faults(folder)]
    for fault in faults:
        say(f"{target}: {fault}")
    return len(faults)


def _check_zip(target: Path, folder: Path, say: Say) -> None:
    if not target.is_file():
        raise InputError(f"{target}: there is no such file or folder")
    unreadable = packing.unpack(target, folder)
    for fault in unreadable:
        say(f"{target}: {fault}")
    if not (folder / manifest.NAME).is_file():
        raise InputError(f"{target}: contains no {manifest.NAME}; name an archive of timefair")
    if unreadable or _check_folder(target, folder, say):
        return
    container = packing.container_fault(target, folder)
    if container is not None:
        say(f"{target}: {container}")


def results_of(folder: Path) -> Path:
    """``results/NAME`` in an archive; `InputError` if it does not exist."""
    found = sorted((folder / "results").glob(f"*/{plan.SNAPSHOT}"))
    if not found:
        raise InputError(f"{folder}: contains no campaign")
    return found[0].parent


def bytes_in_words(folder: Path, faults: int) -> str:
    """Number of files of an archive, and number of those that differ from the manifest."""
    files = len(files_below(folder))
    as_archived = "every byte is as archived" if not faults else f"{faults} not as archived"
    return f"{files} files, {as_archived}"
