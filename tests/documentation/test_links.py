"""Links between the pages lead somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

from fences import PAGES, ROOT, prose


def anchors(page: Path) -> set[str]:
    """What a heading can be linked by."""
    headings = re.findall(r"^#+ (.*)$", prose(page), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links():
    assert [f"{page.name}: {link}" for page in PAGES for link in broken(page)] == []


def broken(page: Path) -> Iterator[str]:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        target, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = page.parent / target if target else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            yield link


def test_every_page_is_in_the_index():
    index = (ROOT / "docs/README.md").read_text()
    pages = [str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").glob("*/*.md")]
    assert [name for name in pages if f"({name})" not in index] == []


def test_the_guide_is_short():
    guide = (ROOT / "docs/guide").glob("*.md")
    words = {page.name: len(page.read_text().split()) for page in guide}
    assert sum(words.values()) <= 40_000
    assert {name for name, count in words.items() if count > 1000} <= {"tutorial.md"}
