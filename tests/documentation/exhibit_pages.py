"""The index, the pages and the gallery of all exhibits: ``python exhibit_pages.py --fix``."""

import json
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import groupby
from types import ModuleType

from reference_tables import ROOT, main

import timefair.exhibits
from timefair.basics.extension import FOLDER, extensions
from timefair.exhibits import INDEX, ROOMS
from timefair.exhibits.exhibit import DECLARED, Exhibit, Figure, plain
from timefair.exhibits.registry import facts, room_of

NOTICE = "<!-- Made from the declarations: python tests/documentation/exhibit_pages.py --fix -->"
WITH_EXHIBITS = {name: one for name, one in extensions().items() if one.exhibits}
ORDER = [*ROOMS, *WITH_EXHIBITS]

LISTING = f"""{NOTICE}

# Tables and figures by question

`typewriter`: made by default. *Italics*: made with `tables: all` and `figures: all`, or if the
campaign names them. Each table is a CSV, a Parquet and a LaTeX file in `results/NAME/tables/`.
Each figure is in `results/NAME/figures/`, and its data are in a table of the same row.

| question | tables | figures |
|---|---|---|
"""

GALLERY = f"""{NOTICE}

# Gallery

Every figure of timefair, under the question that it answers. All data were measured, and the
command below a picture measures them again. To have a figure in your campaign, name it under
`figures`, or write `figures: all` ([all tables and figures](reference/tables/README.md)).
"""


def exhibits() -> list[Exhibit]:
    """Every declared exhibit, in the order of the questions, then of folders and names."""
    for module in pkgutil.walk_packages(timefair.exhibits.__path__, "timefair.exhibits."):
        import_module(module.name)
    for one in WITH_EXHIBITS.values():
        one.declare()
    return sorted(
        DECLARED.values(),
        key=lambda one: (one.question.place, ORDER.index(room_of(one.module)), one.module),
    )


def pages() -> Iterator[tuple[str, str]]:
    """Every generated file of a checkout: its path, and the content it should have."""
    everything = exhibits()
    packages = ["timefair.exhibits", *(one.package for one in WITH_EXHIBITS.values())]
    for package in packages:
        if package.startswith((FOLDER, "timefair.exhibits")):
            here = facts(one for one in everything if one.module.startswith(f"{package}."))
            lines = ",\n".join(f'"{name}": {json.dumps(known)}' for name, known in here.items())
            yield f"workflow/{package.replace('.', '/')}/{INDEX}", f"{{\n{lines}\n}}\n"
    for room in ORDER:
        title = f"# {room.replace('_', ' ').capitalize()}: tables and figures"
        sections = [_section(one) for one in everything if room_of(one.module) == room]
        text = "\n\n".join([NOTICE, title, *sections]) + "\n"
        yield f"docs/reference/tables/{room.replace('_', '-')}.md", text
    questions = [list(answers) for _, answers in groupby(everything, lambda one: one.question)]
    yield "docs/reference/tables/README.md", LISTING + "".join(map(_row, questions))
    sections = [_of_gallery(answers, pictures()) for answers in questions]
    yield "docs/gallery.md", GALLERY + "".join(sections)


def _section(one: Exhibit) -> str:
    meanings = [(c.name, c.unit, c.meaning.replace("|", "\\|")) for c in one.columns]
    return "\n".join(
        [
            f"## {one.name}\n",
            f"**{one.title}.** Answers: *{one.question.text}* ({_methods(one)})\n",
            f"{plain(one.caption)}\n",
            "| column | unit | meaning |\n|---|---|---|",
            *(f"| `{name}` | {unit} | {meaning} |" for name, unit, meaning in meanings),
            *(f"\nFigure `{each.name}`: {plain(each.printed_caption)}" for each in one.figures),
        ]
    )


def _row(answers: list[Exhibit]) -> str:
    tables = ", ".join(f"[{_names([one])}]({_address(one)})" for one in answers)
    figures = _names([figure for one in answers for figure in one.figures])
    return f"| {answers[0].question.text} ({_methods(answers[0])}) | {tables} | {figures} |\n"


def _methods(one: Exhibit) -> str:
    return f"[methods](../../{one.question.page})"


def _address(one: Exhibit) -> str:
    return f"{room_of(one.module).replace('_', '-')}.md#{one.name}"


def _names(items: Sequence[Exhibit] | Sequence[Figure]) -> str:
    return ", ".join(f"`{one.name}`" if one.default else f"*{one.name}*" for one in items)


def pictures() -> ModuleType:
    """`docs/make_pictures.py`, which declares where the pictures come from."""
    sys.path.append(str(ROOT / "docs"))
    return import_module("make_pictures")


def _of_gallery(answers: list[Exhibit], made_by: ModuleType) -> str:
    question, text = answers[0].question, ""
    known = {picture.figure: picture for picture in reversed(made_by.PICTURES)}
    for one, figure in [(each, figure) for each in answers for figure in each.figures]:
        name = figure.name
        picture = known.get(name) or made_by.Picture(f"gallery/{name}.png", made_by.DEFAULT, name)
        left_out = f", without {' and '.join(picture.without)}" if picture.without else ""
        shown = f"![{figure.title}]({picture.path})"
        if not picture.file.exists():
            shown = f"Not drawn yet: `python docs/make_pictures.py {picture.path}`."
        table = f"[`{one.name}`](reference/tables/{_address(one)})"
        text += f"\n### {figure.title}\n\n{shown}\n\n{plain(figure.printed_caption)}\n\n"
        text += f"Figure `{name}` of the table {table}. Data: `{picture.command}`{left_out}.\n"
    return text and f"\n## {question.text}\n\n[Methods]({question.page})\n{text}"


if __name__ == "__main__":
    main(__file__, pages())
