"""Runs in COCO's data format, the files that cocopp reads.

A run is one trial, its restarts included. The ``.dat`` file of a function and dimension has a line
for each improvement, the ``.tdat`` file a line at each of COCO's own triggers, with the best
precision by then; the ``.info`` file of a function lists the trials of both.

The columns are those of COCO's logger: cost, evaluations of constraints (0), precision, and twice
a value of the objective, where the precision stands again: it is a function whose optimum is 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.errors import InputError

Cost = Literal["evaluations", "seconds"]

FINAL_TARGET = 1e-8
"""COCO's own; its report shows no harder one."""

NOTHING_YET = 1e300
"""The precision before the first finite value: cocopp does not come to an end with `inf`."""

NO_FILE_NAME = r"[^\w.-]"
"""What does not go into the names of files, such as the ``:`` of a suite of one's own."""

_HEADER = "% {cost} | g evaluations | best f - Fopt (0) | f | best f\n"
_ORDER = ("algorithm", "suite", "function", "dimension", "instance", "run")


@dataclass(frozen=True)
class Trial:
    """One run: the best precision from each cost on, up to the cost at its end."""

    algorithm: str
    suite: str
    function: int
    dimension: int
    instance: int
    cost: NDArray[np.int64]
    precision: NDArray[np.float64]

    @property
    def info(self) -> str:
        """Its entry in the ``.info`` file."""
        return f"{self.instance}:{self.cost[-1]}|{self.precision[-1]:.1e}"

    def at(self, cost: NDArray[np.int64]) -> NDArray[np.float64]:
        """The best precision at some costs, each at least 1."""
        return self.precision[np.searchsorted(self.cost, cost, side="right") - 1]


def write_coco(
    runs: pa.Table, folder: Path, cost: Cost, *, final_target: float = FINAL_TARGET
) -> None:
    """Write runs as one folder an algorithm, named after it, below `folder`.

    cocopp's ERT and success rates on the files are those of the tables, for all targets of its
    grid (five a decade) that are not below `final_target`, given
    ``cocopp.genericsettings.balance_instances = False``.

    Parameters
    ----------
    runs : Table of RUN_SCHEMA
        Their order does not matter. Runs of the same instance are trials of the same instance.
    folder : Path
        Made if need be. A table without runs writes nothing.
    cost : {"evaluations", "seconds"}
        What stands where cocopp expects evaluations. Seconds become whole microseconds, at
        least 1; of several events within one microsecond the last is kept.
    final_target : float
        cocopp knows no target below it, and takes a run as ended when it is reached.

    Raises
    ------
    InputError
        For each algorithm whose folder is there already: cocopp would join the trials. For each
        function whose optimum is not known: the format has precisions only.

    Notes
    -----
    A trial whose first event is not at cost 1 begins with a line of `NOTHING_YET` there. It is the
    only one of a run without events. A run of no evaluation counts as one evaluation, because
    cocopp takes a failure at cost 0 for a success.
    """
    _refuse_unknown_optima(runs)
    trials = list(_trials(runs, cost))
    parts = {name: list(part) for name, part in groupby(trials, key=lambda t: t.algorithm)}
    there = [folder / name for name in parts if (folder / name).exists()]
    if there:
        raise InputError(*(f"{path} is there already; delete it or name another" for path in there))
    for name, part in parts.items():
        for (suite, function), same in groupby(part, key=lambda t: (t.suite, t.function)):
            stem = f"{re.sub(NO_FILE_NAME, '_', suite)}_f{function}"
            _write_function(folder / name, stem, list(same), cost, final_target)


def _refuse_unknown_optima(runs: pa.Table) -> None:
    unknown = runs.filter(pc.is_null(runs["f_opt"])).select(["suite", "function"])
    functions = sorted({(row["suite"], row["function"]) for row in unknown.to_pylist()})
    if functions:
        raise InputError(
            *(
                f"{suite} f{function}: its optimum is not known, and COCO's format has "
                "precisions only"
                for suite, function in functions
            )
        )


def _trials(runs: pa.Table, cost: Cost) -> Iterator[Trial]:
    rows = runs.sort_by([(key, "ascending") for key in _ORDER])
    names = rows.select(_ORDER[:-1]).to_pylist()
    events = pc.list_flatten(rows["events"])
    lengths = pc.fill_null(pc.list_value_length(rows["events"]), 0).to_numpy()
    stops = np.cumsum(lengths, dtype=np.int64)
    if cost == "evaluations":
        at, ends = pc.struct_field(events, "evaluations").to_numpy(), rows["evaluations"].to_numpy()
    else:
        at, ends = _microseconds(pc.struct_field(events, "time_s")), _microseconds(rows["wall_s"])
    precision = pc.struct_field(events, "precision").to_numpy()
    for name, start, stop, end in zip(names, stops - lengths, stops, ends, strict=True):
        steps, best = _steps(at[start:stop], precision[start:stop], end)
        yield Trial(**name, cost=steps, precision=best)


def _microseconds(seconds: pa.ChunkedArray) -> NDArray[np.int64]:
    return np.asarray(np.rint(seconds.to_numpy() * 1e6), dtype=np.int64)


def _steps(
    at: NDArray[np.int64], precision: NDArray[np.float64], end: np.int64
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Cost and best precision from cost 1 to the end of the run, the last of each cost."""
    cost = np.maximum(np.concatenate([[1], at, [end]]), 1)
    best = np.concatenate([[NOTHING_YET], precision])
    best = np.append(best, best[-1])
    last = np.append(np.diff(cost) > 0, True)
    return cost[last], best[last]


def _write_function(
    folder: Path, stem: str, trials: list[Trial], cost: Cost, final_target: float
) -> None:
    (folder / stem).mkdir(parents=True)
    header = _HEADER.format(cost="f evaluations" if cost == "evaluations" else "microseconds")
    with (folder / f"{stem}.info").open("w", encoding="utf-8") as info:
        for dimension, part in groupby(trials, key=lambda trial: trial.dimension):
            same = list(part)
            data = f"{stem}/{stem}_d{dimension}"
            _write_lines(folder / f"{data}.dat", header, ((t.cost, t.precision) for t in same))
            _write_lines(folder / f"{data}.tdat", header, (_at_triggers(t) for t in same))
            info.write(
                f"suite = '{same[0].suite}', funcId = {same[0].function}, DIM = {dimension}, "
                f"Precision = {final_target!r}, algId = '{same[0].algorithm}', logger = 'bbob', "
                f"data_format = 'bbob-new2'\n% written by timefair\n"
                f"{data}.dat, {', '.join(trial.info for trial in same)}\n"
            )


def _write_lines(
    path: Path,
    header: str,
    trials: Iterable[tuple[NDArray[np.int64], NDArray[np.float64]]],
) -> None:
    with path.open("w", encoding="utf-8") as file:
        for cost, precision in trials:
            file.write(header)
            file.writelines(
                f"{c} 0 {q!r} {q!r} {q!r}\n"
                for c, q in zip(cost.tolist(), precision.tolist(), strict=True)
            )


def _at_triggers(trial: Trial) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """What COCO logs whatever is found: 20 costs a decade, 1, 2, 5 times the dimension, the end."""
    end = trial.cost[-1]
    decades = int(np.log10(end)) + 1
    triggers = np.concatenate(
        [
            np.floor(10 ** (np.arange(20 * decades) / 20)),
            np.multiply.outer(10 ** np.arange(decades), [1, 2, 5]).ravel() * trial.dimension,
        ]
    ).astype(np.int64)
    cost = np.unique([*triggers[triggers < end], end])
    return cost, trial.at(cost)
