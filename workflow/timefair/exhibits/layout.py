"""Printed forms of tables: which columns become rows, columns and cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from timefair.exhibits.columns import Column

ALGORITHM = "algorithm"
SHARED = ("suite", "dimension", "unit")
PARTS = (*SHARED, "measure", "criterion", "quantile")
CURVES = ("cost", "ratio")
KEYS = (*SHARED, "function", "instance", "target", "quantile", "executions", *CURVES)
"""Columns that name rows if a table has no layout of its own; columns of text always do."""

INTERVAL = "Brackets: {confidence} interval."  # sentence of most layouts about their intervals
BOOTSTRAP = "Brackets: {confidence} bootstrap interval."

FEW = 6  # number of points of a curve that are printed without a layout


@dataclass(frozen=True)
class Value:
    """A column of the frame that is printed, with its interval and rank.

    - `better`: Which end is better, and therefore bold.
    - `equal`: Column with a value: all lower values are as good as this one.
    - `interval`, `rank`: Columns of the limits, printed in brackets, and of the rank, in
      parentheses.
    - `decimals`: Number of decimals; None: three significant digits, in one notation for the table.
    - `digits`: Number of significant digits, in one notation for each group of rivals.
    - `censored`: Column with the text that is printed instead of `inf`, such as ``> 0.8 s``.
    - `wrap`: Largest number of characters of a line; longer texts continue on the next line.
    """

    column: str
    label: str
    better: Literal["low", "high"] | None = None
    interval: tuple[str, str] | None = None
    rank: str | None = None
    decimals: int | None = None
    censored: str | None = None
    wrap: int | None = None
    equal: str | None = None
    digits: int | None = None

    @classmethod
    def with_limits(
        cls, column: str, label: str, better: Literal["low", "high"] | None = None, **facts: Any
    ) -> Value:
        """A value with the columns ``<column>_low`` and ``<column>_high`` as its interval."""
        return cls(column, label, better, (f"{column}_low", f"{column}_high"), **facts)

    @classmethod
    def of(cls, column: Column, columns: Iterable[Column]) -> Value:
        """A value as its column says it: a label and, behind a semicolon, `better`, `decimals`
        (``.2``), `digits` (``4 digits``), `wrap` (``38 letters``), `equal` (``to f_target``), and
        ``limits``, ``rank`` and ``text`` for the columns with its interval, its rank, and its text
        if it is `censored`."""
        label, _, facts = column.printed.partition("; ")
        name, names = column.name, [each.name for each in columns]
        words = facts.split()

        def number(pattern: str) -> int | None:
            return int(found[1]) if (found := re.search(pattern, facts)) else None

        limits = (f"{name}_low", f"{name}_high") if f"{name}_low" in names else ("low", "high")
        ranks = (rank for rank in (f"{name}_rank", f"rank_{name}", "rank") if rank in names)
        ends: tuple[Literal["low", "high"], ...] = ("low", "high")
        return cls(
            name,
            label,
            next((end for end in ends if end in words), None),
            limits if "limits" in words else None,
            next(ranks) if "rank" in words else None,
            decimals=number(r"\.(\d)"),
            censored=f"{name}_text" if "text" in words else None,
            wrap=number(r"(\d+) letters"),
            equal=words[-1] if "to" in words else None,
            digits=number(r"(\d+) digits"),
        )


@dataclass(frozen=True)
class Points:
    """Values of a key column that are printed if there are too many: `at` is a number of values,
    evenly spread and including the last one; or points, for each of which the largest value up to
    it is printed (`inf`: the last of all), maybe as shares of the largest value."""

    key: str
    at: int | tuple[float, ...]
    relative: bool = False

    def chosen(self, rows: pd.DataFrame) -> pd.DataFrame:
        values = rows[self.key].drop_duplicates().to_numpy()
        if isinstance(self.at, int):
            count = min(self.at, len(values))
            places = np.linspace(len(values) - 1, 0, count).round().astype(int)
        else:
            values = np.sort(values)
            points = np.asarray(self.at) * (values[-1] if self.relative else 1.0)
            upto = np.searchsorted(values, points * (1 + 1e-12), side="right") - 1
            places = upto[upto >= 0]
        return rows[rows[self.key].isin(values[places])]


@dataclass(frozen=True)
class Layout:
    """One printed form of a table.

    - `caption`: Plain sentences; ``{confidence}``, ``{band}``, ``{budget}`` and ``{seconds}`` are
      filled in.
    - `values`: Values in the cells; rows with the same keys and values are printed once.
    - `rows`: Key columns that name the rows, the outermost first.
    - `columns`: The key column whose values become columns. It is exchanged with the last of
      ``rows`` if the table then needs fewer pages, or as many pages and fewer parts.
    - `parts`: Key columns that the frame may have; one table for each combination of their values.
    - `points`: Key columns of which only some values are printed.
    - `brackets`: A sentence about the intervals, for the caption of a part with intervals.
    - `observed`: A column with the share of the runs of a curve that were observed; below 1, values
      are not printed. ``points`` are then those up to which half of the curves are observed.
    - `whole`: Whether a part that is longer than a page takes several, as long as they are few.
    - `shown`: The columns whose values are printed, if not all that say how.
    """

    caption: str = ""
    values: tuple[Value, ...] = ()
    rows: tuple[str, ...] = ("function", "algorithm")
    columns: str | None = None
    parts: tuple[str, ...] = PARTS
    points: tuple[Points, ...] = ()
    name: str = ""
    brackets: str = INTERVAL
    observed: str = ""
    whole: bool = False
    shown: tuple[str, ...] = ()

    def declared(self, title: str, caption: str, columns: Sequence[Column]) -> Layout:
        """The layout of a table with such a title and caption: without values, those of `shown`, or
        of all columns that say how they are printed; without a caption of its own, the first
        sentence of that one for a single value, else the title and what each value is."""
        printed = {each.name: each for each in columns if each.printed}
        chosen = [printed[name] for name in self.shown or printed]
        values = self.values or tuple(Value.of(each, columns) for each in chosen)
        brackets = self.brackets if any(value.interval for value in values) else ""
        found = replace(self, values=values, brackets=brackets)
        if self.caption:
            return found
        labels = {name: each.printed.partition("; ")[0] for name, each in printed.items()}
        first = re.split(r"\. (?=[A-Z])", caption)[0].removesuffix(".").replace("*", "")
        said = [title if len(chosen) > 1 else first]
        for name, label in labels.items() if len(printed) > 1 else ():
            meaning = re.sub(r" \(`.+?\)", "", printed[name].meaning)
            meaning = re.split(r"[;:]|, (?=where|which|because)|\. (?=[A-Z])", meaning)[0]
            if printed[name] in chosen and not meaning.endswith(label):
                said.append(f"{label}: {meaning}")
        text = re.sub("`(.+?)`", lambda one: labels.get(one[1], one[1]), ". ".join(said))
        return replace(found, caption=f"{text}.")

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that identify the rows of one part."""
        return self.rows if self.columns is None else (*self.rows, self.columns)

    @property
    def turned(self) -> Layout:
        """The transposed layout, in which the last key of the rows becomes columns."""
        if self.columns is None or not self.rows:
            return self
        return replace(self, rows=(*self.rows[:-1], self.columns), columns=self.rows[-1])


