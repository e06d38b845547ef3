"""Makes one frame of many parts at once, because one frame per part would be slow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd


def stacked(parts: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """The parts below one another.

    Parameters
    ----------
    parts : iterable of mappings
        For each column, a vector of values, or one value for all rows of the part.
    columns : sequence of str
        The columns of the frame, which every part has. Without parts, the frame has no rows.

    Examples
    --------
    >>> parts = [{"algorithm": "A", "k": [1, 2]}, {"algorithm": "B", "k": [1]}]
    >>> stacked(parts, ["algorithm", "k"]).values.tolist()
    [['A', 1], ['A', 2], ['B', 1]]
    """
    pieces: dict[str, list[Any]] = {name: [] for name in columns}
    for part in parts:
        values = [np.atleast_1d(part[name]) for name in columns]
        rows = np.broadcast_shapes(*(column.shape for column in values))
        for name, column in zip(columns, values, strict=True):
            pieces[name].append(np.broadcast_to(column, rows))
    return pd.DataFrame(
        {name: np.concatenate(piece) if piece else [] for name, piece in pieces.items()}
    )
