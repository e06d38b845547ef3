"""Everything that follows from the declarations of the exhibits is as they say."""

from exhibit_pages import exhibits

from timefair.exhibits.registry import FIGURES, TABLES

EXHIBITS = exhibits()


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
        for layout in one.layouts:
            printed = {*layout.keys, *(points.key for points in layout.points)}
            for value in layout.values:
                printed |= {value.column, *(value.interval or ()), value.rank, value.censored}
            assert printed <= {*names, None}, one.name
            assert bool(layout.brackets) == any(value.interval for value in layout.values), one.name
            assert "racket" not in layout.caption, one.name
        assert len({layout.name for layout in one.layouts}) == len(one.layouts), one.name
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
