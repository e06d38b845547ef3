"""Which libraries give the values of the organizers' programs of the CEC suites, and how fast.

    python benchmarks/cec_libraries.py [DIMENSION]

Prints one row per function: the largest relative difference of the values at the points of
tests/golden/cec_values*.csv (0 within 1e-12), and microseconds per evaluation, measured in turns.
minionpy is the organizers' programs, compiled; it gets 1,000 points in a call, so that its time has
no calls from Python in it, unlike the others. opfunu counts 28 functions of CEC2017 from f3 as 2 to
29. The constant that the organizers add may be missing.
"""

from __future__ import annotations

import csv
import importlib
import sys
import time
import types
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from timefair.problems.suites import SUITES

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
BATCH = 1000
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


def minionpy_function(year: int, function: int, dimension: int) -> Function | None:
    try:
        made = getattr(importlib.import_module("minionpy.cec"), f"CEC{year}Functions")
    except (ImportError, AttributeError):
        return None
    return made(function, dimension).cpp_func


def difference(found: np.ndarray | None, values: np.ndarray, bias: float) -> str:
    if found is None:
        return "-"
    errors = [np.max(np.abs(found + b - values) / np.abs(values)) for b in (0.0, bias)]
    return "0" if min(errors) < 1e-12 else f"{min(errors):.1g}"


def microseconds(calls: list[Callable[[], object] | None]) -> list[float]:
    """The least time of a call of each, in turns."""
    least = [np.inf] * len(calls)
    for _ in range(7):
        for place, call in enumerate(calls):
            if call is None:
                continue
            count, start = 0, time.perf_counter()
            while time.perf_counter() - start < 0.005:
                call()
                count += 1
            least[place] = min(least[place], 1e6 * (time.perf_counter() - start) / count)
    return least


def main(dimension: int) -> None:
    rows = [
        row
        for file in sorted(GOLDEN.glob("cec_values*.csv"))
        for row in csv.DictReader(file.open())
        if int(row["dimension"]) == dimension and row["suite"] in SUITES
    ]
    print("suite function | timefair opfunu ioh minionpy | us: timefair opfunu ioh minionpy")
    ratios: dict[str, list[float]] = {}
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
        year, many = int(suite[3:]), np.tile(points[0], (BATCH, 1))
        each = [
            problem.evaluate,
            opfunu_function(year, function, dimension),
            ioh_function(year, function, dimension),
        ]
        batch = minionpy_function(year, function, dimension)
        found = [f and np.array([float(f(x)) for x in points]) for f in each]
        found.append(batch and np.array(batch(np.array(points))))
        equal = [difference(f, np.array(values), problem.f_opt) for f in found]
        calls = [f and partial(f, points[0]) for f in each]
        speed = microseconds([*calls, batch and partial(batch, many)])
        speed[-1] /= BATCH
        print(f"{suite} f{function} |", *equal, "|", *(f"{s:.2f}" for s in speed), flush=True)
        for library, place in (("opfunu", 1), ("minionpy", 3)):
            if np.isfinite(speed[place]):
                ratios.setdefault(library, []).append(speed[place] / speed[0])
    for library, of_all in ratios.items():
        quantiles = np.quantile(of_all, [0, 0.5, 1])
        print(f"time of {library} / timefair, {len(of_all)} functions:", quantiles.round(2))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