@dataclass(frozen=True)
class PrintedPart:
    """The content of one printed table: its layout, without keys that no row has; the keys that all
    rows share; those that are left out in part; and sentences on what else is not printed."""

    layout: Layout
    shared: dict[str, object]
    rows: pd.DataFrame
    left_out: tuple[str, ...]
    said: str = ""


def parts(frame: pd.DataFrame, layout: Layout) -> Iterator[PrintedPart]:
    """Divide a frame into parts, in the order of its rows; an empty frame is one part."""
    keys = [key for key in layout.parts if key in frame and key not in layout.keys]
    if frame.empty:
        yield PrintedPart(layout, {}, frame, ())
        return
    said = ""
    if {"dimension", "function"} <= {*keys, *layout.keys} and own_dimensions(frame):
        keys.remove("dimension")
        said = "Each function is in its own dimension."
    printed = _printed(frame, layout, keys)
    left_out = tuple(
        points.key
        for points in layout.points
        if points.key in (*keys, *layout.keys)
        and printed[points.key].nunique() < frame[points.key].nunique()
    )
    groups = (
        printed.groupby(keys, sort=False, dropna=False, observed=True) if keys else [((), printed)]
    )
    for values, rows in groups:
        lacking = {key for key in layout.keys if rows[key].isna().all()}
        named = replace(
            layout,
            rows=tuple(key for key in layout.rows if key not in lacking),
            columns=None if layout.columns in lacking else layout.columns,
        )
        left = tuple(key for key in left_out if key not in lacking)
        yield PrintedPart(named, dict(zip(keys, values, strict=True)), rows, left, said)


