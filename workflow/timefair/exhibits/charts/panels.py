"""Small multiples: a panel for each function, one legend for all; axes for 0 and infinity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogFormatter, LogLocator, NullLocator, SymmetricalLogLocator
from numpy.typing import ArrayLike, NDArray

from timefair.basics.words import ALL, power_of_ten
from timefair.exhibits.charts import style
from timefair.exhibits.charts.pages import COLUMNS
from timefair.exhibits.charts.style import COLUMN_IN, HEIGHT_IN, WIDTH_IN, Look
from timefair.problems import names

Floats: TypeAlias = NDArray[np.float64]
Item = TypeVar("Item")

PANEL_HEIGHT_IN = 1.5
MARGIN_IN = 0.75
LETTERS_PER_IN = 14.0
LABEL_LETTERS_PER_IN = 18.0
HANDLE_LETTERS = 8
LEGEND_LINES = 2
NARROW_LEGEND_LINES = 6  # lines of a legend for which a figure of one column has room
LEGEND_LINE_IN = 0.16
THIN = 0.6  # width of a curve where some of its runs are cut off
CROSS = 4.5  # size of the cross where the first of them is
BEFORE_CROSS = 0.93  # part of the points before a cross that may have markers
NAME_IN = 0.11  # height of the name of an algorithm beside its row
NAME_LETTERS_PER_IN = 4.0  # letters of the longest name there, per inch of the figure
AROUND_ROWS_IN = 0.3  # height of the title and the labels of a panel with rows
TITLE_LETTERS_PER_IN = 16.0  # letters per inch of a title; longer titles are smaller
LINE_IN = 0.15
POINTS_PER_LINE = 0.88  # size of text as a share of the height of its line
LEAST_TITLE = 5.0  # points of the smallest title


class NothingToDraw(ValueError):
    """A table has nothing to draw; the message says why, and is drawn instead."""


def note(text: str) -> Figure:
    """A figure with only this sentence, one column wide."""
    figure = Figure(figsize=(style.COLUMN_IN, 0.5))
    figure.text(0.5, 0.5, text, ha="center", va="center", fontsize=7.5)
    return figure


def figure_of(
    height_in: float, lines: int, columns: int, width_in: float = WIDTH_IN, **shared: Any
) -> tuple[Figure, NDArray[Any]]:
    """A figure with its axes, shape (lines, columns); `shared` are arguments of its subplots."""
    figure = Figure(figsize=(width_in, height_in), layout="constrained")
    return figure, figure.subplots(lines, columns, squeeze=False, **shared)


def line_of(count: int, around_in: float) -> tuple[float, float]:
    """Height in inches of each of so many lines below each other, and the size of their text."""
    line_in = min(LINE_IN, (HEIGHT_IN - around_in) / count)
    return line_in, size_in(line_in)


def size_in(line_in: float) -> float:
    return min(6.5, POINTS_PER_LINE * 72 * line_in)


class Panel(NamedTuple):
    """One set of axes, and the rows of the frame that it shows."""

    axes: Axes
    rows: pd.DataFrame
    title: str


def grid(
    frame: pd.DataFrame,
    *,
    functions: bool = True,
    share_y: bool = True,
    height_in: float = PANEL_HEIGHT_IN,
) -> tuple[Figure, list[Panel]]:
    """The panels of a frame, one per function, with own lines for each dimension, or only one per
    dimension. NothingToDraw without rows."""
    require_rows(frame)
    parts = spaces(frame)
    lines = [] if functions else in_lines([(space, rows) for _, space, rows in parts], COLUMNS)
    for suite, space, part in parts if functions else ():
        named = part.groupby("function", observed=True, sort=False)
        cells = [
            (f"{called(frame, suite, function)}, {space}", rows)
            for function, rows in sorted(named, key=lambda group: _position(group[0]))
        ]
        lines += in_lines(cells, columns_of(len(cells)))
    return placed(lines, share_y=share_y, height_in=height_in)


def in_lines(cells: list[Item], columns: int) -> list[list[Item]]:
    return [cells[i : i + columns] for i in range(0, len(cells), columns)]


def placed(
    lines: list[list[tuple[str, pd.DataFrame]]],
    *,
    share_y: bool = True,
    height_in: float = PANEL_HEIGHT_IN,
) -> tuple[Figure, list[Panel]]:
    """Lay out lines of panels, of which each has a title and its rows. All share the scale of x,
    and maybe that of y, which is set on the first one: on each, it would take quadratic time."""
    columns = max(map(len, lines))
    width = width_of(len(lines), columns)
    titles = "\n".join(title for line in lines for title, _ in line)
    full = TITLE_LETTERS_PER_IN * width / columns / max(map(len, titles.split("\n")))
    size = max(LEAST_TITLE, style.SETTINGS["axes.titlesize"] * min(1.0, full))
    height = height_in * len(lines) + MARGIN_IN + (0.6 if columns == 1 else 0.0)
    figure = Figure(figsize=(width, min(height, HEIGHT_IN)), layout="constrained")
    cells = figure.add_gridspec(len(lines), columns)
    panels: list[Panel] = []
    for row, line in enumerate(lines):
        for column, (title, rows) in enumerate(line):
            first = panels[0].axes if panels else None
            shared = {"sharex": first, "sharey": first if share_y else None}
            ax = figure.add_subplot(cells[row, column], **shared)
            # Without y, matplotlib would look for a place above the ticks.
            ax.set_title(title, y=1.0, fontsize=size)
            below_is_empty = row + 1 == len(lines) or column >= len(lines[row + 1])
            ax.tick_params(labelbottom=below_is_empty, labelleft=column == 0 or not share_y)
            panels.append(Panel(ax, rows, title))
    return figure, panels


def label(figure: Figure, x: str = "", y: str = "") -> None:
    """Label all panels together, below and at the left; long labels are broken into lines."""
    width, height = figure.get_size_inches()
    if x:
        figure.supxlabel(_broken(x, width))
    if y:
        figure.supylabel(_broken(y, height))


def _broken(text: str, most_in: float) -> str:
    most = int(LABEL_LETTERS_PER_IN * most_in)
    if max(map(len, text.split("\n"))) > most:
        text = text.replace("; ", ";\n").replace(" (", "\n(")
    return "\n".join(fill(line, most) for line in text.split("\n"))


def columns_of(count: int) -> int:
    """Number of panels side by side with which all lines have about the same length.

    >>> [columns_of(count) for count in (1, 3, 4, 5, 6, 7, 24)]
    [1, 3, 4, 3, 3, 4, 4]
    """
    lines = -(-count // COLUMNS)
    return -(-count // lines)


def width_of(lines: int, columns: int) -> float:
    """Width of a figure in inches: one column of text, or the page, or less for one short line."""
    if columns == 1:
        return COLUMN_IN
    return WIDTH_IN if lines > 1 else WIDTH_IN * max(columns, 3) / COLUMNS


def looks(frame: pd.DataFrame, **compared: Any) -> dict[str, Look]:
    return style.looks_in(frame, leaders=leaders(frame, **compared))


def leaders(
    frame: pd.DataFrame,
    *,
    value: str,
    within: list[str],
    highest: bool = False,
    anywhere: bool = False,
) -> list[str]:
    """The algorithms by their average rank, or `anywhere` by their best one, the best first.

    - `value`, `within`: The column that is ranked, and those that are equal in compared rows.
    - `highest`: Whether the highest value is the best; missing ones rank last.
    """
    groups = frame.groupby(within, observed=True, sort=False)[value]
    ranks = groups.rank(ascending=not highest, na_option="bottom")
    of_algorithms = ranks.groupby(frame["algorithm"].astype(str))
    order = pd.DataFrame({"best": of_algorithms.min(), "average": of_algorithms.mean()})
    by = ["best", "average"] if anywhere else ["average"]
    return [str(name) for name in order.sort_values(by, kind="stable").index]


def leading(
    panel: Panel,
    columns: list[str],
    looks: dict[str, Look],
    step: bool = False,
) -> Iterator[tuple[str, Floats]]:
    """The name and the numbers of each algorithm that leads; draws the others as one thin grey
    line: the finite values of the second column, as far as they are ``observed``."""
    others, gap = [], np.full((2, 1), np.nan)
    for name, rows in numbers_by_algorithm(panel.rows, columns):
        if looks[name].leads:
            yield name, rows
        else:
            known = np.isfinite(rows[:, 1])
            if "observed" in columns:
                known &= rows[:, columns.index("observed")] == 1
            x, y = rows[known, :2].T
            if step and x.size:  # only the corners, and the end
                kept = np.append(True, np.diff(y) != 0)
                kept[-1] = True
                x, y = x[kept], y[kept]
            others += [np.array([x, y]), gap]
    if others:
        look = {**style.OTHER.line, "marker": "", "drawstyle": "steps-post" if step else "default"}
        curve(panel.axes, *np.concatenate(others, axis=1), **look)


def curve(ax: Axes, x: Floats, y: Floats, **properties: Any) -> Line2D:
    """Draw a line on axes whose limits are set; the limits are not adapted to it."""
    drawn = Line2D(x, y, **properties)
    ax.add_artist(drawn)
    return drawn


def observed_curve(
    ax: Axes, points: Floats, name: str, looks: dict[str, Look], alpha: float
) -> None:
    """Draw a step curve up to a cross where it is no longer observed, and as a thin line beyond.
    `points`, shape (points, 6): x, y, the share of the runs that were observed up to x, the cost
    before which the end has a cross too, and the limits of a band of opacity `alpha`."""
    (x, y, observed, last, low, high), look = points.T, looks[name]
    if alpha:
        band(ax, x, low, high, color=look.color, alpha=alpha, step="post")
    end = max(int((observed == 1).sum()), 1)
    line = {**look.line, "drawstyle": "steps-post"}
    if cut := end < x.size or x[-1] < last[-1] * (1 - 1e-9):
        curve(ax, x[end - 1 :], y[end - 1 :], **{**line, "marker": "", "linewidth": THIN})
        cross = {"color": look.color, "marker": "x", "markersize": CROSS, "zorder": 4}
        curve(ax, x[end - 1 : end], y[end - 1 : end], linestyle="", **cross)
    marked = (y > 0) & (np.arange(x.size) < (BEFORE_CROSS if cut else 1.0) * end)
    marks = style.marks(marked, list(looks).index(name), len(looks))
    curve(ax, x[:end], y[:end], **line, markevery=marks)


def band(ax: Axes, x: Floats, low: Floats, high: Floats, **look: Any) -> None:
    """Fill between two lines on axes whose limits are set, where both are finite."""
    ax.fill_between(x, low, high, linewidth=0, **look)


NO_ROWS = "nothing to draw: the table has no rows"


def require_rows(frame: pd.DataFrame, otherwise: str = NO_ROWS) -> None:
    if frame.empty:
        raise NothingToDraw(otherwise)


def of_one_unit(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows in seconds if there are any, otherwise all; `NothingToDraw` without rows."""
    require_rows(frame)
    seconds = frame[frame["unit"] == "seconds"]
    return seconds if len(seconds) else frame


