"""The launches of runs, one row per launch, and the traces of launches (`records.thinning`).

Columns: ``row``: index of the run in the frame of runs; ``start_s``, ``end_s``, ``evaluations`` and
``best_precision`` of the launch by itself; ``complete``: whether it ended by itself, by its share
tau or at the final target, and was not cut; ``unlimited``: whether neither a limit tau nor a budget
ended it.

The trace of a launch consists of its events that are also events of the run, and of its thinned own
events. Some runs have no traces: published runs, and runs of a policy that pauses launches, because
their records do not have the times of the pauses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.records.schema import RUN_SCHEMA
from timefair.records.status import COMPLETED, LaunchEnd
from timefair.records.thinning import THINNING
from timefair.rundata.sources import Source
from timefair.rundata.traces import Part, Parts, offsets_of

_LOGGED = ("start_s", "end_s", "evaluations", "best_precision")
ENDED_BY_ITSELF = [str(end) for end in sorted({*COMPLETED, LaunchEnd.TARGET})]
LIMITED = [str(LaunchEnd.TAU), str(LaunchEnd.CUT)]


def read_launches(
    source: Source, rows: NDArray[np.intp], reference: NDArray[np.float64]
) -> pd.DataFrame:
    """The launches of all runs without a negative row, in the order of the rows.

    Precisions are distances to `reference`, one number per run.
    """
    parts = [_flat(pa.chunked_array([], RUN_SCHEMA.field("launch_log").type), rows[:0])]
    first = 0
    for log in source.nested("launch_log", (*_LOGGED, "end")):
        here = rows[first : first + len(log)]
        first += len(log)
        parts.append(_flat(log, here))
    launches = pd.concat(parts, ignore_index=True)
    launches = launches[launches["row"] >= 0].sort_values("row", kind="stable", ignore_index=True)
    return launches_from(launches, reference)


def _flat(log: pa.ChunkedArray, rows: NDArray[np.intp]) -> pd.DataFrame:
    lengths = pc.fill_null(pc.list_value_length(log), 0).to_numpy()
    flat = pc.list_flatten(log)
    end = pc.struct_field(flat, "end")
    complete = pc.is_in(end, pa.array(ENDED_BY_ITSELF))
    unlimited = pc.invert(pc.is_in(end, pa.array(LIMITED)))
    numbers = {name: np.asarray(pc.struct_field(flat, name), dtype=np.float64) for name in _LOGGED}
    return pd.DataFrame(
        {
            "row": np.repeat(rows, lengths),
            **numbers,
            "complete": np.asarray(complete),
            "unlimited": np.asarray(unlimited),
        }
    )


def launches_of(launches: pd.DataFrame, rows: NDArray[np.intp]) -> pd.DataFrame:
    """The same launches with other rows for their runs; those of runs with a negative row are
    omitted.
    """
    moved = launches.assign(row=rows[launches["row"]])
    return moved[moved["row"] >= 0].sort_values("row", kind="stable", ignore_index=True)


def launches_from(launches: pd.DataFrame, reference: NDArray[np.float64]) -> pd.DataFrame:
    """Precisions as distances to a reference value per run."""
    precision = launches["best_precision"] - reference[launches["row"]]
    return launches.assign(best_precision=precision)


def scaled_launches(launches: pd.DataFrame, scale: NDArray[np.float64]) -> pd.DataFrame:
    """The same launches with times multiplied by one factor per run."""
    of_launch = scale[launches["row"]]
    return launches.assign(
        start_s=launches["start_s"] * of_launch, end_s=launches["end_s"] * of_launch
    )


def launches_begun_later(
    launches: pd.DataFrame, late_s: NDArray[np.float64], budget_s: NDArray[np.float64]
) -> pd.DataFrame:
    """The same launches, later by one delay per run; a launch that then ends at or after the budget
    is cut there.
    """
    delay, limit = late_s[launches["row"]], budget_s[launches["row"]]
    end_s = launches["end_s"] + delay
    return launches.assign(
        start_s=launches["start_s"] + delay,
        end_s=np.minimum(end_s, limit),
        complete=launches["complete"] & (end_s < limit),
        unlimited=launches["unlimited"] & (end_s < limit),
    )[launches["start_s"] + delay < limit].reset_index(drop=True)


_EVENTS = ("launch", "evaluations", "time_s", "precision")
_SPANS = ("start_s", "end_s", "evaluations")


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


def read_launch_traces(source: Source, rows: NDArray[np.intp]) -> LaunchTraces:
    """The launch traces of a source, of the runs whose row is not negative."""
    return LaunchTraces(lambda: _parts(source, rows))


def _parts(source: Source, rows: NDArray[np.intp]) -> Iterator[LaunchTracePart]:
    first = 0
    for events, launch_events, log in zip(
        source.nested("events", _EVENTS),
        source.nested("launch_events", _EVENTS),
        source.nested("launch_log", _SPANS),
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
    spans = _numbers(log, _SPANS)
    before = offsets_of(spans["evaluations"])[:-1]
    before -= before[first[run]]

    both = pa.chunked_array([*events.chunks, *launch_events.chunks], events.type)
    event = _numbers(both, _EVENTS)
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


@dataclass(frozen=True)
class TracedLaunches:
    """Launches of runs, in any order.

    Attributes
    ----------
    rows
        The run of each launch; shape (launches,).
    launch
        Index of each launch in its run, from 0.
    seconds, evaluations
        Cost of each launch to each target, counted from its own start; `inf` if it did not reach
        the target. Shape (launches, targets).
    """

    rows: NDArray[np.intp]
    launch: NDArray[np.intp]
    seconds: NDArray[np.float64]
    evaluations: NDArray[np.float64]

    def reached_at(self, unit: Literal["seconds", "evaluations"]) -> NDArray[np.float64]:
        """The cost in one of the units."""
        return self.seconds if unit == "seconds" else self.evaluations
