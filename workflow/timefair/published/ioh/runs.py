"""Combines an index file's list of runs with the lines of each run in a data file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.ioh.logs import chosen, runs
from timefair.published.ioh.values import OtherFunctionError, OtherInstanceError, Precisions
from timefair.published.runs import ListedRun, PublishedRun


def published_runs(
    data: Path, listed: Sequence[ListedRun], precisions: Precisions, folder: Folder, index: str,
    cautions: Cautions,
) -> list[PublishedRun]:  # fmt: skip
    """Read the runs that an index file lists for a data file.

    Parameters
    ----------
    data : Path
        The data file.
    listed : sequence of ListedRun
        The runs in the index file.
    precisions : Precisions
        Computes precisions from values.
    folder : Folder
        The data.
    index : str
        Suffix of the index file.
    cautions : Cautions
        Receives tolerated defects.

    Returns
    -------
    list of PublishedRun
        In the order of the index file, without runs on problems that differ from the suite's.

    Raises
    ------
    InputError
        If runs are missing and it cannot be determined which, or the data file is damaged.
    """
    place = folder.place(data)
    found = []
    others: set[int] = set()
    for one, run in chosen(listed, runs(data, place, cautions), place, index, cautions):
        try:
            f_opt, precision = precisions(run, one.instance)
        except OtherFunctionError as reason:
            cautions.add(place, f"{reason}: another function; its runs are skipped")
            return []
        except OtherInstanceError:
            others.add(one.instance)
            continue
        end = one.evaluations or 0
        found.append(PublishedRun.of_lines(one.instance, f_opt, run.evaluations, precision, end))
    if others:
        numbers = ", ".join(map(str, sorted(others)))
        cautions.add(place, f"instances {numbers} differ from those of pbo; their runs are skipped")
    return found
