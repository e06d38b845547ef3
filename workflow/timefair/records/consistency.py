"""Contradictions between the values of a run.

An algorithm shares a process with the counters and can overwrite them. Therefore each run is
checked when it is recorded, and again by `timefair collect` and `timefair verify`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.basics.optimum import precision
from timefair.records.integrity import RUN_KEY, run_name
from timefair.records.schema import RUN_SCHEMA
from timefair.records.thinning import THINNING

_ROUNDED_S = 1e-6  # upper bound of the rounding error of a sum of seconds
BATCH_FIELDS = ("first", "size", "count")  # fields of `schema.BATCH`

_RUN = (
    *("budget_s", "budget_evaluations", "wall_s", "real_s", "charged_s", "reaped_s"),
    *("evaluations", "launches", "f_opt"),
    *("best_f", "best_precision", "constraint_evaluations", "last_evaluation_s"),
)
_NEEDED = ("evaluations", "best_f", "best_precision", "wall_s", "reaped_s", "launches")
_MADE_BY_LAUNCHES = {
    "events": "an event",
    "launch_events": "an event of a launch",
    "vectors": "a vector",
    "recommendations": "a recommended point",
}
_SCHEMA = pa.schema(
    [RUN_SCHEMA.field(name) for name in (*_RUN, *_MADE_BY_LAUNCHES, "launch_log", "batches")]
)
Clauses = Iterator[tuple[str, NDArray[np.bool_]]]
"""Each clause describes a fault of the runs for which it is False; it may name columns."""


def contradictions(runs: pa.Table, *, published: bool = False) -> Iterator[str]:
    """One line per run of `schema.RUN_SCHEMA` that contradicts itself.

    Published data have no launches, their values may be rounded, and an event may be at T.
    """
    for run, clause in _first_faults(runs, published):
        (row,) = runs.slice(run, 1).select([*RUN_KEY, *_RUN]).to_pylist()
        yield f"{run_name(tuple(row[name] for name in RUN_KEY))}: {clause.format_map(row)}"


def contradiction(run: Mapping[str, Any]) -> str | None:
    """The first contradiction in a measured run, by column of `schema.RUN_SCHEMA`, as a clause."""
    try:
        table = pa.Table.from_pylist([run], schema=_SCHEMA)
    except (pa.ArrowException, OverflowError) as error:
        return f"a number is too large ({error})"
    return next((clause.format_map(run) for _, clause in _first_faults(table, False)), None)


def _first_faults(table: pa.Table, published: bool) -> list[tuple[int, str]]:
    """The first contradiction of each run that has one, by its place."""
    found: dict[int, str] = {}
    runs = _Runs(table)
    with np.errstate(invalid="ignore"):
        for clauses in (
            _of_the_runs(runs, published),
            _of_events(runs),
            () if published else _of_launches(runs),
            *(_of_rows(runs, name, published) for name in _MADE_BY_LAUNCHES),
            _of_traces(runs),
            _of_batches(runs),
        ):
            for clause, holds in clauses:
                for run in np.flatnonzero(~holds).tolist():
                    found.setdefault(run, clause)
    return sorted(found.items())


class _Rows:
    """The nested rows of all runs: flat columns of numbers, of which each run has `count`, from
    `begin` on.

    `some`, shape (runs,): whether a run has rows; `owner`, shape (rows,): the run of each row;
    `finite`, shape (rows,): whether a vector has several numbers, and all are finite.
    """

    def __init__(self, column: pa.ChunkedArray) -> None:
        lengths = np.asarray(pc.fill_null(pc.list_value_length(column), 0), dtype=np.int64)
        flat = pc.list_flatten(column)
        self._columns = {}
        for field in column.type.value_type:
            values = pc.struct_field(flat, field.name)
            if pa.types.is_primitive(field.type):
                self._columns[field.name] = np.asarray(values)
            elif pa.types.is_list(field.type):
                sizes = np.asarray(pc.fill_null(pc.list_value_length(values), 0))
                wrong = ~np.isfinite(np.asarray(pc.list_flatten(values)))
                infinite = np.repeat(np.arange(sizes.size), sizes)[wrong]
                self.finite = (sizes > 1) & (np.bincount(infinite, minlength=sizes.size) == 0)
        self.count, self.begin, self.some = lengths, np.cumsum(lengths) - lengths, lengths > 0
        self.owner = np.repeat(np.arange(lengths.size), lengths)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def all(self, holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.asarray(np.bincount(self.owner[~holds], minlength=self.some.size) == 0)

    def steps(self, holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether it holds for each row except the first of a run, shape (rows - 1,)."""
        within = self.owner[1:] == self.owner[:-1]
        return self.all(np.concatenate([np.ones(min(1, self.owner.size), bool), holds | ~within]))

    def rising(self, name: str) -> NDArray[np.bool_]:
        return self.steps(self[name][1:] >= self[name][:-1])

    def least(self, name: str) -> NDArray[np.float64]:
        """The least value of each run, `inf` for a run without rows."""
        found = np.full(self.some.size, np.inf)
        np.minimum.at(found, self.owner, self[name])
        return found


