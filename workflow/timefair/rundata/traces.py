"""The events of runs and what else is nested in a record, one part at a time.

All events of a campaign may not fit into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any, Generic, Self, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.rundata.sources import Source
from timefair.statistics.runtimes import count_within


@dataclass(frozen=True)
class Part:
    """The events of some traces, one trace after the other.

    Attributes
    ----------
    rows
        The run of each trace; shape (traces here,).
    offsets
        Shape (traces here + 1,): the events of trace i are ``offsets[i]:offsets[i + 1]``.
    time_s, evaluations, precision
        One value per event, in a flat array.
    """

    rows: NDArray[np.intp]
    offsets: NDArray[np.int64]
    time_s: NDArray[np.float64]
    evaluations: NDArray[np.float64]
    precision: NDArray[np.float64]

    def at_events(self, of_runs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The value of each event's run; `of_runs` has one value per run, for all runs."""
        return np.repeat(of_runs[self.rows], np.diff(self.offsets))

    def from_reference(self, reference: NDArray[np.float64]) -> Self:
        """Precisions as distances to a reference value per run."""
        return replace(self, precision=self.precision - self.at_events(reference))

    def scaled(self, scale: NDArray[np.float64]) -> Self:
        """Times multiplied by a factor per run."""
        return replace(self, time_s=self.time_s * self.at_events(scale))


AnyPart = TypeVar("AnyPart", bound=Part)


