"""The processes of a campaign, by what they are."""

from pathlib import Path
from typing import Literal, get_args

from timefair.measure.runner import NAMES

Kind = Literal["run", "parent", "prepared", "command", "job", "snakemake"]
"""The process of a run; the one that forks it, which measures the job; the prepared one that this
is a fork of; the job's own process, which waits; its shell; the workflow."""

KINDS: tuple[Kind, ...] = get_args(Kind)


def processes(folder: Path) -> dict[Kind, list[int]]:
    """Those whose working directory this is, now."""
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
    name = _name(path)
    if name == NAMES["job"]:
        parent = path.joinpath("stat").read_text().rpartition(")")[2].split()[1]
        return "run" if _name(Path("/proc", parent)) == name else "parent"
    return "prepared" if name == NAMES["ready"] or b"--serve" in words else "command"


def _name(path: Path) -> str:
    return path.joinpath("comm").read_text().strip()


def _other() -> Kind:
    raise KeyError
