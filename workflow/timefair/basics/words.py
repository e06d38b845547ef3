"""Numbers, counts, durations and names in the form for sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

MOST = 5  # number of names that are listed; the others are counted
SMALLEST_P = 0.001
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def listed(names: Sequence[str], joint: str = "and") -> str:
    """Names with commas, and a word before the last one; of many, the first ones and the number of
    others.

    >>> listed(["A"]), listed(["A", "B"], "or"), listed(list("ABCDEFG"))
    ('A', 'A or B', 'A, B, C, D, E and 2 others')
    """
    shown = list(names)
    if len(shown) > MOST + 1:
        shown = [*shown[:MOST], f"{len(shown) - MOST} others"]
    return f" {joint} ".join(filter(None, (", ".join(shown[:-1]), shown[-1]))) if shown else ""


def number(value: float, digits: int = 3) -> str:
    """A number with this number of significant digits, and no more zeros than needed.

    >>> [number(x) for x in (0.0123456, 12, 1234.5, 1e-8, 2.5e7, float("inf"))]
    ['0.0123', '12', '1230', '10⁻⁸', '2.5·10⁷', '∞']
    >>> number(1.876, digits=2)
    '1.9'
    """
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value != 0 and not 1e-4 <= abs(value) < 1e6:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        factor = "" if float(mantissa) == 1 else f"{float(mantissa):g}·"
        return f"{factor}{power_of_ten(int(power))}"
    places = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    text = f"{round(value, places):.{max(places, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration(seconds: float, clock: str = "wall", digits: int = 3) -> str:
    r"""A time of a clock in the unit that suits it; reference units are not seconds.

    >>> duration(0.0086), duration(0.8), duration(2e-5, "cpu"), duration(12, "reference")
    ('8.6\xa0ms', '0.8\xa0s', '20\xa0µs of CPU time', '12\xa0reference units')
    """
    if clock == "reference":
        return f"{number(seconds, digits)}\u00a0reference units"
    return _of_wall(seconds, digits) + (" of CPU time" if clock == "cpu" else "")


def _of_wall(seconds: float, digits: int) -> str:
    if not math.isfinite(seconds):
        return number(seconds)
    if seconds >= 0.1 or seconds == 0:
        return f"{number(seconds, digits)}\u00a0s"
    if seconds >= 1e-4:
        return f"{number(1e3 * seconds, digits)}\u00a0ms"
    return f"{number(1e6 * seconds, digits)}\u00a0µs"


def rough(seconds: float) -> str:
    """A time in whole seconds or minutes, or in hours.

    >>> rough(75), rough(720), rough(12600)
    ('75 s', '12 min', '3.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def cost(value: float, unit: str, clock: str = "wall") -> str:
    r"""Seconds as a time of a clock, evaluations as a number.

    >>> cost(120, "evaluations"), cost(1, "evaluations")
    ('120\xa0evaluations', '1\xa0evaluation')
    """
    if unit == "seconds":
        return duration(value, clock)
    return f"{number(value)}\u00a0{unit.removesuffix('s') if value == 1 else unit}"


def schedule_in_words(asked: object) -> str:
    """How the key `schedule` sets its parameter.

    >>> [schedule_in_words(asked) for asked in ("fill", {"launches": 5}, 500)]
    ['one launch fills the budget', '5 launches fill the budget', 'given']
    """
    if isinstance(asked, Mapping):
        return f"{asked['launches']} launches fill the budget"
    return "one launch fills the budget" if asked == "fill" else "given"


def percent(share: float) -> str:
    r"""A share in percent; small shares have a decimal.

    >>> percent(0.414), percent(0.004), percent(1)
    ('41\xa0%', '0.4\xa0%', '100\xa0%')
    """
    digits = 1 if 0 < share < 0.095 and round(share, 2) != share else 0
    return f"{100 * share:.{digits}f}\u00a0%"


def p_value(p: float, bound: str = "=") -> str:
    r"""A p-value, or a bound of several ones, in the form for brackets.

    >>> p_value(0.0312), p_value(1e-7), p_value(0.2, "≥")
    ('p\xa0=\xa00.031', 'p\xa0<\xa00.001', 'p\xa0≥\xa00.2')
    """
    said = f"< {SMALLEST_P}" if p < SMALLEST_P else f"{bound if p < 1 else '='} {p:.2g}"
    return f"p {said}".replace(" ", "\u00a0")


def counted(count: int, noun: str, several: str = "") -> str:
    """A number and the noun that it counts, with an s or a given plural.

    >>> counted(1, "run"), counted(3, "run"), counted(2, "has", "have")
    ('1 run', '3 runs', '2 have')
    """
    return f"{count} {noun if count == 1 else several or noun + 's'}"


def first(names: Iterable[object], most: int) -> str:
    """At most so many names with commas, and the number of the others.

    >>> first(range(10), 8), first(range(2), 8)
    ('0, 1, 2, 3, 4, 5, 6, 7 and 2 more', '0, 1')
    """
    texts = [str(name) for name in names]
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def power_of_ten(exponent: int) -> str:
    return f"10{str(exponent).translate(SUPERSCRIPT)}"


ALL = "all"  # instead of a function, a dimension or another value
