"""IOHprofiler's data: with a ``.json`` file a function (since 2021), or ``.info`` files before."""

from __future__ import annotations

from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.ioh import info_index, json_index
from timefair.published.runs import DataSet


def data_sets(folder: Folder, cautions: Cautions) -> list[DataSet]:
    """What the index files in a folder list, JSON first, in the order of their names.

    Raises
    ------
    InputError
        For an index file that is not IOHprofiler's, or values that are maximized and whose optimum
        is not known.
    """
    return json_index.data_sets(folder, cautions) + info_index.data_sets(folder, cautions)
