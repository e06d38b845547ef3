"""Evaluations of runs in rounds of several at the same time; see `statistics.rounds`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from timefair.records.consistency import BATCH_FIELDS
from timefair.rundata.runs import Runs
from timefair.statistics.rounds import rounds


def in_rounds(runs: Runs, evaluations: NDArray[np.float64], workers: int) -> NDArray[np.float64]:
    """Rounds that the runs had begun after so many evaluations.

    Parameters
    ----------
    runs
        Whose batches are recorded.
    evaluations
        Shape (runs, ...); `inf` stays.
    workers
        How many evaluations of a batch run at the same time.

    Returns
    -------
    ndarray
        Of the shape of `evaluations`, which it is with one worker.
    """
    if workers == 1:
        return evaluations
    found = evaluations.copy()
    for run, batches in enumerate(runs.read_batches().to_pylist()):
        if batches:
            columns = ([row[name] for row in batches] for name in BATCH_FIELDS)
            found[run] = rounds(evaluations[run], *columns, workers=workers)
    return found


def without_batches(runs: Runs) -> list[str]:
    """The algorithms with a run whose batches are not recorded, by the alphabet."""
    unknown = np.asarray(runs.read_batches().is_null())
    return sorted(set(runs.frame["algorithm"][unknown].astype(str)))
