"""The events of runs, a part at a time: a campaign may have more of them than memory holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.statistics.traces import count_within

FIELDS = ("time_s", "evaluations", "precision")


@dataclass(frozen=True)
class TracePart:
    """The events of some of the runs.

    Attributes
    ----------
    rows
        Which of the runs these are, each once, in any order; shape (runs here,).
    offsets
        Shape (runs here + 1,): the events of the run ``rows[i]`` are ``offsets[i]:offsets[i + 1]``.
    time_s, evaluations, precision
        Of each event, flat.
    """

    rows: NDArray[np.intp]
    offsets: NDArray[np.int64]
    time_s: NDArray[np.float64]
    evaluations: NDArray[np.float64]
    precision: NDArray[np.float64]

    @classmethod
    def of(cls, events: pa.ChunkedArray, rows: NDArray[np.intp]) -> TracePart:
        """From the column of the records; a run whose row is negative is left out, null is none."""
        events, rows = events.filter(pa.array(rows >= 0)), rows[rows >= 0]
        lengths = pc.fill_null(pc.list_value_length(events), 0).to_numpy()
        flat = pc.list_flatten(events)
        numbers = [np.asarray(pc.struct_field(flat, name), dtype=np.float64) for name in FIELDS]
        return cls(rows, _offsets(lengths), *numbers)

    def at_events(self, of_runs: NDArray[np.float64]) -> NDArray[np.float64]:
        """A number of each run, of all runs, at each event here."""
        return np.repeat(of_runs[self.rows], np.diff(self.offsets))

    def first_precision(self) -> NDArray[np.float64]:
        """At the first event of each run here; `inf` for a run without any."""
        return self._precision_at(self.offsets[:-1])

    def last_precision(self) -> NDArray[np.float64]:
        """At the last event, the best of the run; `inf` for a run without any."""
        return self._precision_at(self.offsets[1:] - 1)

    def at_the_last(self, of_events: NDArray[np.float64]) -> NDArray[np.float64]:
        """A number of the last event of each run here; NaN for a run without any."""
        last = np.full(len(self.rows), np.nan)
        some = np.diff(self.offsets) > 0
        last[some] = of_events[self.offsets[1:][some] - 1]
        return last

    def _precision_at(self, events: NDArray[np.int64]) -> NDArray[np.float64]:
        precision = np.full(events.size, np.inf)
        some = np.diff(self.offsets) > 0
        precision[some] = self.precision[events[some]]
        return precision

    def from_reference(self, reference: NDArray[np.float64]) -> TracePart:
        """Precisions as distances to a value of each run."""
        return replace(self, precision=self.precision - self.at_events(reference))

    def scaled(self, scale: NDArray[np.float64]) -> TracePart:
        """Times multiplied by a number of each run."""
        return replace(self, time_s=self.time_s * self.at_events(scale))

    def begun_later(self, late_s: NDArray[np.float64], budget_s: NDArray[np.float64]) -> TracePart:
        """Times later by a number of each run; what then lies at or after its budget is dropped."""
        time_s = self.time_s + self.at_events(late_s)
        kept = time_s < self.at_events(budget_s)
        return replace(
            self,
            offsets=_offsets(count_within(kept, self.offsets)),
            time_s=time_s[kept],
            evaluations=self.evaluations[kept],
            precision=self.precision[kept],
        )

    def renumbered(self, rows: NDArray[np.intp]) -> TracePart:
        """With another row for each of all runs; those whose row is negative are left out."""
        mine = rows[self.rows]
        if (mine >= 0).all():
            return replace(self, rows=mine)
        return replace(self.taken(np.flatnonzero(mine >= 0)), rows=mine[mine >= 0])

    def taken(self, places: NDArray[np.intp]) -> TracePart:
        """The runs at some places of `rows`, in this order."""
        lengths = np.diff(self.offsets)[places]
        offsets = _offsets(lengths)
        events = np.arange(offsets[-1]) + np.repeat(self.offsets[places] - offsets[:-1], lengths)
        numbers = [getattr(self, name)[events] for name in FIELDS]
        return TracePart(self.rows[places], offsets, *numbers)


class Traces:
    """The parts of all events, each run in one of them; every pass reads them anew.

    Parameters
    ----------
    read
        Begins a pass.
    """

    def __init__(self, read: Callable[[], Iterator[TracePart]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[TracePart]:
        return self._read()

    def each(self, change: Callable[[TracePart], TracePart]) -> Traces:
        """The same with every part changed when it is read."""
        return Traces(lambda: map(change, self))

    def renumbered(self, rows: NDArray[np.intp]) -> Traces:
        """With another row for each run; those whose row is negative are left out."""
        return self.each(lambda part: part.renumbered(rows))

    def __add__(self, others: Traces) -> Traces:
        """These and those of other runs, whose rows are not among these."""
        return Traces(lambda: chain(self, others))

    def held(self, fit: Callable[[], bool]) -> Traces:
        """The same, kept in memory after the first pass if they fit: asked when that begins."""
        parts = cache(lambda: list(self) if fit() else self)
        return Traces(lambda: iter(parts()))

    def together(self) -> TracePart:
        """All events at once, in the order of the rows, where memory holds them."""
        parts = list(self)
        rows, *numbers = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", *FIELDS)
        )
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        return TracePart(rows, _offsets(lengths), *numbers).taken(np.argsort(rows))


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
