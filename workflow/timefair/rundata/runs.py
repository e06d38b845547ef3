"""The runs of a campaign: a frame with one row per run, and their events part by part."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from timefair.basics.errors import InputError
from timefair.records.consistency import BATCH_FIELDS
from timefair.records.integrity import Origins
from timefair.records.schema import KEYS, PUBLISHED, RUN_SCHEMA
from timefair.records.status import Disturbance
from timefair.records.store import facts_of
from timefair.rundata import launch_traces, launches
from timefair.rundata.charges import shares_s
from timefair.rundata.clocks import seconds
from timefair.rundata.launch_traces import LaunchTraces
from timefair.rundata.settings import Analysis, Clock
from timefair.rundata.sources import Held, Source, Stored
from timefair.rundata.traced_launches import TracedLaunches
from timefair.rundata.traces import FIELDS, TracePart, Traces
from timefair.statistics.anytime import best_so_far
from timefair.statistics.runtimes import runtimes
from timefair.statistics.targets import relative_targets

Result = TypeVar("Result")
Unit = Literal["seconds", "evaluations", "seconds_per_dimension", "evaluations_per_dimension"]
UNITS: tuple[Unit, ...] = ("seconds", "evaluations")
"""The units of most tables; the others compare dimensions."""

PER_DIMENSION: dict[Unit, Unit] = {
    "seconds_per_dimension": "seconds",
    "evaluations_per_dimension": "evaluations",
}
SECONDS: tuple[Unit, ...] = ("seconds", "seconds_per_dimension")

PROBLEM = ["suite", "function", "dimension", "instance"]
DECIDED = [
    "suite", "function", "dimension", "instance", "algorithm", "round", "runs", "reason", "path",
]  # fmt: skip

HELD_EVENTS = 4_000_000
"""As many are kept in memory, some 100 MB; more are read again whenever they are asked for."""


POINTS = 101
"""Of a curve."""

MANY_CELLS = 300
"""Algorithms times functions in all dimensions, up to which tables are whole."""

LEAST_POINTS = 0.25
"""Share of the points that curves have at least."""


@dataclass(frozen=True)
class Runs:
    """Runs in the order of their keys.

    Where nobody knows a problem's optimum, the best value that any of these runs found on it takes
    its place: a precision is then the distance to that value, and changes with what is read. The
    column ``reference_f`` of the frame has the optimum or that value.

    Attributes
    ----------
    frame
        One row per run, with every column of the record that is not nested.
    traces
        The events of all runs.
    launch_traces
        What each traced launch of these runs found; see `rundata.launch_traces`. Charges leave
        them unchanged, as the costs of a launch count from its start.
    read_launches
        Reads those of all runs; see `tables.launches`.
    read_points
        Reads the best point of each run: a list column, null where a run has none.
    read_batches
        Reads the batches of each run: a list column, null where they are not known.
    stopping
        A row for each problem, algorithm and round on which a stopping rule decided: ``runs`` so
        far, ``reason`` (None to go on) and ``path``, the rule's number at each look.
    origins
        Where the runs of each algorithm come from, as far as their records say.
    published
        Runs of published data, which have no times; None without any. They are apart from all
        others, so that a table has them only where it asks for them; see `tables.published`.
    sources
        Of each algorithm of published data, what its record says of them.
    in_values
        Whether targets are values of f.
    """

    frame: pd.DataFrame
    traces: Traces
    launch_traces: LaunchTraces
    read_launches: Callable[[], pd.DataFrame]
    read_points: Callable[[], pa.Array]
    read_batches: Callable[[], pa.Array]
    stopping: pd.DataFrame
    origins: Mapping[str, Origins]
    published: Runs | None = None
    sources: Mapping[str, Any] = field(default_factory=dict)
    in_values: bool = False
    _kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """What `make` returns, which is called once for each key.

        Several tables of the same runs share it.

        Parameters
        ----------
        key
            Everything that the result depends on, except these runs.
        make
            Makes the result, which nobody changes.
        """
        if key not in self._kept:
            self._kept[key] = make()
        return cast(Result, self._kept[key])

    @classmethod
    def read(cls, paths: Iterable[Path]) -> Runs:
        """All runs of record files; their events stay there until they are asked for.

        Raises
        ------
        InputError
            If a file is not a complete record, or two runs have the same keys.
        """
        return cls._from(Stored(paths))

    @classmethod
    def of(cls, table: pa.Table) -> Runs:
        """Take a table of `RUN_SCHEMA` apart, without a Python object for an event.

        Raises
        ------
        InputError
            If two rows have the same keys.
        """
        return cls._from(Held(table))

    @classmethod
    def _from(cls, source: Source) -> Runs:
        plain = source.plain()
        facts = facts_of(plain.schema)
        sources = facts.get(PUBLISHED, {})
        apart = pc.is_in(plain["algorithm"], pa.array(list(sources), pa.string())).to_numpy()
        measured = cls._some(source, plain, ~apart, facts)
        if not sources:
            return measured
        published = cls._some(source, plain, apart, {})
        return replace(measured, published=published, sources=sources)

    @classmethod
    def _some(
        cls, source: Source, plain: pa.Table, kept: NDArray[np.bool_], facts: Mapping[str, Any]
    ) -> Runs:
        """Some of the runs of a source, of which all that is not nested is in memory."""
        places = np.flatnonzero(kept)
        keys = plain.select(KEYS).take(places)
        places = places[pc.sort_indices(keys, [(key, "ascending") for key in KEYS])]
        frame = plain.take(places).to_pandas(split_blocks=True, self_destruct=True)
        twice = frame.duplicated(list(KEYS))
        if twice.any():
            first = frame.loc[twice.idxmax(), list(KEYS)]
            run = ", ".join(f"{key} {value}" for key, value in first.items())
            raise InputError(
                f"{first['algorithm']}: the same run is there twice ({run}); give each file once, "
                "and if two campaigns use this label, give one of them another under `algorithms` "
                "and measure it again"
            )
        rows = np.full(kept.size, -1, dtype=np.intp)
        rows[places] = np.arange(places.size)
        reference = _best_known(frame)
        frame["best_precision"] -= reference
        frame["real_s"] = frame["real_s"].fillna(frame["wall_s"])  # there was no virtual cost
        frame["reference_f"] = frame["f_opt"].fillna(pd.Series(reference)).astype(float)
        traces = Traces(lambda: _parts(source, rows)).each(
            lambda part: part.from_reference(reference)
        )
        return cls(
            frame=frame,
            traces=traces.held(lambda: source.events() <= HELD_EVENTS),
            launch_traces=launch_traces.read(source, rows).each(
                lambda part: part.from_reference(reference)
            ),
            read_launches=lambda: launches.read(source, rows, reference),
            read_points=lambda: _column(source, "best_x", (), places),
            read_batches=lambda: _column(source, "batches", BATCH_FIELDS, places),
            stopping=pd.DataFrame(facts.get("stopping", []), columns=DECIDED),
            origins={label: Origins(**one) for label, one in facts.get("origins", {}).items()},
        )

    def spent(self, unit: Unit) -> NDArray[np.float64]:
        """What each whole run cost, shape (runs,): what a failure is charged."""
        if unit in PER_DIMENSION:
            return self.spent(PER_DIMENSION[unit]) / self._dimension
        column = "wall_s" if unit == "seconds" else "evaluations"
        return self.frame[column].to_numpy(dtype=np.float64)

    def runtimes(self, unit: Unit, targets: ArrayLike) -> NDArray[np.float64]:
        """Cost to each target, shape (runs, targets); `inf` where it was not reached.

        Targets have the shape (targets,), or (runs, targets) where each run has its own, as
        precisions. The former are values of f if the runs are `in_values`; else they are
        precisions, and shares of what was found where the optimum is unknown. NaN in seconds of
        runs without times.
        """
        wanted = self._precisions(np.asarray(targets, dtype=np.float64))
        cost = np.empty((len(self.frame), wanted.shape[-1]))
        for part, of_events in self._costs(unit):
            own = wanted if wanted.ndim == 1 else wanted[part.rows]
            cost[part.rows] = runtimes(of_events, part.precision, part.offsets, own)
        if unit in SECONDS:
            cost[~self.timed] = np.nan
        return cost

    def launch_runtimes(self, targets: ArrayLike) -> TracedLaunches:
        """Cost of each traced launch to each target, which are as in `runtimes`."""
        wanted = self._precisions(np.asarray(targets, dtype=np.float64))
        nobody, nothing = np.empty(0, np.intp), np.empty((0, wanted.shape[-1]))
        found = [(nobody, nobody, nothing, nothing)]
        for part in self.launch_traces:
            own = wanted if wanted.ndim == 1 else wanted[part.rows]
            seconds = runtimes(part.time_s, part.precision, part.offsets, own)
            evaluations = runtimes(part.evaluations, part.precision, part.offsets, own)
            found.append((part.rows, part.launch, seconds, evaluations))
        return TracedLaunches(*(np.concatenate(of) for of in zip(*found, strict=True)))

    @property
    def optimum(self) -> Literal["known", "unknown", "partly"]:
        """Whether the optima of all problems, of none or of some are known; `known` of no run."""
        unknown = self.frame["f_opt"].isna()
        if not unknown.any():
            return "known"
        return "unknown" if unknown.all() else "partly"

    def _precisions(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Targets as precisions, each run's own where they differ between problems."""
        if targets.ndim == 2:
            return targets
        if self.in_values:
            reference = self.frame["reference_f"].to_numpy(dtype=np.float64)
            return np.asarray(targets - reference[:, np.newaxis], dtype=np.float64)
        unknown = self.frame["f_opt"].isna().to_numpy()
        if not unknown.any():
            return targets
        shares = self.relative_targets(np.minimum(targets, 1.0))
        return np.where(unknown[:, np.newaxis], shares, targets)

    @property
    def launches(self) -> pd.DataFrame:
        """A row a launch, as `tables.launches` has them; read whenever it is asked for."""
        return self.read_launches()

    @property
    def timed(self) -> NDArray[np.bool_]:
        """Which runs have times, shape (runs,): those of published data have none."""
        return np.asarray(self.frame["wall_s"].notna())

    def units_of(self, rows: NDArray[np.intp]) -> tuple[Unit, ...]:
        """The units of most tables in which some runs can be expressed."""
        return UNITS if self.timed[rows].all() else ("evaluations",)

    def relative_targets(self, shares: ArrayLike) -> NDArray[np.float64]:
        """The targets of each run's problem, shape (runs, shares).

        Runs without times do not move them: what they found was not found within the budget.
        """
        problem = self.frame.groupby(PROBLEM).ngroup().to_numpy()
        first, best = (
            self._of_traces(TracePart.first_precision),
            self._of_traces(TracePart.last_precision),
        )
        first[~self.timed] = best[~self.timed] = np.inf
        return relative_targets(first, best, problem, shares)

    def at_the_best(self) -> dict[str, NDArray[np.float64]]:
        """What had been spent at the last event: ``evaluations`` and ``time_s``, shape (runs,).

        NaN for a run without events.
        """
        return {
            "evaluations": self._of_traces(lambda part: part.at_the_last(part.evaluations)),
            "time_s": self._of_traces(lambda part: part.at_the_last(part.time_s)),
        }

    @property
    def disturbed(self) -> NDArray[np.bool_]:
        """Which runs others have slowed, shape (runs,)."""
        return np.asarray(self.frame["disturbance"] == Disturbance.DISTURBED)

    def with_targets_in_values(self, in_values: bool) -> Runs:
        """The same runs, whose targets are values of f or precisions."""
        if in_values == self.in_values:
            return self
        return self.once(("in values", in_values), lambda: replace(self, in_values=in_values))

    def wanted(self, analysis: Analysis) -> Runs:
        """Without disturbed runs, if the analysis leaves them out."""
        if analysis.disturbed != "exclude":
            return self
        return self.once("undisturbed", lambda: self.where(~self.disturbed))

    def where(self, kept: NDArray[np.bool_]) -> Runs:
        """Some of the runs; precisions stay distances to the best of all (`from_own_best`)."""
        rows = np.where(kept, np.cumsum(kept) - 1, -1)
        return replace(
            self,
            frame=self.frame[kept].reset_index(drop=True),
            traces=self.traces.renumbered(rows),
            launch_traces=self.launch_traces.each(lambda part: part.renumbered(rows)),
            read_launches=lambda: launches.of_runs(self.read_launches(), rows),
            read_points=lambda: self.read_points().filter(pa.array(kept)),
            read_batches=lambda: self.read_batches().filter(pa.array(kept)),
        )

    def from_own_best(self) -> Runs:
        """The same runs; without a known optimum, precisions are distances to the best of them.

        They were distances to the best of all runs that were read, which `where` may have omitted.
        """
        change = _best_known(self.frame)
        if not change.any():
            return self
        best, reference = self.frame["best_precision"] - change, self.frame["reference_f"] + change
        return replace(
            self,
            frame=self.frame.assign(best_precision=best, reference_f=reference),
            traces=self.traces.each(lambda part: part.from_reference(change)),
            launch_traces=self.launch_traces.each(lambda part: part.from_reference(change)),
            read_launches=lambda: launches.from_reference(self.read_launches(), change),
        )

    def timed_by(self, clock: Clock) -> Runs:
        """The same runs with their times as another clock shows them, budgets included.

        A run is scaled as a whole: what it computed is taken to be spread evenly over it.

        Raises
        ------
        InputError
            If the clock does not show a run's time.
        """
        return self if clock == "wall" else self.once(clock, lambda: self._timed_by(clock))

    def _timed_by(self, clock: Clock) -> Runs:
        if (self.frame["evaluation_cost_s"] > 0).any():
            raise InputError(f"statistics.time: {clock!r}: with a virtual evaluation cost, 'wall'")
        wall_s, shown = self.frame["wall_s"].to_numpy(np.float64), seconds(self.frame, clock)
        if np.isnan(shown).any():
            count = np.isnan(shown).sum()
            raise InputError(f"statistics.time: {clock!r}: {count} runs have no such time")
        scale = np.divide(shown, wall_s, out=np.ones_like(shown), where=wall_s > 0)
        return replace(
            self,
            frame=self.frame.assign(wall_s=shown, budget_s=self.frame["budget_s"] * scale),
            traces=self.traces.each(lambda part: part.scaled(scale)),
            launch_traces=self.launch_traces.each(lambda part: part.scaled(scale)),
            read_launches=lambda: launches.scaled(self.read_launches(), scale),
        )

    def amortised(self, analysis: Analysis) -> Runs:
        """The same runs, each charged its share of its algorithm's tuning and preparation."""
        return self.charged(shares_s(self.frame, analysis))

    def charged(self, cost_s: Mapping[str, float]) -> Runs:
        """The same runs, begun so many seconds later, a number an algorithm.

        What then lies at or after the budget T is dropped, and launches that end there are not
        complete. Without a budget in seconds nothing is dropped. Evaluations and counts stay as
        measured.
        """
        late = np.asarray(self.frame["algorithm"].map(cost_s).fillna(0.0), dtype=np.float64)
        budget = np.asarray(self.frame["budget_s"].fillna(np.inf), dtype=np.float64)
        left = replace(
            self,
            traces=self.traces.each(lambda part: part.begun_later(late, budget)),
            read_launches=lambda: launches.begun_later(self.read_launches(), late, budget),
        )
        wall_s = np.minimum(self.frame["wall_s"] + late, budget)
        best = left._of_traces(TracePart.last_precision)
        return replace(left, frame=self.frame.assign(wall_s=wall_s, best_precision=best))

    def spaces(self) -> Iterator[Runs]:
        """The runs of each suite and dimension, which may have a budget of its own."""
        for _, rows in self.groups(("suite", "dimension")):
            mine = np.zeros(len(self.frame), dtype=np.bool_)
            mine[rows] = True
            yield self if mine.all() else self.where(mine)

    def best_so_far(self, unit: Unit, grid: NDArray[np.float64]) -> NDArray[np.float64]:
        """Best precision at each cost of the grid, shape (runs, points)."""
        best = np.empty((len(self.frame), grid.size))
        for part, of_events in self._costs(unit):
            best[part.rows] = best_so_far(of_events, part.precision, part.offsets, grid)
        return best

    @property
    def cells(self) -> int:
        """How many combinations of algorithm, function and dimension there are."""
        keys = ["suite", "dimension", "function", "algorithm"]
        return self.frame.groupby(keys, observed=True).ngroups

    @property
    def points(self) -> int:
        """How many points the curves of a table have.

        `POINTS` up to `MANY_CELLS` cells; beyond, in proportion to their number fewer, so that
        tables, figures and the memory of a bootstrap do not grow with it, but at least
        `LEAST_POINTS` of that number.
        """
        share = MANY_CELLS / max(self.cells, MANY_CELLS)
        return round(POINTS * max(share, LEAST_POINTS))

    def cost_grid(self, unit: Unit, points: int | None = None) -> NDArray[np.float64]:
        """Costs, evenly spaced in the logarithm, from the first event to the longest run's end.

        `points` are by default as many as these runs have cells for.
        """
        first = self._first_costs(unit).min(initial=np.inf)
        end = self.spent(unit).max(initial=0.0)
        return _cost_grid(float(first), end, unit, points or self.points)

    def cost_grids(
        self, unit: Unit, of_runs: Iterable[NDArray[np.intp]]
    ) -> list[NDArray[np.float64]]:
        """A `cost_grid` for each of some sets of runs, given by their rows.

        Each ends with the longest of its own runs, as dimensions may have budgets of their own.
        """
        first, end, points = self._first_costs(unit), self.spent(unit), self.points
        return [
            _cost_grid(first[rows].min(initial=np.inf), end[rows].max(initial=0.0), unit, points)
            for rows in of_runs
        ]

    def groups(self, keys: tuple[str, ...]) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
        """The rows of each combination of keys, in the order of the keys' values."""
        if self.frame.empty:
            return
        for names, rows in sorted(self.frame.groupby(list(keys)).indices.items()):
            values = names if isinstance(names, tuple) else (names,)
            yield dict(zip(keys, values, strict=True)), np.asarray(rows, dtype=np.intp)

    @property
    def _dimension(self) -> NDArray[np.float64]:
        return self.frame["dimension"].to_numpy(dtype=np.float64)

    def _costs(self, unit: Unit) -> Iterator[tuple[TracePart, NDArray[np.float64]]]:
        """Each part, and what had been spent since the run's start at its events.

        In seconds 0 of runs without times.
        """
        for part in self.traces:
            cost = part.evaluations
            if unit in SECONDS:
                cost = np.where(np.isnan(part.time_s), 0.0, part.time_s)
            yield part, cost / part.at_events(self._dimension) if unit in PER_DIMENSION else cost

    def _first_costs(self, unit: Unit) -> NDArray[np.float64]:
        """The least cost above 0 at an event of each run, shape (runs,); `inf` without any."""
        first = np.full(len(self.frame), np.inf)
        for part, cost in self._costs(unit):
            owner = np.repeat(part.rows, np.diff(part.offsets))
            np.minimum.at(first, owner[cost > 0], cost[cost > 0])
        return first

    def _of_traces(self, number: Callable[[TracePart], NDArray[np.float64]]) -> NDArray[np.float64]:
        """A number of each run, shape (runs,)."""
        of_runs = np.empty(len(self.frame))
        for part in self.traces:
            of_runs[part.rows] = number(part)
        return of_runs


