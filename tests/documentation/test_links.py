"""Links, names, keys, statuses, tests and pictures on the pages exist, and all are named there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from commands_page import leaves
from exhibit_pages import pictures
from fences import PAGES, ROOT, fences, of_language, prose
from reference_tables import keys

from timefair.basics.sections import Section
from timefair.campaign.configuration import Campaign
from timefair.cli import parser
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.records.status import Status


def anchors(page: Path) -> set[str]:
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


def test_every_page_is_in_the_index_and_the_guide_is_short():
    index = (ROOT / "docs/README.md").read_text()
    pages = [str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").glob("*/*.md")]
    assert [name for name in pages if f"({name})" not in index] == []
    guide = (ROOT / "docs/guide").glob("*.md")
    words = {page.name: len(page.read_text().split()) for page in guide}
    assert sum(words.values()) <= 40_000
    assert {name for name, count in words.items() if count > 1000} <= {"tutorial.md"}


PAGE = ROOT / "docs/reference/glossary.md"
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| \[", PAGE.read_text(encoding="utf-8"), flags=re.M)


def names() -> set[str]:
    """Every key of the campaign file and section, table, column of a table, and command."""
    found = set(re.findall(r"^\| `([^`]+)`", "\n".join(keys()), flags=re.M))
    found |= {name.rpartition(".")[0] for name in found}
    found |= set(TABLES) | {
        column.name for table in TABLES.values() for column in table.exhibit.columns
    }
    return found | {name for name, _ in leaves(parser())}


@pytest.mark.parametrize(("term", "meaning"), ROWS, ids=[term for term, _ in ROWS])
def test_a_name_in_an_entry_exists(term, meaning):
    assert set(re.findall("`([^`]+)`", meaning)) <= names()
    assert meaning.endswith(".")
    assert len(meaning.split()) <= 40


def test_the_terms_are_in_order():
    terms = [term.lower() for term, _ in ROWS]
    assert terms == sorted(set(terms))
    assert len(terms) >= 25


WRITTEN = {"TrainedModel", "TrainedStops"}
"""Sections that timefair writes, with the key `tuned`."""


def keys_of(kind: type[Section], seen: frozenset[type[Section]] = frozenset()) -> Iterator[str]:
    for name, field in kind.model_fields.items():
        yield name
        for below in sections(field.annotation):
            if below not in seen and below.__name__ not in WRITTEN:
                yield from keys_of(below, seen | {below})


def sections(annotation: Any) -> list[type[Section]]:
    if isinstance(annotation, type):
        return [annotation] if issubclass(annotation, Section) else []
    return [one for part in get_args(annotation) for one in sections(part)]


def named(content: Any) -> Iterator[str]:
    if isinstance(content, dict):
        yield from ("on" if key is True else str(key) for key in content)  # `on`, to YAML 1.1
    parts = content.values() if isinstance(content, dict) else content
    if isinstance(content, dict | list):
        for part in parts:
            yield from named(part)


def examples() -> list[str]:
    """The shipped campaigns and those on the pages."""
    shipped = [path.read_text() for path in (ROOT / "config").rglob("*.yaml")]
    return [*shipped, *(fence.text for fence in of_language("yaml"))]


def test_every_key_has_an_example():
    used = {key for text in examples() for key in named(yaml.safe_load(text))}
    assert set(keys_of(Campaign)) - used == {"own_dimensions", "tuned"}  # timefair writes these


def test_every_table_is_read():
    package = ROOT / "workflow/timefair"
    readers = [path for room in ("report", "extensions") for path in (package / room).rglob("*.py")]
    words = set(re.findall(r"\w+", "\n".join(examples())))
    words |= set(re.findall(r'"(\w+)"', "\n".join(path.read_text() for path in readers)))
    unread = set(TABLES) - {FIGURES[name].table for name in FIGURES} - words
    assert unread == {"ert_by_instance"}  # the numbers that cocopp shows


OF_RECORDS = ROOT / "docs/validation/integrity.md"


def test_every_status_is_on_the_page():
    section = OF_RECORDS.read_text().partition("## Statuses of runs")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)`", section, re.M)) == {*Status, "status"}


FAIRNESS = (ROOT / "docs/validation/fairness.md").read_text()
NAMED = sorted(set(re.findall(r"`((?:tests/)?[\w/]+\.py)(?:::(\w+))?`", FAIRNESS)))


@pytest.mark.parametrize(("file", "function"), NAMED, ids=lambda name: name or "all of it")
def test_a_named_test_exists(file, function):
    found = [path for path in Path(ROOT, "tests").rglob("*.py") if path.match(file)]
    assert len(found) == 1
    assert f"def {function}" in found[0].read_text()


@pytest.mark.parametrize("name", ["campaign.yaml", "mine.py"])
def test_the_campaign_of_the_tutorial_is_that_of_its_page(name):
    shown = (block.text for block in fences(ROOT / "docs/guide/tutorial.md"))
    text = next(text for text in shown if text.startswith(f"# {name}\n"))
    assert (ROOT / "docs/guide/tutorial" / name).read_text() == text


@pytest.mark.slow
@pytest.mark.fast
def test_every_picture_is_declared_once_and_shown():
    made_by = pictures()
    declared = [picture.path for picture in made_by.PICTURES]
    assert len(set(declared)) == len(declared)
    files = (path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.png"))
    there = {str(path) for path in files if path.parts[0] != "studies"}  # see test_studies.py
    assert there <= set(declared)
    missing = set(declared) - there
    assert all(path.startswith("gallery/") for path in missing)  # a new figure, not drawn yet
    pages = "\n".join(path.read_text() for path in (ROOT / "docs").rglob("*.md"))
    for picture in made_by.PICTURES:
        assert Path(picture.path).name in pages
        assert picture.figure in {*FIGURES, made_by.PAGE}
        assert set(picture.without) <= set(picture.asked.algorithms)