def without_sole(frame: pd.DataFrame, key: str) -> pd.DataFrame:
    """The frame without the rows of ``all`` if they summarize only one value."""
    return frame[frame[key] != ALL] if frame[key].nunique() == 2 else frame


def spaces(frame: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Suite, title and rows of each suite and dimension; of several suites, titles name them."""
    head = frame["suite"].nunique() > 1
    groups = frame.groupby(["suite", "dimension"])
    ordered = sorted(groups, key=lambda group: (str(group[0][0]), _position(group[0][1])))
    return [
        (
            str(suite),
            f"{suite} " * head + ("all dimensions" if dimension == ALL else f"D = {dimension}"),
            rows,
        )
        for (suite, dimension), rows in ordered
    ]


def by_algorithm(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for name, part in rows.groupby(rows["algorithm"].astype(str), sort=True):
        yield str(name), part


def numbers_by_algorithm(rows: pd.DataFrame, columns: list[str]) -> Iterator[tuple[str, Floats]]:
    """The name of each algorithm, in alphabetical order, and an array with its rows of `columns`,
    sorted by the first column."""
    for name, part in by_algorithm(rows):
        values = part[columns].to_numpy(dtype=np.float64)
        yield name, values[np.argsort(values[:, 0], kind="stable")]


def nameable(figure: Figure, looks: dict[str, Look], room_in: float) -> bool:
    most = NAME_LETTERS_PER_IN * figure.get_figwidth()
    short = all(look.leads and len(name) <= most for name, look in looks.items())
    return short and NAME_IN * len(looks) <= room_in


def rows(figure: Figure, grid: Sequence[Panel], looks: dict[str, Look], *, lines: bool) -> None:
    """Give all panels a row per algorithm, the first on top, with its name, or draw a legend."""
    first = grid[0].axes
    first.set_ylim(len(looks) - 0.4, -0.6)
    spec = first.get_subplotspec()
    count = spec.get_gridspec().nrows if spec else 1
    room_in = (figure.get_figheight() - MARGIN_IN) / count - AROUND_ROWS_IN
    named = list(looks) if nameable(figure, looks, room_in) else []
    first.set_yticks(range(len(named)), named)
    if not named:
        legend(figure, looks, lines=lines)


def name_ends(
    ax: Axes, looks: dict[str, Look], ends: dict[str, tuple[float, float]], height_in: float
) -> None:
    """Write the name of each algorithm at the right of its curve, whose last point is given; names
    that would touch are moved apart, and joined with their curves."""
    scale = ax.transScale + ax.transLimits
    last = {name: scale.transform(end) for name, end in ends.items()}
    heights = {name: float(y) for name, (_, y) in last.items()}
    for name, height in style.apart(heights, NAME_IN / height_in, 0.0, 1.0).items():
        x, y = np.array([last[name], (1.03, height)]).T
        color = looks[name].color
        curve(ax, x, y, color=color, linewidth=0.6, clip_on=False, transform=ax.transAxes)
        ax.text(1.04, height, name, color=color, fontsize=6.5, va="center", transform=ax.transAxes)


def legend(figure: Figure, looks: dict[str, Look], *, lines: bool = True) -> None:
    """Draw one legend above all panels, for which a figure may become higher; algorithms that do
    not lead share one entry."""
    others = sum(not look.leads for look in looks.values())
    named = {name: look for name, look in looks.items() if look.leads}
    if others:
        named[f"{others} others"] = style.OTHER
    handles = [
        Line2D([], [], **(look.line if lines else {**look.line, "linestyle": ""}), label=name)
        for name, look in named.items()
    ]
    legend_of(figure, handles, handlelength=None if lines else 1.0)


def legend_of(
    figure: Figure, handles: Sequence[Artist], *, handlelength: float | None = 1.0
) -> None:
    """Draw a legend above all panels; `handlelength` is in font sizes, None for lines."""
    sizes = [len(str(handle.get_label())) + HANDLE_LETTERS for handle in handles]
    columns, lines = _form(sizes, figure.get_figwidth())
    room = NARROW_LEGEND_LINES if figure.get_figwidth() <= COLUMN_IN else LEGEND_LINES
    if room == NARROW_LEGEND_LINES < lines:
        figure.set_figwidth(width_of(1, COLUMNS - 1))
        columns, lines = _form(sizes, figure.get_figwidth())
        room = LEGEND_LINES
    height = figure.get_figheight() + LEGEND_LINE_IN * max(lines - room, 0)
    figure.set_figheight(min(height, HEIGHT_IN))
    figure.legend(
        handles=list(handles), loc="outside upper center", ncols=columns, handlelength=handlelength
    )


def _form(sizes: list[int], width_in: float) -> tuple[int, int]:
    """Columns and lines of a legend: as few lines as fit, filled column by column."""
    for lines in range(1, len(sizes) + 1):
        columns = -(-len(sizes) // lines)
        width = sum(max(part) for part in np.array_split(sizes, columns))
        if width <= LETTERS_PER_IN * width_in:
            break
    return columns, lines


def called(frame: pd.DataFrame, suite: object, function: object) -> str:
    """A function of a frame with its name; a group of functions is called by its name."""
    text = str(function)
    if text == ALL:
        return "all functions"
    return names.title(str(suite), text, frame.attrs.get(names.GIVEN)) if text.isdigit() else text


def _position(key: object) -> tuple[int, int]:
    """The sorting key of a function or dimension: ``all``, then numbers, then groups in order."""
    text = str(key)
    if text == ALL:
        return (0, 0)
    return (1, int(text)) if text.isdigit() else (2, 0)


TICKS = 6
TICK_IN = 0.33  # width of the label of a power of ten, with the space beside it
NARROW = 0.7  # decades; a shorter axis gets more ticks than at 1, 2 and 5
SMALLEST, LARGEST = -307.0, 308.0  # exponents of the ends of the longest axis


def power(value: float) -> str:
    """A positive number as a factor and a power of ten, in Unicode.

    >>> power(1e-8), power(5e-8), power(1.25)
    ('10⁻⁸', '5·10⁻⁸', '1.25·10⁰')
    """
    digits, exponent = f"{value:.5e}".split("e")
    factor = digits.rstrip("0").rstrip(".")
    ten = power_of_ten(int(exponent))
    return ten if factor == "1" else f"{factor}·{ten}"


class Powers(LogFormatter):
    """Labels of a logarithmic axis as powers of ten in Unicode. They need no mathtext."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of a tick; empty where matplotlib's own formatter has none."""
        return power(x) if super().__call__(x, pos) else ""


class Decades(LogLocator):
    """Ticks of a logarithmic axis. Those beyond the largest float are left out."""

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        with np.errstate(over="ignore"):
            return [float(tick) for tick in super().tick_values(vmin, vmax) if np.isfinite(tick)]


def zero_floor(values: ArrayLike) -> float | None:
    """Where to draw 0 and less on a logarithmic axis: a decade below the least positive value; None
    if all are positive."""
    x = np.asarray(values, dtype=np.float64)
    if not (x <= 0).any():
        return None
    positive = x[(x > 0) & np.isfinite(x)]
    least = float(positive.min()) if positive.size else 1.0
    return float(f"1e{int(np.floor(np.log10(least))) - 1}")


def raised(values: ArrayLike, floor: float | None) -> Floats:
    """The values, with 0 and negative values replaced by the floor, if there is one."""
    x = np.asarray(values, dtype=np.float64)
    return x if floor is None else np.where(x <= 0, floor, x)


def floored(frame: pd.DataFrame, value: str, *limits: str) -> tuple[pd.DataFrame, float | None]:
    """The frame with 0 and less of a value and its limits where they are drawn, and this floor."""
    floor = zero_floor(frame[value])
    return frame.assign(**{name: raised(frame[name], floor) for name in (value, *limits)}), floor


def with_zero(label: str, floor: float | None) -> str:
    """An axis label that states where 0 is drawn, if there is a floor."""
    return label if floor is None else f"{label}; 0 drawn at {power(floor)}"


def limits(values: ArrayLike, margin: float = 0.04) -> tuple[float, float]:
    """Range of the positive finite values with a logarithmic margin, within that of floats."""
    x = np.asarray(values, dtype=np.float64)
    x = x[np.isfinite(x) & (x > 0)]
    if x.size == 0:
        return 0.1, 10.0
    low, high = np.log10(x.min()), np.log10(x.max())
    if high - low < 0.5:
        low, high = (low + high) / 2 - 0.25, (low + high) / 2 + 0.25
    pad = margin * (high - low)
    low, high = max(low - pad, SMALLEST), min(high + pad, LARGEST)
    return float(10**low), float(10**high)


def set_symlog(ax: Axes, values: ArrayLike) -> None:
    """Make the axis of x logarithmic on both sides of 0, the largest value on the left, and linear
    within the smallest absolute value that is not 0."""
    x = np.asarray(values, dtype=np.float64)
    least = float(np.abs(x[x != 0]).min())
    ax.set_xscale("symlog", linthresh=least, linscale=0.7)
    ax.set_xlim(1.5 * float(x.max()), 1.5 * min(float(x.min()), -least))
    locator = SymmetricalLogLocator(base=10, linthresh=least)
    locator.set_params(numticks=TICKS)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(lambda t, _: "−" * bool(t < 0) + (power(abs(t)) if t else "0"))
    ax.xaxis.set_minor_locator(NullLocator())


def set_log(ax: Axes, axis: str, bounds: tuple[float, float], ticks: int = TICKS) -> None:
    """Make an axis (``x`` or ``y``) logarithmic, with few ticks, whose labels do not touch."""
    if axis == "x":
        width_in = ax.get_window_extent().width / ax.figure.dpi
        ticks = min(ticks, max(int(width_in / TICK_IN), 2))
    ax.set(**{f"{axis}scale": "log", f"{axis}lim": bounds})
    side: Axis = getattr(ax, f"{axis}axis")
    low, high = sorted(bounds)
    decades = np.log10(high / low)
    # With fewer than two of these ticks, the locator would take others, whose labels touch.
    within: tuple[float, ...] = (1, 2, 5) if decades < 1.2 else (1, 3) if decades < 2.2 else (1,)
    if decades < NARROW:
        within = (1, 1.5, 2, 3, 5, 7)
    side.set_major_locator(Decades(numticks=ticks, subs=within))
    side.set_major_formatter(Powers())
    side.set_minor_locator(NullLocator())
