"""Tables as files."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from timefair.exhibits import unknown_optimum
from timefair.exhibits.exhibit import Column, column_names


def write(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV or Parquet, by the path's suffix; values unrounded.

    In CSV `inf` is ``inf`` and NaN an empty field. Where nobody knows the optimum, the names of
    columns have ``gap`` instead of ``precision``.

    Raises
    ------
    ValueError
        For another suffix.
    """
    frame = unknown_optimum.in_files(frame)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False, lineterminator="\n")
    elif path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        raise ValueError(f"a table is written as .csv or .parquet, not {path.name}")


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
