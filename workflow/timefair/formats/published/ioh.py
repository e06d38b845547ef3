"""IOHprofiler's data: a JSON file a function, and ``.dat`` files with the runs.

A ``.dat`` file has the names of its columns before each run; ``raw_y``, of what is minimized, is
the distance to the optimum.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from timefair.errors import InputError
from timefair.formats.published.places import beside, indices
from timefair.formats.published.trials import DataSet, Trial

SUITES = {"BBOB": "bbob", "unknown_suite": None, "None": None, "": None}
"""What IOHprofiler calls suites, where it is another name than here."""

Run = tuple[list[int], list[float]]
"""The evaluations and the precisions of its lines."""


def data_sets(folder: Path) -> list[DataSet]:
    """What the JSON files in a folder list, in the order of their names.

    Raises
    ------
    InputError
        For a JSON file that is not IOHprofiler's, or whose values are maximized.
    """
    return [found for index in indices(folder, ".json") for found in _listed(index, folder)]


def _listed(index: Path, folder: Path) -> Iterator[DataSet]:
    place = index.relative_to(folder)
    try:
        said = json.loads(index.read_text(encoding="utf-8"))
        algorithm, suite = said["algorithm"]["name"], said["suite"]
        function, maximization = int(said["function_id"]), said["maximization"]
        scenarios = [
            (int(scenario["dimension"]), scenario["path"], list(map(_run, scenario["runs"])))
            for scenario in said["scenarios"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InputError(f"{place}: not IOHprofiler's ({reason})") from None
    if maximization:
        raise InputError(f"{place}: its values are maximized, and are no precisions")
    for dimension, path, runs in scenarios:
        read = partial(_read, path, runs, index, folder)
        yield DataSet(algorithm, SUITES.get(suite, suite), function, dimension, read)


def _run(said: dict[str, Any]) -> tuple[int, int]:
    """The instance of a run, and how many evaluations it is said to have made."""
    return int(said["instance"]), int(said.get("evals", 0))


def _read(path: str, runs: list[tuple[int, int]], index: Path, folder: Path) -> list[Trial]:
    data = beside(index, path, folder)
    found = list(_runs(data, data.relative_to(folder)))
    if len(found) != len(runs):
        raise InputError(
            f"{data.relative_to(folder)}: {len(found)} runs, and its .json file lists {len(runs)}"
        )
    return [
        Trial.of_lines(instance, 0.0, evaluations, precision, all_evaluations)
        for (instance, all_evaluations), (evaluations, precision) in zip(runs, found, strict=True)
    ]


def _runs(path: Path, place: Path) -> Iterator[Run]:
    run: Run | None = None
    columns: list[str] = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            words = line.split()
            if "evaluations" in words:
                if run is not None:
                    yield run
                columns, run = words, ([], [])
            elif words:
                try:
                    row = dict(zip(columns, map(float, words), strict=True))
                    at, precision = int(row["evaluations"]), row["raw_y"]
                except (ValueError, KeyError, OverflowError):
                    raise InputError(
                        f"{place}:{number}: {line.strip()[:40]!r} is no line of IOHprofiler's data"
                    ) from None
                assert run is not None
                run[0].append(at)
                run[1].append(precision)
    if run is not None:
        yield run
