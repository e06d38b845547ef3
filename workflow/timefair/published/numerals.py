"""Parses numbers in the notations of Python, C, Fortran and Windows."""

from __future__ import annotations

import math
import re

from timefair.basics.optimum import NOTHING_YET

LARGEST_COUNT = 2**53
"""Largest number of evaluations: floating-point numbers are exact up to it."""

MOST_EVALUATIONS, MOST_SECONDS = 10**12, 1e7
"""Largest budgets of a campaign."""

LARGEST_NAME = 10**9
"""Largest number of a function, dimension or instance in a campaign."""

_FORTRAN_EXPONENT = re.compile(r"(?<=[\d.])[dD](?=[+-]?\d)")
_WINDOWS = re.compile(r"([+-]?)1\.#(INF|IND|QNAN|SNAN)0*(e[+-]?\d+)?", re.IGNORECASE)


def number(text: str) -> float:
    """Parse a number, also in the notation of Fortran (``1.5D-08``) or Windows (``1.#INF``).

    NaN and inf are numbers, and `NOTHING_YET`, which timefair exports, is inf. Any other text
    raises ValueError.
    """
    if "_" in text:  # Python reads 1_0 as 10
        raise ValueError(f"{text!r} is not a number")
    try:
        return math.inf if (value := float(text)) == NOTHING_YET else value
    except ValueError:
        if windows := _WINDOWS.fullmatch(text):
            return float(windows[1] + ("inf" if windows[2].upper() == "INF" else "nan"))
        return float(_FORTRAN_EXPONENT.sub("e", text))


def count(text: str) -> int:
    """Parse a number of evaluations, at least 0, such as ``12`` or ``1.0e+05``.

    Any other text raises ValueError.
    """
    value = int(text) if text.isdecimal() else number(text)
    if not (0 <= value <= LARGEST_COUNT and value == int(value)):
        raise ValueError(f"{text!r} is not a number of evaluations")
    return int(value)


def name(value: object) -> int:
    """Parse the number of a function, dimension or instance, at least 0.

    Any other value raises ValueError.
    """
    text = str(value).strip()
    if not (text.isdecimal() and len(text) < 20 and int(text) <= LARGEST_NAME):
        raise ValueError(f"{text[:40]!r} is not a whole number of at least 0")
    return int(text)
