"""The runs of a campaign: a frame with one row per run, and their events part by part."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from timefair.basics.errors import InputError
from timefair.records.integrity import Origins, several_hosts
from timefair.records.rundata import traces as nested
from timefair.records.rundata.settings import Analysis, Clock, NoisyValue
from timefair.records.schema import BRIDGE, FOREIGN_CLOCK, KEYS, PUBLISHED, RUN_SCHEMA
from timefair.records.status import ENDED_BY_BUDGET, Perturbation
from timefair.records.store import PLACE, READINGS, by_run, facts_of
from timefair.statistics.bands import best_so_far
from timefair.statistics.hitting_times import relative_targets, runtimes

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")
Unit = Literal["seconds", "evaluations"]
UNITS: tuple[Unit, ...] = ("seconds", "evaluations")
PROBLEM = ["suite", "function", "dimension", "instance"]
DECIDED = [*PLACE, "runs", "reason", "path"]
SCHEDULED = [*PLACE, "parameter", "asked", "length", "launch_evaluations"]
HELD_EVENTS = 4_000_000
"""Most events that are kept in memory (about 100 MB); more are read again in each pass."""
POINTS = 101  # number of points of a curve
MANY_CELLS = 300
"""Number of algorithms times functions, in all dimensions, up to which curves have all points."""
LEAST_POINTS = 0.25  # minimal share of the points of a curve
_NESTED = ("traces", "feasibility", "launch_traces", "launch_log", "noisy")


def kept(
    make: Callable[Concatenate[Runs, Arguments], Result],
) -> Callable[Concatenate[Runs, Arguments], Result]:
    """Keep what a function makes of some runs and hashable arguments or numbers in any sequence:
    all tables share it, unchanged.
    """

    def identity(value: object) -> Hashable:
        if not isinstance(value, np.ndarray | list | tuple):
            return value
        array = np.asarray(value)
        return array.shape, hashlib.sha256(array.tobytes()).digest()

    @wraps(make)
    def made_once(runs: Runs, /, *arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        key = make, *map(identity, (*arguments, *named.values()))
        return runs.once(key, lambda: make(runs, *arguments, **named))

    return made_once


@dataclass(frozen=True)
class Runs:
    """Runs in the order of their keys.

    If the optimum of a problem is unknown, the best value that any of these runs found on it is
    used, so precisions depend on the runs that are read; ``reference_f`` of the frame has either.

    - `frame`: One row per run, with every column of the record that is not nested, and ``machine``,
      the kind of machine of its block ("" without blocks).
    - `traces`, `feasibility`, `launch_traces`, `launch_log`, `noisy`: The events of all runs; the
      first feasible point of each run on a problem with constraints, as an event of the precision
      0; improvements of each traced launch; all launches; values without noise. Charges change
      neither `launch_traces` nor `noisy`, and clocks not the latter.
    - `column`: Reads a column that is nested, of all runs.
    - `stopping`: Decisions of a stopping rule, one row per problem, algorithm and round: ``runs``
      so far, ``reason`` (None if the rule continued), and ``path`` (its number at each look).
    - `schedules`: Lengths of launches that jobs have chosen (`SCHEDULED`), by job and instance.
    - `origins`, `readings`: Origin of the runs of each algorithm; the fact
      `records.store.READINGS`.
    - `published`, `sources`: Runs of published data, apart so that a table contains them only if it
      requests them (see `rundata.published`), or None; their source by algorithm. Without measured
      runs, those with times are not apart.
    - `in_values`: Whether targets are values of f.
    - `clock`: The clock of the times of measured runs. Times of published ones are as recorded.
    """

    frame: pd.DataFrame
    traces: nested.Traces
    feasibility: nested.Traces
    launch_traces: nested.Parts[nested.LaunchTracePart]
    launch_log: nested.Parts[nested.LaunchPart]
    noisy: nested.Parts[nested.NoisyPart]
    column: Callable[[str], pa.ChunkedArray]
    stopping: pd.DataFrame
    origins: Mapping[str, Origins]
    schedules: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=SCHEDULED))
    readings: Sequence[Mapping[str, Any]] = ()
    published: Runs | None = None
    sources: Mapping[str, Any] = field(default_factory=dict)
    in_values: bool = False
    clock: Clock = "wall"
    _kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """The result of `make`, called once for each key; tables share it, unchanged."""
        if key not in self._kept:
            made = self._kept[key] = make()
            if isinstance(made, np.ndarray):
                made.flags.writeable = False
        return cast(Result, self._kept[key])

    @classmethod
    def read(cls, paths: Iterable[Path]) -> Runs:
        """All runs of record files; `InputError` for a damaged file, or runs of equal keys."""
        files = tuple(paths)
        runs = cls._from(*nested.plain_of(files), partial(nested.nested_of, files))
        pa.default_memory_pool().release_unused()  # half of the memory of the records' columns
        return runs

    @classmethod
    def of(cls, table: pa.Table) -> Runs:
        """The runs of a table of `RUN_SCHEMA`; `InputError` if two rows have the same keys."""
        facts = facts_of(table.schema)
        origins = {label: Origins(**one) for label, one in facts.get("origins", {}).items()}
        plain, facts = table.select(nested.PLAIN), facts | {"origins": origins}
        return cls._from(plain, facts, lambda column, _: [table[column]])

    @classmethod
    def _from(cls, plain: pa.Table, facts: dict[str, Any], columns: nested.Nested) -> Runs:
        sources = facts.get(PUBLISHED, {})
        published = _of_labels(plain, sources)
        timed = _of_labels(plain, [label for label in sources if sources[label].get(FOREIGN_CLOCK)])
        apart = published if (~published).any() else ~timed
        taken = cls._some(plain, facts, columns, ~apart)
        if not apart.any():
            return replace(taken, sources=sources)
        others = cls._some(plain, {}, columns, apart)
        untimed = [label for label in sources if BRIDGE not in sources[label]]
        return replace(taken, published=others._without_ends(untimed), sources=sources)

    @classmethod
    def _some(
        cls,
        plain: pa.Table,
        facts: Mapping[str, Any],
        columns: nested.Nested,
        kept: NDArray[np.bool_],
    ) -> Runs:
        """Some of the runs; all columns that are not nested are in memory."""
        places = np.flatnonzero(kept)
        keys = plain.select(KEYS).take(places)
        places = places[pc.sort_indices(keys, [(key, "ascending") for key in KEYS])]
        frame = pd.DataFrame(  # column by column, so that two copies of all are the most
            {name: plain[name].take(places).to_pandas() for name in plain.column_names}, copy=False
        )
        twice = frame.duplicated(list(KEYS))
        if twice.any():
            first = frame[list(KEYS)].iloc[int(np.argmax(twice))]
            run = ", ".join(f"{key} {value}" for key, value in first.items())
            raise InputError(
                f"{first['algorithm']}: the same run is there twice ({run}); give each file once, "
                "and if two campaigns use this label, give one of them another under `algorithms` "
                "and measure it again"
            )
        rows = np.full(kept.size, -1, dtype=np.intp)
        rows[places] = np.arange(places.size)
        frame["real_s"] = frame["real_s"].fillna(frame["wall_s"])  # there was no simulated cost
        frame["machine"] = machine_of_runs(frame, facts.get("origins", {}))
        frame["reference_f"] = frame["f_opt"].fillna(0.0).astype(float)

        def column(name: str) -> pa.ChunkedArray:
            chunks = [chunk for part in columns(name, ()) for chunk in part.chunks if len(chunk)]
            return pa.chunked_array(chunks, RUN_SCHEMA.field(name).type).take(places)

        def of_those_with(name: str) -> NDArray[np.intp]:
            return np.where(plain[name].is_valid().to_numpy(), rows, -1)

        constrained, noisy = map(of_those_with, ("constraint_evaluations", "noise_free_f"))
        found = cls(
            frame=frame,
            traces=nested.read(columns, rows, nested.TracePart).held(HELD_EVENTS),
            feasibility=nested.read(columns, constrained, nested.FeasiblePart),
            launch_traces=nested.read(columns, rows, nested.LaunchTracePart),
            launch_log=nested.read(columns, rows, nested.LaunchPart),
            noisy=nested.read(columns, noisy, nested.NoisyPart),
            column=column,
            stopping=pd.DataFrame(facts.get("stopping", []), columns=DECIDED),
            schedules=pd.DataFrame(facts.get("schedule", []), columns=SCHEDULED),
            origins=facts.get("origins", {}),
            readings=facts.get(READINGS, []),
        )
        return found.from_own_best()

    def reading(self, name: str) -> NDArray[np.float64]:
        """What a meter read in each run, shape (runs,); NaN: not metered, or not available."""
        told = by_run(self.readings)
        keys = zip(*(self.frame[key] for key in KEYS), strict=True)
        return np.array([told.get(key, {}).get(name) for key in keys], dtype=np.float64)

    def scheduled(self) -> pd.DataFrame:
        """For each run, the ``length`` of a launch that its schedule gave, and ``stopped_at``, the
        share of the schedule at which the budget cut a run without a completed launch; NaN without.
        """
        frame, keys = self.frame, list(PLACE)
        known = self.schedules.drop_duplicates(keys).set_index(keys)
        places = pd.MultiIndex.from_frame(frame[keys])
        found = known[["length", "launch_evaluations"]].reindex(places).astype(float)
        found = found.reset_index(drop=True)
        share = frame["evaluations"] / frame["launches"] / found["launch_evaluations"]
        cut = frame["stop_reason"].isin(ENDED_BY_BUDGET) & (frame["completed_restarts"] == 0)
        return found[["length"]].assign(stopped_at=share.where(cut).clip(upper=1.0))

    def spent(self, unit: Unit) -> NDArray[np.float64]:
        """Cost of each complete run, shape (runs,): the cost that a failure is charged."""
        column = "wall_s" if unit == "seconds" else "evaluations"
        return self.frame[column].to_numpy(dtype=np.float64)

    @kept
    def runtimes(self, unit: Unit, targets: ArrayLike) -> NDArray[np.float64]:
        """Cost to each target, shape (runs, targets); `inf`: not reached. NaN seconds: no times.

        Targets have the shape (targets,), or (runs, targets) if each run has its own; these are
        precisions. The others are values of f if the runs are `in_values`, otherwise precisions, or
        shares of the first gap if the optimum is unknown.
        """
        wanted = self._precisions(np.asarray(targets, dtype=np.float64))
        cost = np.empty((len(self.frame), wanted.shape[-1]))
        for part, of_events in self._costs(unit):
            own = wanted if wanted.ndim == 1 else wanted[part.rows]
            cost[part.rows] = runtimes(of_events, part.precision, part.offsets, own)
        if unit == "seconds":
            cost[~self.timed] = np.nan
        return cost

    def seconds_after(self, evaluations: NDArray[np.float64]) -> NDArray[np.float64]:
        """Seconds after some evaluations of each run, shape (runs,): exact at events, linear
        between them, at most the time of the whole run; NaN without times.
        """
        made, whole = self.spent("evaluations"), self.spent("seconds")
        seconds = np.empty(len(self.frame))
        for part, cost in self._costs("seconds"):
            for k, row in enumerate(part.rows):
                of_run = slice(part.offsets[k], part.offsets[k + 1])
                known = [0.0, *part.evaluations[of_run], made[row]]
                spent = [0.0, *cost[of_run], whole[row]]
                seconds[row] = np.interp(evaluations[row], known, spent)
        return seconds

    @property
    def constrained(self) -> NDArray[np.bool_]:
        return np.asarray(self.frame["constraint_evaluations"].notna())

    def feasible_after(self, unit: Unit) -> NDArray[np.float64]:
        """Cost to the first feasible point, shape (runs,); `inf` without one or constraints."""
        cost = np.full(len(self.frame), np.inf)
        for part in self.feasibility:
            found = np.diff(part.offsets) > 0
            cost[part.rows[found]] = part.time_s if unit == "seconds" else part.evaluations
        return cost

    @kept
    def launch_runtimes(self, targets: ArrayLike) -> tuple[NDArray[Any], ...]:
        """The run and the index of each traced launch, shape (launches,), and its evaluations to
        each target, shape (launches, targets); `inf` if it did not reach it. Targets are as in
        `runtimes`.
        """
        wanted = self._precisions(np.asarray(targets, dtype=np.float64))
        nobody = np.empty(0, np.intp)
        found = [(nobody, nobody, np.empty((0, wanted.shape[-1])))]
        for part in self.launch_traces:
            own = wanted if wanted.ndim == 1 else wanted[part.rows]
            evaluations = runtimes(part.evaluations, part.precision, part.offsets, own)
            found.append((part.rows, part.launch, evaluations))
        return tuple(np.concatenate(of) for of in zip(*found, strict=True))

    @property
    def optimum(self) -> Literal["known", "unknown", "partly"]:
        """Whether all, no or some optima are known; `known` if there are no runs."""
        unknown = self.frame["f_opt"].isna()
        if not unknown.any():
            return "known"
        return "unknown" if unknown.all() else "partly"

    def _precisions(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Targets as precisions; each run has its own if they differ between problems."""
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
        """One row per launch, by its run; read at each access."""
        return self.launch_log.together().frame()

    @property
    @kept
    def fronts(self) -> list[NDArray[np.float64]]:
        """The front of each run, from `rundata.traces`; made once."""
        noisy = self.frame["noise_free_f"].notna()
        return [
            np.empty((0, 2)) if has_noise else nested.nondominated(run[:, len(nested.COSTS) :])
            for run, has_noise in zip(self.vectors, noisy, strict=True)
        ]

    @property
    @kept
    def vectors(self) -> nested.Vectors:
        """The vectors of each run, as `rundata.traces` has them; read once."""
        return nested.vectors_of(self.column("vectors"))

    @property
    def least_precision(self) -> float:
        """Lower bound of all precisions: 0, or `-inf` if one of them is negative."""
        return -np.inf if (self.frame["best_precision"] < 0).any() else 0.0

    @property
    def timed(self) -> NDArray[np.bool_]:
        """Which runs have times, shape (runs,); runs of published data have none."""
        return np.asarray(self.frame["wall_s"].notna())

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which runs have an end of their own, shape (runs,), so that their results compare."""
        return np.asarray(self.frame["status"].notna())

    def known_in(self, unit: Unit) -> NDArray[np.bool_]:
        """Which runs have a known cost in a unit, shape (runs,)."""
        if unit == "seconds":
            return self.timed
        return np.asarray(self.frame["evaluations"].notna())

    def units_of(self, rows: NDArray[np.intp]) -> tuple[Unit, ...]:
        """The units of most tables in which the cost of some runs is known."""
        return tuple(unit for unit in UNITS if self.known_in(unit)[rows].all())

    @kept
    def relative_targets(self, shares: ArrayLike) -> NDArray[np.float64]:
        """The targets of each run's problem, (runs, shares), by runs with times; read-only."""
        problem = self.frame.groupby(PROBLEM).ngroup().to_numpy()
        first, best = (self._at(place, "precision") for place in (0, -1))
        first[~self.timed] = best[~self.timed] = np.inf
        return relative_targets(first, best, problem, shares)

    def at_the_best(self) -> dict[str, NDArray[np.float64]]:
        """``evaluations`` and ``time_s`` at the last event, shape (runs,); NaN without events."""
        return {name: self._at(-1, name, np.nan) for name in ("evaluations", "time_s")}

    @property
    def perturbed(self) -> NDArray[np.bool_]:
        return np.asarray(self.frame["perturbation"] == Perturbation.PERTURBED)

    @property
    def foreign_clock(self) -> bool:
        """Whether times of these runs come from a clock that timefair has not read."""
        foreign = self.sources.keys() & set(self.frame["algorithm"].unique())
        return bool(foreign and self.timed.any())

    def _without_ends(self, untimed: Sequence[str]) -> Runs:
        """The same runs without results at their ends; of some algorithms also without times."""
        known = np.where(self.frame["algorithm"].isin(untimed), np.nan, 1.0)
        nothing = dict.fromkeys(("budget_s", "budget_evaluations"), np.nan)
        nothing |= {name: self.frame[name] * known for name in ("wall_s", "real_s")}
        frame = self.frame.assign(**nothing, status=None, stop_reason=None, perturbation=None)
        return self.each_part(lambda part: part.scaled(known), "traces", frame=frame)

    @kept
    def with_targets_in_values(self, in_values: bool) -> Runs:
        """The same runs, with values of f or precisions as targets."""
        return self if in_values == self.in_values else replace(self, in_values=in_values)

    @kept
    def with_values(self, value: NoisyValue) -> Runs:
        """The same runs; of noisy ones, the traces and best precisions are those of a rule.

        Call this before clocks and charges change the times. Launches keep their measured values.
        """
        noisy = np.asarray(self.frame["noise_free_f"].notna())
        if value == "measured" or not noisy.any():
            return self
        f_opt = self.frame["f_opt"].to_numpy(dtype=np.float64)
        others = np.where(noisy, -1, np.arange(noisy.size))
        changed = nested.Parts(lambda: (part.traced(value, f_opt) for part in self.noisy))
        exact = self.traces.each(lambda part: part.renumbered(others))
        left = replace(self, traces=exact + changed)
        frame = self.frame.assign(best_precision=left._at(-1, "precision"))
        least = np.where(noisy, _best_known(frame), 0.0)  # of values, where no optimum is known
        unknown = noisy & np.isnan(f_opt)
        frame["best_precision"] -= least
        frame["reference_f"] = np.where(unknown, least, frame["reference_f"])
        return left.each_part(lambda part: part.from_reference(least), "traces", frame=frame)

    def each_part(self, change: Callable[[Any], Any], *names: str, **others: Any) -> Runs:
        """The same runs with a change of each part of some, or of all, that is nested."""
        changed = {name: getattr(self, name).each(change) for name in names or _NESTED}
        return replace(self, **changed, **others)

    def wanted(self, analysis: Analysis) -> Runs:
        """The runs without perturbed ones, if the analysis omits these."""
        if analysis.perturbed != "exclude":
            return self
        return self.once("unperturbed", lambda: self.where(~self.perturbed))

    def where(self, kept: NDArray[np.bool_]) -> Runs:
        """Some of the runs; precisions stay relative to the best of all."""
        rows = np.where(kept, np.cumsum(kept) - 1, -1)
        return self.each_part(
            lambda part: part.renumbered(rows),
            frame=self.frame[kept].reset_index(drop=True),
            column=lambda name: self.column(name).filter(pa.array(kept)),
        )

    def from_own_best(self) -> Runs:
        """The same runs; without an optimum, precisions are relative to the best of these runs."""
        change = _best_known(self.frame)
        if not change.any():
            return self
        best, reference = self.frame["best_precision"] - change, self.frame["reference_f"] + change
        frame = self.frame.assign(best_precision=best, reference_f=reference)
        names = ("traces", "launch_traces", "launch_log")
        return self.each_part(lambda part: part.from_reference(change), *names, frame=frame)

    @kept
    def timed_by(self, clock: Clock) -> Runs:
        """The same runs, in times and budgets of another clock; `InputError` if one is unknown."""
        if clock == "wall":
            return self
        if (self.frame["evaluation_cost_s"] > 0).any():
            raise InputError(f"statistics.time: {clock!r}: with a simulated cost, 'wall'")
        shown = seconds(self.frame, clock)
        if unknown := np.isnan(shown).sum():
            raise InputError(f"statistics.time: {clock!r}: {unknown} runs have no such time")
        return replace(self.costing(shown), clock=clock)

    def costing(self, cost: NDArray[np.float64]) -> Runs:
        """The same runs with another cost, shape (runs,), spent evenly over the time of a run."""
        wall_s = self.spent("seconds")
        scale = np.divide(cost, wall_s, out=np.ones_like(cost), where=wall_s > 0)
        return self.each_part(
            lambda part: part.scaled(scale),
            *("traces", "feasibility", "launch_traces", "launch_log"),
            frame=self.frame.assign(wall_s=cost, budget_s=self.frame["budget_s"] * scale),
        )

    def amortised(self, analysis: Analysis) -> Runs:
        """The same runs, each charged its share of its algorithm's tuning and preparation."""
        return self.charged(ancillary_costs(self, analysis)["share_s"].to_dict())

    def charged(self, cost_s: Mapping[Any, float]) -> Runs:
        """The same runs, begun later by a number of seconds per algorithm, without events at or
        after the budget T, where launches are cut. Evaluations and counts remain as measured.
        """
        late = np.asarray(self.frame["algorithm"].map(cost_s).fillna(0.0), dtype=np.float64)
        budget = np.asarray(self.frame["budget_s"].fillna(np.inf), dtype=np.float64)
        left = self.each_part(
            lambda part: part.begun_later(late, budget), "traces", "feasibility", "launch_log"
        )
        wall_s = np.minimum(self.frame["wall_s"] + late, budget)
        best = left._at(-1, "precision")
        return replace(left, frame=self.frame.assign(wall_s=wall_s, best_precision=best))

    def spaces(self) -> Iterator[Runs]:
        """The runs of each suite and dimension, each of which may have its own budget."""
        for _, rows in self.groups(("suite", "dimension")):
            mine = np.isin(np.arange(len(self.frame)), rows)
            yield self if mine.all() else self.where(mine)

    def best_so_far(self, unit: Unit, grid: NDArray[np.float64]) -> NDArray[np.float64]:
        """Best precision at each cost of the grid, shape (runs, points)."""
        best = np.empty((len(self.frame), grid.size))
        for part, of_events in self._costs(unit):
            best[part.rows] = best_so_far(of_events, part.precision, part.offsets, grid)
        return best

    @property
    def points(self) -> int:
        """Number of points of curves: `POINTS` for up to `MANY_CELLS` cells, a share for more."""
        keys = ["suite", "dimension", "function", "algorithm"]
        cells = self.frame.groupby(keys, observed=True).ngroups
        share = MANY_CELLS / max(cells, MANY_CELLS)
        return round(POINTS * max(share, LEAST_POINTS))

    def cost_grid(self, unit: Unit, points: int | None = None) -> NDArray[np.float64]:
        """Costs, log-spaced from the first event to the end of the longest run."""
        return self.cost_grids(unit, [np.arange(len(self.frame))], points)[0]

    def cost_grids(
        self, unit: Unit, of_runs: Iterable[NDArray[np.intp]], points: int | None = None
    ) -> list[NDArray[np.float64]]:
        """A `cost_grid` for each set of runs, given by their rows; empty without event or cost."""
        firsts, ends, grids = self._first_costs(unit), self.spent(unit), []
        for rows in of_runs:
            first, end = firsts[rows].min(initial=np.inf), ends[rows].max(initial=0.0)
            if first == np.inf or end <= 0:
                grids.append(np.empty(0))
                continue
            first = min(first, end)
            grid = np.geomspace(first, end, points or self.points)
            grid = np.unique(np.round(grid)) if unit == "evaluations" else grid
            grid[0], grid[-1] = first, end
            grids.append(grid)
        return grids

    def groups(self, keys: tuple[str, ...]) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
        """The rows of each combination of keys, in the order of the keys' values."""
        found = [] if self.frame.empty else self.frame.groupby(list(keys)).indices.items()
        for names, rows in sorted(found):
            values = names if isinstance(names, tuple) else (names,)
            yield dict(zip(keys, values, strict=True)), np.asarray(rows, dtype=np.intp)

    def _costs(self, unit: Unit) -> Iterator[tuple[nested.TracePart, NDArray[np.float64]]]:
        """Each part, and what had been spent at its events; 0 seconds for runs without times."""
        for part in self.traces:
            no_time = np.isnan(part.time_s)
            yield (
                part,
                np.where(no_time, 0.0, part.time_s) if unit == "seconds" else part.evaluations,
            )

    @kept
    def _first_costs(self, unit: Unit) -> NDArray[np.float64]:
        """The least positive cost at an event of each run, shape (runs,); `inf` without one."""
        first = np.full(len(self.frame), np.inf)
        for part, cost in self._costs(unit):
            owner = np.repeat(part.rows, np.diff(part.offsets))
            np.minimum.at(first, owner[cost > 0], cost[cost > 0])
        return first

    def _at(self, place: int, name: str, nothing: float = np.inf) -> NDArray[np.float64]:
        """A number of the first (0) or last (-1) event of each run, shape (runs,)."""
        of_runs = np.empty(len(self.frame))
        for part in self.traces:
            of_runs[part.rows] = part.at(place, name, nothing)
        return of_runs


