"""What is nested in the records of runs: events, launches and vectors, one part at a time.

All events of a campaign may not fit into memory. A run is noisy if its column ``noise_free_f`` is
not null: its values without noise are in ``vectors`` (with the measured value) and
``recommendations``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from timefair.basics.errors import InputError
from timefair.basics.optimum import precision
from timefair.records.integrity import Origins
from timefair.records.rundata.settings import NoisyValue
from timefair.records.schema import BY_PLACE, PUBLISHED, RUN_SCHEMA
from timefair.records.status import COMPLETED, LaunchEnd
from timefair.records.store import open_record
from timefair.records.thinning import THINNING
from timefair.statistics.hitting_times import Rule, count_within, trace

PLAIN = [field.name for field in RUN_SCHEMA if not pa.types.is_list(field.type)]


def plain_of(paths: Iterable[Path]) -> tuple[pa.Table, dict[str, Any]]:
    """The columns of all runs of record files that are not nested, and facts; `InputError`."""
    tables, faults = [RUN_SCHEMA.empty_table().select(PLAIN)], list[str]()
    facts: dict[str, Any] = {name: [] for name in BY_PLACE}
    facts |= {"origins": {}, PUBLISHED: {}}
    for path in paths:
        try:
            record = open_record(path)
            tables.append(record.read(PLAIN))
        except InputError as error:
            faults += error.faults
            continue
        for name in BY_PLACE:
            facts[name] += record.facts.get(name, [])
        for label in pc.unique(tables[-1]["algorithm"]).to_pylist():
            if PUBLISHED in record.facts:
                facts[PUBLISHED][label] = record.facts[PUBLISHED]
            else:
                origin = facts["origins"].setdefault(label, Origins())
                origin.add(record.facts)
                origin.started(record.facts, tables[-1])
    if faults:
        raise InputError(*faults)
    return pa.concat_tables(tables), facts


Nested: TypeAlias = Callable[[str, Sequence[str]], Iterable[pa.ChunkedArray]]
"""A nested column of runs with at least some of its fields, all if none are named, by parts; the
runs are in an arbitrary order, the same at each call.
"""


def nested_of(
    paths: Iterable[Path], column: str, fields: Sequence[str]
) -> Iterator[pa.ChunkedArray]:
    """A `Nested` column of record files; every pass checks the data that it reads."""
    element = f"{column}.list.element"
    columns = [f"{element}.{name}" for name in fields] or [element]
    for path in paths:
        for runs in open_record(path).row_groups(columns):
            yield runs[column]


@dataclass(frozen=True)
class Part:
    """The events of some traces: `rows`, shape (traces here,), is the run of each; the events of
    trace i are ``offsets[i]:offsets[i + 1]`` of the other arrays.
    """

    columns: ClassVar[tuple[tuple[str, Sequence[str]], ...]]  # that `of` reads, and fields of each
    of_traces: ClassVar[tuple[str, ...]] = ("rows",)  # names of the arrays with one value per trace

    rows: NDArray[np.intp]
    offsets: NDArray[np.int64]
    time_s: NDArray[np.float64]
    evaluations: NDArray[np.float64]
    precision: NDArray[np.float64]

    @classmethod
    def of(cls, rows: NDArray[np.intp], *columns: pa.ChunkedArray) -> Self:
        """Those of the runs in `rows`, from columns of their records."""
        raise NotImplementedError

    def at_events(self, of_runs: NDArray[Any]) -> NDArray[Any]:
        """The value of each event's run; `of_runs` has one value per run, for all runs."""
        return np.repeat(of_runs[self.rows], np.diff(self.offsets))

    def from_reference(self, reference: NDArray[np.float64]) -> Self:
        """Precisions as distances to a reference value per run."""
        return replace(self, precision=self.precision - self.at_events(reference))

    def scaled(self, scale: NDArray[np.float64]) -> Self:
        return replace(self, time_s=self.time_s * self.at_events(scale))

    def begun_later(self, late_s: NDArray[np.float64], budget_s: NDArray[np.float64]) -> Self:
        """The same events, later by one delay per run, without those at or after the budget."""
        later = replace(self, time_s=self.time_s + self.at_events(late_s))
        return later.with_events(later.time_s < self.at_events(budget_s))

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

    def __add__(self, others: Parts[AnyPart]) -> Parts[AnyPart]:
        """The traces of these and of other runs. The other runs have other rows."""
        return Parts(lambda: chain(self, others))

    def each(self, change: Callable[[AnyPart], AnyPart]) -> Parts[AnyPart]:
        return Parts(lambda: map(change, self))

    def held(self, most: int) -> Parts[AnyPart]:
        """The same parts, kept in memory after the first pass if they have so few events."""
        known: list[list[AnyPart]] = []

        def parts() -> Iterator[AnyPart]:
            if known:
                yield from known[0]
                return
            found: list[AnyPart] = []
            events = 0
            for part in self:
                events += part.time_s.size
                found = [*found, part] if events <= most else []
                yield part
            known.extend([found] * (events <= most))

        return Parts(parts)

    def together(self) -> AnyPart:
        """All traces at once, in the order of the rows, for data that fit into memory."""
        parts = list(self)
        values = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(parts[0])
        }
        values["offsets"] = offsets_of(np.concatenate([np.diff(part.offsets) for part in parts]))
        return type(parts[0])(**values).taken(np.argsort(values["rows"], kind="stable"))


