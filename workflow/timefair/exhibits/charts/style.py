"""How all figures look, and how they are saved; they can be read in print and without colour.

The report page has the same looks without matplotlib, which is imported where it is used.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from timefair.exhibits.charts.pages import ORDER, PAGE_IN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH_IN, HEIGHT_IN = PAGE_IN  # text width of a page, and the largest height of a figure
COLUMN_IN = 3.5  # width of one column of two

COLOURS = (
    *("#0173b2", "#d55e00", "#029e73", "#cc78bc", "#de8f05", "#56b4e9", "#ca9161"),
    *("#ad0081", "#2b5f44", "#0000bc", "#b34eff", "#4b003f"),
    *("#883e00", "#6817e9", "#84d53b", "#003400"),
)
"""Seven colours of seaborn's palette for all common kinds of colour vision, and nine others.

With protanopia, deuteranopia and tritanopia, too, the nine differ from each other and from the
seven at least as much as these from each other. None is a grey, like that of `OTHER`.
"""

MARKERS = ("o", "s", "^", "D", "v", "X", "P", "<", "*", ">", "p")
LINES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (8, 3)))

SETTINGS: Any = {
    # seaborn's style "ticks"
    **dict.fromkeys(("axes.edgecolor", "axes.labelcolor", "text.color"), ".15"),
    **dict.fromkeys(("xtick.color", "ytick.color"), ".15"),
    "lines.solid_capstyle": "round",
    "patch.edgecolor": "w",
    "patch.force_edgecolor": True,
    # timefair's own
    **dict.fromkeys(("font.size", "axes.titlesize", "axes.labelsize"), 7.5),
    **dict.fromkeys(("figure.labelsize", "legend.fontsize"), 7.5),
    "axes.titlepad": 3.0,
    "figure.constrained_layout.hspace": 0.0,
    "figure.constrained_layout.wspace": 0.0,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.handlelength": 3.0,
    "legend.columnspacing": 1.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.6,
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 6.5),
    **dict.fromkeys(("xtick.major.width", "ytick.major.width"), 0.6),
    **dict.fromkeys(("xtick.major.size", "ytick.major.size"), 2.5),
    **dict.fromkeys(("xtick.minor.size", "ytick.minor.size"), 0.0),
    **dict.fromkeys(("xtick.major.pad", "ytick.major.pad"), 3.5),
    "pdf.fonttype": 42,
    "ps.fonttype": 42,  # matplotlib 3.11 asks for this one before it splits the font of a PDF
    "svg.fonttype": "none",
    "svg.hashsalt": "timefair",
    "savefig.dpi": 300,
    "text.parse_math": False,  # names are printed as they are
    "text.hinting": "no_hinting",  # text of an image is as wide as in a PDF
}

METADATA: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".svg": {"Date": None, "Creator": None},
    ".png": {},
}
"""Metadata of each format, without dates and versions, so that equal figures give equal files."""

BAND_ALPHA = 0.16


@contextmanager
def applied() -> Iterator[None]:
    """Apply the settings, and nothing of the user's matplotlibrc, inside a ``with`` block."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


@dataclass(frozen=True)
class Look:
    """Colour, marker and line style of an algorithm, any of which can identify it, and its place
    in the order of looks; algorithms that do not lead are grey."""

    color: str
    marker: str
    linestyle: Any
    place: int = 0
    leads: bool = True

    @property
    def line(self) -> dict[str, Any]:
        look = {"color": self.color, "marker": self.marker, "linestyle": self.linestyle}
        return look if self.leads else {**look, "linewidth": 0.5, "markersize": 2.0, "zorder": 1.5}


OTHER = Look("#C4C4C4", "o", "-", leads=False)  # look of each algorithm that does not lead
LEADERS = 8  # number of algorithms in colour if there are more algorithms than `COLOURS`


def looks(names: Iterable[object], order: Iterable[str] = ()) -> dict[str, Look]:
    """A look for each name: the same in all figures that have the same order. Each of the first
    names in `order`, then of others from A to Z, owns one of the `COLOURS`; further ones repeat
    these, with other markers and lines."""
    wanted = {str(name) for name in names}
    every = dict.fromkeys([*order, *sorted(wanted)])
    return {name: _look(k, k) for k, name in enumerate(every) if name in wanted}