def _of_labels(plain: pa.Table, labels: Iterable[str]) -> NDArray[np.bool_]:
    chosen = pa.array(list(labels), pa.string())
    return np.asarray(pc.is_in(plain["algorithm"], chosen).to_numpy(), dtype=np.bool_)


def _best_known(frame: pd.DataFrame) -> NDArray[np.float64]:
    """The value to which the precisions of each run are distances, shape (runs,): the best value on
    the problem, if one is finite; 0 with a known optimum.
    """
    unknown = frame["f_opt"].isna().to_numpy()
    if not unknown.any():
        return np.zeros(len(frame))
    best = frame.groupby(PROBLEM)["best_precision"].transform("min").to_numpy(dtype=np.float64)
    return np.where(unknown & np.isfinite(best), best, 0.0)


BLOCK = ["suite", "function", "dimension", "instance", "round"]
"""The columns that identify a problem and a round, which is measured on one node."""
EVERY_MACHINE = "every machine"  # name of the mean over the kinds of machines in tables
UNNAMED = "as measured"  # name of the machine of runs without blocks in tables
_PLACE = ("algorithm", "function", "dimension", "instance", "round")


def machine_of_runs(frame: pd.DataFrame, origins: Mapping[str, Origins]) -> NDArray[np.object_]:
    """The kind of machine of each run, shape (runs,); "" without blocks."""
    kinds = {
        (label, host["function"], host["dimension"], instance, host["round"]): host["kind"]
        for label, one in origins.items()
        for host in one.hosts
        for instance in host.get("instances", ())
    }
    places = zip(*(frame[name] for name in _PLACE), strict=True)
    return np.array([kinds.get(place, "") for place in places], dtype=object)


