"""The keys of `algorithms.<label>.tune`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, model_validator

from timefair.basics.sections import CampaignView, Fault, Section
from timefair.basics.values import Name, Numbers, Seconds, format_ranges
from timefair.tuners.space import Space

SUFFIX = "-tuned"
"""Suffix of an algorithm's label in the label of its tuned variant."""

SHOWN = 3
"""Number of problems that a message names; the others are counted."""


class TuningProblem(NamedTuple):
    """A problem of the campaign's suite."""

    function: int
    dimension: int
    instance: int

    def __str__(self) -> str:
        return f"f{self.function} D={self.dimension} instance {self.instance}"


class TuningProblems(Section):
    """The problems on which parameters are searched: every function, dimension and instance."""

    functions: Numbers = Field(description="Numbers of the functions, in the campaign's suite.")
    dimensions: Numbers = Field(description="Dimensions of the search space.")
    instances: Numbers = Field(description="Numbers of the instances.")

    @property
    def problems(self) -> tuple[TuningProblem, ...]:
        """Every problem, instances before functions before dimensions."""
        order = product(self.dimensions, self.instances, self.functions)
        return tuple(TuningProblem(f, d, i) for d, i, f in order)

    def __str__(self) -> str:
        functions, dimensions, instances = map(
            format_ranges, (self.functions, self.dimensions, self.instances)
        )
        several = "s" * (len(self.instances) > 1)
        return f"f{functions} D={dimensions} instance{several} {instances}"


class Tune(Section):
    """A search for parameters, which timefair measures and charges before the runs."""

    space: Annotated[Space, Field(min_length=1)] = Field(
        description="Parameters to search, each with its range: `{float: [0.1, 1]}`, "
        "`{log: [1e-3, 10]}` (float on a logarithmic scale), `{int: [4, 100]}`, "
        "`{log_int: [4, 400]}` or `{choice: [best, rand]}`."
    )
    tuner: str = Field(
        description="`random`, `racing` (iterated racing), `nevergrad:NAME` (an optimizer of "
        "nevergrad) or `optuna:TPE`."
    )
    budget_s: Seconds = Field(
        description="Limit of the search, in seconds of wall clock. A run begins only if T fits "
        "into the remaining seconds; at least two runs per problem are made in any case."
    )
    on: TuningProblems = Field(description="The problems of the search.")
    overlap: Literal["refused", "allowed"] = Field(
        default="refused",
        description="Whether problems of the search may be problems of the comparison. The "
        "checklist names those that are.",
    )
    label: Name | None = Field(
        default=None,
        description="Label of the tuned variant; `null`: the label of the algorithm with "
        f"`{SUFFIX}`.",
    )

    @model_validator(mode="before")
    @classmethod
    def _on(cls, value: object) -> object:
        """YAML 1.1 reads the key ``on`` as true, and writes it as ``true``."""
        if isinstance(value, Mapping) and "on" not in value:
            return {"on" if key in (True, "true") else key: item for key, item in value.items()}
        return value

    def label_of(self, default: str) -> str:
        """The label of the tuned variant of an algorithm."""
        return self.label or f"{default}{SUFFIX}"

    def overlapping(self, campaign: CampaignView) -> Sequence[TuningProblem]:
        """The problems of the search that are problems of the comparison."""
        there = campaign.problems
        return [
            one
            for one in self.on.problems
            if one.function in there.functions
            and one.dimension in there.dimensions
            and one.instance in there.instances
        ]

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        if self.overlap == "refused" and (same := self.overlapping(campaign)):
            more = f" and {len(same) - SHOWN} more" if len(same) > SHOWN else ""
            yield (
                "on",
                f"{', '.join(map(str, same[:SHOWN]))}{more}: should not be in the comparison; "
                "choose other problems, or write overlap: allowed",
            )
        time_s = campaign.budget.time_s
        problems = len(self.on.problems)
        if time_s is not None and self.budget_s < 2 * problems * time_s:
            yield (
                "budget_s",
                f"{self.budget_s:g}: should be at least {2 * problems * time_s:g}, for the default "
                f"and one candidate on {problems} problems of {time_s:g} s",
            )
