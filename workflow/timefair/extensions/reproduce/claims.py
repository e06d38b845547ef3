"""The claims of a campaign, and whether new runs with fresh seeds support them.

Claims are read from the tables: who is first, which pairs are decided, and ratios with intervals.
The interval of a ratio comes from the intervals of both costs on a logarithmic scale: the distance
of each limit from the value is the root of the sum of the squares of the two distances that lead
away from it. This is the method of variance estimates recovery.

References
----------
G. Y. Zou and A. Donner, Construction of confidence limits about effect measures: a general
approach, Statistics in Medicine 27 (2008), 1693-1702.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache, partial
from math import exp, hypot, isfinite, log, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from scipy.stats import norm

from timefair.basics.errors import InputError, storing
from timefair.basics.files import atomic_file
from timefair.basics.words import listed, number
from timefair.campaign import collected, configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.exhibits.registry import TABLES
from timefair.records.integrity import Origins, differing_software, machine_kinds
from timefair.report.evidence import Evidence, Space
from timefair.report.findings.pairs import COST, by_cost
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


@dataclass(frozen=True)
class Ratio:
    """The expected cost of one algorithm divided by that of the first one, on a function.

    - `unit`: ``seconds`` or ``evaluations``.
    - `target`: target of the expected cost.
    - `value`, `low`, `high`: the ratio and its interval.
    """

    space: Space
    function: int
    unit: str
    target: float
    first: str
    other: str
    value: float
    low: float
    high: float

    kind = "ratio"

    @property
    def decided(self) -> bool:
        """Whether the interval excludes 1."""
        return self.low > 1 or self.high < 1

    def __str__(self) -> str:
        return (
            f"{self.space.title}: on f{self.function}, {self.other} needs {number(self.value)} "
            f"[{number(self.low)}, {number(self.high)}] times the {self.unit} of {self.first} "
            f"to {number(self.target)}"
        )


Claim = First | Decided | Ratio


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


class Limits(NamedTuple):
    """The logarithm of a positive number, with its interval."""

    value: float
    low: float
    high: float

    def minus(self, other: Limits) -> Limits:
        """The difference of two independent ones: of the numbers, the ratio."""
        value = self.value - other.value
        down = hypot(self.value - self.low, other.high - other.value)
        up = hypot(self.high - self.value, other.value - other.low)
        return Limits(value, value - down, value + up)

    def at_level(self, alpha: float, confidence: float) -> Limits:
        """The interval that errs with probability `alpha`, if its logarithm is normal."""
        factor = norm.isf(alpha / 2) / norm.isf((1 - confidence) / 2)
        down, up = (self.value - self.low) * factor, (self.high - self.value) * factor
        return Limits(self.value, self.value - down, self.value + up)

    @property
    def excludes_zero(self) -> bool:
        """Whether the number is not 1, by the interval."""
        return self.low > 0 or self.high < 0

    def numbers(self) -> tuple[float, float, float]:
        """The number, and its limits."""
        return exp(self.value), exp(self.low), exp(self.high)


def costs(
    evidence: Evidence, space: Space, unit: str, function: int, target: float
) -> Mapping[str, Limits]:
    """The expected costs to a target on a function, of algorithms with finite limits.

    Intervals in seconds are widened by the timing noise.
    """
    rows = evidence.of("ert", space, function=function)
    rows = rows[rows["target"] == target]
    half = log(sqrt(evidence.detectable(space, unit, function)))
    ends = [COST[unit], f"{COST[unit]}_low", f"{COST[unit]}_high"]
    found = {}
    for label, *values in rows[["algorithm", *ends]].itertuples(index=False):
        if all(isfinite(value) and value > 0 for value in values):
            value, low, high = map(log, values)
            found[str(label)] = Limits(value, low - half, high + half)
    return found


_ORDERED = (Order.CLEAR, Order.SHARED)


def claims(evidence: Evidence) -> Iterator[Claim]:
    """Every claim: who is first, which pairs are decided, and ratios.

    Open questions are not claims: a situation in which all may be equally good, an undecided pair,
    and a ratio without finite limits.
    """
    for space in evidence.spaces:
        yield from firsts(evidence, space)
        yield from pairs(evidence, space)
        yield from ratios(evidence, space)


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


def ratios(evidence: Evidence, space: Space) -> Iterator[Ratio]:
    """On each function, the cost of each algorithm to the decisive target over that of the first.

    The unit is that of the budget. There are no ratios if targets are relative to the results,
    because other runs then have other targets.
    """
    if evidence.optimum != "known" and not evidence.campaign.target_values:
        return
    unit = evidence.unit
    for function, target, _ in by_cost(evidence, space, unit):
        known = costs(evidence, space, unit, function, target)
        if not known:
            continue
        first = min(known, key=lambda name: known[name].value)
        for other in known:
            if other != first:
                numbers = known[other].minus(known[first]).numbers()
                yield Ratio(space, function, unit, target, first, other, *numbers)


_TABLES = ("ert", "comparison", "timing_noise")


@dataclass(frozen=True)
class Study:
    """A campaign with its tables, and the origins of its runs."""

    campaign: Campaign
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
    return Study(campaign, evidence, runs.origins, len(runs.frame))


def evidence_of(runs: Runs, settings: Campaign) -> Evidence:
    """The tables from which claims are read, with the targets and statistics of a campaign."""
    tables = {name: TABLES[name](runs, Analysis.of(settings.settings_of(name))) for name in _TABLES}
    return Evidence(tables, settings.model_copy(update={"published": {}}))


SUFFIX = "-claims"
"""Suffix of its name."""


def campaign_again(
    campaign: Campaign, *, seed: int, runs: int | None, minutes: float | None, cores: int
) -> Campaign:
    """The same campaign with other seeds, and without published data.

    It may be measured on any machine, and always has all of its runs: neither what the campaign
    requires of a machine nor its stopping rule is part of a claim.

    - `seed`: added to the seed of the campaign; at least 1.
    - `runs`: the runs on each problem; None for those of the campaign.
    - `minutes`: approximate limit of the time of measuring on these cores, which limits the runs;
      None for no limit.
    `InputError` if the minutes are not enough for one run on each problem, or if the budget has no
    real seconds.
    """
    wanted = campaign.runs if runs is None else runs
    again = _with_runs(campaign, wanted, seed)
    if minutes is None:
        return again
    if plan.wall_seconds(campaign, cores) is None:
        raise InputError("--minutes: the budget of the campaign has no real seconds; use --runs")
    while (needed := plan.wall_seconds(again, cores) or 0.0) > 60 * minutes:
        if again.runs == 1:
            raise InputError(
                f"--minutes: {minutes:g}: one run on each problem takes about "
                f"{needed / 60:.1f} min on {cores} cores"
            )
        fitting = max(1, int(again.runs * 60 * minutes / needed))
        again = _with_runs(campaign, min(fitting, again.runs - 1), seed)
    return again


def _with_runs(campaign: Campaign, runs: int, seed: int) -> Campaign:
    asked = campaign.model_dump(mode="json") | {
        "name": campaign.name + SUFFIX,
        "seed": campaign.seed + seed,
        "runs": runs,
        "rounds": min(campaign.rounds, runs),
        "published": {},
        "machine": {},
        "stopping": {"rule": "fixed"},
    }
    asked.pop("registered", None)
    return configuration.parse(asked, name="--claims")


NOTHING = "no result"


def judge(claims: Sequence[Claim], again: Evidence) -> list[Judged]:
    """Compare claims with the tables of new runs, in the order of the claims.

    Notes
    -----
    New runs contradict a claim

    - on who is first, if their own test decides on an order, and those that were first are behind;
    - on a pair, if they decide it for the other algorithm, after Bonferroni's correction;
    - on a ratio, if both ratios differ by more than chance explains, at 1 - confidence over all
      ratios together (Bonferroni).
    """
    ratios = sum(isinstance(claim, Ratio) for claim in claims)
    alpha = (1 - again.confidence) / max(ratios, 1)

    @cache
    def situations(space: Space) -> list[Situation]:
        return list(situations_of(again, space))

    def judged(claim: Claim) -> Judged:
        match claim:
            case First():
                return _first(claim, situations(claim.space))
            case Decided():
                return _pair(claim, again)
            case Ratio():
                return _ratio(claim, again, alpha)

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


def _ratio(claim: Ratio, again: Evidence, alpha: float) -> Judged:
    judged = partial(Judged, claim)
    known = costs(again, claim.space, claim.unit, claim.function, claim.target)
    if claim.first not in known or claim.other not in known:
        return judged(Verdict.UNDECIDED, NOTHING)
    now = known[claim.other].minus(known[claim.first])
    before = Limits(log(claim.value), log(claim.low), log(claim.high))
    words = "{} [{}, {}]".format(*map(number, now.numbers()))
    if now.minus(before).at_level(alpha, again.confidence).excludes_zero:
        return judged(Verdict.CONTRADICTED, words)
    if claim.decided and now.excludes_zero and (now.value > 0) == (before.value > 0):
        return judged(Verdict.REPRODUCED, words)
    if isfinite(now.value) and before.low <= now.value <= before.high:
        return judged(Verdict.WITHIN, words)
    return judged(Verdict.UNDECIDED, words)


FILE = "claims.json"
"""The claims with their verdicts, in the folder of the new runs."""

KINDS = {"first": "who is first", "pair": "pairs that are decided", "ratio": "ratios of costs"}

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
    """Differences between the two studies: machine, code, software, stopping rule, runs."""
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
    rule = recorded.campaign.stopping
    if rule.rule != "fixed":
        yield (
            f"stopping.rule: {rule.rule!r} recorded, 'fixed' again; the code of the rule is "
            "part of the code that is compared"
        )
    if rule.tests:
        yield (
            "claims: the rule has tested the recorded runs, so more of the claims may be due to "
            "chance than statistics.confidence allows"
        )
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
