"""The nondominated vectors of each run with two objectives."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.rundata.parts import offsets_of
from timefair.rundata.sources import Source

_OUTPUTS = "outputs.list.element"
"""Parquet's name of the numbers of a vector."""

Fronts = list[NDArray[np.float64]]


def read(source: Source, places: NDArray[np.intp], objectives: NDArray[np.bool_]) -> Fronts:
    """The front of each run at some places of a source: shape ``(vectors, 2)``, first column
    rising.

    It is empty for a run whose evaluations do not give two objectives; `objectives` has one value
    per place.
    """
    fronts = [front for part in source.nested("vectors", (_OUTPUTS,)) for front in _of_column(part)]
    nothing = np.empty((0, 2))
    return [
        fronts[place] if are else nothing for place, are in zip(places, objectives, strict=True)
    ]


def _of_column(column: pa.ChunkedArray) -> Fronts:
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy()
    outputs = pc.struct_field(pc.list_flatten(column), "outputs")
    numbers = pc.list_flatten(outputs).to_numpy()
    counts = np.asarray(pc.list_value_length(outputs).to_numpy(), dtype=np.int64)
    first = offsets_of(lengths)  # vectors of all runs, one after the other
    begin = offsets_of(counts)[first]
    return [
        nondominated(numbers[start:end].reshape(length, -1)) if length else np.empty((0, 2))
        for start, end, length in zip(begin[:-1], begin[1:], lengths, strict=True)
    ]


def nondominated(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The vectors that no other vector weakly dominates, without duplicates, sorted by their first
    number.

    Examples
    --------
    >>> nondominated(np.array([[2.0, 1.0], [1.0, 3.0], [2.0, 2.0], [2.0, 1.0]])).tolist()
    [[1.0, 3.0], [2.0, 1.0]]
    """
    if vectors.size == 0 or vectors.shape[1] != 2:
        return np.empty((0, 2))
    ordered = vectors[np.lexsort((vectors[:, 1], vectors[:, 0]))]
    least = np.minimum.accumulate(ordered[:, 1])
    falls = np.diff(least, prepend=np.inf) < 0
    return np.asarray(ordered[falls], dtype=np.float64)
