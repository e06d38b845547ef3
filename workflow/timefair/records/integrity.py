"""Whether records are where they belong, and belong together: facts in, lines out."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

RunKey = tuple[int, int, int, int]
"""(function, dimension, instance, run)"""

RUN_KEY = ("function", "dimension", "instance", "run")

CONSENT = "measure all on equal terms, or say statistics.mixed: allow"


# --- One record -----------------------------------------------------------------------------


class Place(NamedTuple):
    """What the path of a record says of it; the key may be its beginning."""

    algorithm: str
    key: str
    function: int
    dimension: int
    instances: Collection[int]
    round: int


def run_name(key: RunKey) -> str:
    """A run as messages name it.

    >>> run_name((8, 10, 1, 0))
    'f8 D=10 instance 1 run 0'
    """
    function, dimension, instance, run = key
    return f"f{function} D={dimension} instance {instance} run {run}"


def misplaced(place: Place, facts: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> str:
    """What makes a record another one than its path says, as a clause; empty if nothing does."""
    key = str(facts.get("key"))
    if not key.startswith(place.key):
        return f"its key is {key[: len(place.key)]}"
    for row in rows:
        if not _belongs(row, place):
            return (
                f"it holds f{row['function']} D={row['dimension']} instance {row['instance']} "
                f"of {row['algorithm']} in round {row['round']}"
            )
    return ""


def _belongs(row: Mapping[str, Any], place: Place) -> bool:
    same = ("algorithm", "function", "dimension", "round")
    return row["instance"] in place.instances and all(row[n] == getattr(place, n) for n in same)


def spared(
    unmeasured: Collection[RunKey], seen: Iterable[RunKey], decided: Iterable[Mapping[str, Any]]
) -> set[RunKey]:
    """Runs that a stopping rule made unnecessary: all after the last one of their problem."""
    last = {tuple(row[name] for name in RUN_KEY[:-1]): -1 for row in decided}
    for *problem, run in seen:
        place = tuple(problem)
        if place in last:
            last[place] = max(last[place], run)
    return {key for key in unmeasured if key[:-1] in last and key[-1] > last[key[:-1]]}


# --- Records together -----------------------------------------------------------------------


class Machine(NamedTuple):
    """What tells kinds of machines apart; nodes of one kind differ in their names only."""

    cpu: str | None
    cores: int | None
    memory_gb: int | None

    def __str__(self) -> str:
        cores, memory = self.cores or "unknown", self.memory_gb or "unknown"
        return f"{self.cpu or 'unknown processor'} with {cores} cores and {memory} GB"


def machine_kind(facts: Mapping[str, Any]) -> Machine:
    """The kind of a machine with these facts; what is not known is None, and equal to None only.

    A kernel keeps a part of the memory, another one a slightly different part: what counts is the
    next larger size that memory is built in.

    >>> str(machine_kind({"cpu": "Z80", "cores": 2, "memory_mb": 15_922.4}))
    'Z80 with 2 cores and 16 GB'
    """
    memory = facts.get("memory_mb")
    return Machine(facts.get("cpu"), facts.get("cores"), memory and _built_gb(memory / 1024))


def _built_gb(measured: float) -> int:
    """The next of 1, 2, 3, 4, 6, 8, 12, 16, ... GB."""
    size = 1
    while size < measured:
        size = size * 2 if size < 2 else size * 3 // 2 if size & (size - 1) == 0 else size * 4 // 3
    return size


_ONE_OF_A_KIND = ("hostname", "affinity")
"""Facts of a machine that differ from node to node, or from core to core, and decide nothing."""


@dataclass
class Origins:
    """Where the runs of an algorithm come from: each different value that their records name.

    Of a machine without its name, and without the cores that a job was given: on a cluster these
    are as many as there are jobs.
    """

    campaign: list[Any] = field(default_factory=list)
    key: list[Any] = field(default_factory=list)
    code: list[Any] = field(default_factory=list)
    machine: list[Any] = field(default_factory=list)

    def add(self, facts: Mapping[str, Any]) -> None:
        """Take in what a record names, or what a collected file does for all its records."""
        collected = facts.get("collected")
        for name, values in vars(self).items():
            for value in collected[name] if collected else [facts.get(name)]:
                if name == "machine" and value:
                    value = {k: v for k, v in value.items() if k not in _ONE_OF_A_KIND}
                if value not in values:
                    values.append(value)

    def configurations(self, label: str) -> set[str]:
        """What was asked for of an algorithm, each different way of it as JSON."""
        return {_asked(campaign, label) for campaign in self.campaign if campaign}


def mixed(origins: Mapping[str, Origins]) -> list[str]:
    """What differs among the runs of one table that should not, a clause each.

    An algorithm's code, its own and the one that measures it, may differ from that of the others:
    who changes one algorithm measures that one again.

    Parameters
    ----------
    origins
        By the label of the algorithm.
    """
    clauses = []
    for label, one in origins.items():
        if len(one.code) > 1:
            clauses.append(f"{label}: runs of {len(one.code)} versions of its code")
        if (asked := len(one.configurations(label))) > 1:
            clauses.append(f"{label}: runs of {asked} configurations")
    everyone = list(origins.values())
    if len(shared := {c for one in everyone for c in one.configurations("")}) > 1:
        clauses.append(f"runs of {len(shared)} configurations of suite, budget, limits or timing")
    if len(kinds := machine_kinds(everyone)) > 1:
        clauses.append(f"runs of {len(kinds)} machines: {'; '.join(sorted(map(str, kinds)))}")
    software = differing_software(everyone)
    clauses += [f"runs with {name} {' and '.join(found)}" for name, found in software.items()]
    return clauses


def machine_kinds(origins: Iterable[Origins]) -> set[Machine]:
    """The kinds of machines that the records name."""
    return {machine_kind(machine) for machine in _machines(origins)}


def differing_software(origins: Iterable[Origins]) -> dict[str, list[str]]:
    """The versions of each package of which the records name more than one.

    This package is left out: the digest of its code says whether it measured otherwise.
    """
    found: dict[str, set[str]] = {}
    for machine in _machines(origins):
        python = ".".join((machine.get("python") or "unknown").split(".")[:2])
        for name, version in ({"python": python} | machine.get("versions", {})).items():
            found.setdefault(name, set()).add(version or "unknown")
    return {
        name: sorted(versions)
        for name, versions in sorted(found.items())
        if len(versions) > 1 and name != "timefair"
    }


def _machines(origins: Iterable[Origins]) -> Iterable[Mapping[str, Any]]:
    return (machine or {} for machine in chain.from_iterable(one.machine for one in origins))


# --- Campaigns as records have them -----------------------------------------------------------

_SHARED = ("seed", "budget", "limits", "stopping")


def restart_of(campaign: Mapping[str, Any], label: str) -> Any:
    """How the runs of an algorithm are restarted: its own policy, or else the campaign's."""
    own = campaign.get("algorithms", {}).get(label, {}).get("restart")
    return own or campaign.get("restart")


