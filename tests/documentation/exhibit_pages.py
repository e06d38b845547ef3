"""The index of the exhibits and the pages of their tables: ``python exhibit_pages.py --fix``."""

import json
import pkgutil
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import groupby

from reference_tables import main

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
    rows = [_row(list(answers)) for _, answers in groupby(everything, lambda one: one.question)]
    yield "docs/reference/tables/README.md", LISTING + "".join(rows)


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
    tables = ", ".join(f"[{_names([one])}]({address(one)})" for one in answers)
    figures = _names([figure for one in answers for figure in one.figures])
    return f"| {answers[0].question.text} ({_methods(answers[0])}) | {tables} | {figures} |\n"


def _methods(one: Exhibit) -> str:
    return f"[methods](../../{one.question.page})"


def address(one: Exhibit) -> str:
    """Where the reference of a table is, in the folder of these pages."""
    return f"{room_of(one.module).replace('_', '-')}.md#{one.name}"


def _names(items: Sequence[Exhibit] | Sequence[Figure]) -> str:
    return ", ".join(f"`{one.name}`" if one.default else f"*{one.name}*" for one in items)


if __name__ == "__main__":
    main(__file__, pages())