def by_function(frame: pd.DataFrame) -> pd.DataFrame:
    """A table in the order of the functions, if each is in its own dimension."""
    if frame.empty or not own_dimensions(frame):
        return frame
    return frame.sort_values(["suite", "function"], kind="stable", ignore_index=True)


def own_dimensions(frame: pd.DataFrame) -> bool:
    """Whether there are several dimensions, and each function is in only one of them."""
    pairs = frame[["suite", "function", "dimension"]].drop_duplicates()
    alone = not pairs.duplicated(["suite", "function"]).any()
    return alone and pairs["dimension"].nunique() > 1


def _printed(frame: pd.DataFrame, layout: Layout, keys: list[str]) -> pd.DataFrame:
    for points in layout.points:
        within = [key for key in keys if key != points.key]
        groups = frame.groupby(within, sort=False, observed=True) if within else [((), frame)]
        choose = partial(_observed, layout) if layout.observed in frame else Points.chosen
        frame = pd.concat([choose(points, rows) for _, rows in groups]).sort_index(kind="stable")
    shown = [*keys, *layout.keys, *(value.column for value in layout.values)]
    return frame.drop_duplicates([name for name in dict.fromkeys(shown) if name in frame])


def _observed(layout: Layout, points: Points, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows at points, one per curve; values that were not observed are NaN."""
    curve, key = list(layout.rows), points.key
    seen = rows[rows[layout.observed] == 1]
    ends = seen.groupby(curve, observed=True)[key].max()
    last = max(ends.median(), rows[key].min()) if len(ends) else rows[key].min()
    at = points.chosen(rows[rows[key] <= last])[key].drop_duplicates().sort_values()
    names = [name for value in layout.values for name in (value.column, *(value.interval or ()))]
    curves = rows.drop_duplicates(curve).drop(columns=[key, *names])
    return curves.merge(at, how="cross").merge(seen[[*curve, key, *names]], how="left")


def generic(frame: pd.DataFrame, title: str) -> Layout:
    """The layout of a table that declares none: all columns and all rows, without bold values."""
    keys = _keys(frame)
    names = [name for name in frame.columns if name not in keys]
    ends = {f"{name}{end}" for name in names for end in ("_low", "_high", "_rank")}
    values = []
    for name in (name for name in names if name not in ends):
        low, high, rank = (f"{name}{end}" for end in ("_low", "_high", "_rank"))
        label, interval = name.replace("_", " "), (low, high) if {low, high} <= {*names} else None
        values.append(Value(name, label, None, interval, rank if rank in names else None))
    return Layout(
        caption=f"{title}.",
        values=tuple(values),
        rows=tuple(name for name in keys if name not in SHARED),
        points=tuple(Points(name, FEW) for name in CURVES if name in keys),
    )


def _keys(frame: pd.DataFrame) -> list[str]:
    """The columns that name the rows, and other columns that are needed to distinguish rows."""
    text = [n for n in frame if not (is_numeric_dtype(frame[n]) or frame[n].empty)]
    keys = [name for name in frame.columns if name in KEYS or name in text]
    apart = len(frame[keys].drop_duplicates()) if keys else min(len(frame), 1)
    for name in frame.columns:
        if apart < len(frame) and (more := len(frame.drop_duplicates([*keys, name]))) > apart:
            keys, apart = [*keys, name], more
    return [name for name in frame.columns if name in keys]
