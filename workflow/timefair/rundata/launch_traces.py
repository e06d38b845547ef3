"""The traces of launches (`records.thinning`), one part at a time.

The trace of a launch consists of its events that are also events of the run, and of its thinned own
events. Some runs have no traces: published runs, runs of schema versions before 5, and runs of a
policy that pauses launches, because their records do not have the times of the pauses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.records.thinning import THINNING
from timefair.rundata.parts import Part, Parts, offsets_of
from timefair.rundata.sources import Source

EVENTS = ("launch", "evaluations", "time_s", "precision")
SPANS = ("start_s", "end_s", "evaluations")


@dataclass(frozen=True)
class LaunchTracePart(Part):
    """The traced launches of some runs; `rows` has one entry per launch.

    Precisions decrease along a launch. Times and evaluations count from the start of the launch.

    Attributes
    ----------
    launch
        The index of each launch in its run, from 0; shape (launches here,).
    """

    launch: NDArray[np.intp]

    def renumbered(self, rows: NDArray[np.intp]) -> LaunchTracePart:
        """The same launches with other rows for their runs; launches of runs with a negative row
        are omitted.
        """
        mine = rows[self.rows]
        return replace(self, rows=mine).where(mine >= 0)

    def where(self, kept: NDArray[np.bool_]) -> LaunchTracePart:
        """Some of the launches; `kept` has the shape (launches here,)."""
        of_events = np.repeat(kept, np.diff(self.offsets))
        return LaunchTracePart(
            rows=self.rows[kept],
            launch=self.launch[kept],
            offsets=offsets_of(np.diff(self.offsets)[kept]),
            time_s=self.time_s[of_events],
            evaluations=self.evaluations[of_events],
            precision=self.precision[of_events],
        )


class LaunchTraces(Parts[LaunchTracePart]):
    """The parts of all launch traces."""


def read(source: Source, rows: NDArray[np.intp]) -> LaunchTraces:
    """The launch traces of a source, of the runs whose row is not negative."""
    return LaunchTraces(lambda: _parts(source, rows))


def _parts(source: Source, rows: NDArray[np.intp]) -> Iterator[LaunchTracePart]:
    first = 0
    for events, launch_events, log in zip(
        source.nested("events", EVENTS),
        source.nested("launch_events", EVENTS),
        source.nested("launch_log", SPANS),
        strict=True,
    ):
        here = rows[first : first + len(events)]
        first += len(events)
        kept = (here >= 0) & np.asarray(launch_events.is_valid())
        mask = pa.array(kept)
        yield _part(events.filter(mask), launch_events.filter(mask), log.filter(mask), here[kept])


def _part(
    events: pa.ChunkedArray,
    launch_events: pa.ChunkedArray,
    log: pa.ChunkedArray,
    rows: NDArray[np.intp],
) -> LaunchTracePart:
    """The launches of the runs in `rows`, from the columns of the records."""
    made = pc.list_value_length(log).to_numpy()
    first = offsets_of(made)  # launches of all runs, one after the other
    run = np.repeat(np.arange(len(rows)), made)
    launch = np.arange(first[-1]) - first[run]
    spans = _numbers(log, SPANS)
    before = offsets_of(spans["evaluations"])[:-1]
    before -= before[first[run]]

    both = pa.chunked_array([*events.chunks, *launch_events.chunks], events.type)
    event = _numbers(both, EVENTS)
    of_run = np.repeat(np.tile(first[:-1], 2), pc.list_value_length(both).to_numpy())
    place = of_run + event["launch"].astype(np.intp)
    order = np.lexsort((event["evaluations"], place))
    place = place[order]
    traces = LaunchTracePart(
        rows=run,
        launch=launch,
        offsets=offsets_of(np.bincount(place, minlength=run.size)),
        time_s=event["time_s"][order] - spans["start_s"][place],
        evaluations=event["evaluations"][order] - before[place],
        precision=event["precision"][order],
    )
    traced = np.array([THINNING.traces(one) for one in range(launch.max(initial=-1) + 1)], bool)
    return traces.where(traced[launch] & ~_paused(spans, run, rows.size)[run]).renumbered(rows)


def _paused(
    spans: dict[str, NDArray[np.float64]], run: NDArray[np.intp], runs: int
) -> NDArray[np.bool_]:
    """Which runs have a launch that begins before the previous one has ended; shape (runs,)."""
    within = (spans["start_s"][1:] < spans["end_s"][:-1]) & (run[1:] == run[:-1])
    return np.bincount(run[1:][within], minlength=runs) > 0


def _numbers(column: pa.ChunkedArray, names: tuple[str, ...]) -> dict[str, NDArray[np.float64]]:
    flat = pc.list_flatten(column)
    return {name: np.asarray(pc.struct_field(flat, name), dtype=np.float64) for name in names}
