"""Names of costs on axes and in captions: the unit, and the clock of seconds."""

from __future__ import annotations

import pandas as pd

TIME = {
    "wall": "wall clock in seconds",
    "cpu": "CPU time in seconds",
    "reference": "reference units",
}
SECONDS = {"wall": "seconds", "cpu": "seconds of CPU time", "reference": "reference units"}

SIMPLEX_GRADIENTS = "simplex_gradients"
_PER_DIMENSION = "_per_dimension"


def spent(frame: pd.DataFrame, unit: str) -> str:
    """The name of an axis of costs, such as ``wall clock in seconds / dimension``.

    Parameters
    ----------
    frame : DataFrame
        A table; its attribute ``clock`` names the clock of its seconds, by default the wall clock.
    unit : str
        ``seconds`` or ``evaluations``, also with ``_per_dimension`` appended, or
        ``simplex_gradients``.
    """
    return _named(frame, unit, TIME)


def counted_in(frame: pd.DataFrame, unit: str) -> str:
    """The unit of a cost, such as ``seconds of CPU time``, for use after another name."""
    return _named(frame, unit, SECONDS)


def seconds_of(frame: pd.DataFrame) -> str:
    """Meaning of the seconds of a table, such as ``seconds of CPU time``."""
    return counted_in(frame, "seconds")


def _named(frame: pd.DataFrame, unit: str, of_clock: dict[str, str]) -> str:
    if unit == SIMPLEX_GRADIENTS:
        return "evaluations / (dimension + 1)"
    base = unit.removesuffix(_PER_DIMENSION)
    name = of_clock[frame.attrs.get("clock", "wall")] if base == "seconds" else base
    return f"{name} / dimension" if unit.endswith(_PER_DIMENSION) else name