def machines(runs: Runs) -> list[str]:
    """The kinds of machines that measured the blocks, in order; empty without blocks."""
    return sorted({*runs.frame["machine"].unique()} - {""})


def without_partner(runs: Runs) -> NDArray[np.bool_]:
    """Which runs are in a block that lacks an algorithm of its problem, shape (runs,); none with
    one kind of machines.
    """
    frame = runs.frame
    if len(machines(runs)) < 2:
        return np.zeros(len(frame), dtype=np.bool_)
    here = frame.groupby(BLOCK)["algorithm"].transform("nunique")
    all_of_problem = frame.groupby(BLOCK[:-1])["algorithm"].transform("nunique")
    return np.asarray(here < all_of_problem)


def mixture(runs: Runs) -> str:
    """The machines of the runs, as sentences for captions; empty for one machine."""
    if len(machines(runs)) < 2:
        return several_hosts(runs.origins)
    counts = Counter(runs.frame["machine"])
    each = ", ".join(f"{counts[kind]} runs on {kind}" for kind in machines(runs))
    return (
        f"Several kinds of machines, mixed by blocks: {each}. Algorithms are comparable; absolute "
        "seconds are those of the mixture, not of one machine."
    )


def with_partners(runs: Runs) -> Runs:
    """The runs that can be compared within their blocks."""
    alone = without_partner(runs)
    return runs.where(~alone) if alone.any() else runs


