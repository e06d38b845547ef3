"""The tables of a campaign at hand, and the spaces that they speak of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from timefair.campaign.configuration import Campaign
from timefair.exhibits.unknown_optimum import KIND
from timefair.rundata.settings import Analysis

ALL = "all"


class Space(NamedTuple):
    """What is judged together: the functions of one suite in one dimension."""

    suite: str
    dimension: int

    @property
    def title(self) -> str:
        return f"{self.suite}, {self.dimension} dimension{'s' * (self.dimension != 1)}"

    @property
    def anchor(self) -> str:
        """What a link can name."""
        return f"space-{''.join(c if c.isalnum() else '-' for c in self.suite)}-{self.dimension}"


@dataclass(frozen=True)
class Evidence:
    """The tables by name, as far as the campaign has them, and the campaign itself."""

    tables: Mapping[str, pd.DataFrame]
    campaign: Campaign

    def table(self, name: str) -> pd.DataFrame:
        """A table; one without rows and columns if there is none of this name."""
        return self.tables.get(name, pd.DataFrame())

    def of(self, name: str, space: Space, **keys: object) -> pd.DataFrame:
        """The rows of a table for one space, and for the values of other key columns."""
        rows = self.table(name)
        if rows.empty:
            return rows
        rows = rows[(rows["suite"] == space.suite) & _is(rows["dimension"], space.dimension)]
        for key, value in keys.items():
            rows = rows[_is(rows[key], value)]
        return rows

    @property
    def some_frame(self) -> pd.DataFrame:
        """A table with the attributes that all have; one without any if there is none."""
        return next((one for one in self.tables.values() if KIND in one.attrs), pd.DataFrame())

    @property
    def targets(self) -> tuple[tuple[float, ...], str]:
        """The targets that the tables have, and what they are."""
        attributes = self.some_frame.attrs
        suited = Analysis.of(self.campaign.analysis_settings).suited(attributes.get(KIND, "known"))
        kind = "shares" if attributes.get(KIND) == "unknown" else "precisions"
        return suited.targets, "values of f" if self.campaign.target_values else kind

    @property
    def spaces(self) -> list[Space]:
        """Every suite and dimension that a table speaks of, in order."""
        found = {
            Space(str(suite), int(dimension))
            for frame in self.tables.values()
            if {"suite", "dimension"} <= set(frame.columns)
            for suite, dimension in frame[["suite", "dimension"]]
            .drop_duplicates()
            .itertuples(index=False)
            if str(dimension) != ALL
        }
        return sorted(found)

    @property
    def unit(self) -> str:
        """What the budget is in, and so what is compared first: ``seconds`` or ``evaluations``."""
        return "evaluations" if self.campaign.budget.time_s is None else "seconds"

    @property
    def clock(self) -> str:
        """The clock of all seconds: ``wall``, ``cpu`` or ``reference``."""
        return self.campaign.statistics.time

    @property
    def confidence(self) -> float:
        return self.campaign.statistics.confidence


def _is(column: pd.Series[Any], value: object) -> pd.Series[bool]:
    """Where a column has a value, be its numbers numbers or texts."""
    return column.astype(str) == str(value)
