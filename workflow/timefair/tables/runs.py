"""Collected records as columns: a frame a run, and the events of all runs in flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from timefair.errors import InputError
from timefair.records.integrity import Origins
from timefair.records.published import PUBLISHED
from timefair.records.schema import KEYS, RUN_SCHEMA
from timefair.records.status import COMPLETED, Disturbance, LaunchEnd
from timefair.records.store import facts_of, open_record, with_facts
from timefair.statistics.anytime import best_so_far
from timefair.statistics.runtimes import runtimes
from timefair.statistics.targets import relative_targets
from timefair.statistics.traces import count_within
from timefair.tables.charges import shares_s
from timefair.tables.clocks import seconds
from timefair.tables.settings import Analysis, Clock

Unit = Literal["seconds", "evaluations", "seconds_per_dimension", "evaluations_per_dimension"]
UNITS: tuple[Unit, ...] = ("seconds", "evaluations")
"""The units of most tables; the others compare dimensions."""

PER_DIMENSION: dict[Unit, Unit] = {
    "seconds_per_dimension": "seconds",
    "evaluations_per_dimension": "evaluations",
}

PROBLEM = ["suite", "function", "dimension", "instance"]
DECIDED = [
    "suite", "function", "dimension", "instance", "algorithm", "round", "runs", "reason", "path",
]  # fmt: skip
NESTED = ("launch_log", "events")
EVENT_FIELDS = ("time_s", "evaluations", "precision")
READ = [
    *(name for name in RUN_SCHEMA.names if name != "events"),
    *(f"events.list.element.{name}" for name in EVENT_FIELDS),
]
ENDED_BY_ITSELF = [str(end) for end in sorted({*COMPLETED, LaunchEnd.TARGET})]


def load(paths: Iterable[Path]) -> pa.Table:
    """Read collected record files into one table of runs, as far as `Runs` needs it.

    What a stopping rule decided goes with it, in the table's metadata, and where the runs of each
    algorithm come from; of published data, what their record says of them.

    Parameters
    ----------
    paths : iterable of Path
        Record files, of any number of runs.

    Raises
    ------
    InputError
        One line for each file that is no whole record.
    """
    tables, decided = [], []
    faults: list[str] = []
    origins: dict[str, Origins] = {}
    published: dict[str, Any] = {}
    for path in paths:
        try:
            record = open_record(path)
            tables.append(record.read(READ))
            decided += record.facts.get("stopping", [])
            for label in pc.unique(tables[-1]["algorithm"]).to_pylist():
                if PUBLISHED in record.facts:
                    published[label] = record.facts[PUBLISHED]
                else:
                    origins.setdefault(label, Origins()).add(record.facts)
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(*faults)
    runs = pa.concat_tables(tables) if tables else RUN_SCHEMA.empty_table()
    named = {label: vars(one) for label, one in origins.items()}
    return with_facts(runs, {"stopping": decided, "origins": named, PUBLISHED: published})


@dataclass(frozen=True)
class Runs:
    """Runs in the order of their keys.

    Where nobody knows a problem's optimum, the best value that any of these runs found on it takes
    its place: a precision is then the distance to that value, and changes with what is read.

    Attributes
    ----------
    frame
        A row a run: every column of the record that is not nested.
    offsets
        Shape (runs + 1,): the events of run i are ``offsets[i]:offsets[i + 1]`` of the others.
    time_s, evaluations, precision
        Of each event, flat.
    launches
        A row a launch: ``row``, the place of its run in the frame, ``start_s``, ``end_s``,
        ``evaluations``, ``best_precision`` of it alone, and ``complete``: whether it ended by
        itself, by its share tau or at the final target, and was not cut.
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
    """

    frame: pd.DataFrame
    offsets: NDArray[np.int64]
    time_s: NDArray[np.float64]
    evaluations: NDArray[np.float64]
    precision: NDArray[np.float64]
    launches: pd.DataFrame
    stopping: pd.DataFrame
    origins: Mapping[str, Origins]
    published: Runs | None = None
    sources: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, table: pa.Table) -> Runs:
        """Take a table of `RUN_SCHEMA` apart, without a Python object for an event.

        Raises
        ------
        InputError
            If two rows have the same keys.
        """
        facts = facts_of(table.schema)
        if sources := facts.get(PUBLISHED):
            apart = pc.is_in(table["algorithm"], pa.array(list(sources)))
            published = cls.of(with_facts(table.filter(apart), {}))
            measured = with_facts(table.filter(pc.invert(apart)), {**facts, PUBLISHED: {}})
            return replace(cls.of(measured), published=published, sources=sources)
        order = pc.sort_indices(table, [(key, "ascending") for key in KEYS]).to_numpy()
        frame = table.drop_columns(list(NESTED)).take(order).to_pandas()
        twice = frame.duplicated(list(KEYS))
        if twice.any():
            first = frame.loc[twice.idxmax(), list(KEYS)]
            raise InputError(
                "the same run is there twice: "
                + ", ".join(f"{key} {value}" for key, value in first.items())
            )
        events = _Nested.of(table["events"], order)
        launches = _launches(_Nested.of(table["launch_log"], order))
        numbers = {name: events.numbers(name) for name in EVENT_FIELDS}
        reference = _best_known(frame)
        frame["best_precision"] -= reference
        launches["best_precision"] -= reference[launches["row"]]
        numbers["precision"] -= np.repeat(reference, np.diff(events.offsets))
        return cls(
            frame=frame,
            offsets=events.offsets,
            time_s=numbers["time_s"],
            evaluations=numbers["evaluations"],
            precision=numbers["precision"],
            launches=launches,
            stopping=pd.DataFrame(facts.get("stopping", []), columns=DECIDED),
            origins={label: Origins(**one) for label, one in facts.get("origins", {}).items()},
        )

    def cost(self, unit: Unit) -> NDArray[np.float64]:
        """What had been spent since the run's start at each event."""
        if unit in PER_DIMENSION:
            dimension = self.frame["dimension"].to_numpy(dtype=np.float64)
            per_event = np.repeat(dimension, np.diff(self.offsets))
            return np.asarray(self.cost(PER_DIMENSION[unit]) / per_event, dtype=np.float64)
        return self.time_s if unit == "seconds" else self.evaluations

    def spent(self, unit: Unit) -> NDArray[np.float64]:
        """What each whole run cost, shape (runs,): what a failure is charged."""
        if unit in PER_DIMENSION:
            dimension = self.frame["dimension"].to_numpy(dtype=np.float64)
            return np.asarray(self.spent(PER_DIMENSION[unit]) / dimension, dtype=np.float64)
        column = "wall_s" if unit == "seconds" else "evaluations"
        return self.frame[column].to_numpy(dtype=np.float64)

    def runtimes(self, unit: Unit, targets: ArrayLike) -> NDArray[np.float64]:
        """Cost to each target, shape (runs, targets); `inf` where it was not reached.

        Targets have the shape (targets,), or (runs, targets) where each run has its own. NaN in
        seconds of runs without times.
        """
        if not np.isnan(self.spent(unit)).any():
            return runtimes(self.cost(unit), self.precision, self.offsets, targets)
        wanted = np.asarray(targets, dtype=np.float64)
        cost = np.full((len(self.frame), wanted.shape[-1]), np.nan)
        of_timed = wanted if wanted.ndim == 1 else wanted[self.timed]
        cost[self.timed] = self.where(self.timed).runtimes(unit, of_timed)
        return cost

    @property
    def timed(self) -> NDArray[np.bool_]:
        """Which runs have times, shape (runs,): those of published data have none."""
        return np.asarray(self.frame["wall_s"].notna())

    def units_of(self, rows: NDArray[np.intp]) -> tuple[Unit, ...]:
        """The units of most tables that some runs can be told in."""
        return UNITS if self.timed[rows].all() else ("evaluations",)

    def relative_targets(self, shares: ArrayLike) -> NDArray[np.float64]:
        """The targets of each run's problem, shape (runs, shares).

        Runs without times do not move them: what they found was not found within the budget.
        """
        problem = self.frame.groupby(PROBLEM).ngroup().to_numpy()
        first, best = (
            np.where(self.timed, self._precision_at(events), np.inf)
            for events in (self.offsets[:-1], self.offsets[1:] - 1)
        )
        return relative_targets(first, best, problem, shares)

    @property
    def disturbed(self) -> NDArray[np.bool_]:
        """Which runs others have slowed, shape (runs,)."""
        return np.asarray(self.frame["disturbance"] == Disturbance.DISTURBED)

    def wanted(self, analysis: Analysis) -> Runs:
        """Without disturbed runs, if the analysis leaves them out."""
        return self.where(~self.disturbed) if analysis.disturbed == "exclude" else self

    def where(self, kept: NDArray[np.bool_]) -> Runs:
        """Some of the runs; precisions stay distances to the best of all."""
        events = np.repeat(kept, np.diff(self.offsets))
        launches = self.launches[kept[self.launches["row"]]].reset_index(drop=True)
        return replace(
            self,
            frame=self.frame[kept].reset_index(drop=True),
            offsets=np.concatenate([[0], np.cumsum(np.diff(self.offsets)[kept])]),
            time_s=self.time_s[events],
            evaluations=self.evaluations[events],
            precision=self.precision[events],
            launches=launches.assign(row=(np.cumsum(kept) - 1)[launches["row"]]),
        )

    def timed_by(self, clock: Clock) -> Runs:
        """The same runs with their times as another clock shows them, budgets included.

        A run is scaled as a whole: what it computed is taken to be spread evenly over it.

        Raises
        ------
        InputError
            If the clock does not show a run's time.
        """
        if clock == "wall":
            return self
        wall_s, shown = self.frame["wall_s"].to_numpy(np.float64), seconds(self.frame, clock)
        if np.isnan(shown).any():
            count = np.isnan(shown).sum()
            raise InputError(f"statistics.time: {clock!r}: {count} runs have no such time")
        scale = np.divide(shown, wall_s, out=np.ones_like(shown), where=wall_s > 0)
        of_launch = scale[self.launches["row"]]
        return replace(
            self,
            frame=self.frame.assign(wall_s=shown, budget_s=self.frame["budget_s"] * scale),
            time_s=self.time_s * np.repeat(scale, np.diff(self.offsets)),
            launches=self.launches.assign(
                start_s=self.launches["start_s"] * of_launch,
                end_s=self.launches["end_s"] * of_launch,
            ),
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
        events = np.diff(self.offsets)
        time_s = self.time_s + np.repeat(late, events)
        kept = time_s < np.repeat(budget, events)
        left = replace(
            self,
            offsets=np.concatenate([[0], np.cumsum(count_within(kept, self.offsets))]),
            time_s=time_s[kept],
            evaluations=self.evaluations[kept],
            precision=self.precision[kept],
            launches=_begun_later(self.launches, late, budget),
        )
        wall_s = np.minimum(self.frame["wall_s"] + late, budget)
        best = left._precision_at(left.offsets[1:] - 1)
        return replace(left, frame=self.frame.assign(wall_s=wall_s, best_precision=best))

    def _precision_at(self, events: NDArray[np.int64]) -> NDArray[np.float64]:
        """Precision of one event a run; `inf` for a run without any."""
        precision = np.full(events.size, np.inf)
        some = np.diff(self.offsets) > 0
        precision[some] = self.precision[events[some]]
        return precision

    def best_so_far(self, unit: Unit, grid: NDArray[np.float64]) -> NDArray[np.float64]:
        """Best precision at each cost of the grid, shape (runs, points)."""
        return best_so_far(self.cost(unit), self.precision, self.offsets, grid)

    def cost_grid(self, unit: Unit, points: int = 101) -> NDArray[np.float64]:
        """Costs, evenly spaced in the logarithm, from the first event to the longest run's end."""
        cost = self.cost(unit)
        positive = cost[cost > 0]
        end = self.spent(unit).max(initial=0.0)
        if positive.size == 0 or end <= 0:
            return np.empty(0)
        first = min(float(positive.min()), end)
        grid = np.geomspace(first, end, points)
        if unit == "evaluations":
            grid = np.unique(np.round(grid))
        grid[0], grid[-1] = first, end
        return grid

    def groups(self, keys: tuple[str, ...]) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
        """The rows of each combination of keys, in the order of the keys' values."""
        if self.frame.empty:
            return
        for names, rows in sorted(self.frame.groupby(list(keys)).indices.items()):
            values = names if isinstance(names, tuple) else (names,)
            yield dict(zip(keys, values, strict=True)), np.asarray(rows, dtype=np.intp)


def _best_known(frame: pd.DataFrame) -> NDArray[np.float64]:
    """What the precisions of each run are to be taken from, shape (runs,).

    0 with a known optimum. Without, they are values: the best value of the problem, 0 where no
    run found a finite one.
    """
    best = frame.groupby(PROBLEM)["best_precision"].transform("min").to_numpy(dtype=np.float64)
    return np.where(frame["f_opt"].isna() & np.isfinite(best), best, 0.0)


@dataclass(frozen=True)
class _Nested:
    """The rows that are nested in runs, flat; `places` says where each of them was read."""

    offsets: NDArray[np.int64]
    places: NDArray[np.int64]
    rows: pa.ChunkedArray

    @classmethod
    def of(cls, column: pa.ChunkedArray, order: NDArray[np.uint64]) -> _Nested:
        """With the runs in this order; null is none."""
        lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy().astype(np.int64)
        starts = np.cumsum(lengths) - lengths
        offsets = np.concatenate([[0], np.cumsum(lengths[order])])
        places = np.arange(offsets[-1]) + np.repeat(starts[order] - offsets[:-1], lengths[order])
        return cls(offsets, places, pc.list_flatten(column))

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A field of each row."""
        read = pc.struct_field(self.rows, name).to_numpy()
        return np.asarray(read[self.places], dtype=np.float64)


def _launches(log: _Nested) -> pd.DataFrame:
    numbers = ("start_s", "end_s", "evaluations", "best_precision")
    complete = pc.is_in(pc.struct_field(log.rows, "end"), pa.array(ENDED_BY_ITSELF))
    return pd.DataFrame(
        {
            "row": np.repeat(np.arange(log.offsets.size - 1), np.diff(log.offsets)),
            **{name: log.numbers(name) for name in numbers},
            "complete": complete.to_numpy()[log.places],
        }
    )


def _begun_later(
    launches: pd.DataFrame, late: NDArray[np.float64], budget: NDArray[np.float64]
) -> pd.DataFrame:
    delay, limit = late[launches["row"]], budget[launches["row"]]
    end_s = launches["end_s"] + delay
    return launches.assign(
        start_s=launches["start_s"] + delay,
        end_s=np.minimum(end_s, limit),
        complete=launches["complete"] & (end_s < limit),
    )[launches["start_s"] + delay < limit].reset_index(drop=True)