def looks_in(
    frame: pd.DataFrame, column: str = "algorithm", leaders: Sequence[str] | None = None
) -> dict[str, Look]:
    """The looks of the algorithms in a column of all rows of a figure; missing values have none.
    Of more algorithms than `COLOURS`, the first `LEADERS` of the `leaders`, the best first, have a
    colour, and the others are grey; with None, colours repeat."""
    every = looks(frame[column].dropna().unique(), frame.attrs.get(ORDER, ()))
    if len(every) <= len(COLOURS):
        return highlighted(every, every)
    return every if leaders is None else highlighted(every, leaders[:LEADERS])


def _look(k: int, place: int) -> Look:
    linestyle = LINES[k % len(LINES)]
    return Look(COLOURS[k % len(COLOURS)], MARKERS[k % len(MARKERS)], linestyle, place)


def highlighted(all_looks: dict[str, Look], leaders: Iterable[str]) -> dict[str, Look]:
    """The looks if at most as many algorithms lead as there are `COLOURS`; the others are grey. A
    leader that owns its colour keeps it, each other one has the same of the last colours in all
    figures of a campaign in which no other leader has that."""
    size, taken = len(COLOURS), set()
    chosen = dict.fromkeys(all_looks, OTHER)
    for place, name in sorted((all_looks[name].place, name) for name in leaders):
        first = place if place < size else -1 - place % size
        colour = next(k % size for k in range(first, first - size, -1) if k % size not in taken)
        taken.add(colour)
        chosen[name] = _look(colour, place)
    return chosen


def marks(where: NDArray[np.bool_], position: int, of: int, count: int = 5) -> list[int]:
    """Indices of `count` points of `where`, evenly spread, shifted by the position of the curve."""
    points = np.flatnonzero(where)
    if points.size == 0:
        return []
    spread = (np.arange(count) + (position + 0.5) / max(of, 1)) / count
    return sorted({int(i) for i in points[(spread * points.size).astype(int)]})


def apart(places: Mapping[str, float], by: float, low: float, high: float) -> dict[str, float]:
    """The places apart from each other, as near as possible to the given ones, in their order; they
    begin at the low end if there is no room for all."""
    names = sorted(places, key=lambda name: (places[name], name))
    steps = by * np.arange(len(names))
    wanted = np.array([places[name] for name in names]) - steps
    last = max(high - steps.max(initial=0.0), low)
    found = isotonic_regression(wanted).x.clip(low, last) + steps if names else steps
    return dict(zip(names, found.tolist(), strict=True))


COORDINATES = re.compile(r' (?:d|x|y|width|height)="[^"]*"')
DECIMALS = re.compile(r"(?<=\.\d\d)\d+")
"""SVG attributes with coordinates, and the decimals that are cut off there; exponents have none."""


def save(figure: Figure, *paths: Path) -> None:
    """Write a figure as PDF, SVG or PNG, by the suffix of each path; of equal bytes if equal.
    ValueError for another suffix; then no file is written."""
    for path in paths:
        if path.suffix not in METADATA:
            raise ValueError(f"a figure is written as .pdf, .svg or .png, not {path.name}")
    with applied():
        if engine := figure.get_layout_engine():
            with warnings.catch_warnings():  # a figure that is too small keeps its axes as they are
                warnings.filterwarnings("ignore", message="constrained_layout not applied")
                engine.execute(figure)
            figure.set_layout_engine(None)
        for path in paths:
            file, png = BytesIO(), path.suffix == ".png"
            about: dict[str, Any] = {"metadata": METADATA[path.suffix], "format": path.suffix[1:]}
            figure.savefig(file, dpi=SETTINGS["savefig.dpi"] if png else "figure", **about)
            content = file.getvalue()
            if path.suffix == ".svg":
                text = content.decode("utf-8")
                content = COORDINATES.sub(lambda one: DECIMALS.sub("", one[0]), text).encode()
            path.write_bytes(content)
