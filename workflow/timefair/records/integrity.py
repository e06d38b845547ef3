"""Checks from facts whether records belong to their paths, and belong together."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

RunKey = tuple[int, int, int, int]  # (function, dimension, instance, run)
RUN_KEY = ("function", "dimension", "instance", "run")
BY_NODE = "node"  # the value of `block` in a campaign whose blocks are measured on one node each
_SHOWN, _BLOCKS = 4, 3
_LONGEST = 60
CONSENT = "measure all on equal terms, or set statistics.mixed: allow"


class Place(NamedTuple):
    """What the path of a record says about it; the key may be only its beginning."""

    algorithm: str
    key: str
    function: int
    dimension: int
    instances: Collection[int]
    round: int


def run_name(key: RunKey) -> str:
    """The name of a run in messages.

    >>> run_name((8, 10, 1, 0))
    'f8 D=10 instance 1 run 0'
    """
    function, dimension, instance, run = key
    return f"f{function} D={dimension} instance {instance} run {run}"


def spared(
    unmeasured: Collection[RunKey], seen: Iterable[RunKey], decided: Iterable[Mapping[str, Any]]
) -> set[RunKey]:
    """Runs that a stopping rule made unnecessary: all after the last measured one on a problem."""
    last = {tuple(row[name] for name in RUN_KEY[:-1]): -1 for row in decided}
    for *problem, run in seen:
        place = tuple(problem)
        if place in last:
            last[place] = max(last[place], run)
    return {key for key in unmeasured if key[:-1] in last and key[-1] > last[key[:-1]]}


class Machine(NamedTuple):
    """What distinguishes kinds of machines; nodes of one kind differ only in their names."""

    cpu: str | None
    cores: int | None
    memory_gb: int | None

    def __str__(self) -> str:
        cores, memory = self.cores or "unknown", self.memory_gb or "unknown"
        return f"{self.cpu or 'unknown processor'} with {cores} cores and {memory} GB"


def machine_kind(facts: Mapping[str, Any]) -> Machine:
    """The kind of a machine with these facts; an unknown fact is None. Its memory is the next of 1,
    2, 3, 4, 6, 8, 12, 16, ... GB.

    >>> str(machine_kind({"cpu": "Z80", "cores": 2, "memory_mb": 15_922.4}))
    'Z80 with 2 cores and 16 GB'
    """
    memory_mb, size = facts.get("memory_mb"), 1
    while memory_mb and size < memory_mb / 1024:
        size = size * 2 if size < 2 else size * 3 // 2 if size & (size - 1) == 0 else size * 4 // 3
    return Machine(facts.get("cpu"), facts.get("cores"), memory_mb and size)


STARTED = ("function", "dimension", "instance", "round", "started_utc")
"""The columns of runs that `Origins.started` reads."""
_ONE_OF_A_KIND = ("hostname", "affinity")
"""Facts of a machine that differ between nodes or cores, and do not define its kind."""


@dataclass
class Origins:
    """Origins of an algorithm's runs: all different values that their records name.

    Machines are without their name and the cores of a job. `tuning`: records of searches of a
    variant. `hosts`: for each record, name and kind of its machine, first and last start of a run,
    and with blocks the ``function``, ``dimension``, ``round`` and ``instances``.
    `kernels`: times of the reference kernels in each record (`rundata.published`), equal ones too.
    """

    campaign: list[Any] = field(default_factory=list)
    key: list[Any] = field(default_factory=list)
    code: list[Any] = field(default_factory=list)
    machine: list[Any] = field(default_factory=list)
    tuning: list[Any] = field(default_factory=list)
    hosts: list[dict[str, Any]] = field(default_factory=list)
    kernels: list[dict[str, Any]] = field(default_factory=list)

    def add(self, facts: Mapping[str, Any]) -> None:
        """Add the values that a record names, or a collected file for all its records."""
        own = {name: [facts.get(name)] for name in ("campaign", "key", "code", "machine")}
        own |= {name: [facts[name]] for name in ("tuning", "kernels") if facts.get(name)}
        for name, values in facts.get("collected", own).items():
            known = getattr(self, name)
            for value in values:
                if name == "machine" and value:
                    value = {k: v for k, v in value.items() if k not in _ONE_OF_A_KIND}
                if value not in known or name == "kernels":
                    known.append(value)

    def started(self, facts: Mapping[str, Any], runs: pa.Table) -> None:
        """Add the machine of a record with these runs, and when they started, if both are known."""
        machine = facts.get("machine") or {}
        rows = runs.select(STARTED).to_pylist() if machine.get("hostname") else []
        if times := [time for row in rows if (time := row["started_utc"]) is not None]:
            first, last = (time.isoformat(timespec="seconds") for time in (min(times), max(times)))
            host = {"name": machine["hostname"], "kind": str(machine_kind(machine))}
            if (facts.get("campaign") or {}).get("block") == BY_NODE:
                host |= {name: rows[0][name] for name in ("function", "dimension", "round")}
                host["instances"] = sorted({row["instance"] for row in rows})
            self.hosts.append({**host, "first": first, "last": last})

    @property
    def own_environment(self) -> bool:
        """Whether all its runs were measured in an environment that the campaign declares."""
        return bool(self.machine) and all((m or {}).get("own_environment") for m in self.machine)

    def configurations(self, label: str) -> list[dict[str, Any]]:
        """All different configurations of an algorithm; without a label, what is asked of all."""
        found = [decisive_settings(campaign, label) for campaign in self.campaign if campaign]
        return [one for place, one in enumerate(found) if one not in found[:place]]


@dataclass
class Measured:
    """The runs of one algorithm: origins, keys, decisions of a stopping rule, first start."""

    origins: Origins = field(default_factory=Origins)
    runs: set[RunKey] = field(default_factory=set)
    decided: Sequence[Mapping[Any, Any]] = ()
    started: datetime | None = None


def mixed(origins: Mapping[str, Origins]) -> list[str]:
    """Differences among the runs of one table that should not exist, one clause per difference.
    The code of algorithms may differ, and so may machines if all records have blocks.
    """
    clauses = _torn(origins)
    for label, one in origins.items():
        if len(one.code) > 1:
            clauses.append(f"{label}: runs of {len(one.code)} versions of its code")
        if len(one.tuning) > 1:
            clauses.append(f"{label}: runs of {len(one.tuning)} searches for its parameters")
        if (clause := searched_elsewhere(one)) and not in_blocks([one]):
            clauses.append(f"{label}: {clause}")
        clauses += [f"{label}: {clause}" for clause in _differing(one.configurations(label), _OWN)]
    everyone = list(origins.values())
    clauses += _differing([asked for one in everyone for asked in one.configurations("")])
    if len(kinds := machine_kinds(everyone)) > 1 and not in_blocks(everyone):
        clauses.append(f"runs of {len(kinds)} machines: {'; '.join(sorted(map(str, kinds)))}")
    software = differing_software(everyone)
    clauses += [f"runs with {name} {' and '.join(found)}" for name, found in software.items()]
    return clauses


def _torn(origins: Mapping[str, Origins]) -> list[str]:
    """Blocks whose algorithms were measured on different nodes, one clause each."""
    blocks: dict[tuple[int, ...], dict[str, set[str]]] = {}
    for label, one in origins.items():
        for host in one.hosts:
            for instance in host.get("instances", ()):
                place = host["round"], host["function"], host["dimension"], instance
                node = f"{host['name']} ({host['kind']})"
                blocks.setdefault(place, {}).setdefault(node, set()).add(label)
    torn = {place: nodes for place, nodes in sorted(blocks.items()) if len(nodes) > 1}
    clauses = [
        f"f{function} D={dimension} instance {instance} round {round}: "
        + ", ".join(f"{' and '.join(sorted(who))} on {node}" for node, who in sorted(nodes.items()))
        for (round, function, dimension, instance), nodes in torn.items()
    ]
    more = [f"{len(clauses) - _BLOCKS} more blocks on several nodes"]
    return [*clauses[:_BLOCKS], *(more if len(clauses) > _BLOCKS else [])]


def _differing(every: Sequence[Mapping[str, Any]], names: tuple[str, ...] = ("",)) -> list[str]:
    """A clause with the values of each setting that differs, of those whose names begin so."""

    def in_words(value: Any) -> str:
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        text = {"null": "none"}.get(text, text)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."

    known = sorted(name for name in set(chain.from_iterable(every)) if name.startswith(names))
    values = {name: [in_words(one.get(name)) for one in every] for name in known}
    differ = {name: of for name, of in values.items() if len(set(of)) > 1}
    said = "; ".join(f"{name} {' and '.join(sorted(set(of)))}" for name, of in differ.items())
    count = len(set(zip(*differ.values(), strict=True)))
    return [f"runs of {count} configurations: {said}"] if differ else []


def several_hosts(origins: Mapping[str, Origins]) -> str:
    """A sentence about the machines of runs, and when they measured; empty for one."""
    found: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for label, one in origins.items():
        for host in one.hosts:
            days = host["first"][:10], host["last"][:10]
            found.setdefault((host["name"], host["kind"]), []).append((*days, label))
    if len(found) < 2:
        return ""
    hosts = []
    for (name, kind), seen in found.items():
        first, last, labels = zip(*seen, strict=True)
        hosts.append((min(first), name, kind, max(last), ", ".join(sorted(set(labels)))))
    kinds = len({kind for _, kind in found}) > 1
    each = [
        f"{name}{f' ({kind})' if kinds else ''}, {' to '.join(dict.fromkeys((first, last)))}: {who}"
        for first, name, kind, last, who in sorted(hosts)[:_SHOWN]
    ]
    more = f"; and {len(hosts) - _SHOWN} more" if len(hosts) > _SHOWN else ""
    text = f"Seconds come from {len(hosts)} machines ({'; '.join(each)}{more})."
    if len({who for *_, who in hosts}) > 1:
        text += (
            " They did not all measure the same algorithms, so a difference in seconds may be one "
            "of the machines."
        )
    return text


def in_blocks(origins: Iterable[Origins]) -> bool:
    """Whether all records are of campaigns with blocks, each of which is measured on one node."""
    campaigns = [campaign or {} for one in origins for campaign in one.campaign]
    return bool(campaigns) and all(campaign.get("block") == BY_NODE for campaign in campaigns)


def searched_elsewhere(one: Origins) -> str:
    """A clause if a search for parameters and the runs have other kinds of machines, or empty."""
    there = {Machine(**search["machine"]) for search in one.tuning if "machine" in search}
    if not there or there == (here := machine_kinds([one])):
        return ""
    searched, measured = ("; ".join(sorted(map(str, kinds))) for kinds in (there, here))
    return f"parameters searched on {searched}, runs measured on {measured}"


def machine_kinds(origins: Iterable[Origins]) -> set[Machine]:
    return {machine_kind(machine or {}) for one in origins for machine in one.machine}


def environments(origins: Iterable[Origins]) -> list[list[Origins]]:
    """Groups of algorithms with the same software: the shared environment, and each own one."""
    every = list(origins)
    shared = [one for one in every if not one.own_environment]
    return [shared, *([one] for one in every if one.own_environment)]


def differing_software(origins: Iterable[Origins]) -> dict[str, list[str]]:
    """The versions of each package, except timefair, of which the records name several, although
    the campaign declares the same environment for them.
    """
    differing: dict[str, set[str]] = {}
    for group in environments(origins):
        found: dict[str, set[str]] = {}
        for machine in [machine or {} for one in group for machine in one.machine]:
            python = ".".join((machine.get("python") or "unknown").split(".")[:2])
            for name, version in ({"python": python} | machine.get("versions", {})).items():
                found.setdefault(name, set()).add(version or "unknown")
        for name, versions in found.items():
            if len(versions) > 1 and name != "timefair":
                differing.setdefault(name, set()).update(versions)
    return {name: sorted(versions) for name, versions in sorted(differing.items())}


SHARED = ("seed", "budget", "limits", "stopping", "block", "network")
"""Keys of a campaign that determine the runs of all its algorithms, besides problems and timing."""

_OF_ALGORITHM = (
    *("use", "parameters", "threads"),
    *("integer", "constraint_penalty", "seed_as", "schedule"),
)
_OWN = ("restart", "isolation", "algorithms.")
"""How the names of the settings begin that an algorithm may have for itself."""


def setting_of(campaign: Mapping[str, Any], label: str, name: str) -> Any:
    """A setting of an algorithm: its own, or else that of the campaign."""
    own = campaign.get("algorithms", {}).get(label, {}).get(name)
    return own or campaign.get(name)


def timing_of(campaign: Mapping[str, Any]) -> dict[str, Any]:
    """Maximal ``repeats`` of a perturbed run, and whether the ``reference`` kernel is timed."""
    timing, budget = campaign.get("timing", {}), campaign.get("budget", {})
    repeats = timing.get("repeats") if timing.get("perturbed") == "repeat" else 0
    timed = timing.get("reference")
    by_default = bool(budget.get("time_s") or budget.get("cpu_s"))
    return {"repeats": repeats, "reference": by_default if timed is None else timed}


def decisive_settings(
    campaign: Mapping[str, Any], label: str, more: Iterable[str] = ()
) -> dict[str, Any]:
    """Settings that determine an algorithm's runs, by dotted names, and `more` keys of it; without
    a label, of all.
    """
    problems, spec = campaign.get("problems", {}), campaign.get("algorithms", {}).get(label, {})
    asked = {name: campaign.get(name) for name in SHARED}
    asked["budget"] = {k: v for k, v in (asked["budget"] or {}).items() if v is not None}
    asked["problems"] = {name: problems.get(name) for name in ("suite", "parameters")}
    asked["timing"] = timing_of(campaign)
    if label:
        asked["restart"] = setting_of(campaign, label, "restart")
        asked["isolation"] = setting_of(campaign, label, "isolation") or "shared"
        asked[f"algorithms.{label}"] = {name: spec.get(name) for name in (*_OF_ALGORITHM, *more)}
    return dotted(asked)


def dotted(section: Any, name: str = "") -> dict[str, Any]:
    """The values in nested mappings, by dotted names."""
    if not isinstance(section, Mapping):
        return {name: section}
    found: dict[str, Any] = {}
    for key, value in section.items():
        found |= dotted(value, f"{name}.{key}" if name else key)
    return found


NEEDED = ("cpu", "cores", "memory_mb", "hostname")
"""The facts of a machine that are compared with a requirement."""


def required_in_words(required: Mapping[str, Any]) -> str:
    """A requirement in the form of messages and the checklist; empty if nothing is required.

    >>> required_in_words({"processor": "epyc", "cores": 64, "memory_gb": None, "host": None})
    'processor epyc, 64 cores'
    """
    words = {"processor": "processor {}", "cores": "{} cores", "memory_gb": "{} GB"}
    words["host"] = "host {}"
    return ", ".join(words[key].format(required[key]) for key in words if required.get(key))


def unmet(required: Mapping[str, Any], facts: Mapping[str, Any]) -> list[str]:
    """The keys of a requirement that a machine does not meet, in its order; None requires nothing.

    ``processor`` and ``host`` are patterns as in `matches`, the numbers exact as of `machine_kind`.
    """
    kind = machine_kind(facts)
    has = {"processor": kind.cpu, "host": facts.get("hostname"), **kind._asdict()}
    return [
        key
        for key, asked in required.items()
        if asked is not None
        and not (matches(asked, has[key]) if isinstance(asked, str) else asked == has[key])
    ]


def matches(pattern: str, text: str | None) -> bool:
    """Whether a text fits a pattern, in any case: a part of it or, with ``*`` and ``?``, the whole.

    >>> matches("epyc 7763", "AMD EPYC 7763 64-Core Processor"), matches("node1?", "node1")
    (True, False)
    """
    wild = pattern.lower().replace("[", "[[]")
    whole = wild if set(pattern) & {"*", "?"} else f"*{wild}*"
    return text is not None and fnmatchcase(text.lower(), whole)


def shortcoming(required: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    """One line on a machine that does not meet a requirement, and what to do; empty if it does."""
    keys = unmet(required, facts)
    if not keys:
        return ""
    named = f"machine.require.{keys[0]}" if len(keys) == 1 else "machine.require"
    return (
        f"{named}: requires {required_in_words({key: required[key] for key in keys})}; this is "
        f"{machine_kind(facts)}, host {facts.get('hostname') or 'unknown'}; select the right nodes "
        "in the profile (constraint), or change the requirement"
    )
