"""Names of costs on axes and in captions: the unit, and the clock of seconds."""

from __future__ import annotations

import pandas as pd

TIME = {
    "wall": "wall clock in seconds",
    "cpu": "CPU time in seconds",
    "reference": "reference units",
}
SECONDS = {"wall": "seconds", "cpu": "seconds of CPU time", "reference": "reference units"}


def spent(frame: pd.DataFrame, unit: str) -> str:
    """The name of an axis of costs, such as ``wall clock in seconds``.

    The attribute ``clock`` of the table names the clock of its seconds, by default the wall clock.
    """
    return TIME[frame.attrs.get("clock", "wall")] if unit == "seconds" else unit


def counted_in(frame: pd.DataFrame, unit: str) -> str:
    """The unit of a cost, such as ``seconds of CPU time``, for use after another name."""
    return SECONDS[frame.attrs.get("clock", "wall")] if unit == "seconds" else unit


def seconds_of(frame: pd.DataFrame) -> str:
    """Meaning of the seconds of a table, such as ``seconds of CPU time``."""
    return counted_in(frame, "seconds")
