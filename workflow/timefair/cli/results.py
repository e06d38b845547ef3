"""The results of a campaign: tables, figures, the verdict and the report."""

from __future__ import annotations

import sys
from collections.abc import Collection
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.basics.errors import LIST_OF_TABLES, InputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from timefair.campaign.configuration import Campaign

FRAME = '<iframe srcdoc="{page}" style="width: 100%; height: 720px; border: 0"></iframe>'


class Results:
    """The results in a folder ``results/NAME``, in a notebook shown as verdict and two pictures.

    They are those of a campaign or of analysed tables. `InputError` if the folder has none.
    """

    def __init__(self, folder: str | Path) -> None:
        from timefair.campaign import plan

        self.folder = Path(folder)
        self._snapshot = self.folder / plan.SNAPSHOT
        if not self._snapshot.is_file():
            raise InputError(f"{self.folder}: has no results; name results/NAME")

    @property
    def verdict(self) -> list[str]:
        """The verdict of each suite and dimension, and failed runs; none without a report."""
        from timefair.report import read_description

        return read_description(self.folder / "report.html")

    def table(self, name: str, only: Collection[str] = ()) -> pd.DataFrame:
        """A table such as ``ert``, read from the results or, if it was not requested, made.

        It has one row per key, with the columns of the reference of tables; numbers that are
        unknown are NaN, times that no run reached are `inf`. With `only`, it is made from the runs
        of these algorithms. `InputError` if there is no such table, or no run is collected.

        >>> timefair.load("results/default").table("ert")  # doctest: +SKIP
        """
        from timefair.cli.common import entry
        from timefair.exhibits.registry import TABLES
        from timefair.exhibits.unknown_optimum import in_files

        entry("table", name, TABLES, LIST_OF_TABLES)
        return in_files(self._table(name, only))

    def _table(self, name: str, only: Collection[str] = ()) -> pd.DataFrame:
        """A table with the names of measures that exhibits read."""
        from timefair.cli.common import read_table

        path = self.folder / "tables" / f"{name}.parquet"
        return read_table(path, name) if path.exists() and not only else self._made(name, only)

    def figure(self, name: str, page: str | None = None) -> Figure:
        """A figure such as ``ecdf``, drawn from its table; of several pages, the first one or
        `page`. `InputError` if there is no such figure or page, or no run is collected.
        """
        from timefair.cli.common import entry
        from timefair.exhibits.charts import style
        from timefair.exhibits.registry import FIGURES

        draw = entry("figure", name, FIGURES, LIST_OF_TABLES)
        frame = self._table(draw.table)
        pages = {one.name: one for one in draw.pages_of(frame)}
        chosen = next(iter(pages.values())) if page is None else entry("page", page, pages)
        _show_figures()
        with style.applied():
            return draw(frame, chosen)

    def report(self) -> Path:
        """The path of the report page; `InputError` if none was made."""
        path = self.folder / "report.html"
        if not path.is_file():
            raise InputError(f"{path}: was not made")
        return path

    def __repr__(self) -> str:
        return "\n".join([*self.verdict, f"Results({str(self.folder)!r})"])

    def _repr_html_(self) -> str:
        from timefair.report import first_screen

        return FRAME.format(page=escape(first_screen(self.report())))

    @cached_property
    def campaign(self) -> Campaign:
        from timefair.campaign import configuration

        return configuration.restore(self._snapshot)

    def _made(self, name: str, only: Collection[str]) -> pd.DataFrame:
        from timefair.basics.extension import each
        from timefair.campaign import collected
        from timefair.cli.analysis import together
        from timefair.cli.common import entry
        from timefair.exhibits.charts.pages import ORDER
        from timefair.exhibits.registry import TABLES
        from timefair.records.rundata.problems import MOST_COLOURS
        from timefair.records.rundata.settings import Analysis

        files = {path.stem: path for path in collected.in_folder(self.folder, self.campaign)}
        chosen = [entry("algorithm", label, files) for label in dict.fromkeys(only or files)]
        runs = together(chosen, self.campaign)
        settings = self.campaign.settings_of(name)
        settings |= {"added": dict(each("settings", self.campaign, self.folder))}
        frame = TABLES[name](runs, Analysis.of(settings))
        if only and len(self.campaign.algorithms) <= MOST_COLOURS:  # their colours in the campaign
            frame.attrs[ORDER] = [
                *sorted(self.campaign.algorithms),
                *sorted(self.campaign.published),
            ]
        return frame


def _show_figures() -> None:
    """Let a notebook show figures that pyplot has not made, unless the user has chosen how."""
    from matplotlib.figure import Figure

    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if shell and Figure not in shell.display_formatter.formatters["image/png"].type_printers:
        from IPython.core.pylabtools import (  # type: ignore[import-not-found]
            select_figure_formats,
        )

        select_figure_formats(shell, {"png"})


def load(folder: str | Path) -> Results:
    """The results of a campaign that was measured, or of tables that were analysed, in a folder
    ``results/NAME``. `InputError` if it has none.

    >>> timefair.load("results/default").verdict  # doctest: +SKIP
    """
    return Results(folder)
