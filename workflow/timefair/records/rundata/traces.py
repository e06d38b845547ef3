"""What is nested in the records of runs: events, launches and vectors, one part at a time.

All events of a campaign may not fit into memory. A run is noisy if its column ``noise_free_f`` is
not null: its values without noise are in ``vectors`` (with the measured value) and
``recommendations``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Self, TypeAlias, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.basics.optimum import precision
from timefair.records.integrity import Origins
from timefair.records.rundata.settings import NoisyValue
from timefair.records.schema import BY_PLACE, PUBLISHED, RUN_SCHEMA
from timefair.records.status import COMPLETED, LaunchEnd
from timefair.records.store import NODES, nodes_of, open_record, with_facts
from timefair.records.thinning import THINNING
from timefair.statistics.runtimes import Rule, count_within, trace

PLAIN = [field.name for field in RUN_SCHEMA if not pa.types.is_list(field.type)]


def aligned(
    source: Source, rows: NDArray[np.intp], **columns: Sequence[str]
) -> Iterator[tuple[NDArray[np.intp], list[pa.ChunkedArray]]]:
    """Some nested columns of the runs that have a row, with these rows, part by part.

    `rows` has one value for each run of the source, negative to omit it.
    """
    first = 0
    for parts in zip(*(source.nested(*one) for one in columns.items()), strict=True):
        here = rows[first : first + len(parts[0])]
        first += len(here)
        kept = here >= 0
        yield here[kept], [part.filter(pa.array(kept)) for part in parts]


class Held:
    """A table of `RUN_SCHEMA`, with the facts in its metadata."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def plain(self) -> pa.Table:
        return self._table.select(PLAIN)

    def nested(self, column: str, fields: Sequence[str]) -> Iterator[pa.ChunkedArray]:
        yield self._table[column]

    def events(self) -> int:
        return pc.sum(pc.list_value_length(self._table["events"])).as_py() or 0


