"""Everything that follows from the declarations of the exhibits is as they say."""

from exhibit_pages import exhibits, generated
from reference_tables import ROOT

from timefair.exhibits.registry import FIGURES, TABLES

EXHIBITS = exhibits()


def test_generated_files():
    stale = [path for path, text in generated() if (ROOT / path).read_text("utf-8") != text]
    assert stale == [], "run python tests/documentation/exhibit_pages.py --fix"


def test_the_registry_has_every_declaration():
    assert list(TABLES) == [one.name for one in EXHIBITS]
    assert list(FIGURES) == [figure.name for one in EXHIBITS for figure in one.figures]
    for one in EXHIBITS:
        assert TABLES[one.name].exhibit is one
        assert one.beside == "" or one.beside in TABLES


def test_a_declaration_says_everything():
    for one in EXHIBITS:
        names = [column.name for column in one.columns]
        assert len(set(names)) == len(names), one.name
        printed = {value.column for layout in one.layouts for value in layout.values}
        printed |= {key for layout in one.layouts for key in layout.keys}
        assert printed <= set(names), one.name
        assert one.title, one.name
        assert all(column.meaning for column in one.columns), one.name
        assert all(figure.title for figure in one.figures), one.name
        captions_of_it = [one.caption, *(figure.caption for figure in one.figures)]
        assert all(caption.endswith(".") for caption in captions_of_it), one.name


def test_only_some_are_made_by_default():
    tables = [name for name, table in TABLES.items() if table.default]
    figures = [name for name, figure in FIGURES.items() if figure.default]
    assert 10 <= len(tables) <= 21
    assert 8 <= len(figures) <= 12
