"""Tables as files."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from timefair.exhibits import unknown_optimum
from timefair.exhibits.exhibit import Column, column_names

DIGITS = 7
"""Significant digits of CSV: the time of a run of one second to a tenth of a microsecond. Intervals
are far wider."""


def write(frame: pd.DataFrame, path: Path, columns: Iterable[Column] = ()) -> None:
    """Write a table as CSV or Parquet, by the path's suffix.

    Parquet has every digit of all values. CSV has every digit of whole numbers and of columns that
    are exact, and `DIGITS` of others; `inf` is ``inf`` and NaN an empty field. Where nobody knows
    the optimum, the names of columns have ``gap`` instead of ``precision``.

    Parameters
    ----------
    frame
        The table.
    path
        A file in CSV or Parquet.
    columns
        Of the table: they say what is exact.

    Raises
    ------
    ValueError
        For another suffix.
    """
    if path.suffix == ".csv":
        frame = rounded(frame, DIGITS, without=[column.name for column in columns if column.exact])
    frame = unknown_optimum.in_files(frame)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False, lineterminator="\n")
    elif path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        raise ValueError(f"a table is written as .csv or .parquet, not {path.name}")


def rounded(frame: pd.DataFrame, digits: int, without: Collection[str] = ()) -> pd.DataFrame:
    """A table with so many significant digits of numbers that are not whole, some columns apart.

    Examples
    --------
    >>> rounded(pd.DataFrame({"a": [1234567.0, 0.1234]}), 3)["a"].tolist()
    [1234567.0, 0.123]
    """
    columns = {}
    for name, column in frame.select_dtypes("float").items():
        if name in without:
            continue
        different, place = np.unique(column.to_numpy(dtype=np.float64), return_inverse=True)
        broken = np.isfinite(different) & (different != np.rint(different))
        different[broken] = [float(f"{value:.{digits}g}") for value in different[broken]]
        columns[str(name)] = different[place]
    return frame.assign(**columns)


def as_rows(frame: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """One mapping per row, with None for what is missing."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def read(path: Path, columns: Iterable[Column] = ()) -> pd.DataFrame:
    """Read a table that `write` wrote; an algorithm called ``NA`` keeps its name.

    Parameters
    ----------
    path
        A file in CSV or Parquet.
    columns
        Of the table: `write` may have given them other names, and in CSV those of text stay text
        even if every value looks like a number.

    Raises
    ------
    ValueError
        For another suffix.
    """
    columns = tuple(columns)
    if path.suffix == ".csv":
        frame = pd.read_csv(
            path,
            keep_default_na=False,
            na_values=[""],
            dtype={column.name: str for column in columns if column.text},
        )
    elif path.suffix == ".parquet":
        frame = pd.read_parquet(path)
    else:
        raise ValueError(f"a table is read from .csv or .parquet, not {path.name}")
    return unknown_optimum.from_files(frame, column_names(columns))
