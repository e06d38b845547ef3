"""Words that readers had to read twice, and spelling, in the pages and in the texts of the code."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from fences import PAGES, ROOT, prose

AVOIDED = {
    r"\btold\b": "recorded, detected, known",
    r"\bamiss\b": "wrong",
    r"\bput up with\b": "tolerated",
    r"\bthe like\b": "name the things",
    r"\bdealt\b": "given",
    r"\bheld to\b": "compared with",
    r"\banew\b": "again",
    r"\blies at\b": "is",
    r"\b(a|an|one) (row|line|column|number|file|job|run|page|table) an? \w+": "one ... per ...",
}
"""Patterns, and what to write instead."""

NAMES = ("ihs", "maco", "sade", "ser", "discus", "whis", "te")
"""Words of other languages and names, in lower case, which are no misspellings."""


def texts() -> Iterator[tuple[str, str]]:
    """Where each text is, and the text: the pages without code, and every string of the package."""
    for page in PAGES:
        yield str(page.relative_to(ROOT)), re.sub(r"`[^`]*`", "", prose(page))
    for file in sorted((ROOT / "workflow/timefair").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{file.relative_to(ROOT)}:{node.lineno}", node.value


@pytest.mark.slow
def test_no_word_that_has_to_be_read_twice() -> None:
    found = [
        f"{where}: {match[0]!r}; write: {instead}"
        for where, text in texts()
        for pattern, instead in AVOIDED.items()
        for match in re.finditer(pattern, text)
    ]
    assert found == []


def test_numbers_have_a_digit_before_the_point() -> None:
    pages = {page: re.sub(r"`[^`]*`", "", prose(page)) for page in PAGES}
    found = [
        f"{page.relative_to(ROOT)}: {match[0]}"
        for page, text in pages.items()
        for match in re.finditer(r"(?<![\w.\[(*/\"-])\.\d+", text)
    ]
    assert found == []


@pytest.mark.slow
def test_spelling() -> None:
    codespell = shutil.which("codespell")
    if codespell is None:
        pytest.skip("codespell is not installed")
    files = [*PAGES, *(ROOT / "config").rglob("*.yaml"), *(ROOT / "workflow").rglob("*.py")]
    words = [codespell, "--ignore-words-list", ",".join(NAMES), *map(str, files)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
