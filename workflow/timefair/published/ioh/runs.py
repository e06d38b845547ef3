"""Combines an index file's list of runs with the lines of each run in a data file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from timefair.published import ends
from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.direction import Direction
from timefair.published.ioh.logs import IohLog, chosen, runs
from timefair.published.ioh.values import (
    Minimized,
    OtherFunctionError,
    OtherInstanceError,
    Precisions,
)
from timefair.published.runs import ListedRun, PublishedRun, Timed


def published_runs(
    data: Path, listed: Sequence[ListedRun], precisions: Precisions, folder: Folder, index: str,
    cautions: Cautions, seconds: str | None = None,
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
    seconds : str, optional
        The column with the seconds since the start of the run; by default none is read.

    Returns
    -------
    list of PublishedRun
        In the order of the index file, without runs on problems that differ from the suite's.

    Raises
    ------
    InputError
        If runs are missing and it cannot be determined which, the data file is damaged, or values
        only rise though they should be minimized.
    """
    place = folder.place(data)
    found = []
    others: set[int] = set()
    logs = runs(data, place, cautions, seconds)
    if isinstance(precisions, Minimized) and not precisions.is_stated:
        _refuse_rising(logs, place, cautions)
    for one, run in chosen(listed, logs, place, index, cautions):
        try:
            f_opt, precision = precisions(run, one.instance)
        except OtherFunctionError as reason:
            cautions.add(place, f"{reason}: another function; its runs are skipped")
            return []
        except OtherInstanceError:
            others.add(one.instance)
            continue
        end = one.evaluations or 0
        made = PublishedRun.of_lines(one.instance, f_opt, run.evaluations, precision, end)
        if seconds is not None and run.seconds:
            made = _timed(made, run, f_opt)
            if made.all_evaluations > run.last:
                cautions.add(place, "runs go on after their last line; their seconds end there")
        found.append(made)
    if others:
        numbers = ", ".join(map(str, sorted(others)))
        cautions.add(place, f"instances {numbers} differ from those of pbo; their runs are skipped")
    return found


def _refuse_rising(logs: Sequence[IohLog], place: Path, cautions: Cautions) -> None:
    direction = Direction()
    for log in logs:
        direction.add(np.array(log.values), np.arange(len(log.values)) == 0)
    direction.refuse("raw_y", place, cautions)


def _timed(run: PublishedRun, log: IohLog, f_opt: float | None) -> PublishedRun:
    """The run with the times of its lines; it has lasted until the last one."""
    lines = np.searchsorted(np.asarray(log.evaluations, np.int64), run.evaluations)
    end_s = log.seconds[-1]
    best = float(run.precision[-1]) if run.precision.size else np.inf
    at_the_end = run.precision.size > 0 and run.evaluations[-1] == run.all_evaluations
    timed = Timed(
        time_s=np.asarray(log.seconds, dtype=np.float64)[lines],
        end_s=end_s,
        best_f=(f_opt or 0.0) + best,
        status=ends.status(run.all_evaluations, best),
        stop_reason=ends.stop_reason(
            best if at_the_end and f_opt is not None else np.inf,
            run.all_evaluations,
            end_s,
            end_s,
            None,
        ),
        budget_s=end_s,
    )
    return replace(run, timed=timed)
