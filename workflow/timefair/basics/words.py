"""Numbers, counts, durations and names in the form for sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

MOST = 5  # number of names that are listed; the others are counted
SMALLEST_P = 0.001
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def listed(names: Sequence[str], joint: str = "and") -> str:
    """Names with commas, and a word before the last one; of many, the first ones and the number of
    others."""
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
    """A time of a clock in the unit that suits it; reference units are not seconds."""
    if clock == "reference":
        return f"{number(seconds, digits)}\u00a0reference units"
    suffix = " of CPU time" if clock == "cpu" else ""
    if not math.isfinite(seconds):
        return number(seconds) + suffix
    if seconds >= 0.1 or seconds == 0:
        return f"{number(seconds, digits)}\u00a0s{suffix}"
    if seconds >= 1e-4:
        return f"{number(1e3 * seconds, digits)}\u00a0ms{suffix}"
    return f"{number(1e6 * seconds, digits)}\u00a0µs{suffix}"


def rough(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def cost(value: float, unit: str, clock: str = "wall") -> str:
    """Seconds as a time of a clock, evaluations as a number."""
    if unit == "seconds":
        return duration(value, clock)
    return f"{number(value)}\u00a0{unit.removesuffix('s') if value == 1 else unit}"


def schedule_in_words(asked: object) -> str:
    if isinstance(asked, Mapping):
        return f"{asked['launches']} launches fill the budget"
    return "one launch fills the budget" if asked == "fill" else "given"


def percent(share: float) -> str:
    """A share in percent; small shares have a decimal."""
    digits = 1 if 0 < share < 0.095 and round(share, 2) != share else 0
    return f"{100 * share:.{digits}f}\u00a0%"


def p_value(p: float, bound: str = "=") -> str:
    """A p-value, or a bound of several ones, in the form for brackets."""
    said = f"< {SMALLEST_P}" if p < SMALLEST_P else f"{bound if p < 1 else '='} {p:.2g}"
    return f"p {said}".replace(" ", "\u00a0")


def counted(count: int, noun: str, several: str = "") -> str:
    return f"{count} {noun if count == 1 else several or noun + 's'}"


def first(names: Iterable[object], most: int) -> str:
    """At most so many names with commas, and the number of the others."""
    texts = [str(name) for name in names]
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def power_of_ten(exponent: int) -> str:
    return f"10{str(exponent).translate(SUPERSCRIPT)}"


ALL = "all"  # instead of a function, a dimension or another value