def omitted_in_words(runs: Runs) -> str:
    """Number of runs that `with_partners` omits, as a sentence; empty if there are none."""
    count = int(without_partner(runs).sum())
    if not count:
        return ""
    words = "1 run is" if count == 1 else f"{count} runs are"
    return f"{words} omitted: the block lacks a run of another algorithm on the same node."


_IN_SPACE = ["suite", "dimension", "algorithm"]


@kept
def failed_algorithms(runs: Runs) -> list[tuple[str, int, str]]:
    """Suite, dimension and name of each algorithm without one evaluation there, in order."""
    frame, count = runs.frame, runs.frame["evaluations"]
    evaluated = (count > 0) | count.isna() & frame["status"].notna()
    own = evaluated.groupby([frame[key] for key in _IN_SPACE]).any()
    return [(str(suite), int(dimension), str(name)) for suite, dimension, name in own.index[~own]]


@kept
def without_failed(runs: Runs) -> Runs:
    failed = failed_algorithms(runs)
    lost = pd.MultiIndex.from_frame(runs.frame[_IN_SPACE]).isin(failed)
    return runs.where(~lost) if failed else runs


def failed_in_words(failed: Iterable[tuple[str, int, str]]) -> str:
    """Sentence on them for captions; empty if there are none."""
    spaces: dict[str, list[str]] = {}
    for _, dimension, name in failed:
        spaces.setdefault(name, []).append(f"D = {dimension}")
    said = [f"{name} ({', '.join(dimensions)})" for name, dimensions in spaces.items()]
    return f"Omitted, without an evaluation in any run: {', '.join(said)}." if said else ""


