"""COCO's data archives, of every generation since 2009.

``.info`` files list the trials (see `info_files`). A ``.dat`` file has a line for each of COCO's
target precisions that a trial reached, and the ``.tdat`` beside it a line at each of COCO's
triggers in evaluations (see `logs`); `trials` puts the three together.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.coco.logs import NO_RUN_OF_ANY, CocoColumns
from timefair.published.coco.runs import read_trials
from timefair.published.info_files import ALGORITHM, InfoEntry, entries
from timefair.published.runs import DataSet

FORMATS = {
    None: CocoColumns(precision=2),
    "bbob": CocoColumns(precision=2),
    "bbob-old": CocoColumns(precision=2),
    "bbob-new": CocoColumns(precision=2, constraints=True),
    "bbob-new2": CocoColumns(precision=2, constraints=True),
}
"""Where things stand in the data files of each ``data_format``."""

INDICATOR = CocoColumns(precision=1, between=False)
"""Where they stand in multi-objective data, which have an ``indicator``."""

NOISY = range(101, 131)
"""Functions of ``bbob-noisy``, whose data of before 2016 do not name it."""

FORMER = {"sbox-cost": "bbob-boxed"}
"""Names that suites had."""


def data_sets(folder: Folder, cautions: Cautions) -> list[DataSet]:
    """What the ``.info`` files in a folder list, in the order of their names.

    Raises
    ------
    InputError
        For an ``.info`` file or an entry that is not of COCO's data.
    """
    return [_data_set(entry, folder, cautions) for entry in entries(folder, (".dat",), cautions)]


def _data_set(entry: InfoEntry, folder: Folder, cautions: Cautions) -> DataSet:
    place, keys = folder.place(entry.index), entry.keys
    if "maximization" in keys or "algInfo" in keys:
        raise InputError(f"{place}: is IOHprofiler's; import it as ioh, not as coco")
    if entry.comment.startswith("% Combination of"):
        raise InputError(f"{place}: {NO_RUN_OF_ANY}")
    algorithm = keys.get(ALGORITHM, "").strip()
    if not algorithm:
        algorithm = folder.name if entry.index.parent == folder.root else entry.index.parent.name
        cautions.add(place, f"names no algorithm; it is called {algorithm!r} as its folder is")
    read = partial(read_trials, entry.files, _columns(entry, place), folder, cautions)
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
    """The suite; data of before 2016 do not name it."""
    suite = entry.keys.get("suite")
    if suite:
        return FORMER.get(suite, suite)
    if "indicator" in entry.keys:
        return "bbob-biobj"
    return "bbob-noisy" if entry.function in NOISY else "bbob"
