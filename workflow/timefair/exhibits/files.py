"""Tables as files."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from timefair.exhibits import unknown_optimum
from timefair.exhibits.columns import Column, column_names

DIGITS = 6  # significant digits in CSV: a time of one second to a microsecond
MOST_WHOLE = 1e15  # limit up to which whole numbers are written without an exponent


def write(frame: pd.DataFrame, path: Path, columns: Iterable[Column] = ()) -> None:
    """Write a table as CSV or Parquet, by the path's suffix; ValueError for another one.

    Parquet contains all digits of all values. CSV contains all digits of whole numbers and of
    columns that are `Column.exact`, and `DIGITS` digits of others; `inf` is ``inf``, and NaN is an
    empty field. If the optimum is unknown, the names of columns contain ``gap`` instead of
    ``precision``.
    """
    exact = frame.columns.isin([column.name for column in columns if column.exact]).tolist()
    frame = unknown_optimum.in_files(frame)
    if path.suffix == ".csv":
        fields = [_fields(frame[name], whole) for name, whole in zip(frame, exact, strict=True)]
        pd.concat([frame.iloc[:, :0], *fields], axis=1).to_csv(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path, index=False, compression="zstd")
    else:
        raise ValueError(f"a table is written as .csv or .parquet, not {path.name}")


def _fields(column: pd.Series[Any], exact: bool) -> pd.Series[Any]:
    """A column of numbers as texts."""
    if column.dtype.kind != "f":
        return column
    return column.astype(object).map(lambda value: _number(value, exact), na_action="ignore")


def _number(value: float, exact: bool) -> str:
    if value.is_integer() and abs(value) < MOST_WHOLE:
        return str(int(value))
    return repr(value) if exact else f"{value:.{DIGITS}g}"


def as_rows(frame: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """One mapping per row, with None for missing values."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def read(path: Path, columns: Iterable[Column] = ()) -> pd.DataFrame:
    """Read a table that `write` wrote as Parquet."""
    return unknown_optimum.from_files(pd.read_parquet(path), column_names(columns))
