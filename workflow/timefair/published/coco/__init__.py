"""Reads COCO's data archives of all generations since 2009.

``.info`` files list the trials (see `info_files`). A ``.dat`` file has a line for each of COCO's
target precisions that a trial reached. The ``.tdat`` file of the same name has a line at each of
COCO's trigger evaluations (see `coco.logs`). `coco.runs` combines the three files.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.coco.logs import BEST_OF_MANY, CocoColumns
from timefair.published.coco.runs import published_runs
from timefair.published.info_files import ALGORITHM, InfoEntry, entries
from timefair.published.runs import DataSet

FORMATS = {
    None: CocoColumns(precision=2),
    "bbob": CocoColumns(precision=2),
    "bbob-old": CocoColumns(precision=2),
    "bbob-new": CocoColumns(precision=2, constraints=True),
    "bbob-new2": CocoColumns(precision=2, constraints=True),
}
"""Columns of the data files, by ``data_format``."""

INDICATOR = CocoColumns(precision=1, tdat_precision=False, signed=True)
"""Columns of multi-objective data, whose entries have the key ``indicator``."""

NOISY = range(101, 131)
"""Functions of ``bbob-noisy``; data from before 2016 do not name the suite."""

FORMER = {"sbox-cost": "bbob-boxed"}
"""Former names of suites."""


def data_sets(folder: Folder, cautions: Cautions) -> list[DataSet]:
    """The data sets of a folder, in the order of its ``.info`` files.

    Raises
    ------
    InputError
        For an ``.info`` file or an entry that is not COCO data.
    """
    return [_data_set(entry, folder, cautions) for entry in entries(folder, (".dat",), cautions)]


def _data_set(entry: InfoEntry, folder: Folder, cautions: Cautions) -> DataSet:
    place, keys = folder.place(entry.index), entry.keys
    if "maximization" in keys or "algInfo" in keys:
        raise InputError(f"{place}: data of IOHprofiler; import them with the format ioh")
    if entry.comment.startswith("% Combination of"):
        raise InputError(f"{place}: {BEST_OF_MANY}")
    algorithm = keys.get(ALGORITHM, "").strip()
    if not algorithm:
        algorithm = folder.name if entry.index.parent == folder.root else entry.index.parent.name
        cautions.add(place, f"no name of the algorithm; {algorithm!r} is used, from its folder")
    read = partial(published_runs, entry.files, _columns(entry, place), folder, cautions)
    return DataSet(algorithm, _suite(entry), entry.function, entry.dimension, read, place)


def _columns(entry: InfoEntry, place: Path) -> CocoColumns:
    if "indicator" in entry.keys:
        return INDICATOR
    data_format = entry.keys.get("data_format")
    if data_format not in FORMATS:
        known = ", ".join(repr(name) for name in FORMATS if name is not None)
        raise InputError(f"{place}: data_format {data_format!r} is unknown; known: {known}")
    return FORMATS[data_format]


def _suite(entry: InfoEntry) -> str:
    """The suite; it is inferred for data from before 2016, because they do not name it."""
    suite = entry.keys.get("suite")
    if suite:
        return FORMER.get(suite, suite)
    if "indicator" in entry.keys:
        return "bbob-biobj"
    return "bbob-noisy" if entry.function in NOISY else "bbob"
