"""Private views of folders: a process sees the present content, and its changes vanish with it.

The process enters its own mount namespace and mounts an overlay over each folder. Its lower layer
is the folder, and its upper layer is a file system in memory, which takes all writes. Both vanish
with the last process of the namespace, however it ends. A process without privileges first enters a
user namespace with the same user and group ids, and then gives up the capabilities that it has
there.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

_libc = ctypes.CDLL(None, use_errno=True)

_CLONE_NEWNS = 0x00020000
_CLONE_NEWIPC = 0x08000000
_CLONE_NEWUSER = 0x10000000
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000
_PR_CAPBSET_DROP = 24
_CAPABILITY_VERSION = 0x20080522

_UNDOING = (19, 21, 38)
"""CAP_SYS_PTRACE, CAP_SYS_ADMIN and CAP_PERFMON: with them a process can leave its view, or look
into one that is outside."""


class Mount(NamedTuple):
    """One step of making a view: an overlay over a `private` folder, or a folder as it is."""

    folder: Path
    private: bool


def is_own(folder: Path) -> bool:
    """Whether a view of a folder above it can take what is written into it.

    A user namespace has one user and one group.
    """
    looks = folder.stat()
    own = (looks.st_uid, looks.st_gid) == (os.geteuid(), os.getegid())
    return own or os.geteuid() == 0


def plan(
    folders: Iterable[Path], mounted: Iterable[Path], own: Callable[[Path], bool] = is_own
) -> list[Mount]:
    """The mounts that make absolute folders private, each after the mounts that contain it.

    A folder inside another one needs no mount of its own, unless a file system is `mounted` between
    them or a folder between them is not the user's own. Inside a private folder, file systems are
    unchanged.
    """
    points = set(mounted)
    private: list[Path] = []
    for folder in sorted(set(folders)):
        around = _innermost(folder, private)
        if around is None or any(p in points or not own(p) for p in _between(around, folder)):
            private.append(folder)
    kept: list[Path] = []
    for point in sorted(points.difference(private)):
        around, below = _innermost(point, private), _innermost(point, kept)
        # What is below another one comes with it, unless a private folder is in between.
        if around and (below is None or around.is_relative_to(below)):
            kept.append(point)
    steps = [Mount(path, True) for path in private] + [Mount(path, False) for path in kept]
    return sorted(steps, key=lambda step: (len(step.folder.parts), step.folder))


def _innermost(path: Path, folders: Sequence[Path]) -> Path | None:
    """The innermost of some folders that contains a path or equals it."""
    return next((folder for folder in (path, *path.parents) if folder in folders), None)


def _between(around: Path, folder: Path) -> Iterator[Path]:
    """A folder and the folders above it up to `around`, without `around`."""
    for path in (folder, *folder.parents):
        if path == around:
            return
        yield path


def mount_points() -> list[Path]:
    """Mount points of file systems in this process's view."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        return [Path(_unescaped(line.split()[4])) for line in file]


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def enter(steps: Sequence[Mount], megabytes: float | None = None) -> None:
    """Give this process, which has only one thread, its own view of folders permanently.

    System V shared memory, semaphores and message queues, and POSIX message queues, are its own
    too. All that is written has at most so many `megabytes`; None for half of the memory. If the
    kernel refuses, an OSError names the folder or what else was refused, and the process cannot be
    used.
    """
    here = os.getcwd()
    user = _unshare()
    _call(_libc.mount(b"none", b"/", None, _flags(_MS_REC | _MS_PRIVATE), None), "/")
    with contextlib.ExitStack() as stack:
        as_they_are = []
        for step in steps:
            fd = os.open(step.folder, os.O_PATH | os.O_CLOEXEC)
            stack.callback(os.close, fd)
            as_they_are.append(fd)
        private = [step.folder for step in steps if step.private]
        if private:
            written = _memory_over(private[0], megabytes)
            stack.callback(os.close, written)
        for number, (step, fd) in enumerate(zip(steps, as_they_are, strict=True)):
            if step.private:
                _overlay(step.folder, fd, written, str(number), user)
            else:
                source = f"/proc/self/fd/{fd}".encode()
                flags = _flags(_MS_BIND | _MS_REC)
                _call(_libc.mount(source, os.fsencode(step.folder), None, flags, None), step.folder)
    os.chdir(here)
    _give_up_capabilities(keep_others=os.geteuid() == 0)