def read(nested: Nested, rows: NDArray[np.intp], kind: type[AnyPart]) -> Parts[AnyPart]:
    """Parts of a kind with the runs that have a row in `rows`: one for each run, negative to omit
    it.
    """

    def parts() -> Iterator[AnyPart]:
        first = 0
        for found in zip(*(nested(*one) for one in kind.columns), strict=True):
            here = rows[first : first + len(found[0])]
            first += len(here)
            kept = here >= 0
            yield kind.of(here[kept], *(column.filter(pa.array(kept)) for column in found))

    return Parts(parts)


def offsets_of(lengths: ArrayLike) -> NDArray[np.int64]:
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

    columns = (("events", NUMBERS),)

    @classmethod
    def of(cls, rows: NDArray[np.intp], *columns: pa.ChunkedArray) -> Self:
        lengths, flat = _flat(columns[0])
        return cls(rows, offsets_of(lengths), **_numbers(flat, NUMBERS))

    def at(self, place: int, name: str, nothing: float = np.inf) -> NDArray[np.float64]:
        """A number of the first (0) or last (-1) event of each run here, or `nothing`."""
        found = np.full(self.rows.size, nothing)
        some = np.diff(self.offsets) > 0
        events = self.offsets[:-1] if place == 0 else self.offsets[1:] - 1
        found[some] = getattr(self, name)[events[some]]
        return found


Traces = Parts[TracePart]
COSTS = ("evaluations", "time_s")  # the first columns; the others are the numbers of the vector
VIOLATION = 1  # index of the violation in the outputs (`problems.kinds.Constraints`)


class FeasiblePart(TracePart):
    """One event per run that found a feasible point, with the violation 0 as its precision."""

    columns = (("vectors", (*COSTS, "outputs")),)

    @classmethod
    def of(cls, rows: NDArray[np.intp], *columns: pa.ChunkedArray) -> Self:
        lengths, flat = _flat(columns[0])
        violation = pc.list_element(pc.struct_field(flat, "outputs"), VIOLATION)
        feasible = np.flatnonzero(np.asarray(violation, dtype=np.float64) == 0.0)
        run = np.repeat(np.arange(len(rows)), lengths)[feasible]
        runs, first = np.unique(run, return_index=True)
        costs = _numbers(flat.take(pa.array(feasible[first])), COSTS)
        offsets = offsets_of(np.bincount(runs, minlength=len(rows)))
        return cls(rows, offsets, **costs, precision=np.zeros(runs.size))


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


Vectors = list[NDArray[np.float64]]


def vectors_of(column: pa.ChunkedArray) -> Vectors:
    """The vectors of each run in the order of their evaluation, an array of the shape ``(vectors,
    2 + numbers)``: `COSTS` and the numbers; ``(0, 2)``: none.
    """
    lengths, flat = _flat(column)
    outputs = pc.struct_field(flat, "outputs")
    numbers = np.asarray(pc.list_flatten(outputs).to_numpy(), dtype=np.float64)
    costs = np.column_stack(list(_numbers(flat, COSTS).values()))
    first = offsets_of(lengths)  # vectors of all runs, one after the other
    begin = offsets_of(pc.list_value_length(outputs).to_numpy())[first]
    return [
        np.column_stack([costs[a:b], numbers[start:end].reshape(b - a, -1)])
        if b > a
        else np.empty((0, len(COSTS)))
        for (a, b), (start, end) in zip(pairwise(first), pairwise(begin), strict=True)
    ]


