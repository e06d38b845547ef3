"""Tables as compact JSON for the page: columns, rounded, without rows that only repeat."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from timefair.exhibits.layout import CURVES, Value, generic
from timefair.exhibits.registry import TABLES

DIGITS = 5
"""Significant digits of a number on the page; the files have all."""

MOST_ROWS = 200_000
"""Rows of a table that a page can hold."""


def table(name: str, frame: pd.DataFrame) -> dict[str, Any]:
    """A table for the page.

    ``columns`` has for each column its ``name``, ``label``, ``meaning``, whether it is a ``key``
    that rows are chosen by, the places of its ``limits`` and its ``values``: `null` for NaN,
    ``"inf"`` for infinity; texts as ``words`` and their ``codes``. Curves omit the rows that only
    repeat their neighbours; ``rows`` is the number of rows of the file, ``shown`` the number here,
    0 if there are too many.
    """
    thin = _without_repeats(frame)
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
        "title": TABLES[name].title,
        "rows": len(frame),
        "shown": len(shown),
        "columns": [
            {
                "name": column,
                "label": _label(column, layout.values),
                "key": column in keys,
                "meaning": meanings.get(column, ""),
                "hidden": column in hidden,
                "limits": [places[end] for end in limits.get(column, ())],
                **_values(shown[str(column)]),
            }
            for column in map(str, frame.columns)
        ],
    }


def _label(column: str, values: tuple[Value, ...]) -> str:
    return next((v.label for v in values if v.column == column), column.replace("_", " "))


def _without_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """A curve without the inner points of its level stretches; other tables as they are."""
    at = next((key for key in CURVES if key in frame), None)
    if at is None or frame.empty:
        return frame
    rest = frame.drop(columns=at)
    numbers = map(str, rest.select_dtypes("float"))
    rest = rest.assign(**{name: _rounded(rest[name]) for name in numbers})
    codes = rest.apply(lambda column: pd.factorize(column, use_na_sentinel=False)[0]).to_numpy()
    same = (codes[1:] == codes[:-1]).all(axis=1)
    inner = np.append(False, same) & np.append(same, False)
    kept: pd.DataFrame = frame[~inner]
    return kept


def _values(column: pd.Series[Any]) -> dict[str, Any]:
    if column.dtype == bool:
        column = column.map({True: "yes", False: "no"})
    if not pd.api.types.is_numeric_dtype(column):
        codes, words = pd.factorize(column)
        return {"words": [str(word) for word in words], "codes": codes.tolist()}
    if not pd.api.types.is_float_dtype(column):
        return {"values": column.tolist()}
    return {"values": [_plain(value) for value in _rounded(column).tolist()]}


def _plain(value: float) -> float | int | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value.is_integer() and abs(value) < 1e9 else value


def _rounded(column: pd.Series[Any]) -> pd.Series[Any]:
    """To so many significant digits."""
    values = column.to_numpy(dtype=np.float64)
    known = np.isfinite(values) & (values != 0)
    rounded = values.copy()
    rounded[known] = [float(f"{value:.{DIGITS}g}") for value in values[known]]
    return pd.Series(rounded, index=column.index)


def script(data: Mapping[str, Any]) -> str:
    """JSON that may stand inside an element ``script``: nothing in it can end the element."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
