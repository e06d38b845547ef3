"""A section of a campaign file: a model of its keys that checks how their values agree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, TypeAlias

from pydantic import BaseModel, ConfigDict

Fault: TypeAlias = tuple[str, str]
"""A key of a section and what is wrong with it; an empty key stands for the section itself."""


CampaignView: TypeAlias = Any
"""The `campaign.configuration.Campaign` that contains a section; that module imports this one."""


def _first_paragraph(schema: dict[str, Any]) -> None:
    """Keep only the beginning of a class's docstring as its description in the JSON schema."""
    if "description" in schema:
        schema["description"] = " ".join(schema["description"].partition("\n\n")[0].split())


def or_text(schema: dict[str, Any]) -> None:
    """In the JSON schema: a string may replace the section."""
    section = dict(schema)
    schema.clear()
    schema["anyOf"] = [{"type": "string"}, section]


class Section(BaseModel):
    """Keys with a type, a default and a description each; other keys are refused."""

    analyses: ClassVar[bool] = False
    """Of a key of an extension: whether it affects the analysis only; imported runs may have it."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_extra=_first_paragraph
    )

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        """Find values that are right alone and wrong together: a key of this section, and its value
        with what would be right.
        """
        yield from ()


class Search(Section):
    """A key of an algorithm with a search for its parameters before any run.

    The campaign then has a tuned variant of the algorithm too, which gets the parameters that are
    found and is charged the seconds of the search. A job of its own calls the command of `timefair`
    that has the name of the key. It writes a record with the runs of the search, and with the facts
    ``tuning``: among them ``of``, ``result``, ``seconds`` and, only here, the ``trace``.
    """

    key: ClassVar[str]

    @abstractmethod
    def label_of(self, label: str) -> str:
        """The label of the tuned variant of an algorithm."""

    @abstractmethod
    def seconds(self) -> float:
        """About how long the search takes."""

    @abstractmethod
    def most_seconds(self, run_s: float, repeats: int) -> float:
        """How long it takes at most if a run takes `run_s` and is repeated `repeats` times."""

    @abstractmethod
    def unknown(self, campaign: CampaignView, label: str, suite: Any) -> Iterator[str]:
        """Keys, and what does not exist or is refused; `suite` is None if it is unknown."""

    @abstractmethod
    def alone(self, campaign: CampaignView, label: str) -> CampaignView:
        """The campaign of the search: its problems, and only the tuned variant.

        A search has its own seeds, which do not depend on those of the variant's runs. Settings for
        the number of runs and for their nodes do not apply to it.
        """

    @abstractmethod
    def decisive(self, campaign: CampaignView) -> dict[str, Any]:
        """Everything else that determines the search, in a form that JSON can represent."""
