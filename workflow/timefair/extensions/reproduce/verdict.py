"""Measures recorded runs again, compares them, and lists differences of their circumstances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import pyarrow as pa

from timefair.basics.errors import InputError
from timefair.basics.extension import added_keys
from timefair.campaign import configuration
from timefair.campaign.configuration import Campaign
from timefair.extensions.reproduce.chosen import RecordedRun, RunPlace, Stratum
from timefair.extensions.reproduce.likeness import (
    Change,
    Likeness,
    circumstances,
    key_changes,
    likeness,
    outcome,
    same_versions,
    seed_changes,
)
from timefair.machine.linux.kernel import interruptible
from timefair.measure.job.cell import runner, seed_of, unprepared
from timefair.measure.job.cores import held_cores
from timefair.policies.stopping import STOPPING
from timefair.records.integrity import SHARED
from timefair.records.schema import RUN_SCHEMA

_DECISIVE = (*SHARED, "restart", "isolation", "timing", "runs", "rounds")
"""Keys of a campaign that determine what a run measures, and which runs there are."""


def campaign_of(recorded: RecordedRun) -> Campaign:
    """The recorded campaign, restricted to the settings by which the run was measured.

    Other algorithms need not be installed. A stopping rule that compares algorithms is omitted,
    because it determines only the number of runs. The search for the parameters of an algorithm is
    omitted, too.

    `InputError` if the campaign is not possible with this version of timefair and the installed
    packages.
    """
    campaign, row = recorded.campaign, recorded.row
    left_out = {"stopping"} if is_compared(recorded) else set()
    asked = {name: campaign[name] for name in _DECISIVE if name in {*campaign} - left_out}
    places = {
        "functions": [row["function"]],
        "dimensions": [row["dimension"]],
        "instances": list(recorded.instances),
        "names": {},
    }
    try:
        asked |= {
            "name": campaign["name"],
            "problems": campaign["problems"] | places,
            "algorithms": _seeded(campaign["algorithms"], recorded.label),
        }
    except (KeyError, TypeError):
        raise InputError(f"{recorded.path}: its campaign lacks the algorithm") from None
    return configuration.parse(asked, name=str(recorded.path))


def _seeded(algorithms: Mapping[str, Any], label: str) -> dict[str, Any]:
    """One algorithm and, under the label whose seeds it has, a copy that names this label.

    Of a tuned variant, the record has the parameters that were found. Keys of extensions determine
    no run; those without a value may be of one that is not installed.
    """
    sections = (key for key, kind in added_keys("algorithms").items() if isinstance(kind, type))
    left_out = {"tuned", *sections}
    asked = algorithms[label].items()
    spec = {key: value for key, value in asked if value is not None and key not in left_out}
    seeds = label
    while isinstance(algorithms[seeds], Mapping) and algorithms[seeds].get("seed_as"):
        seeds = algorithms[seeds]["seed_as"]
    if seeds == label:
        return {label: spec}
    former = algorithms[seeds].get("formerly")
    return {
        label: spec | {"seed_as": seeds},
        seeds: spec | {"seed_as": None, "formerly": former},
    }


def is_compared(recorded: RecordedRun) -> bool:
    """Whether the stopping rule of the campaign compared the algorithm with the others."""
    rule = recorded.campaign.get("stopping", {}).get("rule")
    return rule in STOPPING and STOPPING[rule].compares


def is_tuned(recorded: RecordedRun) -> bool:
    """Whether a search found the parameters; if so, the recorded key covers the search, too."""
    return recorded.campaign["algorithms"][recorded.label].get("tuned") is not None


class Replayer:
    """Measures runs of one algorithm again; it is prepared once for all of them."""

    def __init__(self, campaign: Campaign) -> None:
        self._prepared = unprepared(campaign)

    def measure(self, recorded: RecordedRun) -> Mapping[str, Any]:
        """The run in its own columns of `records.schema`; no file is written.

        Its seed is the one that the campaign gives to a run of this name.
        """
        prepared, row = self._prepared, recorded.row
        job = recorded.job
        instance, run = row["instance"], row["run"]
        seed = seed_of(prepared, job, instance, run)
        cores = prepared.campaign.cores_of(job.algorithm)
        if recorded.length is not None:
            prepared.set_length(job.algorithm, recorded.length)
        with (
            interruptible(),
            held_cores(cores) as held,
            runner(prepared, job, held, recorded.path.parent) as running,
        ):
            measured = running.measure(instance, run, seed, give_up=False)
        again: Mapping[str, Any]
        (again,) = pa.RecordBatch.from_pylist([measured], schema=RUN_SCHEMA).to_pylist()
        return again

    def origin(self, recorded: RecordedRun) -> Mapping[str, Any]:
        """The facts that a record of the run would have now: campaign, code and machine."""
        return self._prepared.origin(recorded.label)

    def key(self, recorded: RecordedRun) -> str:
        """The measure key that the run would have now."""
        return self._prepared.key(recorded.job)


NOTHING = "code, software, parameters, seed and machine are as recorded"


@dataclass(frozen=True)
class Verdict:
    """A recorded run and its repetition.

    - `recorded`, `again`: both runs.
    - `likeness`: result of their comparison.
    - `changes`: present differences from the facts in the record.
    """

    recorded: RecordedRun
    again: Mapping[str, Any]
    likeness: Likeness
    changes: tuple[Change, ...]

    @property
    def same(self) -> bool:
        """Whether the runs agree as far as the clock allows, and have the same seed.

        False if the clock ended one of them before anything could be compared.
        """
        compared = self.likeness.in_full or self.likeness.evaluations > 0
        return compared and not self.differs

    @property
    def differs(self) -> bool:
        """Whether the runs or their seeds differ."""
        seeds = (self.recorded.row["seed"], self.again["seed"])
        return self.likeness.difference is not None or seeds[0] != seeds[1]

    def lines(self) -> Iterator[str]:
        """The lines that `timefair reproduce` prints of one run."""
        like, row = self.likeness, self.recorded.row
        yield f"{self.recorded}: {self._in_short}"
        if like.difference is not None:
            yield from _side_by_side(*like.difference)
        if like.difference is not None or not like.in_full:
            yield from _side_by_side("run", outcome(row), outcome(self.again))
        yield from map(str, self.changes)
        if not self.changes:
            yield NOTHING

    @property
    def _in_short(self) -> str:
        like = self.likeness
        if like.difference is not None:
            return f"different, {like.difference.what} first"
        extent = f"{like.events} events in {like.evaluations} evaluations"
        if self.differs:
            return f"different, the seed alone; {extent} are the same"
        if not self.same:
            return "not compared: the clock ended one of the runs before their first evaluation"
        if like.in_full:
            return f"identical, bit for bit: {extent}"
        return f"identical as far as the clock allows a comparison: {extent}"


def _side_by_side(what: str, recorded: str, again: str) -> Iterator[str]:
    yield f"  {what}, recorded: {recorded}"
    yield f"  {what}, again:    {again}"


def replay(recorded: RecordedRun, replayer: Replayer | None = None) -> Verdict:
    """Measure a recorded run again, and compare.

    - `replayer`: A replayer that is prepared for the record's campaign; None for a new one.
    `InputError` if the run cannot be measured here.
    """
    campaign = campaign_of(recorded)
    replayer = replayer or Replayer(campaign)
    again = replayer.measure(recorded)
    by_clock = bool(campaign.restart_of(recorded.label).seconds_key)
    like = likeness(recorded.row, again, by_clock, campaign.changes_by_clock)
    return Verdict(recorded, again, like, tuple(_changes(recorded, replayer, again["seed"])))


def _changes(recorded: RecordedRun, replayer: Replayer, seed: int) -> Iterator[Change]:
    now = replayer.origin(recorded)
    then, here = recorded.machine, now["machine"]
    yield from circumstances(then, here, (recorded.code, now["code"]))
    explained = recorded.code != now["code"] or not same_versions(then, here)
    if not explained and not is_compared(recorded) and not is_tuned(recorded):
        yield from key_changes(recorded.keys, replayer.key(recorded), recorded.schema_version)
    yield from seed_changes(recorded.row["seed"], seed)


TERMS = (
    "Repeated, in the terms of the ACM, if the team that measured the campaign ran this command; "
    "reproduced, if another team did. timefair does not know the team."
)


class Finding(StrEnum):
    """Result of the replay of one run."""

    IDENTICAL = "identical bit for bit"
    AGREES = "in agreement as far as the clock allows"
    DIFFERENT = "different"
    UNDECIDED = "could not be compared"


class Replayed(NamedTuple):
    """The replay of one run, with lines on the differences."""

    finding: Finding
    lines: tuple[str, ...]


def replay_all(places: Sequence[RunPlace]) -> list[Replayed]:
    """Replay runs of one algorithm, which is prepared once per campaign and dimension."""
    replayers: dict[tuple[str, int], Replayer] = {}
    found = []
    for place in places:
        try:
            recorded = place.read()
            key = (str(recorded.campaign), recorded.row["dimension"])
            if key not in replayers:
                replayers[key] = Replayer(campaign_of(recorded))
            verdict = replay(recorded, replayer=replayers[key])
        except InputError as error:
            found.append(Replayed(Finding.UNDECIDED, error.faults))
            continue
        like = verdict.likeness
        if verdict.same:
            finding = Finding.IDENTICAL if like.in_full else Finding.AGREES
        else:
            finding = Finding.DIFFERENT if verdict.differs else Finding.UNDECIDED
        found.append(Replayed(finding, tuple(verdict.lines())))
    return found


@dataclass(frozen=True)
class Reproduction:
    """All replays of a sample, by the algorithm."""

    replays: Sequence[tuple[Stratum, Sequence[Replayed]]]

    @property
    def succeeded(self) -> bool:
        """Whether every sampled run was compared, and none differs."""
        good = (Finding.IDENTICAL, Finding.AGREES)
        return all(each.finding in good for _, found in self.replays for each in found)

    def summary(self) -> Iterator[str]:
        """The verdict for the campaign."""
        counts = _counts([each for _, found in self.replays for each in found])
        sampled = sum(len(found) for _, found in self.replays)
        runs = sum(stratum.runs for stratum, _ in self.replays)
        lost = sum(stratum.lost for stratum, _ in self.replays)
        without = f", and {lost} without a result were left out" if lost else ""
        yield f"{sampled} of {runs} runs were replayed{without}: {counts}"
        yield TERMS if self.succeeded else "Neither repeated nor reproduced: see the lines above."


def line_of(stratum: Stratum, found: Sequence[Replayed]) -> str:
    """The results of the sampled runs of one algorithm."""
    return f"{stratum.label}: {len(found)} of {stratum.runs} runs: {_counts(found)}"


def _counts(found: Sequence[Replayed]) -> str:
    counts = Counter(each.finding for each in found)
    return ", ".join(f"{counts[finding]} {finding}" for finding in Finding if counts[finding])