class Stored:
    """Record files with any number of runs. Every pass checks the data that it reads."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = tuple(paths)

    def plain(self) -> pa.Table:
        """The columns of all runs that are not nested; `InputError`: incomplete ones."""
        tables = [RUN_SCHEMA.empty_table().select(PLAIN)]
        listed: dict[str, list[dict[str, Any]]] = {name: [] for name in BY_PLACE}
        nodes: list[dict[str, Any]] = []
        origins: dict[str, Origins] = {}
        published: dict[str, Any] = {}
        faults: list[str] = []
        for path in self._paths:
            try:
                record = open_record(path)
                tables.append(record.read(PLAIN))
            except InputError as error:
                faults += error.faults
                continue
            for name in BY_PLACE:
                listed[name] += record.facts.get(name, [])
            for label in pc.unique(tables[-1]["algorithm"]).to_pylist():
                nodes += [{**row, "algorithm": label} for row in nodes_of(record.facts, tables[-1])]
                if PUBLISHED in record.facts:
                    published[label] = record.facts[PUBLISHED]
                else:
                    origin = origins.setdefault(label, Origins())
                    origin.add(record.facts)
                    origin.started(record.facts, tables[-1]["started_utc"].to_pylist())
        if faults:
            raise InputError(*faults)
        named = {label: vars(one) for label, one in origins.items()}
        facts = {**listed, NODES: nodes, "origins": named, PUBLISHED: published}
        return with_facts(pa.concat_tables(tables), facts)

    def nested(self, column: str, fields: Sequence[str]) -> Iterator[pa.ChunkedArray]:
        element = f"{column}.list.element"
        columns = [f"{element}.{name}" for name in fields] or [element]
        for path in self._paths:
            for runs in open_record(path).row_groups(columns):
                yield runs[column]

    def events(self) -> int:
        """Number of events; a run without events counts as one."""
        count = 0
        for path in self._paths:
            metadata = open_record(path).file.metadata
            last = metadata.num_columns - 1  # a field of the events: they end the schema
            groups = range(metadata.num_row_groups)
            count += sum(metadata.row_group(k).column(last).num_values for k in groups)
        return count


Source: TypeAlias = Held | Stored
"""Runs in an arbitrary order, the same in every pass: all columns that are not nested, with facts;
a nested column with at least some fields, by parts; and at most the number of events.
"""


@dataclass(frozen=True)
class Part:
    """The events of some traces, one trace after the other.

    `rows`, shape (traces here,), is the run of each trace, and the events of trace i are
    ``offsets[i]:offsets[i + 1]`` of the other arrays.
    """

    of_traces: ClassVar[tuple[str, ...]] = ("rows",)  # names of the arrays with one value per trace

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
        return replace(self, time_s=self.time_s * self.at_events(scale))

    def taken(self, places: NDArray[np.intp]) -> Self:
        """The traces at some places of `rows`, in this order."""
        lengths = np.diff(self.offsets)[places]
        offsets = offsets_of(lengths)
        events = np.arange(offsets[-1]) + np.repeat(self.offsets[places] - offsets[:-1], lengths)
        return self._changed(offsets, places, events)

    def renumbered(self, rows: NDArray[np.intp]) -> Self:
        """The same traces with other rows; those of runs with a negative row are omitted."""
        mine = rows[self.rows]
        if (mine >= 0).all():
            return replace(self, rows=mine)
        return replace(self.taken(np.flatnonzero(mine >= 0)), rows=mine[mine >= 0])

    def with_events(self, kept: NDArray[np.bool_]) -> Self:
        """The same traces with some of their events, shape (events,)."""
        return self._changed(offsets_of(count_within(kept, self.offsets)), slice(None), kept)

    def _changed(
        self, offsets: NDArray[np.int64], traces: NDArray[np.intp] | slice, events: NDArray[Any]
    ) -> Self:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        chosen = {
            name: value[traces if name in self.of_traces else events]
            for name, value in values.items()
            if name != "offsets"
        }
        return replace(self, offsets=offsets, **chosen)


AnyPart = TypeVar("AnyPart", bound=Part)


class Parts(Generic[AnyPart]):
    """An iterable of all parts; `read` begins to read them at each iteration."""

    def __init__(self, read: Callable[[], Iterator[AnyPart]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[AnyPart]:
        return self._read()

    def each(self, change: Callable[[AnyPart], AnyPart]) -> Self:
        return type(self)(lambda: map(change, self))

    def renumbered(self, rows: NDArray[np.intp]) -> Self:
        """The same traces with other rows; those of runs with a negative row are omitted."""
        return self.each(lambda part: part.renumbered(rows))


def offsets_of(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Offsets of traces of these lengths in flat arrays; shape (traces + 1,)."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _flat(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], pa.ChunkedArray]:
    """The number of nested rows of each run, 0 for null, and all of these rows."""
    return pc.fill_null(pc.list_value_length(column), 0).to_numpy(), pc.list_flatten(column)


def _numbers(flat: pa.ChunkedArray, names: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    return {name: np.asarray(pc.struct_field(flat, name), dtype=np.float64) for name in names}


NUMBERS = ("time_s", "evaluations", "precision")


@dataclass(frozen=True)
class TracePart(Part):
    """The events of some of the runs: one trace per run, in any order."""

    @classmethod
    def of(cls, events: pa.ChunkedArray, rows: NDArray[np.intp]) -> TracePart:
        """Read them from the column of the records; null means no event."""
        lengths, flat = _flat(events)
        return cls(rows, offsets_of(lengths), **_numbers(flat, NUMBERS))

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
        """The same events, later by one delay per run, without those at or after the budget."""
        later = replace(self, time_s=self.time_s + self.at_events(late_s))
        return later.with_events(later.time_s < self.at_events(budget_s))


class Traces(Parts[TracePart]):
    """The parts of all events, each run in one of them."""

    def __add__(self, others: Traces) -> Traces:
        """The events of these and of other runs. The other runs have other rows."""
        return Traces(lambda: chain(self, others))

    def held(self, fit: Callable[[], bool]) -> Traces:
        """The same events, kept in memory after the first pass if they fit then."""
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
VIOLATION = 1  # index of the violation in the outputs (`problems.kinds.Constraints`)


def read_feasibility(source: Source, rows: NDArray[np.intp]) -> Traces:
    """One event per run that found a feasible point, with the violation 0 as its precision."""

    def parts() -> Iterator[TracePart]:
        for here, (vectors,) in aligned(source, rows, vectors=_FEASIBLE_FIELDS):
            lengths, flat = _flat(vectors)
            violation = pc.list_element(pc.struct_field(flat, "outputs"), VIOLATION)
            feasible = np.flatnonzero(np.asarray(violation, dtype=np.float64) == 0.0)
            run = np.repeat(np.arange(len(here)), lengths)[feasible]
            runs, first = np.unique(run, return_index=True)
            costs = _numbers(flat.take(pa.array(feasible[first])), COSTS)
            offsets = offsets_of(np.bincount(runs, minlength=len(here)))
            yield TracePart(here, offsets, **costs, precision=np.zeros(runs.size))

    return Traces(parts)


def nondominated(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The vectors that no other one weakly dominates, without duplicates, by their first number.

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
COSTS = ("evaluations", "time_s")  # the first columns; the others are the numbers of the vector
Vectors = list[NDArray[np.float64]]


def read_vectors(source: Source, places: NDArray[np.intp]) -> Vectors:
    """The vectors of the runs at some places of a source, in the order of their evaluation.

    One array per run, shape ``(vectors, 2 + numbers)``: `COSTS` and the numbers; ``(0, 2)``: none.
    """
    runs = [run for part in source.nested("vectors", _VECTOR_FIELDS) for run in _vectors_of(part)]
    return [runs[place] for place in places]


def _vectors_of(column: pa.ChunkedArray) -> Vectors:
    lengths, flat = _flat(column)
    outputs = pc.struct_field(flat, "outputs")
    numbers = np.asarray(pc.list_flatten(outputs).to_numpy(), dtype=np.float64)
    costs = np.column_stack(list(_numbers(flat, COSTS).values()))
    first = offsets_of(lengths)  # vectors of all runs, one after the other
    begin = offsets_of(pc.list_value_length(outputs).to_numpy())[first]
    return [
        np.column_stack(
            [
                costs[first[run] : first[run + 1]],
                numbers[start:end].reshape(length, -1) if length else np.empty((0, 0)),
            ]
        )
        for run, (start, end, length) in enumerate(zip(begin[:-1], begin[1:], lengths, strict=True))
    ]


# Launches have a frame with one row each: ``row``, the index of the run in the frame of runs;
# ``start_s``, ``end_s``, ``evaluations`` and ``best_precision`` of the launch by itself;
# ``complete``: whether it ended by itself, by its share tau or at the final target; ``unlimited``:
# whether neither a limit tau nor a budget ended it. The trace of a launch are its events that are
# also events of the run, and its thinned own events. Published runs, and runs of a policy that
# pauses launches, have none.

_LOGGED = ("start_s", "end_s", "evaluations", "best_precision")
ENDED_BY_ITSELF = [str(end) for end in sorted({*COMPLETED, LaunchEnd.TARGET})]
LIMITED = [str(LaunchEnd.TAU), str(LaunchEnd.CUT)]


def read_launches(
    source: Source, rows: NDArray[np.intp], reference: NDArray[np.float64]
) -> pd.DataFrame:
    """The launches of the runs with a row, by row; precisions from `reference`, per run."""
    nothing = pa.chunked_array([], RUN_SCHEMA.field("launch_log").type)
    logs = aligned(source, rows, launch_log=(*_LOGGED, "end"))
    parts = [_launches_in(nothing, rows[:0]), *(_launches_in(log, here) for here, (log,) in logs)]
    launches = pd.concat(parts, ignore_index=True)
    launches = launches.sort_values("row", kind="stable", ignore_index=True)
    return launches_from(launches, reference)


def _launches_in(log: pa.ChunkedArray, rows: NDArray[np.intp]) -> pd.DataFrame:
    lengths, flat = _flat(log)
    end = pc.struct_field(flat, "end")
    return pd.DataFrame(
        {
            "row": np.repeat(rows, lengths),
            **_numbers(flat, _LOGGED),
            "complete": np.asarray(pc.is_in(end, pa.array(ENDED_BY_ITSELF))),
            "unlimited": np.asarray(pc.invert(pc.is_in(end, pa.array(LIMITED)))),
        }
    )


def launches_of(launches: pd.DataFrame, rows: NDArray[np.intp]) -> pd.DataFrame:
    """The same launches with other rows; those of runs with a negative row are omitted."""
    moved = launches.assign(row=rows[launches["row"]])
    return moved[moved["row"] >= 0].sort_values("row", kind="stable", ignore_index=True)


def launches_from(launches: pd.DataFrame, reference: NDArray[np.float64]) -> pd.DataFrame:
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
    """The same launches, later by one delay per run, and cut at the budget."""
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
    """The traced launches of some runs: `launch` is the index of each in its run, from 0.

    Precisions decrease along a launch. Times and evaluations count from the start of the launch.
    """

    of_traces: ClassVar[tuple[str, ...]] = ("rows", "launch")

    launch: NDArray[np.intp]


LaunchTraces = Parts[LaunchTracePart]


def read_launch_traces(source: Source, rows: NDArray[np.intp]) -> LaunchTraces:
    """The launch traces of a source, of the runs whose row is not negative."""
    columns = {"events": _EVENTS, "launch_events": _EVENTS, "launch_log": _SPANS}
    return LaunchTraces(
        lambda: (_part(here, *parts) for here, parts in aligned(source, rows, **columns))
    )


def _part(
    rows: NDArray[np.intp],
    events: pa.ChunkedArray,
    launch_events: pa.ChunkedArray,
    log: pa.ChunkedArray,
) -> LaunchTracePart:
    """The launches of the runs in `rows`, from the columns of the records; null: not traced."""
    known = np.asarray(launch_events.is_valid())
    events, launch_events, log = (
        column.filter(pa.array(known)) for column in (events, launch_events, log)
    )
    rows = rows[known]
    made = pc.list_value_length(log).to_numpy()
    first = offsets_of(made)  # launches of all runs, one after the other
    run = np.repeat(np.arange(len(rows)), made)
    launch = np.arange(first[-1]) - first[run]
    spans = _numbers(pc.list_flatten(log), _SPANS)
    before = offsets_of(spans["evaluations"])[:-1]
    before -= before[first[run]]

    both = pa.chunked_array([*events.chunks, *launch_events.chunks], events.type)
    event = _numbers(pc.list_flatten(both), _EVENTS)
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
    within = (spans["start_s"][1:] < spans["end_s"][:-1]) & (run[1:] == run[:-1])
    paused = np.bincount(run[1:][within], minlength=rows.size) > 0  # launches that overlap
    kept = traced[launch] & ~paused[run]
    return traces.taken(np.flatnonzero(kept)).renumbered(rows)


@dataclass(frozen=True)
class TracedLaunches:
    """Launches of runs, in any order: the run and the index of each, shape (launches,).

    `seconds`, `evaluations`, shape (launches, targets): Cost to each target from the launch's own
    start; `inf` if it did not reach the target.
    """

    rows: NDArray[np.intp]
    launch: NDArray[np.intp]
    seconds: NDArray[np.float64]
    evaluations: NDArray[np.float64]

    def reached_at(self, unit: Literal["seconds", "evaluations"]) -> NDArray[np.float64]:
        return self.seconds if unit == "seconds" else self.evaluations


SAID: dict[NoisyValue, str] = {  # A sentence for captions
    "recommended": "Noisy runs: values without noise of the point that the run recommends.",
    "best_measured": "Noisy runs: values without noise of the best measured point.",
    "best_evaluated": "Noisy runs: best value without noise of all evaluated points, as COCO has "
    "it.",
    "measured": "Noisy runs: measured values, with their noise.",
}

_VECTOR = ("launch", "evaluations", "time_s", "outputs.list.element")
_RECOMMENDATION = ("launch", "evaluations", "time_s", "noise_free")


@dataclass(frozen=True)
class NoisyPart(Part):
    """The rows of some noisy runs, each in the order in which they were made.

    `precision` has measured values, NaN for recommendations; `launch` made each row.
    """

    launch: NDArray[np.intp]
    noise_free: NDArray[np.float64]

    def traced(self, rule: Rule, f_opt: NDArray[np.float64]) -> TracePart:
        """The traces by a rule, as distances to `f_opt` (one per run), or values if it is NaN."""
        events, lengths = [], []
        for begin, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            here = slice(begin, end)
            at, found = trace(rule, self.launch[here], self.precision[here], self.noise_free[here])
            events.append((begin + at, found))
            lengths.append(at.size)
        offsets = offsets_of(np.array(lengths, dtype=np.int64))
        at = np.concatenate([np.empty(0, np.intp), *(rows for rows, _ in events)])
        value = np.concatenate([np.empty(0), *(found for _, found in events)])
        optimum = np.repeat(f_opt[self.rows], np.diff(offsets))
        distance = np.where(np.isnan(optimum), value, precision(value, optimum))
        traces = TracePart(self.rows, offsets, self.time_s[at], self.evaluations[at], distance)
        before = np.concatenate([[np.inf], distance[:-1]])
        before[offsets[:-1][offsets[:-1] < before.size]] = np.inf
        return traces.with_events(distance < before)


NoisyRows = Parts[NoisyPart]


def said_of_noisy(frame: pd.DataFrame, value: NoisyValue) -> str:
    """Meaning of the values of noisy runs, as a sentence for captions; empty without such runs."""
    return SAID[value] if frame["noise_free_f"].notna().any() else ""


def with_noisy_values(runs: pa.Table, value: NoisyValue) -> pa.Table:
    """The runs for an export: noisy runs, last, get the events and best values that tables use."""
    noisy = np.asarray(pc.is_valid(runs["noise_free_f"]))
    if value == "measured" or not noisy.any():
        return runs
    mine = runs.filter(pa.array(noisy)).combine_chunks()
    every = np.arange(len(mine))
    (part,) = _noisy_parts(Held(mine), every, np.ones(every.size, dtype=np.bool_))
    f_opt = np.asarray(pc.cast(mine["f_opt"], pa.float64()).to_numpy(), dtype=np.float64)
    traces = part.traced(value, f_opt)
    best = traces.last_precision()
    kind = RUN_SCHEMA.field("events").type
    events = pa.StructArray.from_arrays(
        [
            pa.nulls(traces.precision.size, pa.int32()),
            pa.array(traces.evaluations.astype(np.int64)),
            pa.array(traces.time_s),
            pa.array(traces.precision),
        ],
        fields=list(kind.value_type),
    )
    columns = {
        "events": pa.ListArray.from_arrays(pa.array(traces.offsets, pa.int32()), events).cast(kind),
        "best_precision": pa.array(best),
        "best_f": pa.array(best + np.nan_to_num(f_opt)),
    }
    for name, column in columns.items():
        mine = mine.set_column(mine.schema.get_field_index(name), RUN_SCHEMA.field(name), column)
    return pa.concat_tables([runs.filter(pa.array(~noisy)), mine])


def read_noisy(source: Source, rows: NDArray[np.intp], noisy: NDArray[np.bool_]) -> NoisyRows:
    """The rows of a source; `rows` is that of each run (negative: omitted), `noisy` per row."""
    return NoisyRows(lambda: _noisy_parts(source, rows, noisy) if noisy.any() else iter(()))


def _noisy_parts(
    source: Source, rows: NDArray[np.intp], noisy: NDArray[np.bool_]
) -> Iterator[NoisyPart]:
    mine = np.where((rows >= 0) & noisy[rows], rows, -1)
    columns = {"vectors": _VECTOR, "recommendations": _RECOMMENDATION}
    for here, both in aligned(source, mine, **columns):
        (lengths, evaluated), (of_named, named) = map(_flat, both)
        outputs = pc.list_flatten(pc.struct_field(evaluated, "outputs"))
        measured, noise_free = np.asarray(outputs, dtype=np.float64).reshape(-1, 2).T
        every = np.arange(here.size)
        run = np.concatenate([np.repeat(every, lengths), np.repeat(every, of_named)])
        first, second = _numbers(evaluated, _RECOMMENDATION[:3]), _numbers(named, _RECOMMENDATION)
        first |= {"noise_free": noise_free, "precision": measured}
        second["precision"] = np.full(len(named), np.nan)
        joined = {name: np.concatenate([first[name], second[name]]) for name in first}
        order = np.lexsort((joined["evaluations"], run))  # stable
        rows_of = {name: values[order] for name, values in joined.items()}
        rows_of["launch"] = rows_of["launch"].astype(np.intp)
        yield NoisyPart(here, offsets_of(np.bincount(run, minlength=here.size)), **rows_of)
