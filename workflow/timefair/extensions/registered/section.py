"""The question that a campaign answers, stated before its first run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from math import comb
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from timefair.basics.sections import (
    Bound,
    CampaignView,
    Count,
    Distinct,
    Fault,
    Name,
    OneLine,
    Section,
    Share,
)

Table = Literal["comparison", "ert", "rank_reversals"]
Measure = Literal["precision", "ert_s", "ert_evaluations", "ert"]

MEASURES: Mapping[Table, tuple[Measure, ...]] = MappingProxyType(
    {"comparison": ("precision",), "ert": ("ert_s", "ert_evaluations"), "rank_reversals": ("ert",)}
)
"""The measures that a question can be about, for each table."""


def _pair(value: object) -> object:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError("should be two algorithms, such as [DE, PSO]")
    return value


class Registered(Section):
    """The primary question, which `timefair register` records before the first run."""

    question: OneLine = Field(max_length=300, description="The question in words.")
    table: Table = Field(
        description="`comparison`: is the precision at the end of the budget better? `ert`: is a "
        "target reached sooner? `rank_reversals`: is one algorithm better by evaluations, and the "
        "other one by time?"
    )
    measure: Measure = Field(
        description="`precision` for `comparison`; `ert_s` or `ert_evaluations` for `ert`; `ert` "
        "for `rank_reversals`."
    )
    target: Bound | None = Field(
        default=None,
        description="Target of the ERT; `null` for `comparison`, which compares at the end of the "
        "budget.",
    )
    algorithms: Annotated[
        tuple[Name, Name], BeforeValidator(_pair), Distinct, Field(strict=False)
    ] = Field(
        description="Two algorithms. The first is the one that you expect to be better; for "
        "`rank_reversals`, better by evaluations."
    )
    dimension: Count | None = Field(
        default=None, description="Dimension; `null` if the campaign has only one."
    )
    function: Count | None = Field(
        default=None, description="Number of the function; `null`: over all functions."
    )
    test: Literal["wilcoxon", "mann-whitney", "score"] = Field(
        description="`wilcoxon` over all functions. On one function, `mann-whitney` for "
        "`precision` and `score` for an ERT."
    )
    alpha: Share = Field(
        default=0.05, description="Level of the test, which is the only one of its family."
    )
    success: Literal["better", "different"] = Field(
        default="better",
        description="What counts as success, at the level `alpha`. `better`: the first algorithm "
        "is better; for `rank_reversals`, the first by evaluations and the second by time. "
        "`different`: this direction or the opposite one.",
    )

    def least_p(self, number: int) -> float:
        return 2.0 ** (1 - number) if self.test == "wilcoxon" else 2 / comb(2 * number, number)

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        known = MEASURES[self.table]
        if self.measure not in known:
            words = " or ".join(map(repr, known))
            yield "measure", f"{self.measure!r}: should be {words} with table {self.table!r}"
        if self.table != "comparison" and self.target is None:
            yield "target", f"empty; give the target of table {self.table!r}"
        elif self.table == "comparison" and self.target is not None:
            yield "target", f"{self.target:g}: only with an ERT; write null, the comparison is at T"
        elif self.target is not None and self.target <= 0 and not campaign.target_values:
            yield (
                "target",
                f"{self.target:g}: should be greater than 0; a value of f needs target_values",
            )
        for label in self.algorithms:
            if label not in campaign.algorithms:
                yield "algorithms", f"{label!r}: should be algorithms of this campaign"
        problems = campaign.problems
        if self.dimension is None and len(problems.dimensions) > 1:
            yield "dimension", "empty; name one of problems.dimensions"
        if self.dimension is not None and self.dimension not in problems.dimensions:
            yield "dimension", f"{self.dimension}: should be one of problems.dimensions"
        if self.function is not None and self.function not in problems.functions:
            yield "function", f"{self.function}: should be one of problems.functions"
        own = problems.own_dimensions.get(self.function, self.dimension)
        if self.dimension in problems.dimensions and self.dimension != own:
            yield "dimension", f"{self.dimension}: should be {own}, that of the function"
        if self.function is None and self.table == "rank_reversals":
            yield "function", "empty; name the function of table 'rank_reversals'"
        elif self.measure in known:
            suited = "mann-whitney" if self.measure == "precision" else "score"
            suited = "wilcoxon" if self.function is None else suited
            if self.test != suited:
                where = "over all functions" if self.function is None else f"for {self.measure!r}"
                yield "test", f"{self.test!r}: should be {suited!r} {where}"
            else:
                yield from self._too_few(campaign)
        if campaign.stopping.compares:
            yield (
                "test",
                f"{self.test!r}: does not keep its level alpha after the tests of stopping.rule "
                f"{campaign.stopping.rule!r}; choose another rule",
            )

    def _too_few(self, campaign: CampaignView) -> Iterator[Fault]:
        """Faults of a number of functions or runs with which no p-value is at most `alpha`."""
        if self.function is None:
            each = [d for _, d in campaign.problems.spaces]
            there, what = each.count(self.dimension or each[0]), "functions"
        else:
            there = campaign.runs * len(campaign.problems.instances)
            what = "runs of each algorithm on the function"
        needed = next(number for number in count(1) if self.least_p(number) <= self.alpha)
        if there < needed:
            yield (
                "test",
                f"{self.test!r}: never significant at alpha {self.alpha:g}; should have at least "
                f"{needed} {what}, not {there}",
            )
