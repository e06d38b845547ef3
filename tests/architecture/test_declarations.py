"""Everything that follows from the declarations of the exhibits is as they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from timefair.exhibits.exhibit import Exhibit
from timefair.exhibits.indexing import exhibits, generated
from timefair.exhibits.registry import FIGURES, TABLES

ROOT = Path(__file__).parents[2]
EXHIBITS = exhibits()


@pytest.mark.parametrize("path", [path for path, _ in generated()], ids=str)
def test_generated_files(path: Path) -> None:
    expected = dict(generated())[path]
    assert (ROOT / path).read_text(encoding="utf-8") == expected, (
        "run python -m timefair.exhibits.indexing"
    )


def test_the_registry_has_every_declaration() -> None:
    assert list(TABLES) == [one.name for one in EXHIBITS]
    assert list(FIGURES) == [figure.name for one in EXHIBITS for figure in one.figures]
    for one in EXHIBITS:
        assert TABLES[one.name].exhibit is one
        assert one.beside == "" or one.beside in TABLES


@pytest.mark.parametrize("one", EXHIBITS, ids=lambda one: one.name)
def test_a_declaration_says_everything(one: Exhibit) -> None:
    assert one.title
    assert one.caption.endswith(".")
    names = [column.name for column in one.columns]
    assert len(set(names)) == len(names)
    assert all(column.meaning for column in one.columns)
    printed = {value.column for layout in one.layouts for value in layout.values}
    printed |= {key for layout in one.layouts for key in layout.keys}
    assert printed <= set(names)
    for figure in one.figures:
        assert figure.title
        assert figure.caption.endswith(".")


def test_only_some_are_made_by_default() -> None:
    tables = [name for name, table in TABLES.items() if table.default]
    figures = [name for name, figure in FIGURES.items() if figure.default]
    assert 10 <= len(tables) <= 20
    assert 8 <= len(figures) <= 12
