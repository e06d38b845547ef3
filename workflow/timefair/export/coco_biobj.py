"""Writes the files of COCO's logger for two objectives: the hypervolume indicator over costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from timefair.export.trials import CocoTrial, Cost, at_triggers
from timefair.problems.targets import TWO_OBJECTIVES

_HARDEST_FIRST = np.sort(TWO_OBJECTIVES)

Steps = tuple[NDArray[np.int64], NDArray[np.float64]]


def write_function(folder: Path, stem: str, trials: Sequence[CocoTrial], cost: Cost) -> None:
    """Write the trials of an algorithm on a function.

    Parameters
    ----------
    folder
        Folder of the algorithm.
    stem
        The name of the function's files and of their folder.
    trials
        Trials in the order of their dimensions.
    cost
        The cost that is written in place of evaluations.
    """
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
            _write_lines(folder / stem / f"{data}.dat", cost, (_with_steps(t) for t in same))
            _write_lines(folder / stem / f"{data}.tdat", cost, ((t, at_triggers(t)) for t in same))
            listed = ", ".join(trial.info for trial in same)
            info.write(f"function = {first.function}, dim = {dimension}, {data}.dat, {listed}\n")


def _unit(cost: Cost) -> str:
    return "evaluations" if cost == "evaluations" else "microseconds"


def _with_steps(trial: CocoTrial) -> tuple[CocoTrial, Steps]:
    return trial, (trial.cost, trial.precision)


def _write_lines(path: Path, cost: Cost, trials: Iterable[tuple[CocoTrial, Steps]]) -> None:
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
