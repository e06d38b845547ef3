"""The tables of a campaign, and the spaces (suites and dimensions) in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import NamedTuple

import pandas as pd

from timefair.basics.words import ALL, counted
from timefair.campaign.configuration import Campaign
from timefair.exhibits.registry import TABLES
from timefair.exhibits.unknown_optimum import KIND, REFUTED
from timefair.problems import names
from timefair.records.rundata.settings import Analysis

NOTICEABLE = 1.1  # minimum detectable ratio of times, above which the page says so


class Space(NamedTuple):
    """The functions of one suite in one dimension. They are judged together."""

    suite: str
    dimension: int

    @property
    def title(self) -> str:
        return f"{self.suite}, {counted(self.dimension, 'dimension')}"

    @property
    def anchor(self) -> str:
        return f"space-{''.join(c if c.isalnum() else '-' for c in self.suite)}-{self.dimension}"


@dataclass(frozen=True)
class Evidence:
    """The tables that the campaign has, by name, and the campaign itself."""

    tables: Mapping[str, pd.DataFrame]
    campaign: Campaign

    def table(self, name: str) -> pd.DataFrame:
        """A table; one without rows if there is none of this name."""
        columns = [column.name for column in TABLES[name].exhibit.columns]
        return self.tables.get(name, pd.DataFrame(columns=columns, dtype=object))

    def of(self, name: str, space: Space, **keys: object) -> pd.DataFrame:
        """The rows of a table for one space, and for these values of other columns."""
        rows = self.table(name)
        for key, value in (space._asdict() | keys).items():
            rows = rows[rows[key].astype(str) == str(value)]
        return rows

    @property
    def some_frame(self) -> pd.DataFrame:
        """A table with the attributes that all tables share; an empty one if there is no table."""
        return next((one for one in self.tables.values() if KIND in one.attrs), pd.DataFrame())

    @property
    def optimum(self) -> str:
        """Whether optima are known: a value of `rundata.runs.Runs.optimum`."""
        return str(self.some_frame.attrs.get(KIND, "known"))

    @property
    def analysis(self) -> Analysis:
        return Analysis.of(self.campaign.analysis_settings).suited(self.optimum)

    @cached_property
    def spaces(self) -> list[Space]:
        found = {
            Space(str(suite), int(str(dimension)))
            for frame in self.tables.values()
            if {"suite", "dimension"} <= set(frame.columns)
            for (suite, dimension), _ in frame.groupby(["suite", "dimension"], observed=True)
            if str(dimension) != ALL
        }
        return sorted(found)

    def failed(self, space: Space) -> frozenset[str]:
        """The algorithms that made no evaluation in any run, although others did."""
        found = self.some_frame.attrs.get("failed", ())
        return frozenset(name for suite, dimension, name in found if (suite, dimension) == space)

    def wrong(self, space: Space) -> list[int]:
        """The functions with a wrong optimum (a run has found less): they decide nothing."""
        found = self.some_frame.attrs.get(REFUTED, ())
        here = (one for one in found if (one["suite"], one["dimension"]) == space)
        return sorted({int(one["function"]) for one in here})

    def compared(self, space: Space) -> list[str]:
        failed = self.failed(space)
        return [name for name in self.campaign.timed if name not in failed]

    def detectable(self, space: Space) -> float:
        """Largest ratio of costs that the machine's speed may explain; 1 if that is unknown."""
        if self.unit != "seconds":
            return 1.0
        rows = self.of("timing_noise", space, function=ALL)
        ratio = float(rows["detectable_ratio"].iloc[0]) if len(rows) else 1.0
        return max(ratio, 1.0) if isfinite(ratio) else 1.0

    def budget(self, space: Space) -> float | None:
        """What a run may use, in the unit of the budget; None if tables have another clock."""
        budget = self.campaign.budget
        if self.unit == "evaluations":
            return budget.evaluations_for(space.dimension)
        own = "wall" if budget.cpu_s is None else "cpu"
        return budget.seconds if self.clock == own else None

    def called(self, function: object) -> str:
        """A function of the campaign with its name, such as ``f8 Rosenbrock``."""
        chosen = self.campaign.problems
        return names.title(chosen.suite, function, chosen.given_names)

    @property
    def named(self) -> dict[str, str]:
        """The functions of the campaign that have a name, by number as text, with both."""
        titles = {str(each): self.called(each) for each in self.campaign.problems.functions}
        return {number: title for number, title in titles.items() if title != f"f{number}"}

    @property
    def unit(self) -> str:
        return self.campaign.budget.unit

    @property
    def clock(self) -> str:
        return self.campaign.statistics.time

    @property
    def confidence(self) -> float:
        return self.campaign.statistics.confidence
