"""Writes runs in COCO's data format, for cocopp.

A run is one trial with all its launches. The ``.dat`` file of a function and dimension has one line
per improvement. The ``.tdat`` file has the best precision at each of COCO's trigger evaluations.
The ``.info`` file of a function lists the trials.

The columns are those of COCO's logger: cost, evaluations of constraints (0), precision, and two
values of the objective. The latter are the precision again, as for a function with optimum 0.
With constraints, the cost consists of the evaluations of both kinds, which cocopp adds.

Runs with two objectives have special files (`coco_biobj`): cost, indicator, target reached.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from timefair.export import coco_biobj
from timefair.export.runs import file_name, in_order, refuse_existing, refuse_unknown_optima
from timefair.export.trials import CocoTrial, Cost, at_triggers
from timefair.problems.targets import OF_TWO_OBJECTIVES

FINAL_TARGET = 1e-8
"""COCO's hardest target. Its report shows no harder one."""

_HEADER = "% {cost} | g evaluations | best f - Fopt (0) | f | best f\n"


def write_coco(
    runs: pa.Table, folder: Path, cost: Cost, *, final_target: float = FINAL_TARGET
) -> None:
    """Write one folder per algorithm, with its name, in `folder`.

    With ``cocopp.genericsettings.balance_instances = False``, cocopp computes the ERT and success
    rates of the table ``ert`` from the files, for all targets of its grid (five per decade) down to
    `final_target`.

    Parameters
    ----------
    runs : Table of RUN_SCHEMA
        Runs in any order. Runs on the same instance become trials on the same instance.
    folder : Path
        Created if it does not exist. A table without runs writes nothing.
    cost : {"evaluations", "seconds"}
        The cost that is written in place of evaluations. Seconds are written as whole microseconds,
        at least 1. Of several events within one microsecond, the last is written.
    final_target : float
        cocopp's hardest target. For cocopp, a run ends when it is reached.

    Raises
    ------
    InputError
        One line per algorithm whose folder exists, because cocopp would mix the trials. One line
        per function with an unknown optimum, because the format contains only precisions.

    Notes
    -----
    A trial whose first event is not at cost 1 begins with a line with `NOTHING_YET` at cost 1. A
    run without events has this line and one at its end. A run without evaluations is written with
    one evaluation, because cocopp counts a failure at cost 0 as a success.
    """
    refuse_unknown_optima(runs, "COCO's")
    trials = [CocoTrial.of(run, cost) for run in in_order(runs)]
    parts = {name: list(part) for name, part in groupby(trials, key=lambda t: t.algorithm)}
    refuse_existing(folder / name for name in parts)
    for name, part in parts.items():
        for (suite, function), same in groupby(part, key=lambda t: (t.suite, t.function)):
            stem = f"{file_name(suite)}_f{function}"
            if suite in OF_TWO_OBJECTIVES:
                coco_biobj.write_function(folder / name, stem, list(same), cost)
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
