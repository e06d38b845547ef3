"""How the page writes numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pandas as pd

_STEPS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
_MINUTE, _HOUR = 60.0, 3600.0
NONE = "–"
"""A cell without a value."""


def number(value: float, digits: int = 2) -> str:
    """A number with so many significant digits, never in powers of ten: ``0.012``, ``1,300``."""
    if pd.isna(value):
        return NONE
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    decimals = max(0, digits - 1 - exponent)
    return f"{value:,.{decimals}f}".replace("-", "−")


def duration(seconds: float, digits: int = 2) -> str:
    """Seconds with a unit that fits: ``40 µs``, ``2.5 s``, ``3.1 h``."""
    if pd.isna(seconds) or math.isinf(seconds):
        return number(seconds)
    if seconds == 0:
        return "0 s"
    if seconds >= 2 * _HOUR:
        return f"{number(seconds / _HOUR, digits)} h"
    if seconds >= 2 * _MINUTE:
        return f"{number(seconds / _MINUTE, digits)} min"
    for size, unit in _STEPS:
        if seconds >= size * (1 - 1e-9):
            return f"{number(seconds / size, digits)} {unit}"
    return f"{number(seconds / _STEPS[-1][0], digits)} µs"


def percent(share: float) -> str:
    """A share in percent: ``12 %``; with a digit more below 10 %."""
    if pd.isna(share):
        return NONE
    return f"{number(100 * share, 2 if abs(share) < 0.995 else 3)} %"


def interval(low: str, high: str) -> str:
    """The limits of an interval."""
    return f"[{low}, {high}]"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown; without rows, a sentence."""
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    if not lines:
        return "None."
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *lines])
