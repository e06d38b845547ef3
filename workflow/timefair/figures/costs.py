"""What the axes call a cost: the unit, and for seconds the clock that they are of."""

from __future__ import annotations

import pandas as pd

TIME = {
    "wall": "wall clock in seconds",
    "cpu": "CPU time in seconds",
    "reference": "reference units",
}
SECONDS = {"wall": "seconds", "cpu": "seconds of CPU time", "reference": "reference units"}

_PER_DIMENSION = "_per_dimension"


def spent(frame: pd.DataFrame, unit: str) -> str:
    """The name of an axis of costs, such as ``wall clock in seconds / dimension``.

    Parameters
    ----------
    frame : DataFrame
        A table; its attribute ``clock`` says whose seconds it has, those of the wall clock without.
    unit : str
        ``seconds`` or ``evaluations``, also with ``_per_dimension`` behind it.
    """
    return _named(frame, unit, TIME)


def counted_in(frame: pd.DataFrame, unit: str) -> str:
    """The same as a unit, such as ``seconds of CPU time``, for what has a name of its own."""
    return _named(frame, unit, SECONDS)


def _named(frame: pd.DataFrame, unit: str, of_clock: dict[str, str]) -> str:
    base = unit.removesuffix(_PER_DIMENSION)
    name = of_clock[frame.attrs.get("clock", "wall")] if base == "seconds" else base
    return f"{name} / dimension" if unit.endswith(_PER_DIMENSION) else name
