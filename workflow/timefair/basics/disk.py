"""Files: written at once or not at all, locked, digested, cached, and folders that are removed."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from timefair.basics.errors import InputError


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write. It takes the place of `path` when it is complete and on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(fd, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def regular(path: Path) -> Path:
    """Return a path; `InputError` for a pipe or a device, which may never come to an end."""
    with contextlib.suppress(OSError):  # whoever reads it says what is wrong
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise InputError(f"{path}: neither a file nor a folder; give a regular file")
    return path


def cache_folder() -> Path:
    """The folder for what can be found again; it may be missing, or not be writable."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(cache, "timefair")


DIGITS = 12  # digits of a digest that are shown


def short(digest: str | None) -> str:
    return digest[:DIGITS] if digest else "unknown"


def remove(folder: str) -> None:
    """Remove a folder with everything in it, as far as its permissions allow."""
    with contextlib.suppress(RecursionError):  # of Python before 3.13
        shutil.rmtree(folder, ignore_errors=True)
    if Path(folder).exists():  # rm needs neither long paths nor many open files
        command = ["rm", "-rf", "--", folder]
        subprocess.run(command, stderr=subprocess.DEVNULL, check=False)


OF_A_RUN = "timefair-run-"
"""First part of the names of the temporary folders of runs, and of the folder that they are in."""


def folder_of_runs() -> Path:
    return Path(tempfile.gettempdir(), f"{OF_A_RUN}{os.geteuid()}")


@contextlib.contextmanager
def temporary_folder(prefix: str, top: Path | None = None) -> Iterator[str]:
    """A new temporary folder, locked until its end; then it is removed, and an empty `top`."""
    while True:
        with contextlib.suppress(FileExistsError):  # exist_ok fails if it is removed meanwhile
            if top is not None:
                top.mkdir(mode=0o700)
        try:
            folder = tempfile.mkdtemp(prefix=prefix, dir=top)
            fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:  # another process has just removed `top`, or the new folder
            if top is None:
                raise
            continue
        with contextlib.suppress(OSError):  # of a file system without locks
            fcntl.flock(fd, fcntl.LOCK_EX)
        if os.path.isdir(folder):  # not taken for an abandoned one before it was locked
            break
        os.close(fd)
    try:
        yield folder
    finally:
        remove(folder)
        os.close(fd)
        with contextlib.suppress(OSError):  # others are in it
            if top is not None:
                top.rmdir()


def remove_abandoned() -> None:
    top, names = folder_of_runs(), []
    with contextlib.suppress(FileNotFoundError):
        names = os.listdir(top)
    for name in names:
        with contextlib.suppress(OSError):  # it is another user's, in use, or has just gone
            place = os.path.join(top, name)
            fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if os.fstat(fd).st_uid == os.geteuid():
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    remove(place)
            finally:
                os.close(fd)
    with contextlib.suppress(OSError):
        top.rmdir()


DRIVER = ".driver"
"""The file in a campaign's folder that its snakemake locks, with the number of the process."""


def lock(path: Path, *, wait: bool = True, write: bool = True) -> int | None:
    """Lock a file, which is created if it does not exist, or only open it, on a file system without
    locks. A file of another user can be locked if it is not opened to `write`.

    Returns: A descriptor that keeps the lock; None if another process has it, unless we `wait`.
    """
    mode = os.O_RDWR if write else os.O_RDONLY
    fd = os.open(path, mode | os.O_CREAT | os.O_CLOEXEC, 0o644 if write else 0o666)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP):
            os.close(fd)
            raise
    return fd


def note(fd: int, text: str) -> None:
    os.ftruncate(fd, 0)
    os.pwrite(fd, text.encode(), 0)


def snakemake_above(folder: Path) -> int | None:
    """The snakemake that has locked a campaign, if this process descends from it."""
    try:
        holder = int((folder / DRIVER).read_text())
        process = os.getppid()
        while process not in (holder, 0):
            stat = Path(f"/proc/{process}/stat").read_text()
            process = int(stat.rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return holder if process == holder else None


def begun_path(record: Path) -> Path:
    return record.with_name(record.name + ".begun")
