"""Writes runs for other tools: as a tidy table, and in the formats of IOHprofiler and COCO."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from timefair.basics.disk import atomic_file
from timefair.basics.errors import InputError
from timefair.basics.optimum import NOTHING_YET
from timefair.problems.coco import TARGETS, CocoBiobj
from timefair.problems.suites import SUITES
from timefair.records.schema import RUN_SCHEMA

LONGEST_NAME = 80  # bytes of the name of a suite in a file name, which contains it with other words
NO_FILE_NAME = r"[^\w.-]"  # replaced in file names, such as the ``:`` of a user-defined suite


Function = tuple[Path, str, int, dict[int, list[pd.DataFrame]]]
"""The folder of an algorithm, a suite, a function, and the runs by dimension, with the rows of
`table_of` and the best precision so far; seconds of published data are NaN.
"""


def file_name(suite: str) -> str:
    """The name of a suite as a part of a file name; a long one ends in a digest."""
    name = re.sub(NO_FILE_NAME, "_", suite)
    if len(name.encode()) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(suite.encode()).hexdigest()[:8]
    return f"{name.encode()[:LONGEST_NAME].decode(errors='ignore')}_{digest}"


def _by_function(runs: pa.Table, folder: Path, format: str) -> Iterator[Function]:
    """The runs of each algorithm on each function, by names and numbers; `InputError` with a line
    per function whose optimum is not known, or per folder that exists: readers would mix the runs.
    """
    unknown = runs.filter(pc.is_null(runs["f_opt"])).select(["suite", "function"])
    functions = sorted({(row["suite"], row["function"]) for row in unknown.to_pylist()})
    faults = [
        f"{suite} f{function}: its optimum is not known, but {format} format has precisions only"
        for suite, function in functions
    ] or [
        f"{path}: already exists; delete it or choose another folder"
        for name in sorted(runs["algorithm"].unique().to_pylist())
        if (path := folder / name).exists()
    ]
    if faults:
        raise InputError(*faults)
    rows = table_of(runs).to_pandas()
    rows["evaluations"] = rows["evaluations"].fillna(0).astype(np.int64)
    for (algorithm, suite, function), part in rows.groupby(_KEYS[:3], observed=True):
        found: dict[int, list[pd.DataFrame]] = {}
        for (dimension, *_), run in part.groupby(_KEYS[3:]):
            best = np.fmin.accumulate(run["precision"].to_numpy())
            run = run.assign(best=np.nan_to_num(best, nan=NOTHING_YET))
            found.setdefault(dimension, []).append(run)
        yield folder / algorithm, suite, function, found


SUFFIXES = (".csv", ".parquet")
_KEYS = ["algorithm", "suite", "function", "dimension", "instance", "run"]
_OF_RUN = {  # Columns with the same cell in all rows of a run, and their names in a record
    "optimum": "f_opt",
    "budget_s": "budget_s",
    "budget_evaluations": "budget_evaluations",
    "status": "status",
    "stop_reason": "stop_reason",
}


def write_table(runs: pa.Table, path: Path) -> None:
    """Write a CSV or Parquet file of runs with times, which `timefair analyse` reads again."""
    rows = table_of(runs)
    with atomic_file(path) as file:
        if path.suffix == ".parquet":
            pq.write_table(rows, file, compression="zstd")
        else:
            pa_csv.write_csv(rows, file)


_COLUMNS_OF_TABLE = pa.schema(
    [
        *(RUN_SCHEMA.field(key) for key in _KEYS),
        ("evaluations", pa.int64()),
        *((name, pa.float64()) for name in ("seconds", "value", "precision")),
        *(RUN_SCHEMA.field(column).with_name(name) for name, column in _OF_RUN.items()),
    ]
)


def table_of(runs: pa.Table) -> pa.Table:
    """One row per improvement and one for the end of each run, by algorithm, problem and run.

    Values are f itself. If the optimum is known, they are the optimum plus the precision, so they
    are rounded, except the best one; the column ``precision`` has every digit.
    """
    needed = ("evaluations", "wall_s", "best_f", "best_precision", "events")
    runs = runs.sort_by([(key, "ascending") for key in _KEYS])
    runs = runs.select([*_KEYS, *_OF_RUN.values(), *needed])
    parts = (map(_rows_of, part.to_pylist()) for part in runs.to_batches(1000))
    tables = (pa.Table.from_pylist([*chain(*part)], _COLUMNS_OF_TABLE) for part in parts)
    return pa.concat_tables([_COLUMNS_OF_TABLE.empty_table(), *tables])


def _rows_of(run: dict[str, Any]) -> Iterator[dict[str, Any]]:
    f_opt, events = run["f_opt"], run["events"] or []
    last = len(events) - 1
    end = {"evaluations": run["evaluations"], "time_s": run["wall_s"]}
    if not events or end != {name: events[last][name] for name in end}:
        events = [*events, end | {"precision": run["best_precision"]}]
    of_run = {key: run[key] for key in _KEYS} | {name: run[of] for name, of in _OF_RUN.items()}
    for k, event in enumerate(events):
        precision = event["precision"]
        yield of_run | {
            "evaluations": event["evaluations"],
            "seconds": event["time_s"],
            "value": run["best_f"] if k >= last else precision + (f_opt or 0.0),
            "precision": None if f_opt is None or precision == np.inf else precision,
        }


VERSION = "0.3.22"  # the version of IOHexperimenter whose format is written
_COLUMNS = ("evaluations", "raw_y", "time_s")  # the last one is left out of runs without times


def write_ioh(runs: pa.Table, folder: Path) -> None:
    """Write one folder per algorithm, with its name, in `folder`, for iohinspector and IOHanalyzer.

    ``raw_y`` is the precision, ``time_s`` a logged attribute, which runs without times do not have.
    A run has one line per improvement and one at its end. It begins with a line with `NOTHING_YET`
    unless evaluation 1 is an improvement, because iohinspector begins there. `InputError` for a
    folder that exists, or an unknown optimum.
    """
    for place, suite, function, found in _by_function(runs, folder, "IOHprofiler's"):
        stem = f"f{function}_{file_name(suite)}"
        (place / f"data_{stem}").mkdir(parents=True)
        timed = all(np.isfinite(run["seconds"]).all() for each in found.values() for run in each)
        columns = _COLUMNS[: 2 + timed]
        scenarios = []
        for dimension, each in found.items():
            described = []
            path = f"data_{stem}/IOHprofiler_f{function}_DIM{dimension}.dat"
            with (place / path).open("w", encoding="utf-8") as file:
                for run in each:
                    steps = _ioh_steps(run)
                    file.writelines(
                        " ".join(map(str, line[: 2 + timed])) + "\n" for line in [columns, *steps]
                    )
                    at, best, _ = min(steps, key=itemgetter(1))
                    first = {"evals": at, "y": best, "x": []}
                    instance = int(run["instance"].iloc[0])
                    described.append({"instance": instance, "evals": steps[-1][0], "best": first})
            scenarios.append({"dimension": dimension, "path": path, "runs": described})
        index = {
            "version": VERSION,
            "suite": suite,
            "function_id": function,
            "function_name": stem,
            "maximization": False,
            "algorithm": {"name": place.name, "info": "written by timefair"},
            "attributes": columns,
            "scenarios": scenarios,
        }
        text = json.dumps(index, indent=1, allow_nan=False)
        (place / f"IOHprofiler_{stem}.json").write_text(text + "\n", encoding="utf-8")


def _ioh_steps(run: pd.DataFrame) -> list[tuple[int, float, float]]:
    new = run[np.diff(run["evaluations"], prepend=0) > 0]
    steps = [*zip(new["evaluations"], new["best"], new["seconds"], strict=True)]
    begun = steps and steps[0][0] == 1 and steps[0][1] != NOTHING_YET
    return steps if begun else [(1, NOTHING_YET, 0.0), *(step for step in steps if step[0] > 1)]


Cost = Literal["evaluations", "seconds"]
Steps = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Costs, and the best precision at each, shape (lines,)."""
FINAL_TARGET = 1e-8  # COCO's hardest target, beyond which its report shows none
_HARDEST_FIRST = np.sort(TARGETS)


