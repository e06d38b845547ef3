"""Contradictions between the values of a run.

An algorithm shares a process with the counters and can overwrite them. Therefore each run is
checked when it is recorded, and again by `timefair collect` and `timefair verify`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from timefair.basics.optimum import precision
from timefair.records.integrity import RUN_KEY, run_name
from timefair.records.thinning import THINNING

if TYPE_CHECKING:
    import pyarrow as pa

Columns = Mapping[str, NDArray[Any]]
"""`EVENT_FIELDS` or `LAUNCH_FIELDS`, each an array of shape ``(rows of a run,)``."""

_ROUNDED_S = 1e-6
"""Upper bound of the rounding error of a sum of seconds."""

EVENT_FIELDS = ("launch", "evaluations", "time_s", "precision")
"""Fields of `schema.EVENT` that are checked."""

LAUNCH_FIELDS = ("start_s", "end_s", "evaluations", "best_precision")
"""Fields of `schema.LAUNCH` that are checked."""

BATCH_FIELDS = ("first", "size", "count")
"""Fields of `schema.BATCH`."""

VECTOR_FIELDS = ("launch", "evaluations", "time_s")
"""Fields of `schema.VECTOR`, except the outputs."""

RECOMMENDATION_FIELDS = ("launch", "evaluations", "time_s", "noise_free")
"""Fields of `schema.RECOMMENDATION`."""

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
    "constraint_evaluations",
    "last_evaluation_s",
    "overshoot_s",
)


_NEEDED = ("evaluations", "best_f", "best_precision", "wall_s", "reaped_s", "launches")


def contradictions(runs: pa.Table, *, published: bool = False) -> Iterator[str]:
    """One line per run that contradicts itself.

    Parameters
    ----------
    runs
        Runs with the columns of `schema.RUN_SCHEMA`.
    published
        Whether the runs are published data. They have no launches, their values may be rounded, and
        an event may be at T.
    """
    rows = runs.select([*RUN_KEY, *_RUN]).to_pylist()
    events = _by_run(runs["events"], EVENT_FIELDS)
    launches = _by_run(runs["launch_log"], LAUNCH_FIELDS)
    launch_events = _by_run(runs["launch_events"], EVENT_FIELDS)
    batches = _by_run(runs["batches"], BATCH_FIELDS)
    vectors = _vectors_by_run(runs["vectors"])
    recommended = _by_run(runs["recommendations"], RECOMMENDATION_FIELDS)
    for row, *nested in zip(
        rows, events, launches, launch_events, batches, vectors, recommended, strict=True
    ):
        if clause := contradiction(row, *nested, published=published):
            yield f"{run_name(tuple(row[name] for name in RUN_KEY))}: {clause}"


def _by_run(column: pa.ChunkedArray, names: tuple[str, ...]) -> Iterator[Columns]:
    for chunk in column.chunks:
        fields = {name: chunk.values.field(name).to_numpy(zero_copy_only=False) for name in names}
        cuts = chunk.offsets.to_numpy()
        for begin, end in pairwise(cuts):
            yield {name: values[begin:end] for name, values in fields.items()}


def _vectors_by_run(column: pa.ChunkedArray) -> Iterator[Columns | None]:
    """`VECTOR_FIELDS`, and ``finite``: whether all numbers of each vector are finite; None without
    vectors.
    """
    for chunk in column.chunks:
        outputs = chunk.values.field("outputs")
        lengths = outputs.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        numbers = outputs.flatten().to_numpy(zero_copy_only=False)
        owner = np.repeat(np.arange(lengths.size), lengths)
        wrong = np.bincount(owner, ~np.isfinite(numbers), minlength=lengths.size)
        finite = (wrong == 0) & (lengths > 1)
        fields = {
            name: chunk.values.field(name).to_numpy(zero_copy_only=False) for name in VECTOR_FIELDS
        } | {"finite": finite}
        known = chunk.is_valid().to_numpy(zero_copy_only=False)
        for (begin, end), here in zip(pairwise(chunk.offsets.to_numpy()), known, strict=True):
            yield {name: values[begin:end] for name, values in fields.items()} if here else None


def contradiction(
    run: Mapping[str, Any],
    events: Columns,
    launches: Columns,
    launch_events: Columns,
    batches: Columns,
    vectors: Columns | None = None,
    recommended: Columns | None = None,
    *,
    published: bool = False,
) -> str | None:
    """The first contradiction in a run, as a clause; None if there is none.

    Parameters
    ----------
    run
        The columns `_RUN` of `schema.RUN_SCHEMA`; None stands for null.
    events, launches, launch_events, batches
        The rows, in the order in which they were made; each may be empty.
    recommended
        The rows, in the same order; None or empty without recommendations.
    vectors
        The rows, in the same order, and ``finite``, shape ``(vectors,)``: whether all numbers of
        each vector are finite. None if evaluations give one value.
    published
        As in `contradictions`.
    """
    for clauses in (
        _of_needed(run, published),
        _of_the_run(run, published),
        _of_events(run, events, published),
        () if published else _of_launches(run, launches),
        _of_both(launches, events),
        _of_traces(run, events, launches, launch_events),
        _of_batches(run, batches),
        _of_constraints(run),
        _of_vectors(run, vectors, events, launches),
        _of_recommended(run, recommended, launches),
    ):
        for clause, holds in clauses:
            if not holds:
                return clause
    return None


Clauses = Iterator[tuple[str, bool]]
"""Each clause describes a fault of the run if its second value is False."""


def _of_needed(run: Mapping[str, Any], published: bool) -> Clauses:
    """The other checks compute with these columns, with the first only in published runs."""
    for name in _NEEDED[:1] if published else _NEEDED:
        yield f"{name} is empty", run[name] is not None


def _of_the_run(run: Mapping[str, Any], published: bool) -> Clauses:
    evaluations, wall_s, budget_s = run["evaluations"], run["wall_s"], run["budget_s"]
    yield "the number of evaluations is negative", evaluations >= 0
    if run["budget_evaluations"] is not None:
        most = run["budget_evaluations"]
        yield f"{evaluations} evaluations exceed the budget of {most}", evaluations <= most
    if published:  # f_opt and best_f may be rounded
        return
    best_f, f_opt, best = run["best_f"], run["f_opt"], run["best_precision"]
    of_value = best_f if f_opt is None else precision(best_f, f_opt)
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


def _of_events(run: Mapping[str, Any], events: Columns, published: bool) -> Clauses:
    precision, evaluations, time_s = (events[n] for n in ("precision", "evaluations", "time_s"))
    last = precision[-1] if len(precision) else np.inf
    yield f"the last event has {last} and not the best precision", last == run["best_precision"]
    yield "the precision of an event is NaN or infinite", bool(np.isfinite(precision).all())
    yield "the precision does not fall from event to event", bool((np.diff(precision) < 0).all())
    # In several threads, evaluations can end when the same number of them has begun.
    falls = bool((np.diff(evaluations) < 0).any())
    yield "the evaluations fall from event to event", not falls
    if len(evaluations):
        within = evaluations[0] >= 1 and evaluations[-1] <= run["evaluations"]
        yield "an event belongs to no evaluation of the run", bool(within)
    if run["wall_s"] is None or not len(time_s):
        return
    yield "the time goes back from event to event", bool((np.diff(time_s) >= 0).all())
    yield f"an event is from {time_s[0]} s before the start", bool(time_s[0] >= 0)
    yield f"an event is from {time_s[-1]} s, after the end", bool(time_s[-1] <= run["wall_s"])
    if run["budget_s"] is not None and not published:
        yield f"an event is from {time_s[-1]} s, not before T", bool(time_s[-1] < run["budget_s"])


def _of_launches(run: Mapping[str, Any], launches: Columns) -> Clauses:
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
    """Compare events of either kind with the launches that made them."""
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
    """Check the improvements of launches that `thinning` keeps."""
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
    rising = (np.diff(evaluations) >= 0).all() and (np.diff(time_s) >= 0).all()
    yield "the events of launches are out of order", bool(rising)
    within = evaluations[0] >= 1 and evaluations[-1] <= run["evaluations"]
    yield "an event of a launch belongs to no evaluation of the run", bool(within)
    own = np.argsort(made_by, kind="stable")
    same = made_by[own][1:] == made_by[own][:-1]
    falls = (np.diff(precision[own])[same] < 0).all()
    yield "the precision does not fall from event to event of a launch", bool(falls)
    before = np.searchsorted(events["evaluations"], evaluations, side="right")
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


def _of_constraints(run: Mapping[str, Any]) -> Clauses:
    own, all_ = run["constraint_evaluations"], run["evaluations"]
    if own is not None:
        yield f"{own} evaluations of constraints, of {all_} evaluations in all", 0 <= own <= all_


def _of_vectors(
    run: Mapping[str, Any], vectors: Columns | None, events: Columns, launches: Columns
) -> Clauses:
    if vectors is None:
        return
    launch, evaluations, time_s = (vectors[name] for name in VECTOR_FIELDS)
    yield "a vector has a number that is not finite", bool(vectors["finite"].all())
    found = np.isin(events["evaluations"], evaluations).all()
    yield "an event belongs to no vector", bool(found)
    if not len(evaluations):
        return
    within = evaluations[0] >= 1 and evaluations[-1] <= run["evaluations"]
    yield "a vector belongs to no evaluation of the run", bool(within)
    rising = (np.diff(evaluations) >= 0).all() and (np.diff(time_s) >= 0).all()
    yield "the vectors are out of order", bool(rising)
    least_s, most_s = float(time_s[0]), float(time_s[-1])
    in_time = least_s >= 0 and most_s <= run["wall_s"]
    if run["budget_s"] is not None:
        in_time = in_time and most_s < run["budget_s"]
    yield "a vector is not from the time of the run", in_time
    begun = (launch >= 0) & (launch < len(launches["start_s"]))
    yield "a vector belongs to a launch that was not begun", bool(begun.all())


def _of_recommended(
    run: Mapping[str, Any], recommended: Columns | None, launches: Columns
) -> Clauses:
    if recommended is None or not len(recommended["launch"]):
        return
    launch, evaluations, time_s, noise_free = (recommended[name] for name in RECOMMENDATION_FIELDS)
    yield "the value of a recommended point is not finite", bool(np.isfinite(noise_free).all())
    begun = (launch >= 0) & (launch < len(launches["start_s"]))
    yield "a launch that was not begun has recommended a point", bool(begun.all())
    rising = (np.diff(evaluations) >= 0).all() and (np.diff(time_s) >= 0).all()
    yield "the recommended points are out of order", bool(rising)
    within = evaluations[0] >= 1 and evaluations[-1] <= run["evaluations"]
    yield "a point was recommended after no evaluation of the run", bool(within)
    in_time = time_s[0] >= 0 and time_s[-1] <= run["wall_s"]
    yield "a point was not recommended in the time of the run", bool(in_time)


_CLOCK_S = 1e-9
"""A budget is rounded to whole nanoseconds."""


def another_budget(facts: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> str:
    """A clause if a run had another T than the campaign of its record; else empty.

    It is also empty for runs without a T, and for a record that does not name its campaign.

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
