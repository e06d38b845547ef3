"""Writes runs in COCO's data format, for cocopp: a run is one trial with all its launches.

Values of f are the precision, as for an optimum of 0. Evaluations of constraints are summed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from timefair.basics.optimum import NOTHING_YET
from timefair.io.exported import (
    ExportedRun,
    file_name,
    in_order,
    refuse_existing,
    refuse_unknown_optima,
)
from timefair.problems.coco_biobj import TARGETS, CocoBiobj
from timefair.problems.registry import SUITES

Cost = Literal["evaluations", "seconds"]


@dataclass(frozen=True)
class CocoTrial:
    """A run as a COCO trial: the best precision as a step function of the cost.

    `cost`, shape (lines,), are evaluations or microseconds, increasing, up to the end of the run.
    `reference` is minus the optimal value: of two objectives, COCO's reference value.
    """

    algorithm: str
    suite: str
    function: int
    dimension: int
    instance: int
    reference: float
    cost: NDArray[np.int64]
    precision: NDArray[np.float64]

    @classmethod
    def of(cls, run: ExportedRun, cost: Cost) -> CocoTrial:
        """From a run, with its evaluations or its seconds as costs."""
        if cost == "evaluations":
            at, end = run.evaluations, np.int64(run.all_evaluations)
        else:
            at, end = _microseconds(run.time_s), np.int64(_microseconds(run.wall_s))
        steps, best = _steps(at, run.precision, end)
        return cls(
            algorithm=run.algorithm,
            suite=run.suite,
            function=run.function,
            dimension=run.dimension,
            instance=run.instance,
            reference=-run.f_opt,
            cost=steps,
            precision=best,
        )

    @property
    def info(self) -> str:
        """The trial in the ``.info`` file."""
        return f"{self.instance}:{self.cost[-1]}|{self.precision[-1]:.1e}"

    def at(self, cost: NDArray[np.int64]) -> NDArray[np.float64]:
        """The best precision at each cost; costs are at least 1."""
        return self.precision[np.searchsorted(self.cost, cost, side="right") - 1]


def at_triggers(trial: CocoTrial) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Best precisions at COCO's triggers: 20 per decade; 1, 2 and 5 times D per decade; the end."""
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


def _microseconds(seconds: ArrayLike) -> NDArray[np.int64]:
    return np.asarray(np.rint(np.asarray(seconds) * 1e6), dtype=np.int64)


def _steps(
    at: NDArray[np.int64], precision: NDArray[np.float64], end: np.int64
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Costs from 1 to the end of the run, without duplicates, and the best precision at each."""
    cost = np.maximum(np.concatenate([[1], at, [end]]), 1)
    best = np.concatenate([[NOTHING_YET], precision])
    best = np.append(best, best[-1])
    last = np.append(np.diff(cost) > 0, True)
    return cost[last], best[last]


_HARDEST_FIRST = np.sort(TARGETS)

Steps = tuple[NDArray[np.int64], NDArray[np.float64]]


def _write_biobj(folder: Path, stem: str, trials: Sequence[CocoTrial], cost: Cost) -> None:
    """Write the trials of an algorithm on a function, in the order of their dimensions."""
    (folder / stem).mkdir(parents=True)
    first = trials[0]
    with (folder / f"{stem}_hyp.info").open("w", encoding="utf-8") as info:
        info.write(
            f"suite = '{first.suite}', algorithm = '{first.algorithm}', indicator = 'hyp', "
            f"folder = '{stem}'\n% written by timefair, in {_unit(cost)}\n"
        )
        for dimension, part in groupby(trials, key=lambda trial: trial.dimension):
            same = list(part)
            data = f"{stem}_d{dimension:02}_hyp"
            _write_biobj_lines(
                folder / stem / f"{data}.dat", cost, ((t, (t.cost, t.precision)) for t in same)
            )
            _write_biobj_lines(
                folder / stem / f"{data}.tdat", cost, ((t, at_triggers(t)) for t in same)
            )
            listed = ", ".join(trial.info for trial in same)
            info.write(f"function = {first.function}, dim = {dimension}, {data}.dat, {listed}\n")


def _unit(cost: Cost) -> str:
    return "evaluations" if cost == "evaluations" else "microseconds"


def _write_biobj_lines(path: Path, cost: Cost, trials: Iterable[tuple[CocoTrial, Steps]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for trial, (costs, precision) in trials:
            file.write(
                f"%\n% instance = {trial.instance}, reference value = {trial.reference!r}\n"
                f"% {_unit(cost)} | indicator value | target hit\n"
            )
            places = np.searchsorted(_HARDEST_FIRST, precision)
            targets = np.append(_HARDEST_FIRST, np.inf)[places]
            lines = zip(costs.tolist(), precision.tolist(), targets.tolist(), strict=True)
            file.writelines(f"{c} {q!r} {target!r}\n" for c, q, target in lines)


FINAL_TARGET = 1e-8
"""COCO's hardest target. Its report shows no harder one."""

_HEADER = "% {cost} | g evaluations | best f - Fopt (0) | f | best f\n"


def write_coco(
    runs: pa.Table, folder: Path, cost: Cost, *, final_target: float = FINAL_TARGET
) -> None:
    """Write one folder per algorithm, with its name, in `folder`.

    With ``cocopp.genericsettings.balance_instances = False``, cocopp computes the ERT and success
    rates of the table ``ert`` from the files, for all targets of its grid (five per decade) down to
    `final_target`, where a run ends for it.

    - `runs`: A table of RUN_SCHEMA. Runs on the same instance become trials on it.
    - `cost`: What is written in place of evaluations. Seconds are whole microseconds, at least 1;
      of several events within one, the last is written.

    `InputError` with one line per algorithm whose folder exists, because cocopp would mix the
    trials, and per function with an unknown optimum. A trial without an event at cost 1 begins with
    a line with `NOTHING_YET`, because cocopp counts a failure at cost 0 as a success.
    """
    refuse_unknown_optima(runs, "COCO's")
    trials = [CocoTrial.of(run, cost) for run in in_order(runs)]
    parts = {name: list(part) for name, part in groupby(trials, key=lambda t: t.algorithm)}
    refuse_existing(folder / name for name in parts)
    for name, part in parts.items():
        for (suite, function), same in groupby(part, key=lambda t: (t.suite, t.function)):
            stem = f"{file_name(suite)}_f{function}"
            if isinstance(SUITES.get(suite), CocoBiobj):
                _write_biobj(folder / name, stem, list(same), cost)
            else:
                _write_function(folder / name, stem, list(same), cost, final_target)


def _write_function(
    folder: Path, stem: str, trials: list[CocoTrial], cost: Cost, final_target: float
) -> None:
    (folder / stem).mkdir(parents=True)
    header = _HEADER.format(cost="f evaluations" if cost == "evaluations" else "microseconds")
    with (folder / f"{stem}.info").open("w", encoding="utf-8") as info:
        for dimension, part in groupby(trials, key=lambda trial: trial.dimension):
            same = list(part)
            data = f"{stem}/{stem}_d{dimension}"
            _write_lines(folder / f"{data}.dat", header, ((t.cost, t.precision) for t in same))
            _write_lines(folder / f"{data}.tdat", header, (at_triggers(t) for t in same))
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
