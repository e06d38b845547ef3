"""A section of a campaign file: a model of its keys that checks how their values agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

Fault: TypeAlias = tuple[str, str]
"""A key of a section and what is wrong with it; an empty key stands for the section itself."""


CampaignView: TypeAlias = Any
"""The `campaign.configuration.Campaign` that contains a section; that module imports this one."""


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
