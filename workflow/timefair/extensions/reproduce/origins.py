"""Differences between a record and the present state: code, software, parameters, seed, machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from timefair.basics.files import short
from timefair.campaign.configuration import Campaign
from timefair.campaign.earlier import decisive_settings
from timefair.records.schema import SCHEMA_VERSION

_MACHINE = (
    "cpu", "architecture", "cores", "memory_mb", "libc", "kernel", "hostname", "numpy_instructions",
    "blas",
)  # fmt: skip
"""The facts of the machine that are compared, in this order."""

_PYTHON = ("python", "python_implementation")
_SHOWN = 8
"""Maximal number of listed differing packages that no algorithm or suite names."""


class Change(NamedTuple):
    """One difference, with the recorded and the present value."""

    topic: str
    name: str
    recorded: str
    now: str

    def __str__(self) -> str:
        return f"{self.topic:<11}{self.name}: {self.recorded} recorded, {self.now} now".rstrip()


def code_changes(
    recorded: str, now: str, machine: Mapping[str, Any], here: Mapping[str, Any]
) -> Iterator[Change]:
    """The code digest, and the commits if they differ too.

    Parameters
    ----------
    recorded, now
        The digests of the code that measured the run, and of the code that would measure it now.
    machine, here
        The facts of both machines, which contain the commits.
    """
    if recorded == now:
        return
    yield Change("code", "digest", short(recorded), short(now))
    for name in ("commit", "package_commit"):
        if machine.get(name) != here.get(name):
            yield Change("code", name, _shown(machine.get(name)), _shown(here.get(name)))


def software_changes(recorded: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    """Versions of Python, of the packages that measure the run, then of the other ones here.

    Parameters
    ----------
    recorded, now
        The facts of the machines.
    """
    for name in _PYTHON:
        if recorded.get(name) != now.get(name):
            yield Change("software", name, _shown(recorded.get(name)), _shown(now.get(name)))
    named, named_now = recorded.get("versions") or {}, now.get("versions") or {}
    for name in sorted({*named, *named_now}):
        if named.get(name) != named_now.get(name):
            yield Change("software", name, _shown(named.get(name)), _shown(named_now.get(name)))
    others, others_now = _packages(recorded), _packages(now)
    if not others or not others_now:  # older records do not list them
        return
    known = {_plain(name) for name in {*named, *named_now}}
    changed = [
        name
        for name in sorted({*others, *others_now})
        if others.get(name) != others_now.get(name) and name not in known
    ]
    for name in changed[:_SHOWN]:
        yield Change("software", name, _shown(others.get(name)), _shown(others_now.get(name)))
    if len(changed) > _SHOWN:
        more = f"{len(changed) - _SHOWN} more packages"
        yield Change("software", more, "other versions", "the installed ones")


def same_versions(recorded: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether Python and all packages that measure the run are those of the record."""

    def versions(machine: Mapping[str, Any]) -> dict[str, Any]:
        named = {n: v for n, v in (machine.get("versions") or {}).items() if n != "timefair"}
        return named | {"python": machine.get("python")}

    return versions(recorded) == versions(now)


def _packages(machine: Mapping[str, Any]) -> dict[str, str]:
    return {_plain(name): version for name, version in (machine.get("packages") or {}).items()}


def _plain(name: str) -> str:
    """The normalized name of a package."""
    return name.lower().replace("_", "-").replace(".", "-")


def machine_changes(recorded: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    """Differences in the hardware and the system; unknown facts are omitted."""
    for name in _MACHINE:
        one, other = recorded.get(name), now.get(name)
        if one is not None and other is not None and one != other:
            yield Change("machine", name, _shown(one), _shown(other))


def parameter_changes(recorded: Campaign, now: Campaign, label: str) -> Iterator[Change]:
    """Differences between two campaigns in the settings that determine the runs of an algorithm."""
    one, other = (
        decisive_settings(campaign.model_dump(mode="json"), label) for campaign in (recorded, now)
    )
    for name in sorted({*one, *other}):
        if one.get(name) != other.get(name):
            yield Change("parameters", name, _shown(one.get(name)), _shown(other.get(name)))


def seed_changes(recorded: int, now: int) -> Iterator[Change]:
    """The seed of the run, if it does not follow from the campaign's seed."""
    if recorded != now:
        yield Change("seed", "of the run", str(recorded), str(now))


def key_changes(keys: tuple[str, ...], now: str, version: int) -> Iterator[Change]:
    """The measure key, if it differs for no reason among the compared facts.

    The key covers everything that determines a measurement, so the configuration in the record is
    not the one that was measured. Records of another schema version have other keys.
    """
    if version == SCHEMA_VERSION and now not in keys:
        recorded = " or ".join(map(short, keys))
        yield Change("parameters", "key of the configuration", recorded, short(now))


def _shown(value: object) -> str:
    return "none" if value is None else str(value)
