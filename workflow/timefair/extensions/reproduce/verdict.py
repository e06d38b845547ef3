"""Replays a run: measures it again, compares both runs, and lists differences of their
circumstances.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from timefair.campaign.configuration import Campaign
from timefair.extensions.reproduce.again import (
    Replayer,
    campaign_of,
    claimed_campaign,
    is_compared,
    is_tuned,
)
from timefair.extensions.reproduce.chosen import RecordedRun
from timefair.extensions.reproduce.likeness import Likeness, likeness, outcome
from timefair.extensions.reproduce.origins import (
    Change,
    code_changes,
    key_changes,
    machine_changes,
    parameter_changes,
    same_versions,
    seed_changes,
    software_changes,
)

NOTHING = "code, software, parameters, seed and machine are as recorded"


@dataclass(frozen=True)
class Verdict:
    """A recorded run and its repetition.

    Attributes
    ----------
    recorded, again
        Both runs.
    likeness
        Result of their comparison.
    changes
        Present differences from the facts in the record.
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


def replay(
    recorded: RecordedRun, claimed: Path | None = None, replayer: Replayer | None = None
) -> Verdict:
    """Measure a recorded run again, and compare.

    Parameters
    ----------
    claimed
        A campaign file, which replaces the record's own campaign for the measurement.
    replayer
        A replayer that is prepared for the record's own campaign; None for a new one.

    Raises
    ------
    InputError
        If the run cannot be measured here.
    """
    original = campaign_of(recorded)
    campaign = claimed_campaign(claimed, recorded) if claimed else original
    replayer = replayer or Replayer(campaign)
    again = replayer.measure(recorded)
    by_clock = any(each.restart_of(recorded.label).seconds_key for each in (original, campaign))
    like = likeness(recorded.row, again, by_clock, campaign.changes_by_clock)
    changes = tuple(_changes(recorded, original, campaign, replayer, again["seed"]))
    return Verdict(recorded, again, like, changes)


def _changes(
    recorded: RecordedRun, original: Campaign, campaign: Campaign, replayer: Replayer, seed: int
) -> Iterator[Change]:
    now = replayer.origin(recorded)
    then, here = recorded.machine, now["machine"]
    code = tuple(code_changes(recorded.code, now["code"], then, here))
    parameters = tuple(parameter_changes(original, campaign, recorded.label))
    yield from code
    yield from software_changes(then, here)
    yield from parameters
    explained = code or parameters or not same_versions(then, here)
    if not explained and not is_compared(recorded) and not is_tuned(recorded):
        yield from key_changes(recorded.keys, replayer.key(recorded), recorded.schema_version)
    yield from seed_changes(recorded.row["seed"], seed)
    yield from machine_changes(then, here)
