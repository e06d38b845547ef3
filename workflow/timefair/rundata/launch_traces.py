"""What each launch found, a part at a time: the traced launches of `records.thinning`.

The trace of a launch consists of the events of the run that it made and of its thinned ones. Some
runs have no traces: published runs, runs of schema versions before 5, and runs of a policy that
pauses launches, because their records do not say when in a launch the pause was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.records.thinning import THINNING
from timefair.rundata.sources import Source

EVENTS = ("launch", "evaluations", "time_s", "precision")
SPANS = ("start_s", "end_s", "evaluations")


@dataclass(frozen=True)
class LaunchTracePart:
    """The traced launches of some runs. Precisions fall along a launch.

    Attributes
    ----------
    rows
        The run of each launch; shape (launches here,).
    launch
        Its index in the run, from 0.
    offsets
        Shape (launches here + 1,): the events of launch i are ``offsets[i]:offsets[i + 1]``.
    time_s, evaluations, precision
        Of each event, flat. Times are seconds since the start of the launch, evaluations are
        those of the launch alone.
    """

    rows: NDArray[np.intp]
    launch: NDArray[np.intp]
    offsets: NDArray[np.int64]
    time_s: NDArray[np.float64]
    evaluations: NDArray[np.float64]
    precision: NDArray[np.float64]

    def at_events(self, of_runs: NDArray[np.float64]) -> NDArray[np.float64]:
        """A number of each run, of all runs, at each event here."""
        return np.repeat(of_runs[self.rows], np.diff(self.offsets))

    def from_reference(self, reference: NDArray[np.float64]) -> LaunchTracePart:
        """Precisions as distances to a value of each run."""
        return replace(self, precision=self.precision - self.at_events(reference))

    def scaled(self, scale: NDArray[np.float64]) -> LaunchTracePart:
        """Times multiplied by a number of each run."""
        return replace(self, time_s=self.time_s * self.at_events(scale))

    def renumbered(self, rows: NDArray[np.intp]) -> LaunchTracePart:
        """With another row for each run; launches of runs whose row is negative are left out."""
        mine = rows[self.rows]
        return replace(self, rows=mine).where(mine >= 0)

    def where(self, kept: NDArray[np.bool_]) -> LaunchTracePart:
        """Some of the launches; `kept` has the shape (launches here,)."""
        of_events = np.repeat(kept, np.diff(self.offsets))
        return LaunchTracePart(
            self.rows[kept],
            self.launch[kept],
            _offsets(np.diff(self.offsets)[kept]),
            self.time_s[of_events],
            self.evaluations[of_events],
            self.precision[of_events],
        )


class LaunchTraces:
    """The parts of all launch traces; every pass reads them anew.

    Parameters
    ----------
    read
        Begins a pass.
    """

    def __init__(self, read: Callable[[], Iterator[LaunchTracePart]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[LaunchTracePart]:
        return self._read()

    def each(self, change: Callable[[LaunchTracePart], LaunchTracePart]) -> LaunchTraces:
        """The same with every part changed when it is read."""
        return LaunchTraces(lambda: map(change, self))


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
    """From the columns of the records, of the runs of `rows`."""
    made = pc.list_value_length(log).to_numpy()
    first = _offsets(made)  # launches of all runs, one after the other
    run = np.repeat(np.arange(len(rows)), made)
    launch = np.arange(first[-1]) - first[run]
    spans = _numbers(log, SPANS)
    before = _offsets(spans["evaluations"])[:-1]
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
        offsets=_offsets(np.bincount(place, minlength=run.size)),
        time_s=event["time_s"][order] - spans["start_s"][place],
        evaluations=event["evaluations"][order] - before[place],
        precision=event["precision"][order],
    )
    traced = np.array([THINNING.traces(one) for one in range(launch.max(initial=-1) + 1)], bool)
    return traces.where(traced[launch] & ~_paused(spans, run, rows.size)[run]).renumbered(rows)


def _paused(
    spans: dict[str, NDArray[np.float64]], run: NDArray[np.intp], runs: int
) -> NDArray[np.bool_]:
    """Which runs have a launch that begins before the one before it has ended; shape (runs,)."""
    within = (spans["start_s"][1:] < spans["end_s"][:-1]) & (run[1:] == run[:-1])
    return np.bincount(run[1:][within], minlength=runs) > 0


def _numbers(column: pa.ChunkedArray, names: tuple[str, ...]) -> dict[str, NDArray[np.float64]]:
    flat = pc.list_flatten(column)
    return {name: np.asarray(pc.struct_field(flat, name), dtype=np.float64) for name in names}


def _offsets(lengths: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
