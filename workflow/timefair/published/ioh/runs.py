"""IOHprofiler's trials: the runs that an index file lists, as a data file has them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.ioh.logs import chosen, runs
from timefair.published.ioh.values import OtherFunctionError, OtherInstanceError, Precisions
from timefair.published.runs import ListedRun, PublishedRun


def read_trials(
    data: Path, listed: Sequence[ListedRun], precisions: Precisions, folder: Folder, index: str,
    cautions: Cautions,
) -> list[PublishedRun]:  # fmt: skip
    """The trials that are listed, in order; `index` is the ending of the file that lists them.

    InputError if there are fewer than are listed, and it cannot be told which are missing.
    """
    place = folder.place(data)
    trials = []
    others: set[int] = set()
    for one, run in chosen(listed, runs(data, place, cautions), place, index, cautions):
        try:
            f_opt, precision = precisions(run, one.instance)
        except OtherFunctionError as reason:
            cautions.add(place, f"{reason}, so it is another function; its runs are left out")
            return []
        except OtherInstanceError:
            others.add(one.instance)
            continue
        end = one.evaluations or 0
        trials.append(PublishedRun.of_lines(one.instance, f_opt, run.evaluations, precision, end))
    if others:
        numbers = ", ".join(map(str, sorted(others)))
        cautions.add(place, f"instances {numbers} are not those of pbo; their runs are left out")
    return trials
