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
    for rows in frame.groupby(list(keys)).indices.values():
        ranks[rows] = rank(values[rows])
    return ranks