def isolation_of(campaign: Mapping[str, Any], label: str) -> Any:
    """What the runs of an algorithm were to share; ``shared`` before there was a choice."""
    own = campaign.get("algorithms", {}).get(label, {}).get("isolation")
    return own or campaign.get("isolation", "shared")


def timing_of(campaign: Mapping[str, Any]) -> dict[str, Any]:
    """How runs are measured on a machine that others use too.

    ``repeats``: how often a disturbed one is measured again at most. ``reference``: whether the
    reference kernel is timed around each. Excluding disturbed runs is a matter of the tables.
    """
    timing = campaign.get("timing", {})
    repeats = timing.get("repeats") if timing.get("disturbed") == "repeat" else 0
    reference = timing.get("reference")
    if reference is None:
        reference = campaign.get("budget", {}).get("time_s") is not None
    return {"repeats": repeats, "reference": reference}


def _asked(campaign: Mapping[str, Any], label: str) -> str:
    """What of a campaign decides the runs of an algorithm; without a label, those of all."""
    problems, spec = campaign.get("problems", {}), campaign.get("algorithms", {}).get(label, {})
    asked = {name: campaign.get(name) for name in _SHARED}
    asked |= {name: problems.get(name) for name in ("suite", "parameters")}
    asked["timing"] = timing_of(campaign)
    if label:
        asked |= {name: spec.get(name) for name in ("use", "parameters", "threads")}
        asked["restart"] = restart_of(campaign, label)
        asked["isolation"] = isolation_of(campaign, label)
    return json.dumps(asked, sort_keys=True)
