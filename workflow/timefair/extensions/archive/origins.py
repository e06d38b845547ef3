"""Origins of a campaign's runs from its records: times, machines and code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from timefair.records.schema import PUBLISHED
from timefair.records.store import open_record

_VERSIONS = ("versions", "packages")
_OF_PROCESS = (*_VERSIONS, "blas_threads", "environment")
"""Facts that depend on what a process has loaded."""


@dataclass
class MeasuredWhere:
    """The origins of the runs in some collected files.

    Attributes
    ----------
    runs
        Number of runs in all files.
    first, last
        The start of the first run, and the end of the last; None if no run was measured.
    machines
        The different facts of machines, in the order of the files. Facts that differ only in what a
        process has loaded count once, with the versions of all libraries.
    """

    runs: int = 0
    first: datetime | None = None
    last: datetime | None = None
    machines: list[dict[str, Any]] = field(default_factory=list)

    @property
    def commits(self) -> list[str]:
        """The commits of timefair that measured runs, each once."""
        found = (machine.get("package_commit") for machine in self.machines)
        return list(dict.fromkeys(commit for commit in found if commit))

    def versions(self, package: str) -> list[str]:
        """The versions of a package that the records name, each once."""
        found = ((machine.get("versions") or {}).get(package) for machine in self.machines)
        return list(dict.fromkeys(version for version in found if version))


def measured_where(collected: Iterable[Path]) -> MeasuredWhere:
    """Read it from collected files; published data count as runs only."""
    found = MeasuredWhere()
    for path in collected:
        record = open_record(path)
        for part in record.row_groups(("started_utc", "wall_s")):
            found.runs += part.num_rows
            times = (part[name].to_pylist() for name in ("started_utc", "wall_s"))
            for started, wall in zip(*times, strict=True):
                if started is not None:
                    ended = started + timedelta(seconds=wall or 0.0)
                    found.first = min(found.first or started, started)
                    found.last = max(found.last or ended, ended)
        if PUBLISHED not in record.facts:
            for machine in record.facts["collected"]["machine"]:
                if machine:
                    _add(found.machines, machine)
    return found


def _add(machines: list[dict[str, Any]], machine: dict[str, Any]) -> None:
    """Add the facts of a machine, or only its versions if the other facts are there already."""
    for known in machines:
        if _lasting(known) == _lasting(machine) and all(
            _agree(known.get(name) or {}, machine.get(name) or {}) for name in _VERSIONS
        ):
            for name in _VERSIONS:
                together = (known.get(name) or {}) | (machine.get(name) or {})
                known[name] = dict(sorted(together.items()))
            return
    machines.append(dict(machine))


def _agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one.get(name, version) == version for name, version in other.items())


def _lasting(machine: dict[str, Any]) -> dict[str, Any]:
    return {name: fact for name, fact in machine.items() if name not in _OF_PROCESS}