# The launches of runs: their times count from the start of the run, evaluations and precisions are
# those of the launch by itself. The trace of a launch are its events that are also events of the
# run, and its thinned own events. Published runs, and runs of a policy that pauses launches, have
# none.

ENDED_BY_ITSELF = [str(end) for end in sorted({*COMPLETED, LaunchEnd.TARGET})]
LIMITED = [str(LaunchEnd.TAU), str(LaunchEnd.CUT)]
_LOGGED = ("start_s", "end_s", "evaluations", "best_precision", "end")


@dataclass(frozen=True)
class LaunchPart(Part):
    """All launches of some runs, as events at their ends; `end` is a `LaunchEnd`."""

    columns = (("launch_log", _LOGGED),)

    start_s: NDArray[np.float64]
    end: NDArray[np.object_]

    @classmethod
    def of(cls, rows: NDArray[np.intp], *columns: pa.ChunkedArray) -> Self:
        lengths, flat = _flat(columns[0])
        start_s, *numbers = _numbers(flat, _LOGGED[:-1]).values()
        end = pc.struct_field(flat, _LOGGED[-1]).to_numpy()
        time_s, evaluations, precision = numbers
        return cls(rows, offsets_of(lengths), time_s, evaluations, precision, start_s, end)

    def scaled(self, scale: NDArray[np.float64]) -> LaunchPart:
        return replace(super().scaled(scale), start_s=self.start_s * self.at_events(scale))

    def begun_later(self, late_s: NDArray[np.float64], budget_s: NDArray[np.float64]) -> LaunchPart:
        """The same launches, later by one delay per run, and cut at the budget."""
        delay, limit = self.at_events(late_s), self.at_events(budget_s)
        start_s, end_s = self.start_s + delay, self.time_s + delay
        end = np.where(end_s < limit, self.end, str(LaunchEnd.CUT))
        later = replace(self, start_s=start_s, time_s=np.minimum(end_s, limit), end=end)
        return later.with_events(start_s < limit)

    def frame(self) -> pd.DataFrame:
        """One row per launch. ``complete``: whether it ended by itself, by its share tau or at the
        final target; ``unlimited``: whether neither a limit tau nor a budget ended it.
        """
        row = np.repeat(self.rows, np.diff(self.offsets))
        columns = (row, self.start_s, self.time_s, self.evaluations, self.precision, self.end)
        frame = pd.DataFrame(dict(zip(("row", *_LOGGED), columns, strict=True)))
        complete, limited = (frame["end"].isin(ends) for ends in (ENDED_BY_ITSELF, LIMITED))
        return frame.assign(complete=complete, unlimited=~limited)


_EVENTS = ("launch", "evaluations", "time_s", "precision")
_SPANS = ("start_s", "end_s", "evaluations")


