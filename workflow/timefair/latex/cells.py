"""Text and numbers as LaTeX, with the width that they take in print."""

from __future__ import annotations

import math
import re
import textwrap
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

SMALL = 0.75
"""Width of small type, as a share of the table's own."""

SPECIAL = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "|": r"\textbar{}",
    '"': "''",
    **{sign: rf"\{sign}" for sign in "{}$&#%_"},
    # After a line's end these would be read as its arguments.
    **{sign: f"{{{sign}}}" for sign in "[]*"},
    "`": r"\textasciigrave{}",
    "<": "$<$",
    ">": "$>$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "−": "$-$",
    "–": r"\textendash{}",
    "∞": r"$\infty$",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "χ": r"$\chi$",
    "²": r"$^2$",
    "\u00a0": "~",
}

DIGITS = 3
"""Significant digits of a number."""

MOST_DIGITS = 5
"""Digits of a fixed-point number; columns that need more are in scientific notation."""

MOST_WHOLE_DIGITS = 7


@dataclass(frozen=True)
class Cell:
    """A piece of LaTeX, its width in characters of the table's type, and what goes on below it."""

    tex: str = ""
    width: float = 0.0
    below: tuple[Cell, ...] = ()

    @property
    def lines(self) -> tuple[Cell, ...]:
        """Its first line, and those below."""
        return (replace(self, below=()), *self.below)

    @property
    def bold(self) -> Cell:
        return Cell(rf"\textbf{{{self.tex}}}", 1.15 * self.width)

    @property
    def small(self) -> Cell:
        return Cell(rf"{{\scriptsize {self.tex}}}", SMALL * self.width)


def escape(text: str) -> str:
    """Any text as LaTeX that prints it; control characters are blanks.

    Examples
    --------
    >>> print(escape("my_algo%1"))
    my\\_algo\\%1
    """
    escaped = "".join(SPECIAL.get(sign, sign if sign.isprintable() else " ") for sign in text)
    return re.sub("-(?=-)", "-{}", escaped)  # two hyphens are no dash


def text(value: object) -> Cell:
    """A text, printed as it is."""
    return Cell(escape(str(value)), len(str(value)))


def wrapped(value: str, width: int) -> Cell:
    """A text in lines of at most so many characters."""
    first, *rest = map(text, textwrap.wrap(value, width, break_on_hyphens=False) or [""])
    return replace(first, below=tuple(rest))


def short(value: float) -> Cell:
    """A number of a heading: whole, a power of ten, or with up to three significant digits."""
    exponent = math.log10(value) if 0 < value < math.inf else 0.0
    if abs(exponent) >= 2 and exponent == round(exponent):
        power = f"{exponent:.0f}"
        return Cell(f"$10^{{{power}}}$", 2 + SMALL * len(power))
    if float(value).is_integer() and abs(value) < 10**MOST_WHOLE_DIGITS:
        return _number(f"{value:.0f}")
    return _number(f"{value:.0f}" if 100 <= abs(value) < 10**MOST_WHOLE_DIGITS else f"{value:.3g}")


@dataclass(frozen=True)
class Notation:
    """How all numbers of a column are written, so that they align.

    Attributes
    ----------
    decimals
        Digits after the point; None: ``1.23e-5``.
    exponent_digits
        Of the longest exponent.
    signed
        Whether exponents have signs.
    """

    decimals: int | None
    exponent_digits: int = 1
    signed: bool = True

    @classmethod
    def of(cls, values: ArrayLike, decimals: int | None = None) -> Notation:
        """The notation of numbers, array_like; those that are not finite do not count.

        Without ``decimals``: whole numbers as they are; three significant digits of the smallest
        number where that makes none too long; else three digits and an exponent.

        Examples
        --------
        >>> Notation.of([0.5, 12.25]).cell(0.5).tex
        '0.500'
        >>> Notation.of([5e-9, 12.25]).cell(5e-9).tex
        '5.00e$-$9'
        >>> Notation.of([], decimals=3).cell(1e-5).tex
        '$<$0.001'
        """
        if decimals is not None:
            return cls(decimals)
        numbers = np.asarray(values, dtype=np.float64).ravel()
        sizes = np.abs(numbers[np.isfinite(numbers) & (numbers != 0)])
        if sizes.size == 0:
            return cls(0)
        largest, smallest = (_exponent(size) for size in (sizes.max(), sizes.min()))
        if np.all(sizes == np.round(sizes)) and largest < MOST_WHOLE_DIGITS:
            return cls(0)
        decimals = max(0, DIGITS - 1 - smallest)
        if max(0, largest) + 1 + decimals <= MOST_DIGITS:
            return cls(decimals)
        return cls(None, max(len(str(abs(e))) for e in (largest, smallest)), smallest < 0)

    def cell(self, value: float, digits: int = DIGITS) -> Cell:
        """A finite number; ``digits`` are the significant ones where it has an exponent.

        A number that its decimals would show as 0 is below the last of them: ``<0.001``.
        """
        if value == 0:
            return _number("0" if self.decimals is None else f"{0:.{self.decimals}f}")
        if self.decimals is None:
            mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
            sign = ("-" if exponent[0] == "-" else "+") if self.signed else ""
            return _number(f"{mantissa}e{sign}{abs(int(exponent)):0{self.exponent_digits}d}")
        shown = f"{value:.{self.decimals}f}"
        if float(shown) == 0:
            return text(f"{'<' if value > 0 else '>−'}{10.0**-self.decimals:.{self.decimals}f}")
        return _number(shown)


def _exponent(value: float) -> int:
    """The power of ten of a positive number as it is printed, rounded."""
    return int(f"{value:.{DIGITS - 1}e}".split("e")[1])


def _number(shown: str) -> Cell:
    """A number in digits, its signs as wide as each other."""
    signs = shown.count("-") + shown.count("+")
    return Cell(shown.replace("-", "$-$").replace("+", "$+$"), len(shown) + 0.6 * signs)
