"""The claims of a campaign, and whether new runs with fresh seeds support them.

Claims are read from the tables: who is first, and which pairs are decided.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache, partial
from pathlib import Path
from typing import Any

from timefair.basics.errors import InputError, storing
from timefair.basics.files import atomic_file
from timefair.basics.words import listed, number
from timefair.campaign import collected, configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.exhibits.registry import TABLES
from timefair.records.integrity import Origins, differing_software, machine_kinds
from timefair.report.evidence import Evidence, Space
from timefair.report.findings.pairs import Verdict as Order
from timefair.report.findings.situations import MEDIAN, Situation, situations_of
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis


class Verdict(StrEnum):
    """Verdict of new runs on a claim."""

    REPRODUCED = "reproduced"
    """The new runs by themselves lead to the same claim, with the campaign's confidence."""

    WITHIN = "within its interval"
    """The new estimate is within the interval of the claim, but does not decide it by itself."""

    CONTRADICTED = "contradicted"
    """The new runs decide against the claim, by more than chance explains."""

    UNDECIDED = "not decidable"
    """The new runs are too few, or too different, for either verdict."""


@dataclass(frozen=True)
class First:
    """Who is in front in one situation of the report.

    - `want`, `detail`: the situation, as in the report.
    - `measure`, `criterion`: its criterion in the table `comparison`.
    - `leaders`: algorithms with the best value.
    - `front`: the leaders, and algorithms that may be as good.
    - `behind`: all other algorithms.
    """

    space: Space
    want: str
    detail: str
    measure: str
    criterion: str
    leaders: tuple[str, ...]
    front: tuple[str, ...]
    behind: tuple[str, ...]

    kind = "first"

    def __str__(self) -> str:
        near = [name for name in self.front if name not in self.leaders]
        company = f", {listed(near)} may be as good" if near else ""
        want = self.want[0].lower() + self.want[1:]
        return (
            f"{self.space.title}: if {want} ({self.detail}), {listed(self.leaders)} first"
            f"{company}; behind: {listed(self.behind)}"
        )


@dataclass(frozen=True)
class Decided:
    """A pair that the table `comparison` decides.

    - `function`: number of the function as text, or ``all``.
    - `better`, `other`: the two algorithms.
    - `a12`, `low`, `high`: the probability that a run of `better` is better, and its interval; over
      all functions, a share of functions, without an interval.
    """

    space: Space
    function: str
    better: str
    other: str
    a12: float
    low: float
    high: float

    kind = "pair"

    def __str__(self) -> str:
        place = "over all functions" if self.function == "all" else f"on f{self.function}"
        return (
            f"{self.space.title}: {self.better} better than {self.other} {place} at the end of "
            f"the runs, A12 {number(self.a12)}"
        )


Claim = First | Decided


@dataclass(frozen=True)
class Judged:
    """A claim, its verdict, and the corresponding result of the new runs."""

    claim: Claim
    verdict: Verdict
    again: str

    def as_json(self) -> dict[str, Any]:
        """The complete content for a file; infinite numbers become texts."""
        content = {name: value for name, value in vars(self.claim).items() if name != "space"}
        plain = {
            name: value if value == value and abs(value) != float("inf") else str(value)
            for name, value in content.items()
            if isinstance(value, float)
        }
        return {
            "kind": self.claim.kind,
            "claim": str(self.claim),
            "verdict": str(self.verdict),
            "again": self.again,
            **self.claim.space._asdict(),
            **content,
            **plain,
        }


_ORDERED = (Order.CLEAR, Order.SHARED)


def claims(evidence: Evidence) -> Iterator[Claim]:
    """Every claim: who is first, and which pairs are decided.

    Open questions are not claims: a situation in which all may be equally good, or an undecided
    pair.
    """
    for space in evidence.spaces:
        yield from firsts(evidence, space)
        yield from pairs(evidence, space)


def firsts(evidence: Evidence, space: Space) -> Iterator[First]:
    """The situations of the report in which an algorithm is behind by more than chance explains."""
    everyone = evidence.compared(space)
    for situation in situations_of(evidence, space):
        standing = situation.standing
        if standing.verdict in _ORDERED:
            behind = tuple(name for name in everyone if name not in standing.front)
            place = (situation.want, situation.detail, situation.measure, situation.criterion)
            yield First(space, *place, standing.leaders, standing.front, behind)


