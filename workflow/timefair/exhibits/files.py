"""Tables as files."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from timefair.exhibits.exhibit import Column


def write(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV or Parquet, by the path's suffix; values unrounded.

    In CSV `inf` is ``inf`` and NaN an empty field.

    Raises
    ------
    ValueError
        For another suffix.
    """
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
        Of the table, for CSV: those of text stay text even if every value looks like a number.

    Raises
    ------
    ValueError
        For another suffix.
    """
    if path.suffix == ".csv":
        return pd.read_csv(
            path,
            keep_default_na=False,
            na_values=[""],
            dtype={column.name: str for column in columns if column.text},
        )
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    raise ValueError(f"a table is read from .csv or .parquet, not {path.name}")
