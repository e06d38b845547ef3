"""Reads IOHprofiler's data, with ``.json`` files (since 2021) or ``.info`` files (before)."""

from __future__ import annotations

from timefair.basics.errors import InputError
from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.ioh import info_index, json_index
from timefair.published.ioh.logs import PLAIN
from timefair.published.runs import DataSet
from timefair.published.table.columns import Layout


def data_sets(folder: Folder, cautions: Cautions, layout: Layout | None = None) -> list[DataSet]:
    """The data sets of a folder: those of ``.json`` files first, each in the order of the files.

    Parameters
    ----------
    folder : Folder
        The data.
    cautions : Cautions
        Receives tolerated defects.
    layout : Layout, optional
        ``seconds``: the logged property with the seconds since the start of the run; by default,
        runs have no times. ``value``: a sign, ``-`` for values that are maximized and ``+`` for
        those that are not, whatever the files state, and the name of the column of values.

    Raises
    ------
    InputError
        For an index file that is not IOHprofiler's, data of several objectives, maximized values
        of another suite than ``pbo``, or other columns in `layout`.
    """
    columns = layout or Layout()
    if columns.constants or set(columns.columns) - {"seconds", "value"}:
        raise InputError(f"--columns: {_ONLY}")
    sign = columns.sign("value")
    if "value" in columns.columns and not (sign and columns.in_file("value") in PLAIN):
        raise InputError(f"--columns: value: {columns.columns['value']!r}: {_ONLY}")
    seconds, is_maximized = columns.columns.get("seconds"), {"-": True, "+": False}.get(sign)
    return [
        one
        for index in (json_index, info_index)
        for one in index.data_sets(folder, cautions, seconds, is_maximized)
    ]


_ONLY = (
    "data of IOHprofiler have only seconds=NAME, a logged property, and value=-raw_y for values "
    "that are maximized (value=+raw_y: minimized)"
)