def pairs(evidence: Evidence, space: Space) -> Iterator[Decided]:
    """The pairs that the table `comparison` decides by the median precision at the end, on
    functions and over all of them.
    """
    rows = evidence.of("comparison", space, measure=MEDIAN[0], criterion=MEDIAN[1])
    for row in rows[rows["better"].notna()].to_dict("records") if len(rows) else ():
        yield decided(space, row, str(row["better"]))


def decided(space: Space, row: Mapping[Hashable, Any], better: str) -> Decided:
    """A row of the table `comparison`, seen from one of its algorithms."""
    a12, low, high = (float(row[name]) for name in ("a12", "a12_low", "a12_high"))
    other = str(row["algorithm_b"])
    if better == other:
        other, a12, low, high = str(row["algorithm_a"]), 1 - a12, 1 - high, 1 - low
    return Decided(space, str(row["function"]), better, other, a12, low, high)


_TABLES = ("ert", "comparison", "timing_noise")


@dataclass(frozen=True)
class Study:
    """A campaign with its tables, and the origins of its runs."""

    evidence: Evidence
    origins: Mapping[str, Origins]
    runs: int


def campaign_of(folder: Path) -> Campaign:
    """The campaign of ``results/NAME``; `InputError` if there is none."""
    if not (folder / plan.SNAPSHOT).is_file():
        raise InputError(f"{folder}: there is no {plan.SNAPSHOT} in it; name results/NAME")
    return configuration.restore(folder / plan.SNAPSHOT)


def study(folder: Path, settings: Campaign) -> Study:
    """Make the tables of a campaign from its collected runs.

    - `folder`: ``results/NAME``.
    - `settings`: the campaign whose targets and statistics are used, so that two studies can be
      compared.
    `InputError` if collected runs are missing or damaged.
    """
    files = [folder / collected.ROOM / f"{label}.parquet" for label in settings.algorithms]
    if missing := [path for path in files if not path.is_file()]:
        raise InputError(*(f"{path}: missing; {plan.AGAIN}" for path in missing))
    campaign = campaign_of(folder)
    runs = Runs.read(collected.chosen(files, campaign, folder))
    evidence = evidence_of(runs, settings)
    return Study(evidence, runs.origins, len(runs.frame))


def evidence_of(runs: Runs, settings: Campaign) -> Evidence:
    """The tables from which claims are read, with the targets and statistics of a campaign."""
    tables = {name: TABLES[name](runs, Analysis.of(settings.settings_of(name))) for name in _TABLES}
    return Evidence(tables, settings.model_copy(update={"published": {}}))


def campaign_again(campaign: Campaign, *, seed: int, runs: int | None) -> Campaign:
    """The same campaign with other seeds, and without published data.

    It may be measured on any machine, and always has all of its runs: neither what the campaign
    requires of a machine nor its stopping rule is part of a claim.

    - `seed`: added to the seed of the campaign; at least 1.
    - `runs`: the runs on each problem; None for those of the campaign.
    """
    runs = runs or campaign.runs
    asked = campaign.model_dump(mode="json") | {
        "name": f"{campaign.name}-claims",
        "seed": campaign.seed + seed,
        "runs": runs,
        "rounds": min(campaign.rounds, runs),
        "published": {},
        "machine": {},
        "stopping": {"rule": "fixed"},
    }
    return configuration.parse(asked, name="--claims")


NOTHING = "no result"


def judge(claims: Sequence[Claim], again: Evidence) -> list[Judged]:
    """Compare claims with the tables of new runs, in the order of the claims.

    Notes
    -----
    New runs contradict a claim

    - on who is first, if their own test decides on an order, and those that were first are behind;
    - on a pair, if they decide it for the other algorithm, after Bonferroni's correction.
    """

    @cache
    def situations(space: Space) -> list[Situation]:
        return list(situations_of(again, space))

    def judged(claim: Claim) -> Judged:
        match claim:
            case First():
                return _first(claim, situations(claim.space))
            case Decided():
                return _pair(claim, again)

    return [judged(claim) for claim in claims]


def _first(claim: First, situations: Iterable[Situation]) -> Judged:
    judged = partial(Judged, claim)
    there = [one.standing for one in situations if _key(one) == _key(claim)]
    if not there or not there[0].leaders:
        return judged(Verdict.UNDECIDED, NOTHING)
    (standing,) = there
    leaders = set(standing.leaders)
    words = f"{listed(standing.leaders)} first ({standing.verdict})"
    ordered = standing.verdict in _ORDERED
    if ordered and leaders <= set(claim.leaders):
        return judged(Verdict.REPRODUCED, words)
    if ordered and not set(standing.front) & set(claim.leaders):
        return judged(Verdict.CONTRADICTED, words)
    if leaders <= set(claim.front):
        return judged(Verdict.WITHIN, words)
    return judged(Verdict.UNDECIDED, words)