class _Runs:
    """Runs with the columns `_RUN`: numbers, NaN where null, and their nested rows."""

    def __init__(self, table: pa.Table) -> None:
        self._values = {name: np.asarray(table[name], dtype=np.float64) for name in _RUN}
        self.known = {name: np.asarray(table[name].is_valid()) for name in _RUN}
        self.of_vectors = np.asarray(table["vectors"].is_valid())
        self.rows = {name: _Rows(table[name]) for name in (*_MADE_BY_LAUNCHES, "batches")}
        self.launches = _Rows(table["launch_log"])
        self._span = np.nan_to_num(self["evaluations"]).max(initial=0.0) + 1

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        return self._values[name]

    def moments(self, rows: _Rows) -> NDArray[np.float64]:
        """A number for each nested row that rises with the run, and in it with the evaluations."""
        return np.asarray(rows.owner * self._span + rows["evaluations"])


def _of_the_runs(runs: _Runs, published: bool) -> Clauses:
    known, evaluations, wall_s = runs.known, runs["evaluations"], runs["wall_s"]
    for name in _NEEDED[:1] if published else _NEEDED:  # the other checks compute with these
        yield f"{name} is empty", known[name]
    yield "the number of evaluations is negative", evaluations >= 0
    in_budget = ~known["budget_evaluations"] | (evaluations <= runs["budget_evaluations"])
    yield "{evaluations} evaluations exceed the budget of {budget_evaluations}", in_budget
    own = runs["constraint_evaluations"]
    clause = "{constraint_evaluations} evaluations of constraints, of {evaluations} in all"
    yield clause, ~known["constraint_evaluations"] | ((own >= 0) & (own <= evaluations))
    if published:  # f_opt and best_f may be rounded
        return
    of_value = np.where(known["f_opt"], precision(runs["best_f"], runs["f_opt"]), runs["best_f"])
    same = of_value == runs["best_precision"]
    yield "best_f {best_f} does not give the best precision {best_precision}", same
    in_time = (wall_s >= 0) & (~known["budget_s"] | (wall_s <= runs["budget_s"]))
    yield "wall_s is {wall_s}, and its budget {budget_s} s", in_time
    reaped_s, real_s = runs["reaped_s"], runs["real_s"]
    charged_s = np.where(known["charged_s"], runs["charged_s"], 0.0)
    in_life = (real_s >= 0) & (real_s <= reaped_s) & (charged_s >= 0)
    clause = "real_s is {real_s} and charged_s {charged_s}, in {reaped_s} s of its process"
    yield clause, ~known["real_s"] | in_life
    latest_s = reaped_s + charged_s + _ROUNDED_S * (charged_s > 0)
    yield "wall_s {wall_s} exceeds the life of its process", wall_s <= latest_s
    last_s = runs["last_evaluation_s"]
    in_life = ~known["last_evaluation_s"] | ((last_s >= 0) & (last_s <= latest_s))
    yield "its last evaluation ended at {last_evaluation_s} s", in_life


def _of_events(runs: _Runs) -> Clauses:
    events, vectors = runs.rows["events"], runs.rows["vectors"]
    falls = events.steps(np.diff(events["precision"]) < 0)
    yield "the precision does not fall from event to event", falls
    at_end = events.least("precision") == runs["best_precision"]
    yield "the last event does not have the best precision {best_precision}", at_end
    kept = np.isin(runs.moments(events), runs.moments(vectors))
    yield "an event belongs to no vector", events.all(kept | ~runs.of_vectors[events.owner])


