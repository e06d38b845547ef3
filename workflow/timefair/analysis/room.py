"""The tables and figures of one room of exhibits, made in one process.

Runs are read once, and only if a table has to be made; a file stays as it is if its code and
its input have not changed, nor any setting that was read when it was made.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.analysis import outputs
from timefair.analysis.ledger import Ledger
from timefair.basics.garbage import uncollected
from timefair.campaign import provenance, registration
from timefair.charts.pages import Page
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.rundata.settings import Analysis, WatchedAnalysis

if TYPE_CHECKING:
    import pandas as pd

    from timefair.campaign.configuration import Campaign
    from timefair.rundata.runs import Runs

UNCOLLECTED = 10
"""Number of pages of figures after which garbage is collected.

A collection takes a tenth of the time of a page, and a page leaves garbage of about 5 MB.
"""


class Room:
    """Makes the tables and figures of one room that a campaign requests.

    Parameters
    ----------
    name
        Name of the room, as in `exhibits.registry.Table.room`.
    campaign
        The campaign, with the requested tables and figures.
    folder
        ``results/<campaign>``: files go to its ``tables`` and ``figures``.
    read
        Reads the runs, once at most.
    inputs
        Identifiers of the runs. If they change, every table is made again.
    """

    def __init__(
        self,
        name: str,
        campaign: Campaign,
        folder: Path,
        read: Callable[[], Runs],
        inputs: Sequence[str],
    ) -> None:
        self._campaign, self._read, self._inputs = campaign, read, sorted(inputs)
        self._tables, self._figures = folder / "tables", folder / "figures"
        self._names = [table for table in campaign.made_tables if TABLES[table].room == name]
        self._registration = registration.settings(campaign, folder)
        settings = Analysis.of(campaign.settings_of_room(name) | self._registration)
        self._ledger = Ledger(outputs.ledger(folder, name), settings.model_dump(mode="json"))
        self._drawn = 0

    def make(self, *, figures: bool = True) -> None:
        """Write every table that is not current, and every figure, unless they are not wanted."""
        try:
            with uncollected():
                for name in self._names:
                    self._make(name, figures)
        finally:
            self._ledger.save()

    def _make(self, name: str, figures: bool) -> None:
        key = provenance.key_of(provenance.table_key(name), self._inputs)
        files = [self._tables / f"{name}.{ending}" for ending in ("parquet", "csv")]
        frame: pd.DataFrame | None = None
        if not all(self._ledger.is_current(file, key) for file in files):
            frame, settings = self._tabulated(name)
            self._write(name, frame, files, key, settings)
        settings = self._ledger.settings_of(files[0])
        self._typeset(name, key, frame, settings)
        for figure, entry in FIGURES.items():
            if figures and entry.table == name and figure in self._campaign.figure_names:
                self._draw(figure, key, frame, settings)

    @cached_property
    def _runs(self) -> Runs:
        return self._read()

    def _tabulated(self, name: str) -> tuple[pd.DataFrame, frozenset[str]]:
        """A table, and the names of the settings that it depends on."""
        analysis = WatchedAnalysis.of(self._campaign.settings_of(name) | self._registration)
        return TABLES[name](self._runs, analysis), analysis.names_read

    def _stored(self, name: str) -> pd.DataFrame:
        from timefair.exhibits import files

        return files.read(self._tables / f"{name}.parquet", TABLES[name].exhibit.columns)

    def _write(
        self,
        name: str,
        frame: pd.DataFrame,
        paths: list[Path],
        key: str,
        settings: frozenset[str],
    ) -> None:
        from timefair.exhibits import files

        for path in paths:
            files.write(frame, path, TABLES[name].exhibit.columns)
            self._ledger.note(path, key, settings)

    def _typeset(
        self, name: str, table_key: str, frame: pd.DataFrame | None, settings: frozenset[str]
    ) -> None:
        if name not in self._campaign.table_names:
            return
        file = self._tables / f"{name}.tex"
        budget = self._campaign.budget.model_dump()
        key = provenance.key_of(table_key, provenance.typeset_key(), budget)
        if self._ledger.is_current(file, key):
            return
        frame = self._stored(name) if frame is None else frame
        analysis = WatchedAnalysis.of(self._campaign.analysis_settings)
        text = typeset(name, frame, self._campaign, analysis)
        file.write_text(text, encoding="utf-8")
        self._ledger.note(file, key, settings | analysis.names_read)

    def _draw(
        self, name: str, table_key: str, frame: pd.DataFrame | None, settings: frozenset[str]
    ) -> None:
        self._remove_pages(name)
        drawn_by = provenance.key_of(table_key, provenance.figure_key(name))
        for page in self._campaign.pages_of(name):
            key = provenance.key_of(drawn_by, asdict(page))
            stem = page.file(name)
            files = [
                self._figures / f"{stem}.{ending}" for ending in self._campaign.figures.formats
            ]
            if all(self._ledger.is_current(file, key) for file in files):
                continue
            from timefair.charts import style

            frame = self._stored(FIGURES[name].table) if frame is None else frame
            self._figures.mkdir(exist_ok=True)
            with style.applied():
                style.save(FIGURES[name](frame, page), *files)
            self._drawn += 1
            if self._drawn % UNCOLLECTED == 0:
                gc.collect()
            for file in files:
                self._ledger.note(file, key, settings)

    def _remove_pages(self, name: str) -> None:
        """Remove the pages of a figure that a former campaign had, and this one does not."""
        pages = {page.file(name) for page in self._campaign.pages_of(name)}
        for file in map(Path, self._ledger.files()):
            if file.stem not in pages and Page.is_of(name, file.stem):
                self._ledger.forget(self._figures / file)


def typeset(
    name: str, frame: pd.DataFrame, campaign: Campaign, analysis: Analysis | None = None
) -> str:
    """A table of a campaign as LaTeX, by default with the settings of the campaign."""
    from timefair import latex

    budget = campaign.budget.model_dump(exclude={"final_target", "evaluation_cost_s"})
    setting = latex.Setting(analysis or Analysis.of(campaign.analysis_settings), **budget)
    exhibit = TABLES[name].exhibit
    return latex.typeset(exhibit, frame, exhibit.printed(frame), setting)
