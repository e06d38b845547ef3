"""The points that the launches of a run recommend, in memory that outlives the run's process.

A launch recommends a point by ``objective.recommend(x)`` or by returning it. The points of a launch
are thinned like its improvements (`records.thinning`): the last point is kept in each step of a
geometric grid of the launch's own evaluations and time.

The last row is replaced until its step ends. Two places hold it alternately, and the header names
the valid one, so a process that is killed during a write leaves a complete row.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from timefair.measure.evaluation.objective import vector_dtype
from timefair.records.thinning import THINNING, Thinning


class Recommendations:
    """Writes the recommendations of a run.

    Parameters
    ----------
    fd
        The file behind the rows, of dtype ``vector_dtype(dimension)``.
    header
        The header of the run. Its field ``recommended`` is 0 without a row. Otherwise it is 1 plus
        twice the index of the last row, plus 1 if that row is in its second place.
    dimension
        Number of variables.
    thinning
        Gives the steps.
    """

    def __init__(
        self, fd: int, header: NDArray[np.void], dimension: int, thinning: Thinning = THINNING
    ) -> None:
        self._fd, self._header, self._resolution = fd, header, thinning.resolution
        self._row = np.zeros(1, dtype=vector_dtype(dimension))
        self._step: tuple[int, int, int] | None = None  # launch, its evaluations, its time
        self._last, self._second = _place(int(header["recommended"][0]))

    def take(
        self, launch: int, evaluations: int, time: int, own: int, own_time: int,
        x: NDArray[np.float64],
    ) -> None:  # fmt: skip
        """Keep a point of a launch.

        Parameters
        ----------
        launch
            Index of the launch.
        evaluations, time
            Finished evaluations of the run, and ns since its start.
        own, own_time
            The same for the launch: its own evaluations, and ns since its start.
        x
            The point, shape ``(dimension,)``.
        """
        same = self._step is not None and (
            launch == self._step[0] and own <= self._step[1] and own_time <= self._step[2]
        )
        last, second = self._last, not self._second
        if not same:
            if self._second:
                self._move_last_row()
            last, second = last + 1, False
            parts = self._resolution
            self._step = launch, own + own // parts, own_time + own_time // parts
        row = self._row
        row["launch"], row["evaluations"], row["time"], row["outputs"] = (
            launch,
            evaluations,
            time,
            x,
        )
        os.pwrite(self._fd, row.tobytes(), (last + second) * row.itemsize)
        self._commit(last, second)

    def _move_last_row(self) -> None:
        """Copy the last row from its second place to its first one."""
        size = self._row.itemsize
        row = os.pread(self._fd, size, (self._last + 1) * size)
        os.pwrite(self._fd, row, self._last * size)
        self._commit(self._last, second=False)

    def _commit(self, last: int, second: bool) -> None:
        self._header["recommended"] = 1 + 2 * last + second
        self._last, self._second = last, second


def _place(recommended: int) -> tuple[int, bool]:
    """Index of the last row (-1 if there is none), and whether it is in its second place."""
    last, second = divmod(recommended - 1, 2)
    return last, bool(second) and last >= 0


def read(fd: int, recommended: int, dimension: int) -> NDArray[np.void]:
    """The rows of a run, in the order in which they were written.

    Parameters
    ----------
    fd, dimension
        As in `Recommendations`.
    recommended
        The field ``recommended`` of the header.

    Raises
    ------
    ValueError
        If the header names rows that were never written.
    """
    dtype = vector_dtype(dimension)
    last, second = _place(recommended)
    size = (last + 1 + second) * dtype.itemsize
    if not 0 <= size <= os.fstat(fd).st_size:
        raise ValueError(f"{last + 1} points are recommended in a log that is shorter")
    rows = np.frombuffer(bytearray(os.pread(fd, size, 0)), dtype=dtype)
    return np.delete(rows, last) if second else rows
