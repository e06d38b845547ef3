"""The claims of a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from timefair.basics.words import listed, number
from timefair.report.evidence import Space


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

    Attributes
    ----------
    want, detail
        The situation, as in the report.
    measure, criterion
        Its criterion in the table `comparison`.
    leaders
        Algorithms with the best value.
    front
        The leaders, and algorithms that may be as good.
    behind
        All other algorithms.
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

    Attributes
    ----------
    function
        Number of the function as text, or ``all``.
    better, other
        The two algorithms.
    a12, low, high
        The probability that a run of `better` is better, and its interval; over all functions, a
        share of functions, without an interval.
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

    Attributes
    ----------
    unit
        ``seconds`` or ``evaluations``.
    target
        Target of the expected cost.
    value, low, high
        The ratio and its interval.
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
