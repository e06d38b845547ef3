"""The key ``paper`` of a campaign file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, Field, model_validator

from timefair.basics.errors import suggest
from timefair.basics.sections import CampaignView, Fault, Section, or_text
from timefair.basics.words import first

PROPOSED, COMPLEXITY = "proposed", "complexity"  # names of its settings of the analysis


class Paper(Section):
    """The tables and figures of a kind of paper. A string alone is its `form`."""

    analyses: ClassVar[bool] = True

    model_config = ConfigDict(json_schema_extra=or_text)

    form: Literal["metaheuristics"] = Field(
        description="`metaheuristics`: the tables `paper_values`, `against`, `friedman`, "
        "`designs`, `complexity` and `overhead`, box plots and convergence curves."
    )
    proposed: str | None = Field(
        default=None,
        description="Label of the algorithm that the paper proposes, with which `against` compares "
        "all others; `null`: the first algorithm of the campaign.",
    )

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return {"form": value} if isinstance(value, str) else value

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        if self.proposed is not None and self.proposed not in campaign.labels:
            yield (
                "proposed",
                f"{self.proposed!r}: should be an algorithm of this campaign"
                f"{suggest(self.proposed, campaign.labels)}: {first(campaign.labels, 6)}",
            )


def settings(campaign: CampaignView, folder: Path) -> Iterator[tuple[str, Any]]:
    from timefair.extensions.metaheuristics import complexity

    paper = campaign.section("paper")
    yield PROPOSED, (paper and paper.proposed) or campaign.labels[0]
    yield COMPLEXITY, complexity.measured(folder)
