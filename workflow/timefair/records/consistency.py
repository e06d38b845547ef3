"""Contradictions between the values of a run.

An algorithm shares a process with the counters and can overwrite them. So each run is checked when
it is recorded, and again by `timefair collect` and `timefair verify`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from timefair.records.integrity import RUN_KEY, run_name
from timefair.records.thinning import THINNING

Columns = Mapping[str, NDArray[Any]]
"""`EVENT_FIELDS` or `LAUNCH_FIELDS`, each an array of shape ``(rows of a run,)``."""

_ROUNDED_S = 1e-6
"""The rounding error of a sum of seconds is smaller."""

EVENT_FIELDS = ("launch", "evaluations", "time_s", "precision")
"""Those of `schema.EVENT` that are looked at."""

LAUNCH_FIELDS = ("start_s", "end_s", "evaluations", "best_precision")
"""Those of `schema.LAUNCH` that are looked at."""

BATCH_FIELDS = ("first", "size", "count")
"""Those of `schema.BATCH`."""

_RUN = (
    "budget_s",
    "budget_evaluations",
    "wall_s",
    "real_s",
    "charged_s",
    "reaped_s",
    "evaluations",
    "launches",
    "f_opt",
    "best_f",
    "best_precision",
    "last_evaluation_s",
    "overshoot_s",
)


def contradictions(runs: pa.Table) -> Iterator[str]:
    """One line per run that contradicts itself.

    Parameters
    ----------
    runs
        With the columns of `schema.RUN_SCHEMA`.
    """
    rows = runs.select([*RUN_KEY, *_RUN]).to_pylist()
    events = _by_run(runs["events"], EVENT_FIELDS)
    launches = _by_run(runs["launch_log"], LAUNCH_FIELDS)
    launch_events = _by_run(runs["launch_events"], EVENT_FIELDS)
    batches = _by_run(runs["batches"], BATCH_FIELDS)
    for row, *nested in zip(rows, events, launches, launch_events, batches, strict=True):
        if clause := contradiction(row, *nested):
            yield f"{run_name(tuple(row[name] for name in RUN_KEY))}: {clause}"


def _by_run(column: pa.ChunkedArray, names: tuple[str, ...]) -> Iterator[Columns]:
    for chunk in column.chunks:
        fields = {name: chunk.values.field(name).to_numpy(zero_copy_only=False) for name in names}
        cuts = chunk.offsets.to_numpy()
        for begin, end in pairwise(cuts):
            yield {name: values[begin:end] for name, values in fields.items()}


def contradiction(
    run: Mapping[str, Any],
    events: Columns,
    launches: Columns,
    launch_events: Columns,
    batches: Columns,
) -> str | None:
    """The first contradiction in a run, as a clause; None without one.

    Parameters
    ----------
    run
        Columns of `schema.RUN_SCHEMA`, those of `_RUN`; None where the schema has null.
    events, launches, launch_events, batches
        In the order in which they were made; each may be empty.
    """
    for clauses in (
        _of_the_run(run),
        _of_events(run, events),
        _of_launches(run, launches),
        _of_both(launches, events),
        _of_traces(run, events, launches, launch_events),
        _of_batches(run, batches),
    ):
        for clause, holds in clauses:
            if not holds:
                return clause
    return None


Clauses = Iterator[tuple[str, bool]]
"""Each clause is a fault of the run if its second value is False."""


def _of_the_run(run: Mapping[str, Any]) -> Clauses:
    evaluations, wall_s, budget_s = run["evaluations"], run["wall_s"], run["budget_s"]
    yield "the number of evaluations is negative", evaluations >= 0
    if run["budget_evaluations"] is not None:
        most = run["budget_evaluations"]
        yield f"{evaluations} evaluations exceed the budget of {most}", evaluations <= most
    if wall_s is None:  # published: f_opt and best_f may be rounded
        return
    best_f, f_opt, best = run["best_f"], run["f_opt"], run["best_precision"]
    of_value = best_f if f_opt is None or best_f == np.inf else max(best_f - f_opt, 0.0)
    yield f"best_f {best_f} does not give the best precision {best}", of_value == best
    yield f"wall_s is {wall_s}", wall_s >= 0
    if budget_s is not None:
        yield f"wall_s {wall_s} exceeds the budget of {budget_s} s", wall_s <= budget_s
    real_s, charged_s = run["real_s"], run["charged_s"] or 0.0
    latest_s = run["reaped_s"] + charged_s + _ROUNDED_S * (charged_s > 0)
    if real_s is not None:
        yield f"real_s is {real_s}", 0 <= real_s <= run["reaped_s"]
        yield f"charged_s is {charged_s}", charged_s >= 0
    yield f"wall_s {wall_s} exceeds the life of its process", wall_s <= latest_s
    if (last_s := run["last_evaluation_s"]) is not None:
        yield f"its last evaluation ended at {last_s} s", 0 <= last_s <= latest_s


def _of_events(run: Mapping[str, Any], events: Columns) -> Clauses:
    precision, evaluations, time_s = (events[n] for n in ("precision", "evaluations", "time_s"))
    last = precision[-1] if len(precision) else np.inf
    yield f"the last event has {last} and not the best precision", last == run["best_precision"]
    yield "the precision of an event is NaN or infinite", bool(np.isfinite(precision).all())
    yield "the precision does not fall from event to event", bool((np.diff(precision) < 0).all())
    rising = bool((np.diff(evaluations) > 0).all())
    yield "the evaluations do not rise from event to event", rising
    if len(evaluations):
        within = evaluations[0] >= 1 and evaluations[-1] <= run["evaluations"]
        yield "an event belongs to no evaluation of the run", bool(within)
    if run["wall_s"] is None or not len(time_s):
        return
    yield "the time goes back from event to event", bool((np.diff(time_s) >= 0).all())
    yield f"an event is from {time_s[0]} s before the start", bool(time_s[0] >= 0)
    yield f"an event is from {time_s[-1]} s, after the end", bool(time_s[-1] <= run["wall_s"])
    if run["budget_s"] is not None:
        yield f"an event is from {time_s[-1]} s, not before T", bool(time_s[-1] < run["budget_s"])


def _of_launches(run: Mapping[str, Any], launches: Columns) -> Clauses:
    if run["wall_s"] is None:
        return
    start_s, end_s, evaluations, best = (
        launches[name] for name in ("start_s", "end_s", "evaluations", "best_precision")
    )
    yield (
        f"{run['launches']} launches, and {len(start_s)} of them described",
        (run["launches"] == len(start_s)),
    )
    if not len(start_s):
        yield "evaluations without a launch", run["evaluations"] == 0
        return
    ordered = start_s[0] >= 0 and (np.diff(start_s) >= 0).all() and (start_s <= end_s).all()
    yield "the times of its launches are out of order", bool(ordered)
    yield "a launch ends after the run", bool((end_s <= run["wall_s"]).all())
    yield "a launch has a negative number of evaluations", bool((evaluations >= 0).all())
    total = int(evaluations.sum())
    yield f"its launches have {total} evaluations in all", total == run["evaluations"]
    yield "no launch has the best precision of the run", bool(best.min() == run["best_precision"])


def _of_both(launches: Columns, events: Columns) -> Clauses:
    """Events of either kind against the launches that made them."""
    if not len(launches["start_s"]) or not len(events["launch"]):
        return
    begun = (events["launch"] >= 0) & (events["launch"] < len(launches["start_s"]))
    yield "an event belongs to a launch that was not begun", bool(begun.all())
    made_by = events["launch"].astype(np.intp)
    started = (events["time_s"] >= launches["start_s"][made_by]).all()
    ended = (events["time_s"] <= launches["end_s"][made_by]).all()
    yield "an event is not from the time of its launch", bool(started and ended)
    best = launches["best_precision"][made_by]
    yield "an event is better than its launch", bool((events["precision"] >= best).all())


def _of_traces(
    run: Mapping[str, Any], events: Columns, launches: Columns, launch_events: Columns
) -> Clauses:
    """Improvements of launches alone, as `thinning` keeps them."""
    if not len(launch_events["launch"]):
        return
    yield "events of launches without a launch", len(launches["start_s"]) > 0
    yield from _of_both(launches, launch_events)
    precision, evaluations, time_s, made_by = (
        launch_events[name] for name in ("precision", "evaluations", "time_s", "launch")
    )
    traced = all(THINNING.traces(int(launch)) for launch in np.unique(made_by))
    yield "an event of a launch that is not traced", traced
    yield "an event of a launch is NaN or infinite", bool(np.isfinite(precision).all())
    rising = (np.diff(evaluations) > 0).all() and (np.diff(time_s) >= 0).all()
    yield "the events of launches are out of order", bool(rising)
    within = evaluations[0] >= 1 and evaluations[-1] <= run["evaluations"]
    yield "an event of a launch belongs to no evaluation of the run", bool(within)
    own = np.argsort(made_by, kind="stable")
    same = made_by[own][1:] == made_by[own][:-1]
    falls = (np.diff(precision[own])[same] < 0).all()
    yield "the precision does not fall from event to event of a launch", bool(falls)
    before = np.searchsorted(events["evaluations"], evaluations)
    best = np.concatenate([[np.inf], events["precision"]])[before]
    yield "an event of a launch is better than the run was by then", bool((precision >= best).all())


def _of_batches(run: Mapping[str, Any], batches: Columns) -> Clauses:
    if not len(batches["first"]):
        return
    first, size, count = (batches[name] for name in BATCH_FIELDS)
    end = first + size * count
    yield "a batch has no points", bool((size >= 1).all() and (count >= 1).all())
    in_order = first[0] >= 0 and (first[1:] >= end[:-1]).all() and end[-1] <= run["evaluations"]
    yield "its batches do not follow one another", bool(in_order)
