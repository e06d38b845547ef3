"""What a run shares with others: the file system, its temporary folder, and its cores.

Runs have private views of folders. If the kernel or the campaign does not allow them, folders are
compared before and after each run. Locks give each job cores of its own.
"""

from __future__ import annotations

import contextlib
import os
import random
import stat
import sys
import sysconfig
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from timefair.basics import disk
from timefair.basics.disk import OF_A_RUN, folder_of_runs, temporary_folder
from timefair.machine.facts import Host, Unknown, siblings
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import Mount
from timefair.records.status import Isolation

_PACKAGE = Path(__file__).parents[1]
_ROOT = Path("/")
_WORKFLOW = (".snakemake", "results")  # folders of the workflow in its working directory


@dataclass(frozen=True)
class Views:
    """The private and the shared folders of an algorithm's runs.

    ``because``: why folders are only watched; ``steps``: the mounts of a run's view; ``watched``:
    folders that runs share; ``hidden``: those of the workflow; ``megabytes``: limit of what a run
    writes into private folders; ``namespaces``: whether the kernel allows all this; ``network``:
    whether runs have one of their own.
    """

    isolation: Isolation = Isolation.SHARED
    because: str | None = None
    steps: tuple[Mount, ...] = ()
    watched: tuple[Path, ...] = (Path(),)
    megabytes: float | None = None
    hidden: tuple[Path, ...] = ()
    namespaces: bool = False
    network: bool = False

    def enter(self) -> None:
        """Enter a run's private view, in its process, just after the fork."""
        if self.namespaces:
            own = Path(tempfile.gettempdir())
            hidden = (*self.hidden, *([own.parent] if own.parent.name.startswith(OF_A_RUN) else []))
            kernel.enter(self.steps, self.megabytes, (*self.watched, own), hidden)

    def without(self, folder: Path) -> Views:
        """Views of runs that do not see this folder either, unless they work in it."""
        place = folder.resolve()
        works_in_it = Path.cwd().is_relative_to(place)
        known = works_in_it or place in self.hidden
        return self if known else replace(self, hidden=(*self.hidden, place))

    def columns(self) -> dict[str, Any]:
        return {"isolation": self.isolation, "watched_because": self.because}


def views(
    asked: Isolation,
    sources: Iterable[Path],
    megabytes: float | None = None,
    *,
    network: bool = True,
) -> Views:
    """The views that runs of an algorithm get on this machine, for ``private`` or ``shared``.

    Runs may write to the folders of the `sources`. For ``private``, this tests which folders the
    machine can make private, and whether it can give runs a `network` of their own.
    """
    watched = _watched_folders(sources)
    reason, hidden = kernel.refusal(()), _existing(map(Path, _WORKFLOW))
    if asked is Isolation.SHARED:
        return Views(watched=watched, hidden=hidden, namespaces=reason is None)
    if reason is not None:
        return Views(Isolation.WATCHED, reason, watched=watched)
    lacking = kernel.refusal((), network=True) if network else None
    own = network and lacking is None
    mounted = kernel.mount_points()
    wanted = _existing([*watched, *_wide_folders()])
    allowed = [folder for folder in wanted if folder != _ROOT]
    steps = kernel.plan(allowed, mounted)
    if (reason := kernel.refusal(steps)) is not None:
        alone = ((folder, kernel.plan([folder], mounted)) for folder in allowed)
        allowed = [folder for folder, step in alone if kernel.refusal(step) is None]
        steps = kernel.plan(allowed, mounted)
        if kernel.refusal(steps) is not None:
            allowed, steps = [], []
    elif _ROOT in watched:
        reason = f"{_ROOT}: the folder that all others lie in"
    elif lacking is not None:
        reason = f"a network: {lacking}"
    left = tuple(f for f in watched if not any(f.is_relative_to(one) for one in allowed))
    isolation = Isolation.WATCHED if reason else Isolation.PRIVATE
    return Views(isolation, reason, tuple(steps), left, megabytes, hidden, True, own)


def _watched_folders(sources: Iterable[Path]) -> tuple[Path, ...]:
    """The folders in which algorithms usually create files; the working directory is the first."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    temporary = [tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"]
    beside = [path.parent for path in sources if not path.is_relative_to(_PACKAGE)]
    return _existing([Path.cwd(), *beside, Path(cache), *map(Path, temporary)])


def _wide_folders() -> list[Path]:
    """Further folders that an algorithm may write to, too large to be compared around each run."""
    code = [_PACKAGE, *(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib"))]
    home = Path(os.path.expanduser("~"))
    return [home, *(folder for folder in code if os.access(folder, os.W_OK))]


def _existing(folders: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir()))


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Let `tempfile` make everything in an empty folder, which is removed at the end."""
    before = tempfile.tempdir
    with temporary_folder(OF_A_RUN, folder_of_runs()) as folder:
        tempfile.tempdir = folder
        try:
            yield Path(folder)
        finally:
            tempfile.tempdir = before


NAMES = 5  # maximal number of recorded names of new files
MOST_ENTRIES = 300  # per folder, compared from its top level
_EXPECTED = frozenset({*_WORKFLOW, ".git"})  # in a working directory

