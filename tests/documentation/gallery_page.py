"""The gallery, made from the declarations of the figures: ``python gallery_page.py --fix``."""

import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import groupby
from types import ModuleType

from exhibit_pages import address, exhibits
from reference_tables import ROOT, main

from timefair.exhibits.exhibit import Exhibit, Figure, plain

HEAD = """<!-- Made from the declarations: python tests/documentation/gallery_page.py --fix -->

# Gallery

Every figure of timefair, under the question that it answers. All data were measured, and the
command below a picture measures them again. To have a figure in your campaign, name it under
`figures`, or write `figures: all` ([all tables and figures](reference/tables/README.md)).
"""


def pages() -> Iterator[tuple[str, str]]:
    yield "docs/gallery.md", "\n".join([HEAD, *_sections(pictures())])


def pictures() -> ModuleType:
    """`docs/make_pictures.py`, which declares where the pictures come from."""
    sys.path.append(str(ROOT / "docs"))
    return import_module("make_pictures")


def _sections(made_by: ModuleType) -> Iterator[str]:
    shown = {picture.figure: picture for picture in reversed(made_by.PICTURES)}
    for question, answers in groupby(exhibits(), key=lambda one: one.question):
        here = [(one, figure) for one in answers for figure in one.figures]
        if here:
            yield f"## {question.text}\n\n[Methods]({question.page})\n"
        for one, figure in here:
            yield _figure(one, figure, shown[figure.name])


def _figure(one: Exhibit, figure: Figure, picture) -> str:  # type: ignore[no-untyped-def]
    left_out = f", without {' and '.join(picture.without)}" if picture.without else ""
    shown = f"![{figure.title}]({picture.path})"
    if not picture.file.exists():
        shown = f"Not drawn yet: `python docs/make_pictures.py {picture.path}`."
    table = f"[`{one.name}`](reference/tables/{address(one)})"
    return (
        f"### {figure.title}\n\n"
        f"{shown}\n\n"
        f"{plain(figure.printed_caption)}\n\n"
        f"Figure `{figure.name}` of the table {table}. "
        f"Data: `{picture.command}`{left_out}.\n"
    )


if __name__ == "__main__":
    main(__file__, pages())
