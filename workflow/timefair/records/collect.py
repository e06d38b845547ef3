"""Many record files into one an algorithm, complete or refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from timefair.errors import InputError
from timefair.records.journal import journal_path
from timefair.records.store import open_record, write_record

RunKey = tuple[int, int, int, int]
"""(function, dimension, instance, run)"""

_COLUMNS = ("function", "dimension", "instance", "run")
_SHOWN = 3


def collect(paths: Sequence[Path], expected: set[RunKey], output: Path) -> None:
    """Write the runs of all record files to `output`, one file at a time in memory.

    The journals of the collected records are dropped: their runs are now in two other places.

    Raises
    ------
    InputError
        If a file is no record, or a run is missing, twice there, or not expected.
    """
    seen: set[RunKey] = set()
    faults: list[str] = []
    sources, decided = _sources(paths)

    def batches() -> Iterator[pa.RecordBatch]:
        for path in paths:
            file, _ = open_record(path)
            for batch in file.iter_batches():
                keys = list(zip(*(batch.column(c).to_pylist() for c in _COLUMNS), strict=True))
                faults.extend(f"{path}: {_name(key)} is there twice" for key in keys if key in seen)
                seen.update(keys)
                yield batch
        unmeasured = expected - seen
        faults.extend(_lines("missing", unmeasured - _spared(unmeasured, seen, decided)))
        faults.extend(_lines("not part of the campaign", seen - expected))
        if faults:
            raise InputError(*faults)

    write_record(output, batches(), {"collected": sources, "stopping": decided})
    for path in paths:
        journal_path(path).unlink(missing_ok=True)


def _sources(paths: Sequence[Path]) -> tuple[dict[str, list[Any]], list[dict[str, Any]]]:
    """What the records name: their different configurations, keys, code digests and machines; and
    what a stopping rule decided on each problem.
    """
    sources: dict[str, list[Any]] = {"campaign": [], "key": [], "code": [], "machine": []}
    decided: list[dict[str, Any]] = []
    for path in paths:
        _, facts = open_record(path)
        decided += facts.get("stopping", [])
        for name, values in sources.items():
            if facts.get(name) not in values:
                values.append(facts.get(name))
    return sources, decided


def _spared(
    unmeasured: set[RunKey], seen: set[RunKey], decided: list[dict[str, Any]]
) -> set[RunKey]:
    """Runs that a stopping rule made unnecessary: all after the last one of their problem."""
    judged = {tuple(row[name] for name in _COLUMNS[:-1]) for row in decided}
    last = dict.fromkeys(judged, -1)
    for *problem, run in seen:
        place = tuple(problem)
        if place in last:
            last[place] = max(last[place], run)
    return {key for key in unmeasured if key[:-1] in last and key[-1] > last[key[:-1]]}


def _name(key: RunKey) -> str:
    function, dimension, instance, run = key
    return f"f{function} D={dimension} instance {instance} run {run}"


def _lines(what: str, keys: set[RunKey]) -> list[str]:
    shown = [f"{_name(key)}: {what}" for key in sorted(keys)[:_SHOWN]]
    return [*shown, f"and {len(keys) - _SHOWN} more runs: {what}"] if len(keys) > _SHOWN else shown
