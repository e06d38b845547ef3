"""The observation of a machine that the doctor judges, and the form of its assessments."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from timefair.machine.facts import MOMENTARY, STANDING
from timefair.machine.host import Host, Unknown, gather
from timefair.machine.probes import PROBES

Severity = Literal["bad", "warn", "unknown", "ok"]

COUNTERS = ("steal_s", "swapped_pages", "thermal_throttles", "throttled_periods")
"""Facts that only grow. Their growth while the doctor measures shows what happens now."""


class Diagnosis(NamedTuple):
    """The severity of something, the numbers behind it, and what to do."""

    severity: Severity
    evidence: str
    remedy: str = ""


def ok(evidence: str) -> Diagnosis:
    """Times are not perturbed."""
    return Diagnosis("ok", evidence)


def warn(evidence: str, remedy: str) -> Diagnosis:
    """Times spread or drift."""
    return Diagnosis("warn", evidence, remedy)


def bad(evidence: str, remedy: str) -> Diagnosis:
    """Times are wrong, or runs do not get what they are promised."""
    return Diagnosis("bad", evidence, remedy)


@dataclass(frozen=True)
class Observation:
    """Facts and measurements by name; an unknown one raises `Unknown`.

    Attributes
    ----------
    facts
        Values by name; None for an unknown one, with the reason under its name in ``missing``.
    growth
        How much each counter grew while the machine was observed.
    watched_s
        The seconds of the observation.
    cores_asked
        The number of runs to be timed at once; None for all usable cores.
    """

    facts: Mapping[str, Any]
    growth: Mapping[str, Any] = field(default_factory=dict)
    watched_s: float = 1.0
    cores_asked: int | None = None

    def __getitem__(self, name: str) -> Any:
        value = self.facts[name]
        if value is None:
            raise Unknown(self.facts["missing"][name])
        return value

    @property
    def cores(self) -> int:
        """The number of runs to be timed at once."""
        return self.cores_asked or int(self["cores_usable"])

    def grown(self, name: str) -> Any:
        """How much a counter grew while the machine was observed."""
        if self.growth.get(name) is None:
            raise Unknown(self.facts["missing"].get(name, f"{name} was read only once"))
        return self.growth[name]


def look(host: Host, cores_asked: int | None = None) -> Observation:
    """Observe a machine: read all facts, measure, and read the counters again."""
    facts = gather(STANDING | MOMENTARY, host)
    start = time.perf_counter()
    measured = gather(PROBES, host)
    watched_s = time.perf_counter() - start
    after = gather({name: MOMENTARY[name] for name in COUNTERS}, host)
    growth = {
        name: after[name] - facts[name]
        for name in COUNTERS
        if after[name] is not None and facts[name] is not None
    }
    missing = facts["missing"] | measured["missing"]
    return Observation(facts | measured | {"missing": missing}, growth, watched_s, cores_asked)
