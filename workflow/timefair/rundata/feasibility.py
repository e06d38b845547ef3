"""When each run evaluated its first feasible point, on problems with constraints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.rundata.parts import offsets_of
from timefair.rundata.sources import Source
from timefair.rundata.traces import TracePart, Traces

FIELDS = ("evaluations", "time_s", "outputs")
VIOLATION = 1
"""Index of the violation in the outputs (`problems.base.Constraints.outputs`)."""


def read(source: Source, rows: NDArray[np.intp]) -> Traces:
    """One event per run that found a feasible point, with the violation 0 as its precision.

    Parameters
    ----------
    source
        The runs.
    rows
        The row of each run of the source, shape (runs of the source,); negative for omitted runs
        and for runs on problems without constraints.
    """
    return Traces(lambda: _parts(source, rows))


def _parts(source: Source, rows: NDArray[np.intp]) -> Iterator[TracePart]:
    first = 0
    for vectors in source.nested("vectors", FIELDS):
        here = rows[first : first + len(vectors)]
        first += len(vectors)
        kept = here >= 0
        yield _part(vectors.filter(pa.array(kept)), here[kept])


def _part(vectors: pa.ChunkedArray, rows: NDArray[np.intp]) -> TracePart:
    lengths = pc.fill_null(pc.list_value_length(vectors), 0).to_numpy()
    flat = pc.list_flatten(vectors)
    violation = pc.list_element(pc.struct_field(flat, "outputs"), VIOLATION)
    feasible = np.flatnonzero(np.asarray(violation, dtype=np.float64) == 0.0)
    runs, found = np.unique(np.repeat(np.arange(len(rows)), lengths)[feasible], return_index=True)
    at = feasible[found]
    time_s, evaluations = (
        np.asarray(pc.struct_field(flat, name), dtype=np.float64)[at]
        for name in ("time_s", "evaluations")
    )
    counts = np.bincount(runs, minlength=len(rows))
    return TracePart(rows, offsets_of(counts), time_s, evaluations, np.zeros(at.size))