def _cost_grid(first: float, end: float, unit: Unit, points: int) -> NDArray[np.float64]:
    """Points evenly spaced in the logarithm; none without an event or a cost."""
    if first == np.inf or end <= 0:
        return np.empty(0)
    first = min(first, end)
    grid = np.geomspace(first, end, points)
    if unit == "evaluations":
        grid = np.unique(np.round(grid))
    grid[0], grid[-1] = first, end
    return grid


def _parts(source: Source, rows: NDArray[np.intp]) -> Iterator[TracePart]:
    """The events of a source, of the runs that have a row."""
    first = 0
    for events in source.nested("events", FIELDS):
        yield TracePart.of(events, rows[first : first + len(events)])
        first += len(events)


def _column(source: Source, name: str, fields: Sequence[str], places: NDArray[np.intp]) -> pa.Array:
    """A nested column of a source, of the runs at some places."""
    empty = pa.chunked_array([], RUN_SCHEMA.field(name).type)
    chunks = [chunk for part in source.nested(name, fields) for chunk in part.chunks]
    return pa.chunked_array(chunks, empty.type).take(places)


def _best_known(frame: pd.DataFrame) -> NDArray[np.float64]:
    """What the precisions of each run are to be taken from, shape (runs,).

    0 with a known optimum. Without, they are values: the best value of the problem, 0 where no
    run found a finite one.
    """
    best = frame.groupby(PROBLEM)["best_precision"].transform("min").to_numpy(dtype=np.float64)
    return np.where(frame["f_opt"].isna() & np.isfinite(best), best, 0.0)