MOST_WAITED = 0.99
"""Maximal share of a run that counts as waiting; shares add up over the processes of a run."""


def seconds(frame: pd.DataFrame, clock: Clock) -> NDArray[np.float64]:
    """Length of each run without simulated evaluation cost, shape (runs,); NaN: unknown.

    ``reference``: the CPU time as a multiple of the time of the reference kernel around the run.
    """
    column = "real_s" if clock == "wall" else "cpu_s"
    told: NDArray[np.float64] = frame[column].to_numpy(dtype=np.float64)
    return told / reference_s(frame) if clock == "reference" else told


def slowdown(frame: pd.DataFrame, clock: Clock) -> NDArray[np.float64]:
    """Time of the reference kernel around each run, as a multiple of the best one on that core.

    On the wall clock, it is divided by the share of the run that did not wait for a core that
    others used. An unknown factor counts as 1. Shape (runs,); NaN if neither is known, and for
    ``reference``.
    """
    taken = pd.Series(reference_s(frame), index=frame.index)
    speed = (taken / taken.groupby(frame["core"].fillna(-1)).transform("min")).astype(float)
    if clock != "wall":
        return np.asarray(speed if clock == "cpu" else speed * np.nan, dtype=np.float64)
    waited = frame["foreign_delay_s"].astype(float) / frame["real_s"].where(frame["real_s"] > 0)
    known = speed.notna() | waited.notna()
    running = 1.0 - waited.fillna(0.0).clip(upper=MOST_WAITED)
    return np.asarray((speed.fillna(1.0) / running).where(known), dtype=np.float64)


