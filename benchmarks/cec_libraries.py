"""Which libraries give the values of the organizers' programs of CEC2017 and CEC2022, and how fast.

    python benchmarks/cec_libraries.py [DIMENSION]

Prints one row per function: the largest relative difference of the values at the points of
tests/golden/cec_values.csv (0 within 1e-12), and microseconds per evaluation. opfunu counts 28
functions of CEC2017 from f3 as 2 to 29. The constant that the organizers add may be missing.
"""

from __future__ import annotations

import csv
import importlib
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path

import numpy as np

from timefair.problems.registry import SUITES

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "cec_values.csv"
Function = Callable[[np.ndarray], float]


def opfunu_function(year: int, function: int, dimension: int) -> Function | None:
    number = function - (year == 2017 and function > 2)
    if year == 2017 and function == 2:
        return None
    try:
        importlib.import_module("pkg_resources")
    except ImportError:  # opfunu needs it only to find its data
        folder = Path(importlib.util.find_spec("opfunu").submodule_search_locations[0])
        stand_in = types.ModuleType("pkg_resources")
        stand_in.resource_filename = lambda package, path: str(folder.parent / package / path)
        sys.modules["pkg_resources"] = stand_in
    module = importlib.import_module(f"opfunu.cec_based.cec{year}")
    try:
        return getattr(module, f"F{number}{year}")(ndim=dimension).evaluate
    except Exception:  # a dimension that it lacks
        return None


def ioh_function(year: int, function: int, dimension: int) -> Function | None:
    try:
        import ioh

        kinds = ioh.ProblemClass.CEC2022
    except (ImportError, AttributeError):
        return None
    if year != 2022:
        return None
    return ioh.get_problem(1000 + function, 1, dimension, kinds)


def difference(f: Function | None, points: np.ndarray, values: np.ndarray, bias: float) -> str:
    if f is None:
        return "-"
    found = np.array([float(f(x)) for x in points])
    errors = [np.max(np.abs(found + b - values) / np.abs(values)) for b in (0.0, bias)]
    return "0" if min(errors) < 1e-12 else f"{min(errors):.1g}"


def microseconds(f: Function | None, x: np.ndarray) -> str:
    if f is None:
        return "-"
    times = []
    for _ in range(5):
        calls, start = 0, time.perf_counter()
        while time.perf_counter() - start < 0.01:
            f(x)
            calls += 1
        times.append((time.perf_counter() - start) / calls)
    return f"{1e6 * min(times):.1f}"


def main(dimension: int) -> None:
    rows = [r for r in csv.DictReader(GOLDEN.open()) if int(r["dimension"]) == dimension]
    print("suite function | timefair opfunu ioh | us: timefair opfunu ioh")
    for suite, function in dict.fromkeys((r["suite"], int(r["function"])) for r in rows):
        problem = SUITES[suite].problem(function, dimension, 1)
        j, points, values = np.arange(1, dimension + 1), [], []
        for row in rows:
            if (row["suite"], row["function"]) != (suite, str(function)):
                continue
            if row["point"] == "optimum":
                points.append(SUITES[suite]._read(f"shift_data_{function}.txt", (1, dimension))[0])
            else:
                turns = 0.6180339887498949 * j * (int(row["point"]) + 1) + 0.1 * function
                points.append(200 * (turns % 1) - 100)
            values.append(float(row["value"]))
        year = int(suite[3:])
        all_of_them = (
            problem.evaluate,
            opfunu_function(year, function, dimension),
            ioh_function(year, function, dimension),
        )
        equal = [
            difference(f, np.array(points), np.array(values), problem.f_opt) for f in all_of_them
        ]
        speed = [microseconds(f, points[0]) for f in all_of_them]
        print(f"{suite} f{function} |", *equal, "|", *speed, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