def _of_launches(runs: _Runs) -> Clauses:
    launches, evaluations, none = runs.launches, runs["evaluations"], ~runs.launches.some
    described = runs["launches"] == launches.count
    yield "{launches} launches, and another number of them described", described
    yield "evaluations without a launch", launches.some | (evaluations == 0)
    start_s, end_s, made = (launches[name] for name in ("start_s", "end_s", "evaluations"))
    ordered = (start_s >= 0) & (start_s <= end_s) & (end_s <= runs["wall_s"][launches.owner])
    ordered = launches.all(ordered) & launches.rising("start_s")
    yield "the times of its launches are out of order, or after the run", ordered
    same = np.bincount(launches.owner, made, minlength=none.size) == evaluations
    same = none | same & launches.all(made >= 0)
    yield "its launches do not have {evaluations} evaluations in all", same
    best_of_run = none | (launches.least("best_precision") == runs["best_precision"])
    yield "no launch has the best precision of the run", best_of_run


def _of_rows(runs: _Runs, name: str, published: bool) -> Clauses:
    """Compare what launches made with the run, and events also with the launches."""
    rows, what, timed = runs.rows[name], _MADE_BY_LAUNCHES[name], runs.known["wall_s"]
    owner, evaluations, time_s = rows.owner, rows["evaluations"], rows["time_s"]
    if not owner.size:
        return
    number = {"vectors": "", "recommendations": "noise_free"}.get(name, "precision")
    finite = np.isfinite(rows[number]) if number else rows.finite
    yield f"{what} has a number that is not finite", rows.all(finite)
    # In several threads, evaluations can end when the same number of them has begun.
    ordered = rows.rising("evaluations") & (~timed | rows.rising("time_s"))
    yield f"{what} is out of order", ordered
    within = (evaluations >= 1) & (evaluations <= runs["evaluations"][owner])
    yield f"{what} belongs to no evaluation of the run", rows.all(within)
    in_time = (time_s >= 0) & (time_s <= runs["wall_s"][owner])
    if name in ("events", "vectors") and not published:
        in_time &= (~runs.known["budget_s"])[owner] | (time_s < runs["budget_s"][owner])
    yield f"{what} is not from the time of the run", ~timed | rows.all(in_time)
    launch, launches = rows["launch"], runs.launches
    begun = (launch >= 0) & (launch < launches.count[owner])
    if not published:
        yield f"{what} belongs to a launch that was not begun", rows.all(begun)
    if "precision" not in number or not begun.any():
        return
    made_by = np.where(begun, launches.begin[owner] + launch, 0).astype(np.intp)
    during = (time_s >= launches["start_s"][made_by]) & (time_s <= launches["end_s"][made_by])
    yield f"{what} is not from the time of its launch", rows.all(during | ~begun)
    as_good = rows["precision"] >= launches["best_precision"][made_by]
    yield f"{what} is better than its launch", rows.all(as_good | ~begun)


def _of_traces(runs: _Runs) -> Clauses:
    rows, events = runs.rows["launch_events"], runs.rows["events"]
    if not rows.owner.size:
        return
    launches, of_row = np.unique(rows["launch"], return_inverse=True)
    traced = np.array([THINNING.traces(int(launch)) for launch in launches])[of_row]
    yield "an event of a launch that is not traced", rows.all(traced)
    own = np.lexsort((of_row, rows.owner))  # by launch; each run keeps its places
    falls = (np.diff(rows["precision"][own]) < 0) | (np.diff(of_row[own]) != 0)
    yield "the precision does not fall from event to event of a launch", rows.steps(falls)
    last = np.searchsorted(runs.moments(events), runs.moments(rows), side="right") - 1
    of_run = np.append(events.owner, -1)[last] == rows.owner
    by_then = np.where(of_run, np.append(events["precision"], np.inf)[last], np.inf)
    as_good = rows.all(rows["precision"] >= by_then)
    yield "an event of a launch is better than the run was by then", as_good


def _of_batches(runs: _Runs) -> Clauses:
    batches = runs.rows["batches"]
    first, size, count = (batches[name] for name in BATCH_FIELDS)
    end = first + size * count
    yield "a batch has no points", batches.all((size >= 1) & (count >= 1))
    in_order = batches.steps(first[1:] >= end[:-1]) & batches.all(first >= 0)
    in_order &= batches.all(end <= runs["evaluations"][batches.owner])
    yield "its batches do not follow one another", in_order
