"""What runs share of the file system: each has a view of its own, or what changes is recorded.

A file that the trial launch or one run writes would tell the next run what has been found. So the
process of a run enters private views of the folders that algorithms write to, just after its fork
and before its time starts (`linux.private_folders`). Everything that it starts inherits them.
Where the kernel allows no such views, and where the campaign asks for none, the folders are
compared before and after each run (`measure.isolation.leftovers`).
"""

from __future__ import annotations

import mmap
import os
import sysconfig
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
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
    """What the runs of an algorithm have to themselves, and what they share.

    Attributes
    ----------
    isolation, because
        What is in force, and why the folders are only watched; None if they are not.
    steps
        The mounts of a run's view; none if nothing is private.
    watched
        Folders that runs share: they are compared before and after each.
    megabytes
        What one run can write into its private folders.
    """

    isolation: Isolation = Isolation.SHARED
    because: str | None = None
    steps: tuple[Mount, ...] = ()
    watched: tuple[Path, ...] = (Path(),)
    megabytes: float | None = None
    _refusal: mmap.mmap = field(default_factory=lambda: mmap.mmap(-1, 1024), compare=False)

    def enter(self) -> None:
        """Be in a run's own view from now on, in its process, just after the fork.

        The run's temporary folder stays its parent's, which counts what is left there. If the
        kernel refuses what it allowed before, the process ends and `check` raises.
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
        """Raise `InputError` if a process could not enter its view: it has measured nothing."""
        reason = self._refusal[:].rstrip(b"\0").decode(errors="replace")
        if reason:
            raise InputError(
                f"isolation: private views of folders are no longer possible ({reason}); "
                "start snakemake again, or write isolation: shared"
            )

    def columns(self) -> dict[str, Any]:
        """The columns of a record that name what is in force."""
        return {"isolation": self.isolation, "watched_because": self.because}


def views(asked: Isolation, sources: Iterable[Path], megabytes: float | None = None) -> Views:
    """The views that runs of an algorithm get on this machine; it is tried out here.

    Parameters
    ----------
    asked
        What the campaign asks for: ``private`` or ``shared``.
    sources
        The files of the algorithm and of the problem; runs may write beside them.
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
    """The folders that files of algorithms appear in; the working folder is the first."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    temporary = [tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"]
    beside = [path.parent for path in sources if not path.is_relative_to(_PACKAGE)]
    return _existing([Path.cwd(), *beside, Path(cache), *map(Path, temporary)])


def _wide_folders() -> list[Path]:
    """Folders that an algorithm may write to as well, too large to be compared around each run."""
    code = [_PACKAGE, *(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib"))]
    home = Path(os.path.expanduser("~"))
    return [home, *(folder for folder in code if os.access(folder, os.W_OK))]


def _existing(folders: Iterable[Path]) -> tuple[Path, ...]:
    """Those that exist, without links and each once."""
    return tuple(dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir()))
