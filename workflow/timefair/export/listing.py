"""Small tables for people: as Markdown, which also reads well in a terminal, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

Row = Mapping[str, object]


def markdown(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table with aligned columns; their keys, all alike, are its head."""
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
    """The rows as CSV, unrounded; None is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


WRITERS = {".md": markdown, ".csv": comma_separated}
"""By the ending of a file."""


def _word(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value).replace("|", "\\|")
