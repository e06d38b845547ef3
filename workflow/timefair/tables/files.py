"""Tables as files."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pandas as pd

TEXT = (
    "suite", "algorithm", "algorithm_a", "algorithm_b", "other", "against", "better",
    "better_by_mean", "better_by_median", "winner_by_evaluations", "winner_by_time",
    "runtime_s_text", "runtime_evaluations_text",
)  # fmt: skip
"""Columns that are text even if every value looks like a number."""


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
    """A mapping a row, with None for what is missing."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def read(path: Path) -> pd.DataFrame:
    """Read a table that `write` wrote; an algorithm called ``NA`` keeps its name.

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
            dtype=dict.fromkeys(TEXT, str),
        )
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    raise ValueError(f"a table is read from .csv or .parquet, not {path.name}")
