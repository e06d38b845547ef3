"""Evaluations of runs, counted in rounds of simultaneous ones; see `statistics.runtimes`."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from timefair.records.consistency import BATCH_FIELDS
from timefair.statistics.runtimes import rounds


def in_rounds(
    evaluations: NDArray[np.float64], batches: pa.Array, workers: int
) -> NDArray[np.float64]:
    """Number of rounds that runs had started when they had made a number of evaluations.

    Parameters
    ----------
    evaluations
        Shape (runs, ...); `inf` is returned unchanged.
    batches
        Batches of each run, from `Runs.read_batches`; none of them is null.
    workers
        Number of evaluations of a batch that run at the same time.

    Returns
    -------
    ndarray
        Same shape as `evaluations`.
    """
    found = evaluations.copy()
    for run, rows in enumerate(batches.to_pylist()):
        if rows:
            columns = ([row[name] for row in rows] for name in BATCH_FIELDS)
            found[run] = rounds(evaluations[run], *columns, workers=workers)
    return found


def without_batches(algorithms: pd.Series, batches: pa.Array) -> tuple[str, ...]:
    """The algorithms with a run whose batches are not recorded, in alphabetical order."""
    return tuple(sorted(set(algorithms[np.asarray(batches.is_null())].astype(str))))
