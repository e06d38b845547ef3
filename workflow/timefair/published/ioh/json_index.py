"""IOHprofiler's data since 2021: a JSON file a function lists the runs in ``.dat`` files.

A ``.dat`` file has ``evaluations``, ``raw_y``, and what else was watched. ``.parquet`` files, which
IOHinspector makes of them, are read where they stand in their place.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from timefair.basics.errors import InputError
from timefair.published import numerals
from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.ioh.logs import SECOND_OBJECTIVE, SEVERAL_OBJECTIVES
from timefair.published.ioh.runs import read_trials
from timefair.published.ioh.values import IohFunction, suite_and_precisions
from timefair.published.runs import DataSet, ListedRun

Scenario = tuple[int, str, list[ListedRun]]
"""A dimension, its data file, and the runs in it."""


def data_sets(folder: Folder, cautions: Cautions) -> list[DataSet]:
    """What the JSON files in a folder list, in the order of their names.

    Raises
    ------
    InputError
        For a JSON file of IOHprofiler's that is damaged, or of several objectives.
    """
    found = []
    for index in folder.indices(".json"):
        place = folder.place(index)
        try:
            said = json.loads(index.read_text(encoding="utf-8-sig"))
            if not isinstance(said, dict) or not {"scenarios", "function_id"} & set(said):
                cautions.add(place, "is not IOHprofiler's, and is left out")
                continue
            algorithm = _text(said["algorithm"]["name"])
            function, scenarios = _function(said), list(map(_scenario, said["scenarios"]))
            several = SECOND_OBJECTIVE in (said.get("attributes") or ())
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            raise InputError(f"{place}: not IOHprofiler's ({reason})") from None
        if several:
            raise InputError(f"{place}: {SEVERAL_OBJECTIVES}")
        found += list(_listed(algorithm, function, scenarios, index, folder, cautions))
    return found


def _text(said: object) -> str:
    if not isinstance(said, str):
        raise TypeError(f"{said!r} should be a text")
    return said


def _function(said: dict[str, Any]) -> dict[str, Any]:
    return {
        "suite": _text(said["suite"]),
        "number": numerals.name(said["function_id"]),
        "name": _text(said.get("function_name", "")),
        "maximized": bool(said["maximization"]),
    }


def _scenario(said: dict[str, Any]) -> Scenario:
    return numerals.name(said["dimension"]), _text(said["path"]), list(map(_run, said["runs"]))


def _run(said: dict[str, Any]) -> ListedRun:
    best = said.get("best")
    value, best_at = (best.get("y"), best.get("evals")) if isinstance(best, dict) else (None, None)
    evaluations = said.get("evals")
    return ListedRun(
        numerals.name(said["instance"]),
        None if evaluations is None else numerals.count(str(evaluations)),
        None if value is None else numerals.number(str(value)),
        None if best_at is None else numerals.count(str(best_at)),
    )


def _listed(
    algorithm: str, function: dict[str, Any], scenarios: list[Scenario], index: Path,
    folder: Folder, cautions: Cautions,
) -> Iterator[DataSet]:  # fmt: skip
    place = folder.place(index)
    for dimension, path, listed in scenarios:
        if not listed:
            cautions.add(place, "a scenario lists no runs, and is left out")
            continue
        stem = path.rpartition(".")[0]
        data = folder.beside(index, path) or folder.beside(index, f"{stem}.parquet")
        if data is None:
            cautions.add(
                place, f"names the data file {path!r}, which is not there; its runs are left out"
            )
            continue
        known = suite_and_precisions(IohFunction(dimension=dimension, **function), place, cautions)
        if known is not None:
            suite, precisions = known
            read = partial(read_trials, data, listed, precisions, folder, ".json", cautions)
            yield DataSet(algorithm, suite, function["number"], dimension, read, place)
