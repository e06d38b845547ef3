"""Contradictions between the values of a run.

An algorithm shares a process with the counters and can overwrite them. Therefore each run is
checked when it is recorded, and again by `timefair collect` and `timefair verify`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from timefair.basics.optimum import precision
from timefair.records.integrity import RUN_KEY, RunKey, run_name
from timefair.records.thinning import THINNING

if TYPE_CHECKING:
    import pyarrow as pa

Columns = Mapping[str, NDArray[Any]]
"""`EVENT_FIELDS` or `LAUNCH_FIELDS`, each an array of shape ``(rows of a run,)``."""
_ROUNDED_S = 1e-6  # upper bound of the rounding error of a sum of seconds
EVENT_FIELDS = ("launch", "evaluations", "time_s", "precision")
"""Fields of `schema.EVENT` that are checked."""
LAUNCH_FIELDS = ("start_s", "end_s", "evaluations", "best_precision")
"""Fields of `schema.LAUNCH` that are checked."""
BATCH_FIELDS = ("first", "size", "count")  # fields of `schema.BATCH`
VECTOR_FIELDS = ("launch", "evaluations", "time_s")  # fields of `schema.VECTOR`, except the outputs
RECOMMENDATION_FIELDS = ("launch", "evaluations", "time_s", "noise_free")
"""Fields of `schema.RECOMMENDATION`."""

_RUN = (
    *("budget_s", "budget_evaluations", "wall_s", "real_s", "charged_s", "reaped_s"),
    *("evaluations", "launches", "f_opt"),
    *("best_f", "best_precision", "constraint_evaluations", "last_evaluation_s"),
)

_NEEDED = ("evaluations", "best_f", "best_precision", "wall_s", "reaped_s", "launches")

_NESTED = {
    "events": EVENT_FIELDS,
    "launch_log": LAUNCH_FIELDS,
    "launch_events": EVENT_FIELDS,
    "batches": BATCH_FIELDS,
    "vectors": VECTOR_FIELDS,
    "recommendations": RECOMMENDATION_FIELDS,
}


class _Nested:
    """The nested rows of all runs: flat columns, of which each run has ``begin:end``.

    `some`, shape (runs,): whether a run has rows; `owner`, shape (rows,): the run of each row.
    """

    def __init__(self, columns: Columns, lengths: NDArray[np.int64]) -> None:
        self._columns = {name: np.asarray(values) for name, values in columns.items()}
        self.end = np.cumsum(lengths)
        self.begin = self.end - lengths
        self.some = lengths > 0
        self.owner = np.repeat(np.arange(lengths.size), lengths)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def all(self, holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.asarray(np.bincount(self.owner[~holds], minlength=self.some.size) == 0)

    def steps(
        self, later: NDArray[Any], earlier: NDArray[Any], *, strict: bool = False
    ) -> NDArray[np.bool_]:
        """Whether each row is not below the row before it of its run."""
        after, before = later[1:], earlier[:-1]
        holds = after > before if strict else after >= before
        wrong = self.owner[1:][~holds & (self.owner[1:] == self.owner[:-1])]
        return np.asarray(np.bincount(wrong, minlength=self.some.size) == 0)

    def rising(self, *names: str) -> NDArray[np.bool_]:
        each = [self.steps(self[name], self[name]) for name in names]
        return np.asarray(np.logical_and.reduce(each))

    def first(self, name: str, nothing: float = np.nan) -> NDArray[np.float64]:
        """The first value of each run, or another one for a run without rows."""
        return self._at(name, self.begin, nothing)

    def last(self, name: str, nothing: float = np.nan) -> NDArray[np.float64]:
        return self._at(name, self.end - 1, nothing)

    def _at(self, name: str, places: NDArray[np.int64], nothing: float) -> NDArray[np.float64]:
        found = np.full(self.some.size, nothing)
        found[self.some] = self[name][places[self.some]]
        return found

    def sum(self, name: str) -> NDArray[np.float64]:
        sums = np.bincount(self.owner, self[name], minlength=self.some.size)
        return np.asarray(sums, dtype=np.float64)


class _Checked:
    """Runs with the columns `_RUN`: numbers, NaN where null, and their nested rows."""

    def __init__(
        self,
        values: Mapping[str, NDArray[np.float64]],
        known: Mapping[str, NDArray[np.bool_]],
        of_vectors: NDArray[np.bool_],
        nested: Iterable[_Nested],
    ) -> None:
        self.values, self.known, self.of_vectors = values, known, of_vectors
        (
            self.events, self.launches, self.launch_events, self.batches, self.vectors,
            self.recommended,
        ) = nested  # fmt: skip

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        return self.values[name]

    def within(self, rows: _Nested) -> NDArray[np.bool_]:
        """Whether the evaluations of the first and of the last nested row are those of the run."""
        first, last = rows.first("evaluations"), rows.last("evaluations")
        return ~rows.some | ((first >= 1) & (last <= self["evaluations"]))

    def begun(self, rows: _Nested) -> NDArray[np.bool_]:
        launches = self.launches.end - self.launches.begin
        return np.asarray((rows["launch"] >= 0) & (rows["launch"] < launches[rows.owner]))


def contradictions(runs: pa.Table, *, published: bool = False) -> Iterator[str]:
    """One line per run of `schema.RUN_SCHEMA` that contradicts itself.

    Published data have no launches, their values may be rounded, and an event may be at T.
    """
    for key, clause in faults(runs, published=published):
        yield f"{run_name(key)}: {clause}"


def faults(runs: pa.Table, *, published: bool = False) -> Iterator[tuple[RunKey, str]]:
    """The first contradiction of each run that has one, as a clause, by its key."""
    if not runs.num_rows:
        return
    checked = _Checked(
        {name: np.asarray(runs[name], dtype=np.float64) for name in _RUN},
        {name: np.asarray(runs[name].is_valid()) for name in _RUN},
        np.asarray(runs["vectors"].is_valid()),
        (_nested(runs[name], fields) for name, fields in _NESTED.items()),
    )
    for run, clause in _first_faults(checked, published):
        (row,) = runs.slice(run, 1).select([*RUN_KEY, *_RUN]).to_pylist()
        yield tuple(row[name] for name in RUN_KEY), clause.format_map(row)


def _nested(column: pa.ChunkedArray, names: tuple[str, ...]) -> _Nested:
    import pyarrow.compute as pc

    lengths = np.asarray(pc.fill_null(pc.list_value_length(column), 0), dtype=np.int64)
    flat = pc.list_flatten(column)
    columns = {name: np.asarray(pc.struct_field(flat, name)) for name in names}
    if names == VECTOR_FIELDS:
        of_each = pc.struct_field(flat, "outputs")
        sizes = np.asarray(pc.fill_null(pc.list_value_length(of_each), 0), dtype=np.int64)
        numbers = _Nested({"number": np.asarray(pc.list_flatten(of_each))}, sizes)
        columns["finite"] = numbers.all(np.isfinite(numbers["number"])) & (sizes > 1)
    return _Nested(columns, lengths)


Clauses = Iterator[tuple[str, NDArray[np.bool_]]]
"""Each clause describes a fault of the runs for which it is False; it may name columns."""


def _first_faults(runs: _Checked, published: bool) -> list[tuple[int, str]]:
    """The first contradiction of each run that has one, by its place."""
    found: dict[int, str] = {}
    with np.errstate(invalid="ignore"):
        for clauses in (
            _of_the_runs(runs, published),
            _of_events(runs, published),
            () if published else _of_launches(runs),
            _of_both(runs, runs.events),
            _of_traces(runs),
            _of_batches(runs),
            _of_vectors(runs),
            _of_recommended(runs),
        ):
            for clause, holds in clauses:
                for run in np.flatnonzero(~holds).tolist():
                    found.setdefault(run, clause)
    return sorted(found.items())


def _of_the_runs(runs: _Checked, published: bool) -> Clauses:
    known, evaluations, wall_s = runs.known, runs["evaluations"], runs["wall_s"]
    for name in _NEEDED[:1] if published else _NEEDED:  # the other checks compute with these
        yield f"{name} is empty", known[name]
    yield "the number of evaluations is negative", evaluations >= 0
    in_budget = ~known["budget_evaluations"] | (evaluations <= runs["budget_evaluations"])
    yield "{evaluations} evaluations exceed the budget of {budget_evaluations}", in_budget
    if published:  # f_opt and best_f may be rounded
        return
    of_value = np.where(known["f_opt"], precision(runs["best_f"], runs["f_opt"]), runs["best_f"])
    same = of_value == runs["best_precision"]
    yield "best_f {best_f} does not give the best precision {best_precision}", same
    yield "wall_s is {wall_s}", wall_s >= 0
    in_time = ~known["budget_s"] | (wall_s <= runs["budget_s"])
    yield "wall_s {wall_s} exceeds the budget of {budget_s} s", in_time
    real_s, charged_s = runs["real_s"], np.where(known["charged_s"], runs["charged_s"], 0.0)
    latest_s = runs["reaped_s"] + charged_s + _ROUNDED_S * (charged_s > 0)
    yield "real_s is {real_s}", ~known["real_s"] | ((real_s >= 0) & (real_s <= runs["reaped_s"]))
    yield "charged_s is {charged_s}", ~known["real_s"] | (charged_s >= 0)
    yield "wall_s {wall_s} exceeds the life of its process", wall_s <= latest_s
    last_s = runs["last_evaluation_s"]
    in_life = ~known["last_evaluation_s"] | ((last_s >= 0) & (last_s <= latest_s))
    yield "its last evaluation ended at {last_evaluation_s} s", in_life


def _of_events(runs: _Checked, published: bool) -> Clauses:
    events = runs.events
    found, time_s = events["precision"], events["time_s"]
    at_end = events.last("precision", np.inf) == runs["best_precision"]
    yield "the last event does not have the best precision {best_precision}", at_end
    yield "the precision of an event is NaN or infinite", events.all(np.isfinite(found))
    falls = events.steps(-found, -found, strict=True)
    yield "the precision does not fall from event to event", falls
    # In several threads, evaluations can end when the same number of them has begun.
    yield "the evaluations fall from event to event", events.rising("evaluations")
    yield "an event belongs to no evaluation of the run", runs.within(events)
    without = ~runs.known["wall_s"] | ~events.some
    yield "the time goes back from event to event", without | events.steps(time_s, time_s)
    first_s, last_s = events.first("time_s"), events.last("time_s")
    yield "an event is from before the start", without | (first_s >= 0)
    yield "an event is from after the end, {wall_s} s", without | (last_s <= runs["wall_s"])
    if not published:
        before = without | ~runs.known["budget_s"] | (last_s < runs["budget_s"])
        yield "an event is not from before T, {budget_s} s", before


def _of_launches(runs: _Checked) -> Clauses:
    launches, evaluations = runs.launches, runs["evaluations"]
    start_s, end_s, none = launches["start_s"], launches["end_s"], ~launches.some
    described = runs["launches"] == launches.end - launches.begin
    yield "{launches} launches, and another number of them described", described
    yield "evaluations without a launch", launches.some | (evaluations == 0)
    ordered = (launches.first("start_s") >= 0) & launches.rising("start_s")
    ordered &= launches.all(start_s <= end_s)
    yield "the times of its launches are out of order", none | ordered
    in_time = launches.all(end_s <= runs["wall_s"][launches.owner])
    yield "a launch ends after the run", in_time
    made = launches.all(launches["evaluations"] >= 0)
    yield "a launch has a negative number of evaluations", made
    same = none | (launches.sum("evaluations") == evaluations)
    yield "its launches do not have {evaluations} evaluations in all", same
    best = np.full(none.size, np.inf)
    np.minimum.at(best, launches.owner, launches["best_precision"])
    best_of_run = none | (best == runs["best_precision"])
    yield "no launch has the best precision of the run", best_of_run


def _of_both(runs: _Checked, events: _Nested) -> Clauses:
    """Compare events of either kind with the launches that made them."""
    launches, some = runs.launches, runs.launches.some[events.owner]
    begun = runs.begun(events)
    yield "an event belongs to a launch that was not begun", events.all(begun | ~some)
    if not some.any():
        return
    usable = begun & some
    place = launches.begin[events.owner] + np.where(usable, events["launch"], 0).astype(np.intp)
    made_by = np.where(usable, place, 0)
    started = events["time_s"] >= launches["start_s"][made_by]
    ended = events["time_s"] <= launches["end_s"][made_by]
    in_time = events.all(started & ended | ~usable)
    yield "an event is not from the time of its launch", in_time
    as_good = events["precision"] >= launches["best_precision"][made_by]
    yield "an event is better than its launch", events.all(as_good | ~usable)


def _of_traces(runs: _Checked) -> Clauses:
    events = runs.launch_events
    if not events.some.any():
        return
    yield "events of launches without a launch", ~events.some | runs.launches.some
    yield from _of_both(runs, events)
    found, evaluations, owner = events["precision"], events["evaluations"], events.owner
    launches, of_row = np.unique(events["launch"], return_inverse=True)
    traced = np.array([THINNING.traces(int(launch)) for launch in launches])[of_row]
    yield "an event of a launch that is not traced", events.all(traced)
    yield "an event of a launch is NaN or infinite", events.all(np.isfinite(found))
    in_order = events.rising("evaluations", "time_s")
    yield "the events of launches are out of order", in_order
    yield "an event of a launch belongs to no evaluation of the run", runs.within(events)
    own = np.lexsort((of_row, owner))
    same = (of_row[own][1:] == of_row[own][:-1]) & (owner[own][1:] == owner[own][:-1])
    rises = owner[own][1:][same & ~(np.diff(found[own]) < 0)]
    falls = np.bincount(rises, minlength=events.some.size) == 0
    yield "the precision does not fall from event to event of a launch", falls
    of_run = runs.events["evaluations"]
    best = np.append(np.inf, runs.events["precision"])
    by_then = np.empty(found.size)
    for run in np.flatnonzero(events.some):
        here = slice(events.begin[run], events.end[run])
        first, end = runs.events.begin[run], runs.events.end[run]
        past = of_run[first:end].searchsorted(evaluations[here], side="right")
        by_then[here] = best[np.where(past > 0, first + past, 0)]
    yield "an event of a launch is better than the run was by then", events.all(found >= by_then)


def _of_batches(runs: _Checked) -> Clauses:
    batches = runs.batches
    first, size, count = (batches[name] for name in BATCH_FIELDS)
    end = first + size * count
    yield "a batch has no points", batches.all((size >= 1) & (count >= 1))
    in_order = batches.steps(first, end) & batches.all(first >= 0)
    in_order &= batches.all(end <= runs["evaluations"][batches.owner])
    yield "its batches do not follow one another", in_order
    own, all_ = runs["constraint_evaluations"], runs["evaluations"]
    clause = "{constraint_evaluations} evaluations of constraints, of {evaluations} in all"
    yield clause, ~runs.known["constraint_evaluations"] | ((own >= 0) & (own <= all_))


def _of_vectors(runs: _Checked) -> Clauses:
    vectors, events = runs.vectors, runs.events
    if not runs.of_vectors.any():
        return
    finite = vectors.all(vectors["finite"].astype(np.bool_))
    yield "a vector has a number that is not finite", finite
    belongs = ~runs.of_vectors
    for run in np.flatnonzero(runs.of_vectors):
        own = vectors["evaluations"][vectors.begin[run] : vectors.end[run]]
        of_run = events["evaluations"][events.begin[run] : events.end[run]]
        belongs[run] = np.isin(of_run, own).all()
    yield "an event belongs to no vector", belongs
    yield "a vector belongs to no evaluation of the run", runs.within(vectors)
    yield "the vectors are out of order", vectors.rising("evaluations", "time_s")
    yield "a vector is not from the time of the run", _in_time(runs, vectors)
    begun = vectors.all(runs.begun(vectors))
    yield "a vector belongs to a launch that was not begun", begun


def _in_time(runs: _Checked, rows: _Nested) -> NDArray[np.bool_]:
    """Whether the first and the last nested row are from the time of the run, before T."""
    last_s = rows.last("time_s")
    in_time = (rows.first("time_s") >= 0) & (last_s <= runs["wall_s"])
    return ~rows.some | (in_time & (~runs.known["budget_s"] | (last_s < runs["budget_s"])))


def _of_recommended(runs: _Checked) -> Clauses:
    rows = runs.recommended
    finite = rows.all(np.isfinite(rows["noise_free"]))
    yield "the value of a recommended point is not finite", finite
    begun = rows.all(runs.begun(rows))
    yield "a launch that was not begun has recommended a point", begun
    yield "the recommended points are out of order", rows.rising("evaluations", "time_s")
    yield "a point was recommended after no evaluation of the run", runs.within(rows)
    in_time = (rows.first("time_s") >= 0) & (rows.last("time_s") <= runs["wall_s"])
    yield "a point was not recommended in the time of the run", ~rows.some | in_time


_CLOCK_S = 1e-9  # a budget is rounded to whole nanoseconds


def another_budget(facts: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> str:
    """A clause if a run had another T than the campaign of its record; else, or without a T, empty.

    >>> another_budget({"campaign": {"budget": {"time_s": 1.0}}}, [{"budget_s": 1.005}])
    'it holds a run with T = 1.005 s, and its campaign has 1 s'
    """
    asked_s = (facts.get("campaign") or {}).get("budget", {}).get("time_s")
    if asked_s is None:
        return ""
    for row in rows:
        budget_s = row["budget_s"]
        if budget_s is not None and abs(budget_s - asked_s) > _CLOCK_S:
            return f"it holds a run with T = {budget_s:g} s, and its campaign has {asked_s:g} s"
    return ""