def refusal(steps: Sequence[Mount]) -> str | None:
    """The reason why `enter` fails here, tested in a separate process; None if it succeeds."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        _try_out(steps, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        reason = pipe.read().decode(errors="replace")
    _, status = os.waitpid(pid, 0)
    return reason or (None if status == 0 else "the kernel ended the process that tried")


def _try_out(steps: Sequence[Mount], writer: int) -> NoReturn:
    status = 1
    try:
        enter(steps)
        status = 0
    except OSError as error:
        os.write(writer, said(error).encode())
    finally:
        _libc._exit(status)  # not the function of `os`, which an algorithm may have replaced
        raise SystemError("_exit returned")


def said(error: OSError) -> str:
    """The refused operation and the reason, in a few words."""
    what = f"{error.filename}: " if error.filename else ""
    return f"{what}{error.strerror or error}"


def _unshare() -> bool:
    """Enter new namespaces; whether a user namespace is among them."""
    own = _CLONE_NEWNS | _CLONE_NEWIPC
    if os.geteuid() == 0 and _libc.unshare(own) == 0:
        return False
    uid, gid = os.geteuid(), os.getegid()
    _call(_libc.unshare(own | _CLONE_NEWUSER), "a user namespace")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        fd = os.open(f"/proc/self/{name}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)
    return True


def _memory_over(folder: Path, megabytes: float | None) -> int:
    """Mount a file system in memory, and open it. The overlay of the same folder then hides it."""
    options = b"mode=0700" + (b"" if megabytes is None else b",size=%dm" % max(1, megabytes))
    _call(_libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", _flags(0), options), folder)
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _overlay(folder: Path, below: int, written: int, name: str, user: bool) -> None:
    """Mount over a folder itself, with a new folder of `written` for what is written."""
    looks = os.fstat(below)
    os.mkdir(name, dir_fd=written)
    os.mkdir(f"{name}-work", dir_fd=written)
    above = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=written)
    try:
        if not user:
            os.fchown(above, looks.st_uid, looks.st_gid)
        os.fchmod(above, stat.S_IMODE(looks.st_mode))
    finally:
        os.close(above)
    options = ",".join(
        [
            f"lowerdir=/proc/self/fd/{below}",
            f"upperdir=/proc/self/fd/{written}/{name}",
            f"workdir=/proc/self/fd/{written}/{name}-work",
            *(["userxattr"] if user else []),
        ]
    )
    arguments = (b"overlay", os.fsencode(folder), b"overlay", _flags(0), options.encode())
    _call(_libc.mount(*arguments), folder)


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Capabilities(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def _give_up_capabilities(keep_others: bool) -> None:
    """Drop those that undo a view, or all."""
    header, held = _Header(_CAPABILITY_VERSION, 0), (_Capabilities * 2)()
    _call(_libc.capget(ctypes.byref(header), held), "capabilities")
    for number in _UNDOING:
        _call(_libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0), "capabilities")
    for word in range(2):
        undoing = sum(1 << number % 32 for number in _UNDOING if number // 32 == word)
        for name, _ in _Capabilities._fields_:
            kept = getattr(held[word], name) & ~undoing if keep_others else 0
            setattr(held[word], name, kept)
    _call(_libc.capset(ctypes.byref(header), held), "capabilities")


def _flags(number: int) -> ctypes.c_ulong:
    return ctypes.c_ulong(number)


def _call(result: int, what: object) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(what))
