"""Replays a sample of the runs of a campaign, and judges the campaign by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from timefair.basics.errors import InputError
from timefair.extensions.reproduce.again import Replayer, campaign_of
from timefair.extensions.reproduce.sample import RunPlace, Stratum
from timefair.extensions.reproduce.verdict import replay

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
