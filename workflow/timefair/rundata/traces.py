"""The events of runs, one part at a time, because all events of a campaign may not fit
into memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.rundata.parts import Part, Parts, offsets_of
from timefair.statistics.runtimes import count_within

FIELDS = ("time_s", "evaluations", "precision")


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
        numbers = [np.asarray(pc.struct_field(flat, name), dtype=np.float64) for name in FIELDS]
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
        numbers = [getattr(self, name)[events] for name in FIELDS]
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
            np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", *FIELDS)
        )
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        return TracePart(rows, offsets_of(lengths), *numbers).taken(np.argsort(rows))