def objective_share(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Estimated share of the time of each run inside the objective, shape (runs,), at most 1; NaN
    without a calibration or time.
    """
    inside = frame["objective_s"].astype(float) * frame["evaluations"]
    share = inside / frame["real_s"].where(frame["real_s"] > 0)
    return np.asarray(share.clip(upper=1.0), dtype=np.float64)


def reference_s(frame: pd.DataFrame) -> NDArray[np.float64]:
    """CPU time of the reference kernel, mean of before and after each run; NaN: not timed."""
    timed = frame[["reference_before_s", "reference_after_s"]].to_numpy(dtype=np.float64)
    return np.asarray(timed.mean(axis=1), dtype=np.float64)


def simulated_cost(frame: pd.DataFrame) -> str:
    """The simulated evaluation cost of runs as a sentence for captions; empty if there is none."""
    costs = sorted(set(frame["evaluation_cost_s"].dropna()) - {0.0})
    each = " or ".join(f"{cost:g}" for cost in costs)
    return f"Each evaluation counts {each} s more than it takes." if costs else ""


def ancillary_costs(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Tuning, preparation and the share of a problem, one row per algorithm.

    Tuning is the declared time plus that of a search. An undeclared preparation is the median of
    the measured ones. ``share_s`` is the sum divided by ``problems``.
    """
    measured = runs.frame.groupby("algorithm")["preparation_s"].median().astype(float)
    declared = pd.Series(analysis.preparation_s, dtype=float).reindex(measured.index)
    names = list(map(str, measured.index))
    tuning_s = [analysis.tuning_s.get(k, 0.0) + searched_s(runs.origins.get(k)) for k in names]
    rows = pd.DataFrame({"tuning_s": tuning_s}, index=measured.index, dtype=np.float64)
    rows["preparation_s"] = declared.fillna(measured)
    rows["preparation"] = np.where(declared.isna(), "measured", "declared")
    rows["problems"] = analysis.problems
    rows["share_s"] = (rows["tuning_s"] + rows["preparation_s"].fillna(0.0)) / analysis.problems
    return rows


def searched_s(origin: Origins | None) -> float:
    """Measured seconds of the searches for an algorithm's parameters; 0 without a search."""
    return float(sum(search["seconds"] for search in (origin or Origins()).tuning))
