"""Frames to LaTeX for papers to ``\\input``: booktabs, best in bold, captions with units.

The rows of a part become ``tabular`` environments that are neither too wide nor too long for a
page of a paper of two columns. A part longer than a page is shortened, and its caption says how.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain, groupby
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.exhibit import Exhibit
from timefair.exhibits.latex.notation import DIGITS, Notation, escape, short
from timefair.exhibits.layout import ALGORITHM, CURVES, Layout, PrintedPart, Value, parts
from timefair.exhibits.unknown_optimum import captioned, measured, worded
from timefair.problems.names import GIVEN, title
from timefair.records.rundata.settings import Analysis

LIMIT_DIGITS = 2  # significant digits of the limits of an interval in scientific notation
GAP = 2  # space between two columns, in letters
CHARACTERS = 116  # letters of a line 6.5 in wide in ``\footnotesize``
EM = 0.5  # width of a digit, in em
LINES = 58.0  # lines of one page below the caption
APART, HALF = 1.8, 0.5  # space between two tabulars, and between two blocks or headings, in lines
WIDE = re.compile("[+−=≤≥<>∞]")  # symbols that are about 1.6 times as wide as a digit

Item = TypeVar("Item")


class Bold(str):
    """A text in bold."""


@dataclass(frozen=True)
class TabularColumn:
    """A column of a ``tabular``, of cells in plain text.

    - `wrap`: Width in digits, if the texts are broken into lines.
    - `headings`: Headings from the top of the table down, each with a number. Columns next to each
      other share their first headings as far as these agree.
    """

    texts: list[str]
    align: str = "l"
    small: bool = False
    wrap: int | None = None
    headings: tuple[tuple[int, str], ...] = ()

    @cached_property
    def width(self) -> int:
        return (self.wrap or max(map(len, self.texts), default=0)) + GAP

    def lines(self, row: int) -> list[str]:
        text = self.texts[row]
        return textwrap.wrap(text, self.wrap, break_on_hyphens=False) if self.wrap else [text]

    def cell(self, row: int) -> str:
        text = escape(" ".join(self.lines(row)))
        if self.wrap:
            return rf"\parbox[t]{{{EM * self.wrap:g}em}}{{\raggedright {text}\strut}}"
        if isinstance(self.texts[row], Bold):
            return rf"\textbf{{{text}}}"
        return rf"{{\scriptsize {text}}}" if self.small and text else text


@dataclass(frozen=True)
class Grid:
    """The cells of a part: a column for each key that names the rows, and groups of columns next
    to them that stay together.
    """

    names: list[TabularColumn]
    groups: list[list[TabularColumn]]

    @property
    def head(self) -> float:
        """The lines of the headings, with the rules between them."""
        levels = len(self.groups[0][0].headings)
        return levels + HALF * (levels - 1)

    @property
    def blocks(self) -> list[list[int]]:
        """The rows, in blocks with the same first name if some of them share it."""
        rows = range(len(self.groups[0][0].texts))
        if len(self.names) < 2 or len(set(self.names[0].texts)) == len(rows):
            return [list(rows)]
        return [list(block) for _, block in groupby(rows, key=self.names[0].texts.__getitem__)]

    def height(self, row: int) -> int:
        wrapped = [column for group in self.groups for column in group if column.wrap]
        return max((len(column.lines(row)) for column in wrapped), default=1) or 1


def grid(rows: pd.DataFrame, layout: Layout) -> Grid:
    """Lay out the rows of one part in the order of their names; ValueError if two rows have equal
    names."""
    if len(np.unique(numbered(rows, layout.keys))) < len(rows):
        raise ValueError(f"{', '.join(layout.keys) or 'no key'}: not enough to tell the rows apart")
    numbers = numbered(rows, layout.rows)
    firsts = rows.iloc[np.unique(numbers, return_index=True)[1]]
    order = np.argsort(numbered(firsts, layout.rows[:1]), kind="stable")
    firsts, line = firsts.iloc[order], np.argsort(order)[numbers]
    printed = [_columns(rows, layout.keys, value) for value in layout.values]
    key = layout.columns
    beside = numbered(rows, (key,) if key else ())
    groups: dict[int, list[TabularColumn]] = {}
    for group in range(int(beside.max()) + 1):
        members = np.flatnonzero(beside == group)
        over: list[tuple[int, str]] = []
        if key:
            over = [(group, name_of(key, rows[key].iloc[members[0]]))]
            over[:0] = [(0, heading_of(key))] * (key != ALGORITHM)
        for place, (value, columns) in enumerate(zip(layout.values, printed, strict=True)):
            under = [] if over and len(layout.values) == 1 else [(place, value.label)]
            for column in columns:
                texts = [""] * len(firsts)
                for member in members:
                    texts[line[member]] = column.texts[member]
                put = replace(column, texts=texts, headings=(*over, *under))
                groups.setdefault(group if over else place, []).append(put)
    blank = ((-1, ""),) * (len(groups[0][0].headings) - 1)
    names = [
        TabularColumn(
            [name_of(key, name) for name in firsts[key]],
            headings=(*blank, (-1 - place, heading_of(key))),
        )
        for place, key in enumerate(layout.rows)
    ]
    return Grid(names, [*groups.values()])


def best(rows: pd.DataFrame, keys: tuple[str, ...], value: Value) -> NDArray[np.bool_]:
    """The rows that are not worse than any other algorithm's, shape (rows,).

    Rows that agree in all ``keys`` except the algorithm are compared. A value is never best if it
    is not finite, is not better than any rival, or is 0 although more is better. Values that are
    printed with the same significant digits are tied, and all tied values are best.
    """
    if value.better is None or ALGORITHM not in keys:
        return np.zeros(len(rows), dtype=bool)
    numbers = rows[value.column].to_numpy(dtype=np.float64)
    if value.equal is not None:
        numbers = np.fmax(numbers, rows[value.equal].to_numpy(dtype=np.float64))
    if value.digits is not None:
        numbers = np.array([float(f"{number:.{value.digits - 1}e}") for number in numbers])
    costs = numbers if value.better == "low" else np.where(numbers > 0, -numbers, np.inf)
    costs = np.where(np.isfinite(costs), costs, np.inf)
    rivals = numbered(rows, tuple(key for key in keys if key != ALGORITHM))
    of_rivals = pd.Series(costs).groupby(rivals)
    least, most = of_rivals.transform("min"), of_rivals.transform("max")
    return np.asarray((costs == least) & (costs < most), dtype=bool)


def heading_of(key: str) -> str:
    """A key column in words; a symbol of one letter stays as it is."""
    return key if len(key) == 1 else key.replace("_", " ").capitalize()


def name_of(key: str, value: Any) -> str:
    """One value of a key column; empty if it is missing."""
    if pd.isna(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | float | np.number):
        return short(float(value))
    return str(value).replace("_", " ") if key == "unit" else str(value)


def numbered(rows: pd.DataFrame, keys: tuple[str, ...]) -> NDArray[np.intp]:
    """A number for each combination of keys, in the order of their appearance, shape (rows,)."""
    if not keys:
        return np.zeros(len(rows), dtype=np.intp)
    groups = rows.groupby(list(keys), sort=False, dropna=False, observed=True)
    return np.asarray(groups.ngroup(), dtype=np.intp)


def _columns(rows: pd.DataFrame, keys: tuple[str, ...], value: Value) -> list[TabularColumn]:
    """The value, its interval and its rank for each row of the frame."""
    shown = rows[value.column]
    if not pd.api.types.is_numeric_dtype(shown) or pd.api.types.is_bool_dtype(shown):
        return [TabularColumn([name_of(value.column, text) for text in shown], wrap=value.wrap)]
    names = (value.column, *(value.interval or ()))
    numbers = np.column_stack([rows[name].to_numpy(np.float64) for name in names])
    notation = Notation.of(numbers, value.decimals, digits=value.digits or DIGITS)
    alike = np.full(len(rows), notation, dtype=object)
    if value.digits:
        group = numbered(rows, tuple(key for key in keys if key != ALGORITHM))
        for rivals in (group == one for one in np.unique(group)):
            alike[rivals] = Notation.of(numbers[rivals], digits=value.digits)
    texts = [one.text(x) for one, x in zip(alike, numbers[:, 0], strict=True)]
    if value.censored is not None:
        for row in np.flatnonzero(np.isposinf(numbers[:, 0])):
            texts[row] = str(rows[value.censored].iloc[row])
    bold = best(rows, keys, value)
    texts = [Bold(text) if b else text for text, b in zip(texts, bold, strict=True)]
    columns = [TabularColumn(texts, align="r")]
    if value.interval is not None:
        limits = [_interval(row, notation) for row in numbers]
        columns.append(TabularColumn(limits, small=True))
    if value.rank is not None:
        texts = ["" if np.isnan(rank) else f"({rank:g})" for rank in rows[value.rank]]
        columns.append(TabularColumn(texts, small=True))
    return columns


def _interval(row: NDArray[np.float64], notation: Notation) -> str:
    """The limits of (value, low, high); nothing if an infinite value has none."""
    value, low, high = row
    if np.isnan(low) or np.isnan(high):
        return "" if np.isinf(value) else "n/a"
    return f"[{notation.text(low, LIMIT_DIGITS)}, {notation.text(high, LIMIT_DIGITS)}]"


@dataclass(frozen=True)
class Tabular:
    """One ``tabular`` environment and the number of its lines."""

    tex: str
    lines: float


def tabulars(grid: Grid) -> list[Tabular]:
    """Divide a grid between rows if it is too long, then between groups if it is too wide."""
    room = LINES - grid.head
    blocks = [part for block in grid.blocks for part in _packed(block, grid.height, room)]
    pieces = _packed(blocks, lambda block: sum(map(grid.height, block)) + HALF, room + HALF)
    return [_tabular(grid, panel, piece) for piece in pieces for panel in _panels(grid)]


def pages(parts: list[Tabular]) -> list[list[Tabular]]:
    return [*_packed(parts, lambda part: part.lines + APART, LINES + APART)]


def _packed(
    items: Iterable[Item], size: Callable[[Item], float], room: float
) -> Iterator[list[Item]]:
    """Items in their order, as many together as have room, at least one."""
    pack: list[Item] = []
    taken = 0.0
    for item in items:
        if pack and taken + size(item) > room:
            yield pack
            pack, taken = [], 0.0
        pack.append(item)
        taken += size(item)
    if pack:
        yield pack


def _panels(grid: Grid) -> list[list[TabularColumn]]:
    """The groups, in as few panels as possible; a panel fits on a line next to the names."""
    groups = grid.groups
    for count in range(1, len(groups) + 1):
        size = math.ceil(len(groups) / count)
        starts = range(0, len(groups), size)
        panels = [[*chain.from_iterable(groups[k : k + size])] for k in starts]
        if all(width_of([*grid.names, *panel]) <= CHARACTERS for panel in panels):
            break
    return panels


def width_of(columns: list[TabularColumn], level: int = 0) -> int:
    """The width of adjacent columns with their headings from a level on, in letters."""
    if level == len(columns[0].headings):
        return sum(column.width for column in columns)
    return sum(
        max(letters(heading) + GAP, width_of(span, level + 1))
        for heading, span in _spans(columns, level)
    )


def letters(text: str) -> int:
    return len(text) + math.ceil(0.6 * len(WIDE.findall(text)))


def _spans(columns: list[TabularColumn], level: int) -> Iterator[tuple[str, list[TabularColumn]]]:
    """The headings of a level, each with the columns that share it."""
    for headings, span in groupby(columns, key=lambda column: column.headings[: level + 1]):
        yield headings[-1][1], list(span)


def _tabular(grid: Grid, panel: list[TabularColumn], blocks: list[list[int]]) -> Tabular:
    columns = [*grid.names, *panel]
    tex = [
        rf"\begin{{tabular}}{{@{{}}{''.join(column.align for column in columns)}@{{}}}}",
        r"\toprule",
        *_header(columns),
        r"\midrule",
        "\n\\addlinespace\n".join("\n".join(_body(grid, columns, rows)) for rows in blocks),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    lines = sum(grid.height(row) for rows in blocks for row in rows)
    return Tabular("\n".join(tex), grid.head + lines + HALF * (len(blocks) - 1))


def _header(columns: list[TabularColumn]) -> Iterator[str]:
    """The headings, a rule under each that is over several columns but those of the last level."""
    last = len(columns[0].headings) - 1
    for level in range(last + 1):
        cells, rules, first = [], "", 1
        for heading, span in _spans(columns, level):
            several = rf"\multicolumn{{{len(span)}}}{{c}}{{{escape(heading)}}}"
            cells += [several] if heading and len(span) > 1 else [escape(heading)] * len(span)
            if heading and level < last:
                rules += rf"\cmidrule(lr){{{first}-{first + len(span) - 1}}}"
            first += len(span)
        yield _line(cells)
        if rules:
            yield rules


def _body(grid: Grid, columns: list[TabularColumn], rows: list[int]) -> Iterator[str]:
    """The rows; names that a row shares with the one before are blank, but never the last name."""
    before: list[str] = []
    for row in rows:
        names = [column.texts[row] for column in grid.names]
        known = 0
        while known < len(names) - 1 and names[: known + 1] == before[: known + 1]:
            known += 1
        yield _line([""] * known + [column.cell(row) for column in columns[known:]])
        before = names


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


FEW_PAGES = 12  # the most pages of a part that is printed in full
THINNED = ("target", "quantile", "executions", "instance", "order", *CURVES)
"""Keys of which one value represents all."""
ALGORITHMS = (50, 30, 20, 12, 8, 5)  # numbers of the best algorithms that are tried
ROWS = (50, 40, 30, 20, 12, 8, 5, 2, 1)  # numbers of the first rows that are tried


def fitted(part: PrintedPart) -> tuple[PrintedPart, list[Tabular]]:
    """The part in a form that fits on one page, and its tabulars.

    These steps are tried, each in addition to the previous ones: no intervals, one value of a key
    such as the target, only the best algorithms, only the first rows. Parts with text that is
    broken into lines may take several pages instead, and those of a ``whole`` layout `FEW_PAGES`.
    """
    if any(value.wrap for value in part.layout.values):
        return part, _fewest(part)
    most = FEW_PAGES if part.layout.whole else 1
    for shorter in _shorter(part):
        ways = (shorter.layout, shorter.layout.turned)
        rows = min(numbered(shorter.rows, way.rows).max() for way in ways)
        if rows < most * LINES and len(pages(cut := _fewest(shorter))) <= most:
            break
    return shorter, cut


def _fewest(part: PrintedPart) -> list[Tabular]:
    """The rows, possibly transposed, whichever takes fewer pages, then fewer tabulars."""
    ways = dict.fromkeys((part.layout, part.layout.turned))
    cuts = [tabulars(grid(part.rows, way)) for way in ways]
    return min(cuts, key=lambda cut: (len(pages(cut)), len(cut)))


def _shorter(part: PrintedPart) -> Iterator[PrintedPart]:
    yield part
    if any(value.interval for value in part.layout.values):
        values = tuple(replace(value, interval=None) for value in part.layout.values)
        layout = replace(part.layout, values=values)
        part = replace(part, layout=layout, said="Intervals are not printed.")
        yield part
    part = _at_one_point(part)
    yield part
    for few in _best_algorithms(part):
        part = few
        yield part
    place = numbered(part.rows, part.layout.rows)
    everything = place.max() + 1
    for count in (count for count in ROWS if count < everything):
        said = f"Of {everything} rows, the first {count} are printed."
        yield _only(part, place < count, said)


def _only(part: PrintedPart, rows: Any, said: str) -> PrintedPart:
    return replace(part, rows=part.rows[rows], said=f"{part.said} {said}".strip())


def _best_algorithms(part: PrintedPart) -> Iterator[PrintedPart]:
    """Fewer and fewer algorithms, by their average rank in the first value with a better end."""
    judged = next((value for value in part.layout.values if value.better), None)
    if judged is None or ALGORITHM not in part.layout.keys:
        return
    rivals = numbered(part.rows, tuple(key for key in part.layout.keys if key != ALGORITHM))
    values, names = part.rows[judged.column], part.rows[ALGORITHM].astype(str)
    ranks = values.groupby(rivals).rank(ascending=judged.better == "low", na_option="bottom")
    average = ranks.groupby(names).mean()
    for count in (count for count in ALGORITHMS if count < len(average)):
        said = f"Of {len(average)} algorithms, the {count} with the best average rank are printed."
        yield _only(part, names.isin(average.nsmallest(count).index), said)


def _at_one_point(part: PrintedPart) -> PrintedPart:
    """One value of each key in `THINNED`: the last at which half of the rows have a finite number,
    else the last one. If it determined the columns, the last key of the rows replaces it."""
    for key in part.layout.keys:
        if key in THINNED and part.rows[key].nunique() > 1:
            layout, rows = part.layout, part.rows
            numbers = pd.to_numeric(rows[layout.values[0].column], errors="coerce")
            shares = np.isfinite(numbers).groupby(rows[key], sort=False).mean()
            telling = shares.index[shares >= 0.5]
            value = (telling if len(telling) else shares.index)[-1]
            names, columns = tuple(name for name in layout.rows if name != key), layout.columns
            if columns == key:
                names, columns = (names[:-1], names[-1]) if len(names) > 1 else (names, None)
            part = replace(
                part,
                layout=replace(layout, rows=names, columns=columns),
                shared=part.shared | {key: value},
                rows=rows[rows[key] == value],
                left_out=tuple(dict.fromkeys((*part.left_out, key))),
            )
    return part


SECONDS = {
    "wall": "seconds of wall clock",
    "cpu": "seconds of CPU time",
    "reference": "CPU time as a multiple of the reference kernel's",
}
"""Meaning of a second in the tables, for each clock."""

AMORTISED = "Each run is charged its share of tuning and preparation."


@dataclass(frozen=True)
class Setting:
    """The facts of a campaign that captions state: the settings, and the budget of a run, of which
    None is no limit of that kind.
    """

    analysis: Analysis
    time_s: float | None = None
    cpu_s: float | None = None
    evaluations: int | None = None
    evaluations_per_dimension: int | None = None

    @property
    def placeholders(self) -> dict[str, str]:
        each = self.evaluations_per_dimension
        limits = (
            (self.time_s, "T\u00a0=\u00a0{:g}\u00a0s"),
            (self.cpu_s, "T\u00a0=\u00a0{:g}\u00a0s of CPU time"),
            (each, "{:g} · D evaluations"),
            (self.evaluations if each is None else None, "{:g} evaluations"),
        )
        budget = " and ".join(words.format(limit) for limit, words in limits if limit is not None)
        low, high = self.analysis.band
        return {
            "confidence": f"{100 * self.analysis.confidence:g}\u00a0%",
            "band": f"{low:g} to {high:g} quantile",
            "budget": budget or "not stated",
            "seconds": SECONDS[self.analysis.time],
        }


LIMITS = {one.name for one in fields(Setting)} - {"analysis"}
"""The limits of a budget that captions state."""


def caption(
    part: PrintedPart, facts: Setting, *, charged: bool, incomplete: bool, notes: str = ""
) -> str:
    """The caption of one part, as LaTeX; `charged`: whether seconds are of the chosen clock, with
    amortised costs, `incomplete`: whether a number is not available, `notes`: further sentences."""
    placeholders, layout, clock = facts.placeholders, part.layout, facts.analysis.time
    brackets = layout.brackets if any(value.interval for value in layout.values) else ""
    left_out = " and ".join(heading_of(key).lower() for key in part.left_out)
    other_clock = charged and clock != "wall"
    shared = ", ".join(
        f"{'cost in' if key == 'unit' else heading_of(key).lower()} {name_of(key, value)}"
        for key, value in part.shared.items()
    )
    sentences = [
        layout.caption.format_map(placeholders),
        brackets.format_map(placeholders),
        f"{shared[0].upper()}{shared[1:]}." if shared else "",
        _runs(part, placeholders["budget"]),
        notes,
        f"Seconds are {SECONDS[clock].removeprefix('seconds ')}." if other_clock else "",
        AMORTISED if charged and facts.analysis.ancillary == "amortised" else "",
        _bold(layout),
        f"Not every {left_out} is printed." if left_out else "",
        part.said,
        "n/a: not available." if incomplete else "",
    ]
    return escape(" ".join(sentence for sentence in sentences if sentence))


def _runs(part: PrintedPart, budget: str) -> str:
    printed = any(value.column == "runs" for value in part.layout.values)
    if printed or "runs" not in part.rows or part.rows.empty:
        return f"Budget of a run: {budget}."
    least, most = part.rows["runs"].min(), part.rows["runs"].max()
    number = f"{least}" if least == most else f"{least} to {most}"
    return f"{number} {'run' if most == 1 else 'runs'}, budget of each: {budget}."


def _bold(layout: Layout) -> str:
    ends = {value.better for value in layout.values if value.better is not None}
    if not ends or ALGORITHM not in layout.keys:
        return ""
    rivals = [heading_of(key).lower() for key in layout.keys if key != ALGORITHM]
    wanted = {"low": "lowest", "high": "highest"}[ends.pop()] if len(ends) == 1 else "best"
    among = f" for each {' and '.join(rivals)}" if rivals else ""
    return f"Bold: the {wanted} value of all algorithms{among}."


HEADER = r"""% {title}.
% Needs \usepackage{{booktabs}}; \input this file in a paper of one column or two.
% For a page of 6.5 in by 9 in. Values are rounded; {name}.csv has more digits, and all rows."""

DOCUMENT = r"""% All tables of a campaign.
\documentclass[10pt]{{article}}
\usepackage[T1]{{fontenc}}
\IfFileExists{{lmodern.sty}}{{\usepackage{{lmodern}}}}{{}}
\usepackage{{booktabs}}
\usepackage[margin=1in]{{geometry}}
\extrafloats{{200}}
\begin{{document}}
{inputs}
\end{{document}}
"""

FLOAT = r"""\begin{{table*}}[tbp]
\centering
{caption}
\par\smallskip
\footnotesize
\setlength{{\tabcolsep}}{{3pt}}
{tabulars}
\end{{table*}}"""

NOTES = ("pairs", "perturbed", "omitted", "published", "machines", "cost", "noise")
"""Attributes of a table that are sentences for its captions."""

CONTINUED = r"\tablename~\thetable{} (continued)"
NO_ROWS = Tabular(
    "\\begin{tabular}{@{}l@{}}\n\\toprule\nNo rows. \\\\\n\\bottomrule\n\\end{tabular}", lines=1
)
BETWEEN = "\n\n\\medskip\n\n"


def document(names: Iterable[str]) -> str:
    """A LaTeX document of the tables with these names, from the files in the same folder."""
    inputs = "\n".join(rf"\input{{{name}.tex}}\clearpage" for name in names)
    return DOCUMENT.format(inputs=inputs or "No table.")


def typeset(
    table: Exhibit, frame: pd.DataFrame, layouts: Iterable[Layout], setting: Setting
) -> str:
    """A table as LaTeX, in the order of its frame, which may be empty.

    Each combination of the parts of a layout is a ``table*`` of one page with the label
    ``tab:<name>-<suite>-<dimension>``; a longer part is printed in part, or continued on further
    pages. The attributes `NOTES` of the frame are sentences for the captions. ValueError if the
    keys of a layout do not identify the rows.
    """
    heading = worded(table.title, frame)
    notes = " ".join(filter(None, (frame.attrs.get(name) for name in NOTES)))
    printed = _named(measured(frame))
    floats = [
        text
        for layout in layouts
        for part in parts(printed, _worded(layout, frame))
        for text in _floats(table, heading, part, setting, notes)
    ]
    header = HEADER.format(title=heading, name=table.name)
    return "\n\n".join([header, *floats]) + "\n"


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    given = frame.attrs.get(GIVEN)
    if given is None or not {"suite", "function"} <= set(frame.columns):
        return frame
    functions = [
        title(str(suite), function, given) if str(function).isdigit() else function
        for suite, function in zip(frame["suite"], frame["function"], strict=True)
    ]
    return frame.assign(function=functions)


def _worded(layout: Layout, frame: pd.DataFrame) -> Layout:
    values = tuple(replace(value, label=worded(value.label, frame)) for value in layout.values)
    return replace(layout, caption=captioned(layout.caption, frame), values=values)


def _floats(
    table: Exhibit, heading: str, part: PrintedPart, facts: Setting, notes: str
) -> Iterator[str]:
    pieces = (table.name, part.layout.name, *part.shared.values())
    part, cut = fitted(part) if len(part.rows) else (part, [NO_ROWS])
    incomplete = any("n/a" in tabular.tex for tabular in cut)
    said = caption(part, facts, charged=table.charged, incomplete=incomplete, notes=notes)
    label = "-".join(re.sub("[^0-9A-Za-z.]+", "_", str(piece)) for piece in pieces if piece != "")
    first = f"\\caption[{escape(heading)}]{{{said}}}\n\\label{{tab:{label}}}"
    for number, page in enumerate(pages(cut)):
        yield FLOAT.format(
            caption=CONTINUED if number else first,
            tabulars=BETWEEN.join(tabular.tex for tabular in page),
        )
