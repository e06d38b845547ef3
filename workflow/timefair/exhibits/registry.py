"""The tables and figures that a campaign can request, by name.

Their names are in ``index.json``, which is generated from the declarations; each extension has its
own, or is imported at once. Checking a campaign therefore imports none of the modules that compute.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.resources import files
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from timefair.basics.extension import extensions
from timefair.exhibits import INDEX
from timefair.exhibits.charts import pages
from timefair.exhibits.charts.pages import WHOLE, Page, Panels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Drawing

    from timefair.exhibits.exhibit import Exhibit, Figure, Need
    from timefair.records.rundata.runs import Runs
    from timefair.records.rundata.settings import Analysis

ALL, DEFAULT = "all", "default"  # words that a campaign may use instead of names


@dataclass(frozen=True)
class Table:
    """What ``index.json`` says of a table; attributes as in `exhibit.Exhibit`, and the place of its
    question and what is said of its figures, by name."""

    name: str
    title: str
    module: str
    place: float
    figures: Mapping[str, Mapping[str, Any]]
    default: bool = False
    asked: bool = False

    @property
    def room(self) -> str:
        """The part of `exhibits` that declares it: ``run_count``, or an extension."""
        return room_of(self.module)

    @property
    def family(self) -> str:
        """That part in words: ``Run count``."""
        return self.room.replace("_", " ").capitalize()

    @property
    def exhibit(self) -> Exhibit:
        from timefair.exhibits.exhibit import DECLARED

        import_module(self.module)
        return DECLARED[self.name]

    def __call__(self, runs: Runs, analysis: Analysis) -> pd.DataFrame:
        return self.exhibit(runs, analysis)


@dataclass(frozen=True)
class FigureEntry:
    """A figure; attributes as in `exhibit.Figure`, and ``panels`` as in `charts.chart.Chart`."""

    name: str
    title: str
    table: str
    renderer: str
    default: bool = False
    panels: Panels = "one page"
    needs: Need = "nothing"

    @property
    def figure(self) -> Figure:
        figures = TABLES[self.table].exhibit.figures
        return next(figure for figure in figures if figure.name == self.name)

    def pages(
        self, dimensions: Sequence[int], functions: Sequence[int], algorithms: int
    ) -> tuple[Page, ...]:
        return pages.pages(self.panels, dimensions, functions, algorithms)

    def pages_of(self, frame: pd.DataFrame) -> tuple[Page, ...]:
        return pages.pages_of(self.panels, frame)

    def __call__(self, frame: pd.DataFrame, page: Page = WHOLE) -> Drawing:
        return self.figure(frame, page)


def room_of(module: str) -> str:
    """The folder or module of `exhibits` that a module is or is in; else the one that it is in."""
    inside = module.removeprefix("timefair.exhibits.")
    return inside.split(".")[0] if inside != module else module.split(".")[-2]


def facts(exhibits: Iterable[Exhibit]) -> dict[str, dict[str, Any]]:
    """What ``index.json`` has of exhibits, by name; what is as usual is left out."""
    return {
        one.name: {
            "title": one.title,
            "module": one.module,
            "place": one.question.place,
            **{name: True for name in ("default", "asked") if getattr(one, name)},
            "figures": {figure.name: _facts_of(figure) for figure in one.figures},
        }
        for one in exhibits
    }


def _facts_of(figure: Figure) -> dict[str, Any]:
    known = {"title": figure.title, "renderer": figure.chart.renderer, "default": figure.default}
    known |= {"panels": figure.chart.panels, "needs": figure.needs}
    usual = {one.name: one.default for one in fields(FigureEntry)}
    return {name: fact for name, fact in known.items() if fact != usual[name]}


def _tables(package: str) -> list[Table]:
    file = files(package).joinpath(INDEX)
    if file.is_file():
        known = json.loads(file.read_text(encoding="utf-8"))
    else:
        from timefair.exhibits.exhibit import DECLARED

        extensions()[package.rpartition(".")[2]].declare()
        known = facts(one for one in DECLARED.values() if one.module.startswith(f"{package}."))
    return [Table(name, **of_it) for name, of_it in known.items()]


_packages = ["timefair.exhibits", *(one.package for one in extensions().values() if one.exhibits)]
_every = sorted(chain.from_iterable(map(_tables, _packages)), key=lambda one: one.place)

TABLES: Mapping[str, Table] = MappingProxyType({one.name: one for one in _every})
"""Every table, in the order of the questions that they answer."""

FIGURES: Mapping[str, FigureEntry] = MappingProxyType(
    {
        name: FigureEntry(name, table=one.name, **known)
        for one in _every
        for name, known in one.figures.items()
    }
)
"""Every figure, in the order of its tables."""


def chosen(
    names: Iterable[str], known: Mapping[str, Table] | Mapping[str, FigureEntry]
) -> tuple[str, ...]:
    """The names that a campaign requests, in their order and without duplicates, with ``all`` and
    ``default`` replaced by names."""
    usual = [name for name, entry in known.items() if entry.default]
    words: Mapping[str, Iterable[str]] = {ALL: known, DEFAULT: usual}
    return tuple(dict.fromkeys(chain.from_iterable(words.get(name, (name,)) for name in names)))
