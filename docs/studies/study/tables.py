"""The tables of timefair, made from an archive in an empty folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from timefair.basics.errors import InputError
from timefair.campaign import plan
from timefair.campaign.configuration import Campaign
from timefair.cli.analysis import together
from timefair.exhibits.charts.pages import ORDER
from timefair.exhibits.registry import TABLES
from timefair.extensions.archive import files
from timefair.extensions.archive.files import MeasuredWhere, measured_where
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import NOW

MOST_COSTLY = 1
"""So many algorithms with the fewest evaluations per run are left out of the second cost map."""


@dataclass(frozen=True)
class Study:
    """The runs of an archive, and the tables made of them.

    Attributes
    ----------
    folder
        ``results/NAME`` of the archive.
    """

    folder: Path

    @cached_property
    def campaign(self) -> Campaign:
        """The campaign, with the names of now (`NOW`), without keys that have gone since."""
        text = (self.folder / plan.SNAPSHOT).read_text(encoding="utf-8")
        for was, now in NOW.items():
            text = text.replace(f'"{was}"', f'"{now}"')
        content = json.loads(text)
        content.pop("relative_targets", None)
        for gone in ("judge", "resamples", "seeds"):
            content["statistics"]["run_count"].pop(gone, None)
        return Campaign.model_validate_json(json.dumps(content), strict=False)

    @cached_property
    def where(self) -> MeasuredWhere:
        """When and on which machines the runs were measured."""
        return measured_where(self._collected(self.campaign.algorithms))

    @cached_property
    def runs(self) -> Runs:
        return together(self._collected(self.campaign.algorithms), self.campaign)

    @cached_property
    def costly(self) -> tuple[str, ...]:
        """The algorithms whose runs made the fewest evaluations, which limit the cost map."""
        medians = self.runs.frame.groupby("algorithm")["evaluations"].median()
        medians = medians.sort_values(kind="stable")
        return tuple(medians.index[: min(MOST_COSTLY, len(medians) - 2)])

    def table(self, name: str) -> pd.DataFrame:
        """A table of all runs, made once."""
        made: pd.DataFrame = self.runs.once(
            ("study", name), lambda: self._tabulated(name, self.runs)
        )
        return made

    @cached_property
    def cheap_map(self) -> pd.DataFrame:
        """The cost map without the costly algorithms."""
        labels = [label for label in self.campaign.algorithms if label not in self.costly]
        cheap = self._tabulated("cost_map", together(self._collected(labels), self.campaign))
        cheap.attrs[ORDER] = self.table("cost_map").attrs[ORDER]  # both maps have the same colours
        return cheap

    def _tabulated(self, name: str, runs: Runs) -> pd.DataFrame:
        return TABLES[name](runs, Analysis.of(self.campaign.settings_of(name)))

    def _collected(self, labels: Sequence[str]) -> list[Path]:
        return [self.folder / f"collected/{label}.parquet" for label in labels]


@contextmanager
def opened(archive: Path) -> Iterator[Study]:
    """The study in an archive, after a check of every byte.

    Raises
    ------
    InputError
        If a file of the archive is damaged, missing or not part of it.
    """
    faults: list[str] = []
    with files.opened(archive, faults.append) as folder:
        if faults:
            raise InputError(*faults)
        yield Study(files.results_of(folder))
