"""Reads IOHprofiler's data, with ``.json`` files (since 2021) or ``.info`` files (before)."""

from __future__ import annotations

from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.ioh import info_index, json_index
from timefair.published.runs import DataSet


def data_sets(folder: Folder, cautions: Cautions, seconds: str | None = None) -> list[DataSet]:
    """The data sets of a folder: those of ``.json`` files first, each in the order of the files.

    Parameters
    ----------
    folder : Folder
        The data.
    cautions : Cautions
        Receives tolerated defects.
    seconds : str, optional
        The logged property with the seconds since the start of the run; by default, runs have no
        times.

    Raises
    ------
    InputError
        For an index file that is not IOHprofiler's, data of several objectives, or maximized values
        of another suite than ``pbo``.
    """
    return json_index.data_sets(folder, cautions, seconds) + info_index.data_sets(
        folder, cautions, seconds
    )
