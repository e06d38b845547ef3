"""The file system of a run: a private view of folders, or a record of their changes.

A file written by the trial launch or by a run could tell the next run what has been found.
Therefore the process of a run enters private views of the folders that algorithms write to, just
after its fork and before its time starts (`linux.private_folders`). All processes that it starts
inherit these views. If the kernel does not allow such views, or the campaign does not request them,
the folders are compared before and after each run (`measure.isolation.leftovers`).
"""

from __future__ import annotations

import mmap
import os
import sysconfig
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from timefair.basics.errors import InputError
from timefair.linux import kernel, private_folders
from timefair.linux.private_folders import Mount
from timefair.records.status import Isolation

_PACKAGE = Path(__file__).parents[2]
_ROOT = Path("/")


@dataclass(frozen=True)
class Views:
    """The private and the shared folders of an algorithm's runs.

    Attributes
    ----------
    isolation, because
        The isolation in force, and the reason if the folders are only watched (None if they are
        not).
    steps
        The mounts of a run's view; empty if no folder is private.
    watched
        Folders that runs share. They are compared before and after each run.
    megabytes
        Maximal amount that one run can write into its private folders.
    """

    isolation: Isolation = Isolation.SHARED
    because: str | None = None
    steps: tuple[Mount, ...] = ()
    watched: tuple[Path, ...] = (Path(),)
    megabytes: float | None = None
    _refusal: mmap.mmap = field(default_factory=lambda: mmap.mmap(-1, 1024), compare=False)

    def enter(self) -> None:
        """Enter a run's private view, in its process, just after the fork.

        The parent still sees the run's temporary folder, and counts the files that are left there.
        If the kernel refuses a mount that it allowed before, the process ends and `check` raises.
        """
        if not self.steps:
            return
        scratch = Path(tempfile.gettempdir())
        try:
            private_folders.enter([*self.steps, Mount(scratch, private=False)], self.megabytes)
        except OSError as error:
            self._refusal.write(private_folders.said(error).encode()[: len(self._refusal)])
            kernel.end_process(1)

    def check(self) -> None:
        """Raise `InputError` if a process could not enter its view and therefore
        measured nothing.
        """
        reason = self._refusal[:].rstrip(b"\0").decode(errors="replace")
        if reason:
            raise InputError(
                f"isolation: private views of folders are no longer possible ({reason}); "
                "start snakemake again, or write isolation: shared"
            )

    def arguments(self) -> dict[str, Any]:
        """What makes the same views in another process."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.compare}

    def columns(self) -> dict[str, Any]:
        """The columns of a record that describe the isolation in force."""
        return {"isolation": self.isolation, "watched_because": self.because}


def views(asked: Isolation, sources: Iterable[Path], megabytes: float | None = None) -> Views:
    """The views that runs of an algorithm get on this machine.

    If `asked` is ``private``, this function tests which folders the machine can make private.

    Parameters
    ----------
    asked
        The isolation that the campaign requests: ``private`` or ``shared``.
    sources
        The files of the algorithm and of the problem; runs may write to the folders of these files.
    megabytes
        As in `Views`.
    """
    watched = _watched_folders(sources)
    if asked is Isolation.SHARED:
        return Views(watched=watched)
    if (reason := private_folders.refusal(())) is not None:
        return Views(Isolation.WATCHED, reason, watched=watched)
    mounted = private_folders.mount_points()
    wanted = _existing([*watched, *_wide_folders()])
    allowed = [folder for folder in wanted if folder != _ROOT]
    steps = private_folders.plan(allowed, mounted)
    if (reason := private_folders.refusal(steps)) is not None:
        alone = ((folder, private_folders.plan([folder], mounted)) for folder in allowed)
        allowed = [folder for folder, step in alone if private_folders.refusal(step) is None]
        steps = private_folders.plan(allowed, mounted)
        if private_folders.refusal(steps) is not None:
            return Views(Isolation.WATCHED, reason, watched=watched)
    elif _ROOT in watched:
        reason = f"{_ROOT}: the folder that all others lie in"
    if reason is None:
        return Views(Isolation.PRIVATE, None, tuple(steps), (), megabytes)
    left = tuple(f for f in watched if not any(f.is_relative_to(one) for one in allowed))
    return Views(Isolation.WATCHED, reason, tuple(steps), left, megabytes)


def _watched_folders(sources: Iterable[Path]) -> tuple[Path, ...]:
    """The folders in which algorithms usually create files; the working directory is the first."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    temporary = [tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"]
    beside = [path.parent for path in sources if not path.is_relative_to(_PACKAGE)]
    return _existing([Path.cwd(), *beside, Path(cache), *map(Path, temporary)])


def _wide_folders() -> list[Path]:
    """Further folders that an algorithm may write to; they are too large to be compared around each
    run.
    """
    code = [_PACKAGE, *(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib"))]
    home = Path(os.path.expanduser("~"))
    return [home, *(folder for folder in code if os.access(folder, os.W_OK))]


def _existing(folders: Iterable[Path]) -> tuple[Path, ...]:
    """The existing ones of these folders, with links resolved and without duplicates."""
    return tuple(dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir()))
