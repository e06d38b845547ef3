"""The printed form of numbers, and text as LaTeX.

Numbers are plain Unicode text (``1.23e−5``, ``∞``, ``10⁻⁸``), as wide as it is long, until `escape`
makes LaTeX of it. All numbers of a value have one notation, so that they align at the right.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from timefair.basics.words import SUPERSCRIPT, power_of_ten

SPECIAL = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "|": r"\textbar{}",
    '"': "''",
    **{sign: rf"\{sign}" for sign in "{}$&#%_"},
    # At the start of a row these would be read as an argument of the `\\` before it.
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
    # As wide as the minus sign.
    "+": "$+$",
    "–": r"\textendash{}",
    "∞": r"$\infty$",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "χ": r"$\chi$",
    **{chr(sign): f"$^{{{chr(digit)}}}$" for digit, sign in SUPERSCRIPT.items()},
    "\u00a0": "~",
}

DIGITS = 3  # significant digits of a number
MORE_DIGITS = 2  # that a fixed-point number may have; else it is in scientific notation
MOST_WHOLE_DIGITS = 7

SIGNS = str.maketrans(SPECIAL)


def escape(text: str) -> str:
    """LaTeX that prints any text; control characters become blanks.

    >>> print(escape("my_algo%1"))
    my\\_algo\\%1
    """
    escaped = text.translate(SIGNS).replace("}$$^{", "")  # one superscript, not one per digit
    printed = "".join(sign if sign.isprintable() else " " for sign in escaped)
    return re.sub("-(?=-)", "-{}", printed)  # two hyphens are not a dash


def short(value: float) -> str:
    """A number of a heading: whole, a power of ten, or with up to three significant digits.

    >>> short(1e-8), short(34213.4), short(0.05678)
    ('10⁻⁸', '34213', '0.0568')
    """
    exponent = math.log10(value) if 0 < value < math.inf else 0.0
    if abs(exponent) >= 2 and exponent == round(exponent):
        return power_of_ten(round(exponent))
    whole = abs(value) < 10**MOST_WHOLE_DIGITS and (abs(value) >= 100 or float(value).is_integer())
    return _signed(f"{value:.0f}" if whole else f"{value:.3g}")


@dataclass(frozen=True)
class Notation:
    """The notation of all numbers of a value.

    - `decimals`: Digits after the point; None for scientific notation, ``1.23e−5``.
    - `exponent_digits`, `signs`: Digits of the longest exponent, and whether every exponent has a
      sign.
    - `digits`: Significant digits of scientific notation.
    """

    decimals: int | None
    exponent_digits: int = 1
    signs: bool = True
    digits: int = DIGITS

    @classmethod
    def of(
        cls, values: ArrayLike, decimals: int | None = None, *, digits: int = DIGITS
    ) -> Notation:
        """The notation of numbers, array_like; `nan` and `inf` are ignored.

        Without ``decimals``: whole numbers as they are; fixed point with ``digits`` significant
        digits of the smallest number if the largest then has at most two more; else scientific
        notation.
        """
        if decimals is not None:
            return cls(decimals)
        numbers = np.asarray(values, dtype=np.float64).ravel()
        sizes = np.abs(numbers[np.isfinite(numbers) & (numbers != 0)])
        if sizes.size == 0:
            return cls(0)
        largest, smallest = (_exponent(size, digits) for size in (sizes.max(), sizes.min()))
        if np.all(sizes == np.round(sizes)) and largest < MOST_WHOLE_DIGITS:
            return cls(0)
        decimals = max(0, digits - 1 - smallest)
        if max(0, largest) + 1 + decimals <= digits + MORE_DIGITS:
            return cls(decimals)
        return cls(None, max(len(str(abs(e))) for e in (largest, smallest)), smallest < 0, digits)

    def text(self, value: float, digits: int | None = None) -> str:
        """A number; ``digits`` replace those of a scientific notation. `nan` is ``n/a``, and what
        its decimals would show as 0 is below the last of them: ``<0.001``."""
        if math.isnan(value):
            return "n/a"
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        if self.decimals is None:
            if value == 0:
                return "0"
            mantissa, exponent = f"{value:.{(digits or self.digits) - 1}e}".split("e")
            sign = exponent[0] if self.signs else ""
            return _signed(f"{mantissa}e{sign}{abs(int(exponent)):0{self.exponent_digits}d}")
        shown = f"{value or 0.0:.{self.decimals}f}"
        if value != 0 and float(shown) == 0:
            return f"{'<' if value > 0 else '>−'}{10.0**-self.decimals:.{self.decimals}f}"
        return _signed(shown)


def _exponent(value: float, digits: int) -> int:
    """The power of ten of a positive number in its rounded, printed form."""
    return int(f"{value:.{digits - 1}e}".split("e")[1])


def _signed(shown: str) -> str:
    """A number in digits with minus signs instead of hyphens."""
    return shown.replace("-", "−")
