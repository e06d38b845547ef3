"""A section of a campaign file: a model of its keys that checks how their values agree."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict

Fault: TypeAlias = tuple[str, str]
"""A key of a section and what is wrong with it; an empty key stands for the section itself."""


class Ends(Protocol):
    """What ends a run."""

    @property
    def time_s(self) -> float | None:
        """Its seconds of wall clock; None if only evaluations end it."""

    @property
    def final_target(self) -> float | None:
        """The precision that ends it; None if none does."""

    @property
    def evaluation_cost_s(self) -> float:
        """Seconds that an evaluation counts more than it takes."""


class Numbered(Protocol):
    """Which problems there are."""

    @property
    def suite(self) -> str:
        """The name of the suite."""

    @property
    def functions(self) -> Sequence[int]:
        """The numbers of the functions."""

    @property
    def dimensions(self) -> Sequence[int]:
        """The dimensions."""

    @property
    def instances(self) -> Sequence[int]:
        """The numbers of the instances."""


class Stops(Protocol):
    """What decides that an algorithm has enough runs on a problem."""

    @property
    def rule(self) -> str:
        """Its name."""

    @property
    def tests(self) -> bool:
        """Whether it decides by tests between algorithms."""

    @property
    def compares(self) -> bool:
        """Whether it compares the algorithms."""

    @property
    def answers_registered(self) -> bool:
        """Whether it decides the registered question, at its level."""


class Asks(Protocol):
    """The registered question."""

    @property
    def algorithms(self) -> tuple[str, str]:
        """The algorithms that it compares."""

    @property
    def function(self) -> int | None:
        """The function on which it compares them; None for all."""

    @property
    def dimension(self) -> int | None:
        """The dimension; None for the only one."""

    @property
    def alpha(self) -> float:
        """Its level."""


class CampaignView(Protocol):
    """What a section may ask of the campaign that contains it."""

    @property
    def algorithms(self) -> Collection[str]:
        """The algorithms by label."""

    @property
    def published(self) -> Collection[str]:
        """The published data by label."""

    @property
    def problems(self) -> Numbered:
        """The problems."""

    @property
    def budget(self) -> Ends:
        """What a run may use."""

    @property
    def runs(self) -> int:
        """Runs of each algorithm on each problem."""

    @property
    def rounds(self) -> int:
        """Rounds that the runs are split into."""

    @property
    def stopping(self) -> Stops:
        """The stopping rule."""

    @property
    def registered(self) -> Asks | None:
        """The registered question, if there is one."""

    @property
    def target_values(self) -> Sequence[float]:
        """Targets as values of f, if there are any."""

    @property
    def reference_is_timed(self) -> bool:
        """Whether the reference kernel is timed around each run."""

    def cores_of(self, label: str) -> int:
        """The cores that a run of an algorithm holds."""


def _first_paragraph(schema: dict[str, Any]) -> None:
    """Keep only the beginning of a class's docstring as its description in the JSON schema."""
    if "description" in schema:
        schema["description"] = " ".join(schema["description"].partition("\n\n")[0].split())


class Section(BaseModel):
    """Keys with a type, a default and a description each; other keys are refused."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_extra=_first_paragraph
    )

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        """Find values that are right alone and wrong together.

        Parameters
        ----------
        campaign
            The campaign that contains the section.

        Yields
        ------
        Fault
            A key of this section, and its value with what would be right.
        """
        yield from ()