@dataclass(frozen=True)
class LaunchTracePart(Part):
    """The traced launches of some runs: `launch` is the index of each in its run, from 0.

    Precisions decrease along a launch. Times and evaluations count from the start of the launch.
    """

    columns = (("events", _EVENTS), ("launch_events", _EVENTS), ("launch_log", _SPANS))
    of_traces = ("rows", "launch")

    launch: NDArray[np.intp]

    @classmethod
    def of(cls, rows: NDArray[np.intp], *columns: pa.ChunkedArray) -> Self:
        """Those of the runs in `rows`; no `launch_events`: not traced."""
        known = np.asarray(columns[1].is_valid())
        events, launch_events, log = (column.filter(pa.array(known)) for column in columns)
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
        traces = cls(
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


SAID: dict[NoisyValue, str] = {  # A sentence for captions
    "recommended": "Noisy runs: values without noise of the point that the run recommends.",
    "best_measured": "Noisy runs: values without noise of the best measured point.",
    "best_evaluated": "Noisy runs: best value without noise of all evaluated points, as COCO has "
    "it.",
    "measured": "Noisy runs: measured values, with their noise.",
}

_RECOMMENDATION = ("launch", "evaluations", "time_s", "noise_free")


@dataclass(frozen=True)
class NoisyPart(Part):
    """The rows of some noisy runs, each in the order in which they were made.

    `precision` has measured values, NaN for recommendations; `launch` made each row.
    """

    columns = (
        ("vectors", (*_RECOMMENDATION[:3], "outputs.list.element")),
        ("recommendations", _RECOMMENDATION),
    )

    launch: NDArray[np.intp]
    noise_free: NDArray[np.float64]

    @classmethod
    def of(cls, rows: NDArray[np.intp], *columns: pa.ChunkedArray) -> Self:
        (lengths, evaluated), (of_named, named) = map(_flat, columns)
        outputs = pc.list_flatten(pc.struct_field(evaluated, "outputs"))
        measured, noise_free = np.asarray(outputs, dtype=np.float64).reshape(-1, 2).T
        every = np.arange(rows.size)
        run = np.concatenate([np.repeat(every, lengths), np.repeat(every, of_named)])
        first, second = _numbers(evaluated, _RECOMMENDATION[:3]), _numbers(named, _RECOMMENDATION)
        first |= {"noise_free": noise_free, "precision": measured}
        second["precision"] = np.full(len(named), np.nan)
        order = np.lexsort((np.concatenate([first["evaluations"], second["evaluations"]]), run))
        joined = {name: np.concatenate([first[name], second[name]])[order] for name in first}
        joined["launch"] = joined["launch"].astype(np.intp)
        return cls(rows, offsets_of(np.bincount(run, minlength=rows.size)), **joined)

    def traced(self, rule: Rule, f_opt: NDArray[np.float64]) -> TracePart:
        """The traces by a rule, as distances to `f_opt` (one per run), or values if it is NaN."""
        arrays: list[NDArray[Any]] = [self.launch, self.precision, self.noise_free]
        found = [trace(rule, *(of[a:b] for of in arrays)) for a, b in pairwise(self.offsets)]
        places = [begin + rows for begin, (rows, _) in zip(self.offsets, found, strict=False)]
        at = np.concatenate([np.empty(0, np.intp), *places])
        value = np.concatenate([np.empty(0), *(values for _, values in found)])
        offsets = offsets_of([rows.size for rows in places])
        optimum = np.repeat(f_opt[self.rows], np.diff(offsets))
        distance = np.where(np.isnan(optimum), value, precision(value, optimum))
        traces = TracePart(self.rows, offsets, self.time_s[at], self.evaluations[at], distance)
        before = np.concatenate([[np.inf], distance[:-1]])
        before[offsets[:-1][offsets[:-1] < before.size]] = np.inf
        return traces.with_events(distance < before)


def said_of_noisy(frame: pd.DataFrame, value: NoisyValue) -> str:
    """Meaning of the values of noisy runs, as a sentence for captions; empty without such runs."""
    return SAID[value] if frame["noise_free_f"].notna().any() else ""


def with_noisy_values(runs: pa.Table, value: NoisyValue) -> pa.Table:
    """The runs for an export: noisy runs, last, get the events and best values that tables use."""
    noisy = np.asarray(pc.is_valid(runs["noise_free_f"]))
    if value == "measured" or not noisy.any():
        return runs
    mine = runs.filter(pa.array(noisy)).combine_chunks()
    part = NoisyPart.of(np.arange(len(mine)), mine["vectors"], mine["recommendations"])
    f_opt = np.asarray(pc.cast(mine["f_opt"], pa.float64()).to_numpy(), dtype=np.float64)
    traces = part.traced(value, f_opt)
    best = traces.at(-1, "precision")
    made = traces.evaluations.astype(np.int64).tolist()
    numbers = zip(traces.time_s.tolist(), made, traces.precision.tolist(), strict=True)
    events = [dict(zip(NUMBERS, one, strict=True)) for one in numbers]
    of_runs = [events[begin:end] for begin, end in pairwise(traces.offsets)]
    columns = {"events": of_runs, "best_precision": best, "best_f": best + np.nan_to_num(f_opt)}
    for name, column in columns.items():
        field = RUN_SCHEMA.field(name)
        place = mine.schema.get_field_index(name)
        mine = mine.set_column(place, field, pa.array(column, field.type))
    return pa.concat_tables([runs.filter(pa.array(~noisy)), mine])
