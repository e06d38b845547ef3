"""The vectors of each run whose evaluations give several numbers, with their costs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.rundata.parts import offsets_of
from timefair.rundata.sources import Source

FIELDS = ("evaluations", "time_s", "outputs.list.element")
COSTS = ("evaluations", "time_s")
"""The first columns; the others are the numbers of the vector."""

Vectors = list[NDArray[np.float64]]


def read(source: Source, places: NDArray[np.intp]) -> Vectors:
    """The vectors of the runs at some places of a source, in the order of their evaluation.

    Returns
    -------
    list of ndarray
        One per run, shape ``(vectors, 2 + numbers)``: `COSTS` and the numbers. A run without
        vectors has the shape ``(0, 2)``.
    """
    runs = [run for part in source.nested("vectors", FIELDS) for run in _of_column(part)]
    return [runs[place] for place in places]


def _of_column(column: pa.ChunkedArray) -> Vectors:
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy()
    flat = pc.list_flatten(column)
    outputs = pc.struct_field(flat, "outputs")
    numbers = np.asarray(pc.list_flatten(outputs).to_numpy(), dtype=np.float64)
    counts = np.asarray(pc.list_value_length(outputs).to_numpy(), dtype=np.int64)
    costs = np.column_stack(
        [np.asarray(pc.struct_field(flat, name).to_numpy(), dtype=np.float64) for name in COSTS]
    )
    first = offsets_of(lengths)  # vectors of all runs, one after the other
    begin = offsets_of(counts)[first]
    return [
        np.column_stack([costs[first[run] : first[run + 1]], _rows(numbers[start:end], length)])
        for run, (start, end, length) in enumerate(zip(begin[:-1], begin[1:], lengths, strict=True))
    ]


def _rows(numbers: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    """The numbers of `length` vectors, one row per vector."""
    return numbers.reshape(length, -1) if length else np.empty((0, 0))
