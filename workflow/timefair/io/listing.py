"""Writes small tables as Markdown, which is also readable in a terminal, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

Row = Mapping[str, object]


def markdown(rows: Sequence[Row]) -> str:
    """Format rows as an aligned Markdown table, floats with three digits.

    Parameters
    ----------
    rows : sequence of mapping
        At least one; all have the same keys, which are the head of the table. None is empty.
    """
    lines = [list(rows[0]), *([_word(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    return "".join(
        "| "
        + " | ".join(word.ljust(width) for word, width in zip(line, widths, strict=True))
        + " |\n"
        for line in lines
    )


def comma_separated(rows: Sequence[Row]) -> str:
    """Format rows as CSV, without rounding. None is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


WRITERS = {".md": markdown, ".csv": comma_separated}
"""Writers by the suffix of the file."""


def _word(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value).replace("|", "\\|")