Fingerprint = dict[str, tuple[int, int] | None]  # size, change time in ns; None: folder


NOTHING_LEFT: dict[str, Any] = {"left_files": 0, "left_mb": 0.0, "appeared": None}


def fingerprint(folders: Iterable[Path]) -> Fingerprint:
    """What folders contain of this user's; not of runs, the workflow and the interpreter."""
    found: Fingerprint = {}
    here, user = os.getcwd(), os.geteuid()
    for folder in folders:
        top = os.path.relpath(folder) if str(folder) == here else str(folder)
        for entry, looks in islice(_from_the_top(top, unexpected=True), MOST_ENTRIES):
            if looks.st_uid == user and not entry.name.endswith(".pyc"):
                state = None if stat.S_ISDIR(looks.st_mode) else (looks.st_size, looks.st_ctime_ns)
                found[entry.path.removeprefix("./")] = state
    return found


def _from_the_top(
    top: str, unexpected: bool = False
) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
    """The entries of a folder, then those of its subfolders, and so on, or only the `unexpected`
    ones; without what vanishes meanwhile, or has too long a path.
    """
    waiting = deque([top])
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.popleft()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    looks = entry.stat(follow_symlinks=False)
                    is_folder = stat.S_ISDIR(looks.st_mode)
                    of_a_run = is_folder and entry.name.startswith(OF_A_RUN)
                    if unexpected and (entry.name in _EXPECTED or of_a_run):
                        continue
                    if is_folder:
                        waiting.append(entry.path)
                    yield entry, looks


def appeared(before: Fingerprint, after: Fingerprint) -> str | None:
    """Names of new and changed files, those in the working directory first; None without any."""
    new = [name for name, looks in after.items() if before.get(name, ()) != looks]
    new.sort(key=lambda name: (os.path.isabs(name), name))
    more = f" and {len(new) - NAMES} more" if len(new) > NAMES else ""
    return (", ".join(new[:NAMES]) + more) or None


def look(scratch: Path, watched: Iterable[Path], before: Fingerprint) -> dict[str, Any]:
    """What a run has left, as the columns of `NOTHING_LEFT`."""
    found = (looks for _, looks in _from_the_top(str(scratch)))
    sizes = [looks.st_size for looks in found if not stat.S_ISDIR(looks.st_mode)]
    left = len(sizes), sum(sizes) / 1e6, appeared(before, fingerprint(watched))
    return dict(zip(NOTHING_LEFT, left, strict=True))


# --- Locks: a job its cores, to which it is pinned; a block of jobs its node --------------------


def lock_folder() -> Path:
    return Path(os.environ.get("TIMEFAIR_LOCKS", Path(tempfile.gettempdir()) / "timefair-cores"))


@contextlib.contextmanager
def held_cores(count: int) -> Iterator[tuple[int, ...]]:
    """Wait until `count` cores are free for this process; lock all at once, and pin the process.
    Hyper-thread siblings of a core in use come last. ValueError if there are fewer cores.
    """
    groups: list[list[int]] = []
    with contextlib.suppress(Unknown):
        groups = siblings(Host())
    usable = sorted(os.sched_getaffinity(0))
    own = ([core for core in group if core in usable] for group in groups)
    place = {core: place for group in own for place, core in enumerate(group)}
    usable.sort(key=lambda core: place.get(core, 0))
    if count > len(usable):
        raise ValueError(f"{count} cores are asked for, and this process may use {len(usable)}")
    folder = lock_folder()
    folder.mkdir(mode=0o1777, parents=True, exist_ok=True)
    while True:
        # Nothing is written, so that locks of another user can be taken too.
        tried = ((disk.lock(folder / f"core-{k}", wait=False, write=False), k) for k in usable)
        locks = dict(islice(((fd, core) for fd, core in tried if fd is not None), count))
        try:
            if len(locks) == count:
                os.sched_setaffinity(0, locks.values())
                yield tuple(locks.values())
                return
        finally:
            os.sched_setaffinity(0, usable)
            for fd in locks:
                os.close(fd)
        time.sleep(random.uniform(0.02, 0.1))


@contextlib.contextmanager
def on_one_node(note: Path, node: str, records: Iterable[Path]) -> Iterator[None]:
    """Lock a block, maybe after waiting, by its `note` that names the node, and remove journals of
    its `records` from another node, if Slurm has submitted the job again.
    """
    from timefair.records.store import journal_path

    note.parent.mkdir(parents=True, exist_ok=True)
    fd = disk.lock(note)
    assert fd is not None
    try:
        before = os.pread(fd, 1000, 0).decode(errors="replace")
        for record in records if before != node else ():
            with contextlib.suppress(FileNotFoundError):
                journal_path(record).unlink()
                print(
                    f"timefair: {record}: its runs were measured on {before or 'an unknown node'}; "
                    f"this is {node}, and the block is measured again",
                    file=sys.stderr,
                    flush=True,
                )
        disk.note(fd, node)
        yield
    finally:
        os.close(fd)
