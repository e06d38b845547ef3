"""The files into which a figure is divided; they are known before the measurement.

A figure whose panels do not fit on a page has an overview of all functions, and one file per
dimension: ``ert.pdf``, ``ert_D5.pdf``, ``ert_D20.pdf``. If there are too many functions for one
page, they are divided further: ``ert_D5_f1_24.pdf``, ``ert_D5_f25_48.pdf``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

PAGE_IN = (7.0, 9.0)  # width and height of the largest figure
COLUMNS = 4  # panels side by side
LINES = 6  # lines of panels on a page
MANY = 12  # with at least this number of algorithms, an overview shows all
ORDER = "looks"
"""Attribute of a table: all algorithms of its campaign, in the order in which they get colours."""
LEAST_RUNS = 6  # fewest runs for which a band of costs or precisions is drawn

Panels = Literal["functions", "functions and all", "one page"]
"""The panels that determine the pages: one per function and dimension, possibly with one for all
functions of a dimension; or none, if everything fits on one page.
"""


@dataclass(frozen=True)
class Page:
    """One file of a figure, with a suffix of its name; an overview summarizes the functions. No
    dimension or functions: all."""

    dimension: int | None = None
    functions: tuple[int, ...] = ()
    overview: bool = False
    name: str = ""

    def file(self, figure: str) -> str:
        """The name of the file of a figure, without extension."""
        return f"{figure}_{self.name}" if self.name else figure

    @staticmethod
    def is_of(figure: str, file: str) -> bool:
        """Whether a file name without extension is that of a page of a figure.

        >>> Page.is_of("ert", "ert_D5"), Page.is_of("ert", "ert_evaluations")
        (True, False)
        """
        return re.fullmatch(rf"{re.escape(figure)}(_D\d+(_f\d+_\d+)?)?", file) is not None

    @property
    def label(self) -> str:
        return self.name.replace("_", " ") or ("overview" if self.overview else "all")

    def rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows of a table that the page shows; `dimension` and `function` may be text."""
        if self.dimension is not None:
            frame = frame[frame["dimension"].astype(str) == str(self.dimension)]
        if self.functions:
            frame = frame[frame["function"].astype(str).isin(list(map(str, self.functions)))]
        return frame


WHOLE = Page()  # the only page of a figure that fits on one


def pages(
    panels: Panels, dimensions: Sequence[int], functions: Sequence[int], algorithms: int
) -> tuple[Page, ...]:
    """The pages of a figure in a campaign, the overview first.

    >>> pages("functions", [5], [1, 3, 8], 8) == (WHOLE,)
    True
    >>> [page.file("ert") for page in pages("functions", [2, 5], range(1, 25), 8)]
    ['ert', 'ert_D2', 'ert_D5']
    >>> [page.file("ert") for page in pages("functions", [2], range(1, 31), 8)]
    ['ert', 'ert_D2_f1_24', 'ert_D2_f25_30']
    """
    each = len(functions) + (panels == "functions and all")
    lines = len(dimensions) * -(-each // COLUMNS)
    fit = lines <= LINES and (algorithms < MANY or len(dimensions) * len(functions) == 1)
    if panels == "one page" or fit:
        return (WHOLE,)
    most, ordered = LINES * COLUMNS, sorted(functions)
    parts = [tuple(ordered[k : k + most]) for k in range(0, len(ordered), most)]
    return (
        Page(overview=True),
        *(
            Page(
                dimension, part, name=f"D{dimension}" + f"_f{part[0]}_{part[-1]}" * (len(parts) > 1)
            )
            for dimension in sorted(dimensions)
            for part in parts
        ),
    )


def pages_of(panels: Panels, frame: pd.DataFrame) -> tuple[Page, ...]:
    """The pages of a figure of a table, the same as for the campaign of the table."""
    if panels == "one page" or frame.empty:
        return (WHOLE,)
    numbers = {
        key: sorted(int(n) for n in frame[key].astype(str).unique() if n != "all")
        for key in ("dimension", "function")
    }
    return pages(panels, numbers["dimension"], numbers["function"], frame["algorithm"].nunique())