def _key(one: First | Situation) -> tuple[str, str]:
    return one.measure, one.criterion


def _pair(claim: Decided, again: Evidence) -> Judged:
    judged = partial(Judged, claim)
    rows = again.of(
        "comparison", claim.space, function=claim.function, measure=MEDIAN[0], criterion=MEDIAN[1]
    )
    names = {claim.better, claim.other}
    for row in rows.to_dict("records") if len(rows) else ():
        if {str(row["algorithm_a"]), str(row["algorithm_b"])} != names:
            continue
        found = decided(claim.space, row, claim.better)
        words = f"A12 {number(found.a12)}"
        if row["better"] == claim.better:
            return judged(Verdict.REPRODUCED, f"{words}, decided for {claim.better}")
        if row["better"] == claim.other:
            return judged(Verdict.CONTRADICTED, f"{words}, decided for {claim.other}")
        if claim.low <= found.a12 <= claim.high:
            return judged(Verdict.WITHIN, f"{words}, not decided")
        return judged(Verdict.UNDECIDED, f"{words}, not decided")
    return judged(Verdict.UNDECIDED, NOTHING)


FILE = "claims.json"
"""The claims with their verdicts, in the folder of the new runs."""

KINDS = {"first": "who is first", "pair": "pairs that are decided"}

TERMS = (
    "In the terms of the ACM, claims are repeated if the team that measured the campaign ran this "
    "command, and reproduced if another team did. They are not replicated: the code and the setup "
    "are those of the campaign. timefair does not know the team."
)


class Status(IntEnum):
    """The exit status."""

    SUPPORTED = 0
    CONTRADICTED = 1
    UNDECIDED = 3


def status(judged: Sequence[Judged]) -> Status:
    """Whether a claim is contradicted, or none is decided."""
    verdicts = {one.verdict for one in judged}
    if Verdict.CONTRADICTED in verdicts:
        return Status.CONTRADICTED
    supported = verdicts & {Verdict.REPRODUCED, Verdict.WITHIN}
    return Status.SUPPORTED if supported else Status.UNDECIDED


def conditions(recorded: Study, again: Study) -> Iterator[str]:
    """Differences between the two studies: machine, code, software, runs."""
    origins = [*recorded.origins.values(), *again.origins.values()]
    unit = recorded.evidence.unit
    if len(machine_kinds(origins)) == 1:
        yield "machine: of the same kind"
    else:
        yield (
            "machine: of another kind; claims in seconds are compared as ratios of algorithms, not "
            "as times"
        )
        if unit == "seconds":
            yield (
                "machine: the budget is in seconds, so a run makes another number of evaluations "
                "here; claims on what is reached within the budget may change for this reason"
            )
    changed = [
        label
        for label, origin in recorded.origins.items()
        if set(origin.code) != set(again.origins[label].code)
    ]
    yield f"code: differs for {', '.join(changed)}" if changed else "code: as recorded"
    software = differing_software(origins)
    differ = (f"{name} {' and '.join(versions)}" for name, versions in software.items())
    yield f"software: differs in {', '.join(differ)}" if software else "software: as recorded"
    yield f"runs: {recorded.runs} recorded, {again.runs} again"


def lines(judged: Sequence[Judged]) -> Iterator[str]:
    """A line for each kind of claim, the contradicted claims, and the verdict as a whole."""
    for kind, words in KINDS.items():
        counts = Counter(one.verdict for one in judged if one.claim.kind == kind)
        if counts:
            verdicts = ", ".join(f"{counts[each]} {each}" for each in Verdict if counts[each])
            yield f"{words}: {counts.total()} claims: {verdicts}"
    for one in judged:
        if one.verdict is Verdict.CONTRADICTED:
            yield f"contradicted: {one.claim}"
            yield f"  again: {one.again}"
    number = sum(one.verdict is Verdict.CONTRADICTED for one in judged)
    yield f"{number} of {len(judged)} claims {'is' if number == 1 else 'are'} contradicted."
    yield TERMS


def write(judged: Sequence[Judged], folder: Path) -> Path:
    """Write the claims with their verdicts as JSON."""
    path = folder / FILE
    text = json.dumps([one.as_json() for one in judged], indent=1, ensure_ascii=False)
    with storing(), atomic_file(path) as file:
        file.write((text + "\n").encode())
    return path
