"""Writes runs in IOHprofiler's data format, for iohinspector and IOHanalyzer.

``raw_y`` is the precision, and ``time_s``, a logged attribute, the seconds since the run's start.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from timefair.basics.optimum import NOTHING_YET
from timefair.io.exported import (
    ExportedRun,
    file_name,
    in_order,
    refuse_existing,
    refuse_unknown_optima,
)

VERSION = "0.3.22"
"""The version of IOHexperimenter whose format is written."""

EVALUATIONS, PRECISION, TIME = "evaluations", "raw_y", "time_s"


def write_ioh(runs: pa.Table, folder: Path) -> None:
    """Write one folder per algorithm, with its name, in `folder`.

    A run has one line per improvement and one at its end. It begins with a line with `NOTHING_YET`
    unless evaluation 1 is an improvement, because iohinspector begins there. Runs without times
    have no column ``time_s``. `InputError` with one line per algorithm whose folder exists, or per
    function with an unknown optimum.
    """
    refuse_unknown_optima(runs, "IOHprofiler's")
    refuse_existing(folder / name for name in sorted(runs["algorithm"].unique().to_pylist()))
    for (algorithm, suite, function), part in groupby(
        in_order(runs), key=lambda run: (run.algorithm, run.suite, run.function)
    ):
        _write_function(folder / algorithm, suite, function, list(part))


def _write_function(folder: Path, suite: str, function: int, runs: list[ExportedRun]) -> None:
    stem = f"f{function}_{file_name(suite)}"
    (folder / f"data_{stem}").mkdir(parents=True)
    timed = all(np.isfinite(run.wall_s) for run in runs)
    scenarios = []
    for dimension, part in groupby(runs, key=lambda run: run.dimension):
        same = list(part)
        path = f"data_{stem}/IOHprofiler_f{function}_DIM{dimension}.dat"
        with (folder / path).open("w", encoding="utf-8") as file:
            for run in same:
                file.writelines(_lines(run, timed))
        scenarios.append(
            {"dimension": dimension, "path": path, "runs": [_described(run) for run in same]}
        )
    index = {
        "version": VERSION,
        "suite": suite,
        "function_id": function,
        "function_name": stem,
        "maximization": False,
        "algorithm": {"name": runs[0].algorithm, "info": "written by timefair"},
        "attributes": _columns(timed),
        "scenarios": scenarios,
    }
    text = json.dumps(index, indent=1, allow_nan=False)
    (folder / f"IOHprofiler_{stem}.json").write_text(text + "\n", encoding="utf-8")


def _described(run: ExportedRun) -> dict[str, Any]:
    """A run in the JSON file."""
    evaluations, precision = 1, NOTHING_YET
    if len(run.evaluations):
        evaluations, precision = int(run.evaluations[-1]), float(run.precision[-1])
    return {
        "instance": run.instance,
        "evals": max(run.all_evaluations, 1),
        "best": {"evals": evaluations, "y": precision, "x": []},
    }


def _columns(timed: bool) -> list[str]:
    return [EVALUATIONS, PRECISION, *([TIME] if timed else [])]


def _lines(run: ExportedRun, timed: bool) -> Iterator[str]:
    yield " ".join(_columns(timed)) + "\n"
    for evaluations, precision, time_s in _steps(run):
        yield f"{evaluations} {precision!r}{f' {time_s!r}' if timed else ''}\n"


def _steps(run: ExportedRun) -> Iterator[tuple[int, float, float]]:
    """Evaluations, best precision and seconds of each line of a run."""
    steps = zip(run.evaluations.tolist(), run.precision.tolist(), run.time_s.tolist(), strict=True)
    last, best = 0, NOTHING_YET
    for evaluations, precision, time_s in steps:
        if last == 0 and evaluations > 1:
            yield 1, NOTHING_YET, 0.0
        yield evaluations, precision, time_s
        last, best = evaluations, precision
    if last == 0:
        yield 1, NOTHING_YET, 0.0
        last = 1
    if run.all_evaluations > last:
        yield run.all_evaluations, best, run.wall_s
