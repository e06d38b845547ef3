"""Tables as compact JSON for the page: rounded columns, without redundant rows.

Long tables are compressed; the page unpacks a table when it is first drawn or opened.
"""

from __future__ import annotations

import gzip
import json
import math
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.layout import CURVES, KEYS, Value, generic
from timefair.exhibits.registry import TABLES
from timefair.exhibits.unknown_optimum import measured, worded
from timefair.processes.jobs import beside

DIGITS = 3
"""Significant digits of a number on the page; the files contain all digits."""

SHORT_ROWS = 40
"""Rows of a table that is not compressed: the page opens such a table to print it."""

SMOOTH_ROWS = 30_000
"""Rows of curves from which points are omitted that change nothing one can see."""

SEEN = 1 / 600
"""Smallest visible change, as a share of an axis: half a pixel of the largest chart."""

MOST_ROWS = 200_000
"""Maximal number of rows of a table on a page."""

TABLES_BYTES = 3_500_000
"""Maximal size of all compressed tables of a page together."""

FORKED = 0.85
"""Share of the numbers that a fork packs; the other process has other work, too."""

LEVEL = 6
"""Level of compression: the highest one takes three times as long to save 3 %."""

FEW_LIMITS = "Limits are listed for the algorithms that are in colour at first."
"""The note on a table that `_limits_of` has made smaller."""


def table(name: str, frame: pd.DataFrame, leading: Collection[str] | None = None) -> dict[str, Any]:
    """A table for the page.

    ``columns`` contains for each column its ``name``, ``label`` and ``meaning``, whether it is a
    ``key`` by which rows are selected, the indices of its ``limits``, and its ``values``: `null`
    for NaN, ``"inf"`` for infinity; texts as ``words`` and their ``codes``. Curves omit rows that
    only repeat their neighbours. Curves with more than `SMOOTH_ROWS` rows also omit points that
    change nothing one can see, and the limits of algorithms that are not in `leading`. ``rows`` is
    the number of rows of the file, ``shown`` the number here, which is 0 if there are too many.
    ``note`` explains what is not listed; it is empty if everything is listed.
    """
    frame = measured(frame)
    thin = _without_repeats(_rounded(frame))
    note = frame.attrs.get("pairs", "")
    if len(thin) > SMOOTH_ROWS:
        thin = _without_invisible(thin)
        others = _others(thin, leading)
        if others.any():
            ends = [name for name in map(str, thin) if name.endswith(("low", "high"))]
            thin = thin.assign(**{end: thin[end].mask(others) for end in ends})
            note = f"{note} {FEW_LIMITS}".strip()
    layout = generic(thin, TABLES[name].title)
    limits = {v.column: v.interval for v in layout.values if v.interval}
    hidden = {end for ends in limits.values() for end in ends}
    keys = set(thin.columns) - {v.column for v in layout.values} - hidden
    keys -= {v.rank for v in layout.values if v.rank}
    shown = thin if len(thin) <= MOST_ROWS else thin.head(0)
    meanings = {column.name: column.meaning for column in TABLES[name].exhibit.columns}
    places = {column: place for place, column in enumerate(frame.columns)}
    return {
        "name": name,
        "title": worded(TABLES[name].title, frame),
        "rows": len(frame),
        "shown": len(shown),
        "note": note,
        "columns": [
            {
                "name": column,
                "label": worded(_label(column, layout.values), frame),
                "key": column in keys,
                "meaning": worded(meanings.get(column, ""), frame),
                "hidden": column in hidden,
                "limits": [places[end] for end in limits.get(column, ())],
                **_values(shown[str(column)]),
            }
            for column in map(str, frame.columns)
        ],
    }


class Packed(NamedTuple):
    """A table for the page.

    Attributes
    ----------
    facts
        As from `table`; of a table of more than `SHORT_ROWS` rows, without the columns.
    form
        The compressed form of such a table; empty for a shorter one.
    """

    facts: dict[str, Any]
    form: str


def packing(
    frames: Mapping[str, pd.DataFrame], leading: Collection[str] | None = None, cores: int = 1
) -> Callable[[], dict[str, Packed]]:
    """Begin to pack tables; the returned function packs the rest, and returns all of them by name.

    With more than one core, a fork packs the largest tables meanwhile.
    """
    forked: set[str] = set()
    if cores > 1:
        most = FORKED * sum(frame.size for frame in frames.values())
        for name in sorted(frames, key=lambda name: frames[name].size, reverse=True):
            if not forked or frames[name].size <= most:
                forked.add(name)
                most -= frames[name].size

    def pack(names: Collection[str]) -> dict[str, Packed]:
        return {name: _packed(table(name, frames[name], leading)) for name in names}

    of_fork = beside(partial(pack, forked)) if forked else dict

    def finish() -> dict[str, Packed]:
        made = pack(frames.keys() - forked) | of_fork()
        return {name: made[name] for name in frames}

    return finish


def _packed(table: dict[str, Any]) -> Packed:
    if table["shown"] <= SHORT_ROWS:
        return Packed(table, "")
    facts = {key: value for key, value in table.items() if key != "columns"}
    return Packed(facts, packed(table))


def fitting(tables: Mapping[str, Packed], first: Collection[str]) -> dict[str, str]:
    """The compressed forms of the long tables that fit into `TABLES_BYTES`, by name.

    Tables in `first` precede the others; among equals, smaller tables precede larger ones.
    """
    forms = {name: table.form for name, table in tables.items() if table.form}
    room, found = TABLES_BYTES, {}
    for name in sorted(forms, key=lambda one: (one not in first, len(forms[one]))):
        if len(forms[name]) <= room:
            room -= len(forms[name])
            found[name] = forms[name]
    return found


