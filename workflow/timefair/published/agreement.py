"""Checks whether several files with runs agree on their problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.published.runs import DataSet


class Agreement:
    """Collects the facts about problems in files, and refuses a file that disagrees."""

    def __init__(self) -> None:
        self._facts: dict[str, tuple[str, Path]] = {}

    def add(self, path: Path, sets: Sequence[DataSet]) -> None:
        """Add the data sets of a file.

        Raises
        ------
        InputError
            If the suite, the name of a function or an optimum differs from that in another file.
        """
        for subject, value in _said(sets):
            before, where = self._facts.setdefault(subject, (value, path))
            if before != value and where != path:
                raise InputError(
                    f"{subject} is {value}, but {before} in {where}; give files that agree"
                )


def _said(sets: Sequence[DataSet]) -> Iterator[tuple[str, str]]:
    """The facts in a file, with their subjects."""
    for one in sets:
        yield "the suite", one.suite or "not named"
        yield f"function {one.function}", one.name or "not named"
        for run in one.read():
            problem = f"function {one.function} instance {run.instance}, D = {one.dimension}"
            optimum = "unknown" if run.f_opt is None else f"{run.f_opt:.15g}"
            yield f"the optimum of {problem}", optimum
