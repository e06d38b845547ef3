"""Reads IOHprofiler's data since 2021. One JSON file per function lists the runs.

A ``.dat`` file has the columns ``evaluations``, ``raw_y`` and any logged attributes. If it does not
exist, the ``.parquet`` file that IOHinspector makes of it is read.
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
from timefair.published.ioh.runs import published_runs
from timefair.published.ioh.values import IohFunction, suite_and_precisions
from timefair.published.runs import DataSet, ListedRun

Scenario = tuple[int, str, list[ListedRun]]
"""A dimension, its data file, and the runs in it."""


def data_sets(
    folder: Folder, cautions: Cautions, seconds: str | None, is_maximized: bool | None
) -> list[DataSet]:
    """The data sets of a folder, in the order of its JSON files; see `ioh.data_sets`.

    Raises
    ------
    InputError
        For a JSON file that is damaged, or that describes several objectives.
    """
    found = []
    for index in folder.indices(".json"):
        place = folder.place(index)
        try:
            content = json.loads(index.read_text(encoding="utf-8-sig"))
            if not isinstance(content, dict) or not {"scenarios", "function_id"} & set(content):
                cautions.add(place, "not a file of IOHprofiler; skipped")
                continue
            algorithm = _text(content["algorithm"]["name"])
            function = _function(content, is_maximized)
            scenarios = list(map(_scenario, content["scenarios"]))
            several = SECOND_OBJECTIVE in (content.get("attributes") or ())
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            raise InputError(f"{place}: not a valid file of IOHprofiler ({reason})") from None
        if several:
            raise InputError(f"{place}: {SEVERAL_OBJECTIVES}")
        found += list(_listed(algorithm, function, scenarios, index, folder, cautions, seconds))
    return found


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"maximization is {value!r}, expected true or false")
    return value


def _function(content: dict[str, Any], is_maximized: bool | None) -> dict[str, Any]:
    return {
        "suite": _text(content["suite"]),
        "number": numerals.name(content["function_id"]),
        "name": _text(content.get("function_name", "")),
        "maximized": _flag(content["maximization"]) if is_maximized is None else is_maximized,
        "is_stated": is_maximized is not None,
    }


def _scenario(content: dict[str, Any]) -> Scenario:
    dimension, path = numerals.name(content["dimension"]), _text(content["path"])
    return dimension, path, list(map(_run, content["runs"]))


def _run(content: dict[str, Any]) -> ListedRun:
    best = content.get("best")
    value, best_at = (best.get("y"), best.get("evals")) if isinstance(best, dict) else (None, None)
    evaluations = content.get("evals")
    return ListedRun(
        numerals.name(content["instance"]),
        None if evaluations is None else numerals.count(str(evaluations)),
        None if value is None else numerals.number(str(value)),
        None if best_at is None else numerals.count(str(best_at)),
    )


def _listed(
    algorithm: str, function: dict[str, Any], scenarios: list[Scenario], index: Path,
    folder: Folder, cautions: Cautions, seconds: str | None,
) -> Iterator[DataSet]:  # fmt: skip
    place = folder.place(index)
    for dimension, path, listed in scenarios:
        stem = path.rpartition(".")[0]
        data = folder.beside(index, path) or folder.beside(index, f"{stem}.parquet")
        if not listed:
            cautions.add(place, "a scenario without runs is skipped")
            continue
        if data is None:
            cautions.add(place, f"data file {path!r} does not exist; its runs are skipped")
            continue
        known = suite_and_precisions(IohFunction(dimension=dimension, **function), place, cautions)
        if known is not None:
            suite, precisions = known
            read = partial(
                published_runs, data, listed, precisions, folder, ".json", cautions, seconds
            )
            yield DataSet(algorithm, suite, function["number"], dimension, read, place)