def _steps(run: pd.DataFrame, cost: Cost) -> Steps:
    """The steps of a run from cost 1 to its end; costs are evaluations or microseconds."""
    at = run["evaluations"] if cost == "evaluations" else np.rint(run["seconds"] * 1e6)
    costs = np.maximum(np.append(1, at.astype(np.int64)), 1)
    last = np.append(np.diff(costs) > 0, True)
    return costs[last], np.append(NOTHING_YET, run["best"])[last]


def _at_triggers(steps: Steps, dimension: int) -> Steps:
    """The steps at COCO's triggers: 20 per decade; 1, 2 and 5 times D per decade; the end."""
    end = steps[0][-1]
    decades = int(np.log10(end)) + 1
    of_dimension = np.multiply.outer(10 ** np.arange(decades), [1, 2, 5]).ravel() * dimension
    triggers = np.concatenate([np.floor(10 ** (np.arange(20 * decades) / 20)), of_dimension])
    triggers = triggers.astype(np.int64)
    cost = np.unique([*triggers[triggers < end], end])
    return cost, steps[1][np.searchsorted(steps[0], cost, side="right") - 1]


def write_coco(
    runs: pa.Table, folder: Path, cost: Cost, *, final_target: float = FINAL_TARGET
) -> None:
    """Write one folder per algorithm, with its name, in `folder`, for cocopp.

    A run is one trial with all its launches. Values of f are the precision, as for an optimum of 0.
    With ``cocopp.genericsettings.balance_instances = False``, cocopp computes the ERT and success
    rates of the table ``ert``, for all targets of its grid down to `final_target`, where a run ends
    for it. Seconds are whole microseconds, at least 1; of several events within one, the last. A
    trial without an event at cost 1 begins with a line with `NOTHING_YET`, because cocopp counts a
    failure at cost 0 as a success. `InputError` as in `write_ioh`.
    """
    unit = "evaluations" if cost == "evaluations" else "microseconds"
    for place, suite, function, found in _by_function(runs, folder, "COCO's"):
        two = isinstance(SUITES.get(suite), CocoBiobj)  # which have a format of their own
        lines, kind = (_lines_of_two, "_hyp") if two else (_lines_of_one, "")
        stem = f"{file_name(suite)}_f{function}"
        (place / stem).mkdir(parents=True)
        of_all = f"suite = '{suite}', algorithm = '{place.name}', indicator = 'hyp', "
        entries = [f"{of_all}folder = '{stem}'\n% written by timefair, in {unit}\n"] * two
        for dimension, each in found.items():
            data = f"{stem}_d{dimension:02}_hyp" if two else f"{stem}_d{dimension}"
            trials = [(run, _steps(run, cost)) for run in each]
            for ending in (".dat", ".tdat"):
                with (place / stem / f"{data}{ending}").open("w", encoding="utf-8") as file:
                    for run, steps in trials:
                        shown = steps if ending == ".dat" else _at_triggers(steps, dimension)
                        file.writelines(lines(run, unit, shown))
            listed = ", ".join(
                f"{run['instance'].iloc[0]}:{costs[-1]}|{best[-1]:.1e}"
                for run, (costs, best) in trials
            )
            entries.append(
                f"function = {function}, dim = {dimension}, {data}.dat, {listed}\n"
                if two
                else f"suite = '{suite}', funcId = {function}, DIM = {dimension}, "
                f"Precision = {final_target!r}, algId = '{place.name}', logger = 'bbob', "
                f"data_format = 'bbob-new2'\n% written by timefair\n"
                f"{stem}/{data}.dat, {listed}\n"
            )
        (place / f"{stem}{kind}.info").write_text("".join(entries), encoding="utf-8")


def _lines_of_two(run: pd.DataFrame, unit: str, steps: Steps) -> Iterator[str]:
    first, (costs, precision) = run.iloc[0], steps
    yield f"%\n% instance = {first['instance']}, reference value = {-float(first['optimum'])!r}\n"
    yield f"% {unit} | indicator value | target hit\n"
    targets = np.append(_HARDEST_FIRST, np.inf)[np.searchsorted(_HARDEST_FIRST, precision)]
    for c, q, target in zip(costs.tolist(), precision.tolist(), targets.tolist(), strict=True):
        yield f"{c} {q!r} {target!r}\n"


def _lines_of_one(_: pd.DataFrame, unit: str, steps: Steps) -> Iterator[str]:
    counted = "f evaluations" if unit == "evaluations" else unit
    yield f"% {counted} | g evaluations | best f - Fopt (0) | f | best f\n"
    for c, q in zip(*(column.tolist() for column in steps), strict=True):
        yield f"{c} 0 {q!r} {q!r} {q!r}\n"
