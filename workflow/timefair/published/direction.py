"""Finds values that may be maximized: timefair minimizes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.published.cautions import Cautions

SHARE = 0.9
"""Share of the runs whose values only rise from which values may be maximized."""

SURE = 6
"""Number of such steps from which chance cannot explain them."""


@dataclass
class Direction:
    """Counts runs whose values only rise.

    Attributes
    ----------
    changing, rising
        Number of runs whose values change, and of those whose values never fall.
    steps
        Number of steps up of the latter.
    """

    changing: int = 0
    rising: int = 0
    steps: int = 0

    def add(self, values: NDArray[np.float64], starts: NDArray[np.bool_]) -> None:
        """Count the runs of some lines, both of shape (lines,); what is not finite is skipped."""
        run = np.cumsum(starts) - 1
        finite = np.isfinite(values)
        values, run = values[finite], run[finite]
        same, later = run[1:] == run[:-1], run[1:]
        runs = int(np.count_nonzero(starts))
        up = np.bincount(later[same & (values[1:] > values[:-1])], minlength=runs)
        down = np.bincount(later[same & (values[1:] < values[:-1])], minlength=runs)
        only_up = (up > 0) & (down == 0)
        self.changing += int(np.count_nonzero(up + down))
        self.rising += int(np.count_nonzero(only_up))
        self.steps += int(up[only_up].sum())

    def refuse(self, value: str, place: Path | str, cautions: Cautions) -> None:
        """Raise `InputError` if values are maximized; add a line if they may be.

        Parameters
        ----------
        value
            Name of the column of values.
        place
            The file; ``""`` for all of the data.
        """
        what = (
            f"values only rise in {self.rising} of {self.changing} runs, but timefair minimizes; "
            f"if they are maximized, use --columns value=-{value}"
        )
        if self.is_beyond_chance_up:
            where = f"{place}: " if place else ""
            raise InputError(f"{where}{what}; if not, --columns value=+{value}")
        if self.is_up:
            cautions.add(place, what)

    @property
    def is_up(self) -> bool:
        """Whether values only rise in nearly all runs."""
        return self.rising > 0 and self.rising >= SHARE * self.changing

    @property
    def is_beyond_chance_up(self) -> bool:
        """Whether they do so in so many steps that chance cannot explain it."""
        return self.is_up and self.steps >= SURE
