"""Whole numbers as ranges: ``1-5,71-80`` in a campaign, ``1-5_71-80`` in a file name."""

from __future__ import annotations

import re
from collections.abc import Iterable

MOST = 10_000
"""The most numbers in one text; a slip such as ``1-10000000000`` is refused."""


def parse_ranges(text: str, separator: str = ",") -> list[int]:
    """Parse a list of numbers and ranges, in its order.

    ValueError, with a sentence, if the text is wrong.
    """
    numbers: list[int] = []
    for part in text.split(separator):
        match = re.fullmatch(r"\s*([0-9]{1,9})\s*(?:-\s*([0-9]{1,9})\s*)?", part, re.ASCII)
        if match is None:
            raise ValueError(f"{part.strip()!r} is neither a whole number nor a range such as 1-5")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise ValueError(f"{part.strip()!r} runs backwards")
        if len(numbers) + last - first >= MOST:
            raise ValueError(f"more than {MOST} numbers")
        numbers.extend(range(first, last + 1))
    return numbers


def format_ranges(numbers: Iterable[int], separator: str = ",") -> str:
    """The shortest text for a set of numbers, in ascending order."""
    spans: list[list[int]] = []
    for number in sorted(set(numbers)):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return separator.join(str(a) if a == b else f"{a}-{b}" for a, b in spans)
