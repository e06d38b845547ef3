"""The forms of charts, for files (`Chart.paper`) and the page (`Chart.live`, or a picture)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from timefair.exhibits.charts import pages, style
from timefair.exhibits.charts.pages import LEAST_RUNS, WHOLE, Page, Panels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

CUT = "A cross on a curve marks where the first of its unfinished runs is cut off."


def leaders(which: str) -> str:
    """Which of many algorithms are in colour."""
    return (
        f"With more than {len(style.COLOURS)} algorithms, the {style.LEADERS} {which} "
        "are in colour; the others are grey."
    )


LEADERS = leaders("with the best average rank")
BANDS = (
    "The axes follow the curves, so wide bands may be cut. With fewer than "
    f"{LEAST_RUNS} runs, there is no band."
)


OVERVIEWS = {
    "log": "An overview is a map of all functions: the value of each algorithm as a multiple of "
    "the least value, at the hardest target that was reached on the function.",
    "own log": "An overview shows the geometric mean over all functions and over each group of the "
    "suite; values below 1e-8 count as 1e-8.",
    "share": "An overview shows the share over all functions and over each group of the suite.",
}
"""The overview of all functions on the first page, for each scale of curves."""
LINES = (
    f"With several pages, or with {pages.MANY} or more algorithms, the lines are the algorithms "
    "instead of the functions, with a dot for each function and a bar at the median."
)
MAP = (
    "An overview is a map of all functions: the median of each algorithm as a multiple of the "
    "least median; precisions below 1e-8 count as 1e-8. "
    f"With fewer than {LEAST_RUNS} runs, there is no pale bar. "
    f"{LEADERS}"
)

TIME = {
    "wall": "wall clock in seconds",
    "cpu": "CPU time in seconds",
    "reference": "reference units",
}
SECONDS = {"wall": "seconds", "cpu": "seconds of CPU time", "reference": "reference units"}


def spent(frame: pd.DataFrame, unit: str) -> str:
    """The name of an axis of costs, such as ``wall clock in seconds``, by the clock of a table."""
    return TIME[frame.attrs.get("clock", "wall")] if unit == "seconds" else unit


def counted_in(frame: pd.DataFrame, unit: str) -> str:
    """The unit of a cost, such as ``seconds of CPU time``, for use after another name."""
    return SECONDS[frame.attrs.get("clock", "wall")] if unit == "seconds" else unit


class Chart:
    """A form with the columns that it shows, drawn by `renderer`, a ``module:function``; how to
    read the drawings is said `on_paper` and `on_page`."""

    renderer: str
    panels: Panels
    on_paper: str
    on_page: str = ""

    def paper(self, frame: pd.DataFrame, page: Page = WHOLE) -> Figure:
        """A page of the figure of a table; ValueError if the table has no rows for it."""
        module, function = self.renderer.split(":")
        drawn: Figure = getattr(import_module(module), function)(*self._drawn(frame, page))
        return drawn

    def _drawn(self, frame: pd.DataFrame, page: Page) -> tuple[Any, ...]:
        """What the renderer takes."""
        return frame, self, page

    def live(self, frame: pd.DataFrame) -> dict[str, Any] | None:
        """What the page's script draws from a table; None for a picture."""
        return None


@dataclass(frozen=True)
class Curves(Chart):
    """One curve per algorithm on a logarithmic axis, one panel per function or dimension.

    Labels name the cost with ``{cost}`` (for an axis: ``wall clock in seconds``) or ``{unit}``
    (within words: ``seconds``); both follow the clock of the table.

    - `view`: Label of this view in the switch of the report page.
    - `low`, `high`: Columns of the limits of the band; empty for no band, NaN for none at a point.
    - `unit`, `measure`: Those of the drawn rows; empty for the only one of the table.
    - `scale`: ``share``: y is a share from 0 to 1. ``log``, ``own log``: y is logarithmic, with one
      scale for all panels, or per panel.
    - `steps`: Whether the value holds until the next point, or is joined to it by a line.
    - `decreasing`: Whether the largest x is on the left, as for targets from easy to hard.
    - `beyond`: What a curve is after the first of its runs was cut off; empty without ``observed``.
    """

    y: str
    y_label: str
    view: str
    x: str = "cost"
    x_label: str = "{cost}"
    low: str = ""
    high: str = ""
    unit: str = ""
    measure: str = ""
    functions: bool = True
    scale: Literal["share", "log", "own log"] = "share"
    steps: bool = True
    decreasing: bool = False
    beyond: str = ""

    renderer = "timefair.exhibits.charts.lines:curves"

    @property
    def panels(self) -> Panels:  # type: ignore[override]
        """The panels; curves of shares have one for all functions besides those per function."""
        if not self.functions:
            return "one page"
        return "functions and all" if self.scale == "share" else "functions"

    @property
    def on_paper(self) -> str:  # type: ignore[override]
        share = self.scale == "share"
        sentences = {
            "A hollow marker in the grey strip is at the first target that no run of the algorithm "
            "reached: from there on, the value is infinite.": self.scale == "log",
            f"{CUT} {self.beyond}": self.beyond,
            BANDS: (self.low or self.steps) and not share,
            "With more than two algorithms, very wide bands are not drawn.": self.low and share,
            OVERVIEWS[self.scale]: self.functions,
            LEADERS: True,
        }
        return " ".join(sentence for sentence, holds in sentences.items() if holds)

    @property
    def on_page(self) -> str:  # type: ignore[override]
        if self.scale == "log":
            return "A line ends where no run reached the next target."
        return f"{CUT} {self.beyond}" * bool(self.beyond)

    def shown(self, frame: pd.DataFrame) -> pd.DataFrame:
        for column, value in self._only(frame).items():
            frame = frame[frame[column] == value]
        return frame[frame[self.y].notna()] if self.scale == "log" else frame

    def _only(self, frame: pd.DataFrame) -> dict[str, str]:
        only = {"unit": self.unit, "measure": self.measure}
        return {column: value for column, value in only.items() if value and column in frame}

    def labels(self, frame: pd.DataFrame) -> tuple[str, str]:
        units = frame["unit"].unique().tolist() if "unit" in frame else []
        unit = self.unit or (units[0] if len(units) == 1 else "cost")
        words = {"cost": spent(frame, unit), "unit": counted_in(frame, unit)}
        return self.x_label.format_map(words), self.y_label.format_map(words)

    def live(self, frame: pd.DataFrame) -> dict[str, Any] | None:
        if self.decreasing and (frame[self.x] <= 0).any():
            return None  # the script has logarithmic axes only
        x_label, y_label = self.labels(frame)
        return {name: getattr(self, name) for name in ("x", "y", "low", "high")} | {
            "label": self.view,
            "x_label": x_label,
            "y_label": y_label,
            "panel": "function" if self.functions else None,
            "only": self._only(frame),
            "shape": "step" if self.steps else "line",
            "share": self.scale == "share",
            "easy_to_hard": self.decreasing,
        }


@dataclass(frozen=True)
class Picture(Chart):
    """A chart with a special form, which the page shows as a picture.

    - `renderer`: A function of the table and, if `panels` may need several pages, of the page.
    - `prepare`: Makes the frame that is drawn from the table; None for the table itself.
    - `on_paper`: How to read a drawing with many panels or algorithms, in sentences.
    """

    renderer: str
    panels: Panels = "one page"
    prepare: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    on_paper: str = ""

    def _drawn(self, frame: pd.DataFrame, page: Page) -> tuple[Any, ...]:
        made = frame if self.prepare is None else self.prepare(frame)
        return (made,) if self.panels == "one page" else (made, page)
