"""What the frames of tables share: rows below one another, names of measures, progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd


def stacked(parts: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """The parts below one another: for each column, a vector, or one value for all rows of a part.

    Without parts, the frame has no rows. ValueError if the vectors of a part differ in length.

    >>> parts = [{"algorithm": "A", "k": [1, 2]}, {"algorithm": "B", "k": [1]}]
    >>> stacked(parts, ["algorithm", "k"]).values.tolist()
    [['A', 1], ['A', 2], ['B', 1]]
    """
    pieces = [[np.atleast_1d(part[name]) for name in columns] for part in parts]
    if not pieces:
        return pd.DataFrame({name: [] for name in columns})
    lengths = np.array([[column.size for column in piece] for piece in pieces])
    single = lengths == 1
    rows = np.where(single.all(axis=1), 1, np.where(single, 0, lengths).max(axis=1))[:, np.newaxis]
    if (~single & (lengths != rows)).any():
        raise ValueError("the vectors of a part must have one length")
    repeats = np.where(single, rows, 1)
    return pd.DataFrame(
        {
            name: np.concatenate(column).repeat(repeats[:, k].repeat(lengths[:, k]))
            for k, (name, column) in enumerate(zip(columns, zip(*pieces, strict=True), strict=True))
        }
    )


def with_labels(frame: pd.DataFrame, columns: Sequence[str], like: str) -> pd.DataFrame:
    """The frame, changed: some columns, maybe with None, become NaN or labels of another's type."""
    for name in columns:
        frame[name] = frame[name].where(frame[name].notna(), np.nan).astype(frame[like].dtype)
    return frame


MEAN = "mean"


def quantile_name(p: float) -> str:
    """The name of a quantile such as ``Q.10``: two digits, or more if needed.

    >>> quantile_name(0.1), quantile_name(0.5), quantile_name(0.025), quantile_name(1.0)
    ('Q.10', 'Q.50', 'Q.025', 'Q1.00')
    """
    digits = f"{p:.2f}" if round(p, 2) == p else f"{p:g}"
    return "Q" + digits.removeprefix("0")


EVERY_S = 5.0


class Progress:
    """Called with (done, of), prints a line every few seconds; short computations print none."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._next_s = time.monotonic() + EVERY_S

    def __call__(self, done: int, of: int) -> None:
        now_s = time.monotonic()
        if now_s >= self._next_s:
            print(f"{self.what}: {done} of {of}", file=sys.stderr, flush=True)
            self._next_s = now_s + EVERY_S
