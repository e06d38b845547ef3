"""The keys, tables, columns and commands that the glossary names exist."""

import re

import pytest
from commands_page import leaves
from fences import ROOT
from reference_tables import keys

from timefair.cli import parser
from timefair.exhibits.registry import TABLES

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
