"""The processes of a campaign, by what they are."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

Kind = Literal["run", "parent", "job", "snakemake"]
"""The process of a run; its prepared parent; the shell of the job that this is; the workflow."""

KINDS: tuple[Kind, ...] = get_args(Kind)


def processes(folder: Path) -> dict[Kind, list[int]]:
    """Those whose working folder this is, now."""
    found: dict[Kind, list[int]] = {kind: [] for kind in KINDS}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if path.joinpath("cwd").readlink() == folder:
                found[_kind(path)].append(int(path.name))
        except (OSError, KeyError):  # it has ended, or is none of these
            continue
    return found


def _kind(path: Path) -> Kind:
    words = path.joinpath("cmdline").read_bytes().split(b"\0")
    if b"sh" in words[0][-4:]:
        return "job" if b"timefair measure" in words[-2] else _other()
    if b"snakemake" in words:
        return "snakemake"
    if b"measure" not in words or b"timefair" not in words:
        return _other()
    parent = path.joinpath("stat").read_text().rpartition(")")[2].split()[1]
    above = Path("/proc", parent, "cmdline").read_bytes().split(b"\0")
    return "run" if b"measure" in above and b"timefair" in above else "parent"


def _other() -> Kind:
    raise KeyError
