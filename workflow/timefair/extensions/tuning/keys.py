"""The keys of `algorithms.<label>.tune`, and the ranges that tuners draw from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

from pydantic import AfterValidator, Field, JsonValue, WithJsonSchema, model_validator

from timefair.basics.sections import (
    CampaignView,
    Fault,
    Numbers,
    Parameters,
    Search,
    Seconds,
    Section,
    format_ranges,
)
from timefair.basics.words import first

if TYPE_CHECKING:
    from timefair.problems.problem import Suite

Values: TypeAlias = dict[str, Any]  # the parameters of a candidate, by name
KINDS = ("float", "log", "int", "log_int", "choice")  # the kinds of ranges

LEAST_CANDIDATES = 2
"""Number of candidates, including the default, that a search tries on every problem regardless of
the time. `budget_s` must be enough for them, without their preparation.
"""

SUFFIX = "-tuned"  # suffix of an algorithm's label in the label of its tuned variant
SHOWN = 3  # number of problems that a message names; the others are counted


class Range(NamedTuple):
    """The values that a parameter may take: both limits, which are included, or all choices."""

    kind: str
    values: tuple[Any, ...]

    def at(self, share: float) -> Any:
        """The value at a share in [0, 1) of the range.

        >>> round(Range("log", (1.0, 100.0)).at(0.5), 12)
        10.0
        >>> [Range("int", (4, 6)).at(share) for share in (0, 0.4, 0.99)]
        [4, 5, 6]
        """
        if self.kind == "choice":
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        whole = self.kind.endswith("int")
        low, high = float(self.values[0]), float(self.values[1]) + whole
        if self.kind.startswith("log"):
            value = math.exp(math.log(low) + share * math.log(high / low))
        else:
            value = low + share * (high - low)
        if whole:
            return int(min(max(math.floor(value), self.values[0]), self.values[1]))
        return min(max(value, low), high)


def read(space: Mapping[str, Mapping[str, Any]]) -> dict[str, Range]:
    return {
        name: Range(kind, tuple(values))
        for name, written in space.items()
        for kind, values in written.items()
    }


def _checked(written: dict[str, JsonValue]) -> dict[str, JsonValue]:
    kind, values = next(iter(written.items()), ("", None))
    if len(written) != 1 or kind not in KINDS:
        raise ValueError(f"should be one of {', '.join(KINDS)} with values")
    given = values if isinstance(values, list) else []
    if kind == "choice":
        if len(given) < 2 or any(value in given[:place] for place, value in enumerate(given)):
            raise ValueError("should be a list of two or more different values")
        return written
    number: type[float] = int if kind.endswith("int") else float
    words = f"should be two {'whole ' if number is int else ''}numbers, the lower first"
    try:
        low, high = map(number, given)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(words) from None
    if [low, high] != given or bool in map(type, given) or low >= high:
        raise ValueError(words)
    if kind.startswith("log") and low <= 0:
        raise ValueError(f"{words} and above 0")
    return {kind: [low, high]}


Space = dict[  # a range for each parameter, as a campaign writes it
    str,
    Annotated[
        Parameters,
        AfterValidator(_checked),
        WithJsonSchema(
            {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": False,
                "properties": {
                    kind: {"type": "array", "minItems": 2}
                    | ({} if kind == "choice" else {"items": {"type": "number"}, "maxItems": 2})
                    for kind in KINDS
                },
            }
        ),
    ],
]


class TuningProblem(NamedTuple):
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
        order = product(self.dimensions, self.instances, self.functions)
        return tuple(TuningProblem(f, d, i) for d, i, f in order)

    def __str__(self) -> str:
        functions, dimensions, instances = map(
            format_ranges, (self.functions, self.dimensions, self.instances)
        )
        several = "s" * (len(self.instances) > 1)
        return f"f{functions} D={dimensions} instance{several} {instances}"


class Tune(Search):
    """Search for parameters before the runs. The campaign then has a tuned variant of this
    algorithm too, which is charged the seconds of the search.
    """

    key: ClassVar[str] = "tune"

    space: Annotated[Space, Field(min_length=1)] = Field(
        description="Parameters to search, each with its range: `{float: [0.1, 1]}`, "
        "`{log: [1e-3, 10]}` (float on a logarithmic scale), `{int: [4, 100]}`, "
        "`{log_int: [4, 400]}` or `{choice: [best, rand]}`."
    )
    tuner: str = Field(
        description="`random`, `racing` (iterated racing) or `nevergrad:NAME` (an optimizer of "
        "nevergrad)."
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

    @model_validator(mode="before")
    @classmethod
    def _on(cls, value: object) -> object:
        """YAML 1.1 reads the key ``on`` as true, and writes it as ``true``."""
        if isinstance(value, Mapping) and "on" not in value:
            return {"on" if key in (True, "true") else key: item for key, item in value.items()}
        return value

    def label_of(self, label: str) -> str:
        return f"{label}{SUFFIX}"

    def seconds(self) -> float:
        return self.budget_s

    def most_seconds(self, run_s: float, repeats: int) -> float:
        least_s = LEAST_CANDIDATES * len(self.on.problems) * run_s * (1 + repeats)
        return max(self.budget_s + run_s * repeats, least_s)

    def overlapping(self, campaign: CampaignView) -> Sequence[TuningProblem]:
        there = campaign.problems
        return [
            one
            for one in self.on.problems
            if (one.function, one.dimension) in there.spaces and one.instance in there.instances
        ]

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        if self.overlap == "refused" and (same := self.overlapping(campaign)):
            yield (
                "on",
                f"{first(same, SHOWN)}: should not be in the comparison; choose other problems, or "
                "write overlap: allowed",
            )
        time_s, problems = campaign.budget.time_s, len(self.on.problems)
        if time_s is not None and self.budget_s < LEAST_CANDIDATES * problems * time_s:
            yield (
                "budget_s",
                f"{self.budget_s:g}: should be at least {LEAST_CANDIDATES * problems * time_s:g}, "
                f"for the default and one candidate on {problems} problems of {time_s:g} s",
            )

    def unknown(self, campaign: CampaignView, label: str, suite: Suite | None) -> Iterator[str]:
        from timefair.algorithms.libraries import remembered_faults
        from timefair.extensions.tuning import tuners

        spec = campaign.algorithms[label]
        yield from (f"tuner: {fault}" for fault in tuners.faults(self.tuner))
        for name, one in read(self.space).items():
            refused = (
                fault
                for value in one.values
                for fault in remembered_faults(spec.use, {**spec.parameters, name: value})
            )
            yield from (f"space.{name}: {fault}" for fault in dict.fromkeys(refused))
        if suite is None:
            return
        keys = (list(self.on.functions), list(self.on.dimensions), list(self.on.instances))
        faults = suite.faults(*keys)
        yield from (f"on.{fault}" for fault in faults)
        unknown = not faults and not all(suite.knows_optimum(*names) for names in product(*keys))
        if unknown and not campaign.target_values:
            yield "on: the optimum of some of these problems is unknown; give target_values"

    def alone(self, campaign: CampaignView, label: str) -> CampaignView:
        from timefair.policies.stopping import FixedNumber

        chosen = {key: getattr(self.on, key) for key in type(self.on).model_fields}
        chosen |= {"names": {}, "own_dimensions": {}}
        spec = campaign.algorithms[label].model_copy(update={"seed_as": None})
        return campaign.model_copy(
            update={
                "problems": campaign.problems.model_copy(update=chosen),
                "algorithms": {label: spec},
                "stopping": FixedNumber(),
                "block": None,
            }
        )

    def decisive(self, campaign: CampaignView) -> dict[str, Any]:
        from timefair.campaign.provenance import code_digest, sources_of
        from timefair.extensions.tuning.tuners import NEVERGRAD
        from timefair.machine.facts import versions

        library = self.tuner.partition(":")[0]
        sources = sources_of("extensions/tuning/job.py", ("extensions", "statistics"))
        return {
            "tune": self.model_dump(mode="json", exclude={"overlap"}),
            "targets": campaign.target_values or campaign.targets,
            "code": code_digest(sources),
            "software": versions((library,)) if library == NEVERGRAD else {},
        }
