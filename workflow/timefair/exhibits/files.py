"""Tables as files."""

from __future__ import annotations

import csv
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from timefair.exhibits import unknown_optimum
from timefair.exhibits.columns import Column, column_names

DIGITS = 6  # significant digits in CSV: a time of one second to a microsecond

ALL_DIGITS = 17
MOST_WHOLE = 1e15  # limit up to which whole numbers are written without an exponent


def write(frame: pd.DataFrame, path: Path, columns: Iterable[Column] = ()) -> None:
    """Write a table as CSV or Parquet, by the path's suffix; ValueError for another one.

    Parquet contains all digits of all values. CSV contains all digits of whole numbers and of
    columns that are `Column.exact`, and `DIGITS` digits of others; `inf` is ``inf``, and NaN is an
    empty field. If the optimum is unknown, the names of columns contain ``gap`` instead of
    ``precision``.
    """
    exact = frame.columns.isin([column.name for column in columns if column.exact])
    frame = unknown_optimum.in_files(frame)
    if path.suffix == ".csv":
        fields = [_fields(frame[name], whole) for name, whole in zip(frame, exact, strict=True)]
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(frame.columns)
            writer.writerows(zip(*fields, strict=True))
    elif path.suffix == ".parquet":
        frame.to_parquet(path, index=False, compression="zstd")
    else:
        raise ValueError(f"a table is written as .csv or .parquet, not {path.name}")


def _fields(column: pd.Series[Any], all_digits: bool) -> list[Any]:
    """The fields of a column; each different number or text is formatted once."""
    if column.dtype in (object, "boolean"):
        return column.astype(object).where(column.notna(), "").tolist()
    if column.dtype.kind in "iub":
        return column.tolist()
    places, different = pd.factorize(column)
    texts = different.tolist()
    if column.dtype.kind == "f":
        digits = ALL_DIGITS if all_digits else DIGITS
        texts = [_number(value, digits) for value in texts]
    fields: list[Any] = np.array([*texts, ""], dtype=object)[places].tolist()
    return fields


def _number(value: float, digits: int) -> str:
    if value.is_integer() and abs(value) < MOST_WHOLE:
        return str(int(value))
    return repr(value) if digits == ALL_DIGITS else f"{value:.{digits}g}"


def as_rows(frame: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """One mapping per row, with None for missing values."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def read(path: Path, columns: Iterable[Column] = ()) -> pd.DataFrame:
    """Read a table that `write` wrote; an algorithm called ``NA`` keeps its name.

    In CSV, columns of text stay text even if every value looks like a number. ValueError for a
    suffix other than .csv and .parquet.
    """
    columns = tuple(columns)
    if path.suffix == ".csv":
        frame = pd.read_csv(
            path,
            keep_default_na=False,
            na_values=[""],
            dtype={column.name: str for column in columns if column.text},
        )
        unsure = [n for n in frame if pd.api.types.infer_dtype(frame[n]) == "boolean"]
        frame = frame.astype({n: "boolean" for n in unsure if frame[n].dtype == object})
    elif path.suffix == ".parquet":
        frame = pd.read_parquet(path)
    else:
        raise ValueError(f"a table is read from .csv or .parquet, not {path.name}")
    return unknown_optimum.from_files(frame, column_names(columns))
