"""Numbers as many programs on many systems have written them."""

from __future__ import annotations

import re

MOST = 2**53
"""Whole numbers up to this are exact as floating-point numbers, which loggers counted in."""

LARGEST_NAME = 2**31 - 1
"""The largest number of a function, dimension or instance that a record holds."""

_EXPONENT_OF_FORTRAN = re.compile(r"(?<=[\d.])[dD](?=[+-]?\d)")
_OF_WINDOWS = re.compile(r"([+-]?)1\.#(INF|IND|QNAN|SNAN)0*(e[+-]?\d+)?", re.IGNORECASE)


def number(text: str) -> float:
    """A number, also as Fortran (``1.5D-08``) or Windows (``1.#INF``) write it; NaN and inf are.

    ValueError if it is none.
    """
    if "_" in text:  # Python alone would take 1_0 for 10
        raise ValueError(f"{text!r} is no number")
    try:
        return float(text)
    except ValueError:
        if of_windows := _OF_WINDOWS.fullmatch(text):
            return float(of_windows[1] + ("inf" if of_windows[2].upper() == "INF" else "nan"))
        return float(_EXPONENT_OF_FORTRAN.sub("e", text))


def count(text: str) -> int:
    """A number of evaluations, from 0, also as ``1.0e+05``; ValueError if it is none."""
    value = int(text) if text.isdecimal() else number(text)
    if not (0 <= value <= MOST and value == int(value)):
        raise ValueError(f"{text!r} is no number of evaluations")
    return int(value)


def name(value: object) -> int:
    """A number that names a function, a dimension or an instance, from 0; ValueError if it none."""
    text = str(value).strip()
    if not (text.isdecimal() and len(text) < 20 and int(text) <= LARGEST_NAME):
        raise ValueError(f"{text[:40]!r} is no whole number from 0")
    return int(text)
