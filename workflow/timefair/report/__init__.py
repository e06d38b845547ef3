"""The page that a person reads: findings in sentences, figures with values, tables, checklist.

Here is what a written page says first: for the console, search engines and notebooks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape
from importlib.resources import files
from itertools import islice
from pathlib import Path

from timefair.basics.disk import regular

_LINES = 12  # number of lines of a page that contain its description
_BREAK = " | "


def description(lines: Sequence[str]) -> str:
    """The element of HTML for some lines, which `read_description` finds."""
    return f'<meta name="description" content="{escape(_BREAK.join(lines))}">'


def read_description(page: Path) -> list[str]:
    """The lines in the description of a written page; none without a page or description."""
    if not page.exists():
        return []
    with regular(page).open(encoding="utf-8") as file:
        head = "".join(islice(file, _LINES))
    start, end = description(["\n"]).split("\n")
    found = re.search(f'{re.escape(start)}([^"]*){re.escape(end)}', head)
    return unescape(found[1]).split(_BREAK) if found and found[1] else []


def first_screen(page: Path) -> str:
    """The styles and the header of a written page: the verdict and two pictures, as HTML."""
    text = page.read_text(encoding="utf-8")
    parts = (re.search(f"<{name}>.*?</{name}>", text, re.DOTALL) for name in ("style", "header"))
    return "\n".join(part[0] for part in parts if part)


def part_of(name: str) -> str:
    """A style sheet or script of the page."""
    return files("timefair.report").joinpath(name).read_text(encoding="utf-8")
