"""A random sample of the runs of a campaign, stratified by algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from timefair.basics.errors import InputError
from timefair.campaign import collected, configuration, plan
from timefair.extensions.reproduce.chosen import (
    LOST,
    RecordedRun,
    chosen_run,
    differing_origin,
    joined_records,
)
from timefair.records.integrity import RUN_KEY
from timefair.records.schema import PUBLISHED
from timefair.records.store import open_record


class RunPlace(NamedTuple):
    """The file in which a run is recorded, and its function, dimension, instance and number."""

    path: Path
    function: int
    dimension: int
    instance: int
    run: int

    def read(self) -> RecordedRun:
        """The run, with the facts of its record."""
        numbers = self._asdict()
        return chosen_run(numbers.pop("path"), numbers)


class Stratum(NamedTuple):
    """The runs of one algorithm.

    Attributes
    ----------
    runs
        All runs with a result.
    lost
        Number of runs without a result in the record; they are not replayed.
    sampled
        The chosen ones among `runs`, in the same order.
    """

    label: str
    runs: int
    lost: int
    sampled: tuple[RunPlace, ...]


def sample(folder: Path, share: float, rng: np.random.Generator) -> list[Stratum]:
    """Choose runs at random, the same share of each algorithm, at least one.

    Parameters
    ----------
    folder
        ``results/NAME``. The collected files of the campaign's algorithms count, or its planned
        records if nothing was collected. In
        place of a collected file that joins records of several campaigns, code versions or
        machines, these records count, if all of them are still there.
    share
        Share of the runs, in (0, 1].

    Raises
    ------
    InputError
        If there is no record, a record is damaged, or no run can be replayed.
    """
    runs: dict[str, list[RunPlace]] = {}
    lost: dict[str, int] = {}
    for path in _files(folder):
        for label, status, place in _runs(path):
            if status in LOST:
                lost[label] = lost.get(label, 0) + 1
            else:
                runs.setdefault(label, []).append(place)
    if not runs:
        raise InputError(f"{folder}: has no measured runs that can be replayed")
    return [
        Stratum(label, len(places), lost.get(label, 0), tuple(_chosen(places, share, rng)))
        for label, places in sorted(runs.items())
    ]


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; name results/NAME")
    campaign = None
    if (folder / plan.SNAPSHOT).exists():
        campaign = configuration.restore(folder / plan.SNAPSHOT)
    if files := sorted((folder / collected.ROOM).rglob("*.parquet")):
        return files if campaign is None else collected.chosen(files, campaign, folder)
    planned = None if campaign is None else collected.planned_records(campaign, folder)
    files = sorted((folder / "records").rglob("*.parquet"))
    if planned is not None:
        wanted = set[PurePosixPath]().union(*planned.values())
        files = [path for path in files if collected.relative(path) in wanted]
    if files:
        return files
    raise InputError(f"{folder}: contains no records; name results/NAME")


def _runs(path: Path) -> Iterator[tuple[str, str, RunPlace]]:
    record = open_record(path)
    if PUBLISHED in record.facts:
        return
    joined = joined_records(record) if differing_origin(record) else []
    if joined and all(one.is_file() for one in joined):
        for one in joined:
            yield from _runs(one)
        return
    for part in record.row_groups(("algorithm", "status", *RUN_KEY)):
        for row in part.to_pylist():
            place = RunPlace(path, **{name: row[name] for name in RUN_KEY})
            yield row["algorithm"], row["status"], place


def _chosen(places: list[RunPlace], share: float, rng: np.random.Generator) -> Iterable[RunPlace]:
    size = min(ceil(share * len(places)), len(places))
    return (places[k] for k in sorted(rng.choice(len(places), size, replace=False)))