def without_rows(shown: Mapping[str, Any]) -> dict[str, Any]:
    """A table whose rows are only in its file."""
    return {**shown, "shown": 0, "columns": []}


def packed(data: object) -> str:
    """JSON, compressed by gzip, in base64; equal data give equal texts."""
    return b64encode(gzip.compress(_json(data).encode(), LEVEL, mtime=0)).decode("ascii")


def _label(column: str, values: tuple[Value, ...]) -> str:
    return next((v.label for v in values if v.column == column), column.replace("_", " "))


def _without_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """A curve without the inner points of its constant parts; other tables are unchanged."""
    at = next((key for key in CURVES if key in frame), None)
    if at is None or frame.empty:
        return frame
    rest = frame.drop(columns=at)
    codes = rest.apply(lambda column: pd.factorize(column, use_na_sentinel=False)[0]).to_numpy()
    same = (codes[1:] == codes[:-1]).all(axis=1)
    inner = np.append(False, same) & np.append(same, False)
    kept: pd.DataFrame = frame[~inner]
    return kept


def _others(frame: pd.DataFrame, leading: Collection[str] | None) -> NDArray[np.bool_]:
    """The rows of the curves of algorithms that are not in `leading`; no rows for None."""
    if leading is None or "algorithm" not in frame or not any(key in frame for key in CURVES):
        return np.zeros(len(frame), dtype=bool)
    return ~frame["algorithm"].astype(str).isin(leading).to_numpy()


def _without_invisible(frame: pd.DataFrame) -> pd.DataFrame:
    """Curves without the points at which no value differs by `SEEN` from the last point that was
    kept.

    The axis of a value extends from its minimum to its maximum on a function; it is logarithmic if
    values are positive and not shares. The first and the last point of a curve are kept, and so is
    every point at which a value becomes known or unknown, finite or infinite. Other tables are
    unchanged.
    """
    at = next((key for key in CURVES if key in frame), None)
    if at is None or "algorithm" not in frame:
        return frame
    values = [str(name) for name in frame.select_dtypes("float") if name not in (at, *KEYS)]
    panel = [key for key in frame.columns if key in KEYS and key not in CURVES]
    places = np.column_stack([_places(frame, name, panel) for name in values])
    curve = frame.groupby([*panel, "algorithm"], sort=False, dropna=False, observed=True)
    starts = curve.ngroup().to_numpy()
    kept = np.ones(len(frame), dtype=bool)
    last = places[0] if len(places) else None
    for row in range(1, len(frame) - 1):
        same = starts[row] == starts[row - 1] and starts[row] == starts[row + 1]
        if same and (np.abs(places[row] - last) < SEEN).all():
            kept[row] = False
        else:
            last = places[row]
    smooth: pd.DataFrame = frame[kept]
    return smooth


def _places(frame: pd.DataFrame, name: str, panel: list[str]) -> NDArray[np.float64]:
    """Position of each value on its axis, from 0 to 1; far outside if it is unknown or infinite."""
    values = frame[name].to_numpy(dtype=np.float64)
    known = np.isfinite(values)
    if (values[known] > 0).all() and (values[known] > 1).any():
        values = np.log10(values, where=known, out=values.copy())
    finite = pd.Series(np.where(known, values, np.nan), index=frame.index)
    together = pd.Series(0, index=frame.index)
    keys = [together, *(frame[key] for key in panel)]
    axes = finite.groupby(keys, sort=False, dropna=False)
    least, most = axes.transform("min").to_numpy(), axes.transform("max").to_numpy()
    length = np.where(most > least, most - least, 1.0)
    codes = np.select([np.isnan(frame[name]), frame[name] == np.inf], [-3.0, 3.0], -2.0)
    return np.where(known, (values - least) / length, codes)


def _values(column: pd.Series[Any]) -> dict[str, Any]:
    if pd.api.types.is_bool_dtype(column):
        column = column.astype(object).map({True: "yes", False: "no"})
    if not pd.api.types.is_numeric_dtype(column):
        codes, words = pd.factorize(column)
        return {"words": [str(word) for word in words], "codes": codes.tolist()}
    if not pd.api.types.is_float_dtype(column):
        return {"values": column.tolist()}
    places, different = pd.factorize(column.to_numpy(), use_na_sentinel=False)
    plain = np.array([_plain(value) for value in different.tolist()], dtype=object)
    return {"values": plain[places].tolist()}


def _plain(value: float) -> float | int | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value.is_integer() and abs(value) < 1e9 else value


def _rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """Round numbers that are not whole to the significant digits that the page prints."""
    columns = {}
    for name, column in frame.select_dtypes("float").items():
        different, place = np.unique(column.to_numpy(dtype=np.float64), return_inverse=True)
        broken = np.isfinite(different) & (different != np.rint(different))
        different[broken] = [float(f"{value:.{DIGITS}g}") for value in different[broken]]
        columns[str(name)] = different[place]
    return frame.assign(**columns)


def script(data: Mapping[str, Any]) -> str:
    """JSON for the inside of an element ``script``: nothing in it can end the element."""
    return (
        _json(data)
        .replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


def _json(data: object) -> str:
    return json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