class Parts(Generic[AnyPart]):
    """An iterable of all parts; every iteration reads them again.

    Parameters
    ----------
    read
        Starts an iteration: returns a new iterator over the parts.
    """

    def __init__(self, read: Callable[[], Iterator[AnyPart]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[AnyPart]:
        return self._read()

    def each(self, change: Callable[[AnyPart], AnyPart]) -> Self:
        """The same parts, each changed when it is read."""
        return type(self)(lambda: map(change, self))


def offsets_of(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Offsets of traces of these lengths in flat arrays; shape (traces + 1,)."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


NUMBERS = ("time_s", "evaluations", "precision")


@dataclass(frozen=True)
class TracePart(Part):
    """The events of some of the runs: one trace per run, in any order."""

    @classmethod
    def of(cls, events: pa.ChunkedArray, rows: NDArray[np.intp]) -> TracePart:
        """Read them from the column of the records, where null means no event; negative rows are
        omitted.
        """
        events, rows = events.filter(pa.array(rows >= 0)), rows[rows >= 0]
        lengths = pc.fill_null(pc.list_value_length(events), 0).to_numpy()
        flat = pc.list_flatten(events)
        numbers = [np.asarray(pc.struct_field(flat, name), dtype=np.float64) for name in NUMBERS]
        return cls(rows, offsets_of(lengths), *numbers)

    def first_precision(self) -> NDArray[np.float64]:
        """The precision of the first event of each run here; `inf` for a run without events."""
        return self._precision_at(self.offsets[:-1])

    def last_precision(self) -> NDArray[np.float64]:
        """The precision of the last event, the best of the run; `inf` for a run without events."""
        return self._precision_at(self.offsets[1:] - 1)

    def at_the_last(self, of_events: NDArray[np.float64]) -> NDArray[np.float64]:
        """The value of the last event of each run here; NaN for a run without events."""
        last = np.full(len(self.rows), np.nan)
        some = np.diff(self.offsets) > 0
        last[some] = of_events[self.offsets[1:][some] - 1]
        return last

    def _precision_at(self, events: NDArray[np.int64]) -> NDArray[np.float64]:
        precision = np.full(events.size, np.inf)
        some = np.diff(self.offsets) > 0
        precision[some] = self.precision[events[some]]
        return precision

    def begun_later(self, late_s: NDArray[np.float64], budget_s: NDArray[np.float64]) -> TracePart:
        """The same events, later by one delay per run, without those that are then at or after the
        budget.
        """
        time_s = self.time_s + self.at_events(late_s)
        kept = time_s < self.at_events(budget_s)
        return replace(
            self,
            offsets=offsets_of(count_within(kept, self.offsets)),
            time_s=time_s[kept],
            evaluations=self.evaluations[kept],
            precision=self.precision[kept],
        )

    def renumbered(self, rows: NDArray[np.intp]) -> TracePart:
        """The same traces with other rows; runs with a negative row are omitted."""
        mine = rows[self.rows]
        if (mine >= 0).all():
            return replace(self, rows=mine)
        return replace(self.taken(np.flatnonzero(mine >= 0)), rows=mine[mine >= 0])

    def taken(self, places: NDArray[np.intp]) -> TracePart:
        """The runs at some places of `rows`, in this order."""
        lengths = np.diff(self.offsets)[places]
        offsets = offsets_of(lengths)
        events = np.arange(offsets[-1]) + np.repeat(self.offsets[places] - offsets[:-1], lengths)
        numbers = [getattr(self, name)[events] for name in NUMBERS]
        return TracePart(self.rows[places], offsets, *numbers)


class Traces(Parts[TracePart]):
    """The parts of all events, each run in one of them."""

    def renumbered(self, rows: NDArray[np.intp]) -> Traces:
        """The same traces with other rows; runs with a negative row are omitted."""
        return self.each(lambda part: part.renumbered(rows))

    def __add__(self, others: Traces) -> Traces:
        """The events of these and of other runs. The other runs have other rows."""
        return Traces(lambda: chain(self, others))

    def held(self, fit: Callable[[], bool]) -> Traces:
        """The same events, kept in memory after the first pass if they fit; this is decided when
        that pass begins.
        """
        parts = cache(lambda: list(self) if fit() else self)
        return Traces(lambda: iter(parts()))

    def together(self) -> TracePart:
        """All events at once, in the order of the rows, for data that fit into memory."""
        parts = list(self)
        rows, *numbers = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", *NUMBERS)
        )
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        return TracePart(rows, offsets_of(lengths), *numbers).taken(np.argsort(rows))


_FEASIBLE_FIELDS = ("evaluations", "time_s", "outputs")
VIOLATION = 1
"""Index of the violation in the outputs (`problems.kinds.Constraints`)."""


def read_feasibility(source: Source, rows: NDArray[np.intp]) -> Traces:
    """One event per run that found a feasible point, with the violation 0 as its precision.

    Parameters
    ----------
    source
        The runs.
    rows
        The row of each run of the source, shape (runs of the source,); negative for omitted runs
        and for runs on problems without constraints.
    """
    return Traces(lambda: _feasible_parts(source, rows))


def _feasible_parts(source: Source, rows: NDArray[np.intp]) -> Iterator[TracePart]:
    first = 0
    for vectors in source.nested("vectors", _FEASIBLE_FIELDS):
        here = rows[first : first + len(vectors)]
        first += len(vectors)
        kept = here >= 0
        yield _feasible_part(vectors.filter(pa.array(kept)), here[kept])


def _feasible_part(vectors: pa.ChunkedArray, rows: NDArray[np.intp]) -> TracePart:
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


_OUTPUTS = "outputs.list.element"
"""Parquet's name of the numbers of a vector."""

Fronts = list[NDArray[np.float64]]


def read_fronts(source: Source, places: NDArray[np.intp], objectives: NDArray[np.bool_]) -> Fronts:
    """The front of each run at some places of a source: shape ``(vectors, 2)``, first column
    rising.

    It is empty for a run whose evaluations do not give two objectives; `objectives` has one value
    per place.
    """
    fronts = [front for part in source.nested("vectors", (_OUTPUTS,)) for front in _fronts_of(part)]
    nothing = np.empty((0, 2))
    return [
        fronts[place] if are else nothing for place, are in zip(places, objectives, strict=True)
    ]


def _fronts_of(column: pa.ChunkedArray) -> Fronts:
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


_VECTOR_FIELDS = ("evaluations", "time_s", "outputs.list.element")
COSTS = ("evaluations", "time_s")
"""The first columns; the others are the numbers of the vector."""

Vectors = list[NDArray[np.float64]]


def read_vectors(source: Source, places: NDArray[np.intp]) -> Vectors:
    """The vectors of the runs at some places of a source, in the order of their evaluation.

    Returns
    -------
    list of ndarray
        One per run, shape ``(vectors, 2 + numbers)``: `COSTS` and the numbers. A run without
        vectors has the shape ``(0, 2)``.
    """
    runs = [run for part in source.nested("vectors", _VECTOR_FIELDS) for run in _vectors_of(part)]
    return [runs[place] for place in places]


def _vectors_of(column: pa.ChunkedArray) -> Vectors:
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
