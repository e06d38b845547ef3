"""Reads IOHprofiler's data from before 2021. ``.info`` files list the runs (see `info_files`).

    suite = "PBO", funcId = 1, DIM = 100, maximization = "T", algId = "EA", algInfo = "(1+1)"
    %
    data_f1/IOHprofiler_f1_DIM100.dat, 1:5000|1.00000e+02, 1:4711|1.00000e+02

A ``.dat`` file has one line per improvement, a ``.cdat`` file one line per evaluation, ``.tdat``
and ``.idat`` files have lines at selected evaluations. The first of them that exists is read.
"""

from __future__ import annotations

from functools import partial

from timefair.basics.errors import InputError
from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.info_files import ALGORITHM, InfoEntry, entries
from timefair.published.ioh.logs import runs
from timefair.published.ioh.runs import published_runs
from timefair.published.ioh.values import (
    NAMES,
    IohFunction,
    Precisions,
    suite_and_precisions,
)
from timefair.published.runs import DataSet, PublishedRun

AT_IMPROVEMENTS = (".dat", ".cdat")
AT_TRIGGERS = (".tdat", ".idat")

TRUE, FALSE = ("T", "TRUE", "1"), ("F", "FALSE", "0")


def data_sets(
    folder: Folder, cautions: Cautions, seconds: str | None, is_maximized: bool | None
) -> list[DataSet]:
    """The data sets of a folder, in the order of its ``.info`` files; see `ioh.data_sets`.

    Raises
    ------
    InputError
        For an ``.info`` file or an entry that is not IOHprofiler's.
    """
    found = []
    for entry in entries(folder, (*AT_IMPROVEMENTS, *AT_TRIGGERS), cautions):
        place = folder.place(entry.index)
        if "Precision" in entry.keys or "indicator" in entry.keys:
            raise InputError(f"{place}: data of COCO; import them with the format coco")
        function = IohFunction(
            entry.keys.get("suite"),
            entry.function,
            entry.keys.get("funcName"),
            entry.dimension,
            _maximized(entry, folder, cautions) if is_maximized is None else is_maximized,
            is_maximized is not None,
        )
        known = suite_and_precisions(function, place, cautions)
        if known is not None:
            suite, precisions = known
            algorithm = entry.keys.get(ALGORITHM, "").strip() or entry.index.parent.name
            read = partial(_read, entry, precisions, folder, cautions, seconds)
            found.append(DataSet(algorithm, suite, entry.function, entry.dimension, read, place))
    return found


def _maximized(entry: InfoEntry, folder: Folder, cautions: Cautions) -> bool:
    """Whether values are maximized, from the entry, the suite, or the order of the best values."""
    place = folder.place(entry.index)
    value = entry.keys.get("maximization")
    if value is not None:
        if value.upper() not in (*TRUE, *FALSE):
            raise InputError(f"{place}: maximization is {value!r}, expected 'T' or 'F'")
        return value.upper() in TRUE
    suite = NAMES.get(entry.keys.get("suite", ""))
    if suite is not None:
        return suite == "pbo"
    moves = set()
    for file in entry.files:
        for run in runs(file.path, folder.place(file.path), cautions):
            if len(run.values) > 1 and run.values[0] != run.values[-1]:
                moves.add(run.values[-1] > run.values[0])
    if len(moves) != 1:
        raise InputError(f"{place}: no key maximization; expected maximization = 'T' or 'F'")
    cautions.add(place, "no key maximization; inferred from how the best values change")
    return moves.pop()


def _read(
    entry: InfoEntry,
    precisions: Precisions,
    folder: Folder,
    cautions: Cautions,
    seconds: str | None,
) -> list[PublishedRun]:
    found = []
    for file in entry.files:
        if file.path.suffix.lower() in AT_TRIGGERS:
            cautions.add(
                folder.place(file.path),
                "no .dat file; an improvement counts from the next logged evaluation",
            )
        found += published_runs(
            file.path, file.trials, precisions, folder, ".info", cautions, seconds
        )
    return found
