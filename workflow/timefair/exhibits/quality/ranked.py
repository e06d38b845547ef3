"""Ranks of algorithms within a problem, as a column of a frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.ranks import rank


def ranks_within(frame: pd.DataFrame, keys: Sequence[str], column: str) -> NDArray[np.float64]:
    """Rank of each row among those with the same keys; less is better.

    Ties share their average rank; `inf` and NaN share the worst.
    """
    values = frame[column].to_numpy(dtype=np.float64)
    ranks = np.empty(values.shape)
    groups = list(map(np.asarray, frame.groupby(list(keys)).indices.values()))
    for size in {rows.size for rows in groups}:
        alike = np.stack([rows for rows in groups if rows.size == size])
        ranks[alike] = rank(values[alike])
    return ranks
