"""Generates files from the declarations: the index, reference pages, lists.

`python -m timefair.exhibits.indexing` writes all of them into a checkout.
"""

from __future__ import annotations

import json
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path

import timefair.exhibits
from timefair.basics.extension import FOLDER, extensions
from timefair.exhibits import INDEX, ROOMS
from timefair.exhibits.exhibit import DECLARED, Exhibit, Figure, plain
from timefair.exhibits.registry import facts, room_of

CHECKOUT = Path(__file__).parents[3]
PIPE = "\\|"
NOTICE = "<!-- Generated from the declarations by python -m timefair.exhibits.indexing. -->"

LISTING = """# Tables and figures by question

`typewriter`: made by default. *Italics*: made with `tables: all` and `figures: all`, or if the
campaign names them. Each table is a CSV, a Parquet and a LaTeX file in `results/NAME/tables/`.
Each figure is in `results/NAME/figures/`, and its data are in a table of the same row.
"""


def exhibits() -> list[Exhibit]:
    """Every declared exhibit, in the order of the questions, then of folders and names."""
    for module in pkgutil.walk_packages(
        timefair.exhibits.__path__, f"{timefair.exhibits.__name__}."
    ):
        if not module.name.endswith((".indexing", ".registry")):
            import_module(module.name)
    for one in extensions().values():
        one.declare()
    rooms = _rooms()
    return sorted(
        DECLARED.values(),
        key=lambda one: (one.question.place, rooms.index(room_of(one.module)), one.module),
    )


def _rooms() -> list[str]:
    """The folders of exhibits in their order, and the extensions that have some."""
    return [*ROOMS, *(name for name, one in extensions().items() if one.exhibits)]


def index(package: str = timefair.exhibits.__name__) -> str:
    """The content of the ``index.json`` of a package, one line for each exhibit."""
    here = [one for one in exhibits() if one.module.startswith(f"{package}.")]
    lines = (f'"{name}": {json.dumps(known)}' for name, known in facts(here).items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def reference() -> dict[str, str]:
    """The reference pages of tables, columns and figures, one per folder, by file name."""
    pages = {}
    for room in _rooms():
        title = f"# {room.replace('_', ' ').capitalize()}: tables and figures"
        here = [_section(one) for one in exhibits() if room_of(one.module) == room]
        pages[f"{room.replace('_', '-')}.md"] = "\n\n".join([NOTICE, title, *here]) + "\n"
    return pages


def _section(one: Exhibit) -> str:
    question = one.question
    lines = [
        f"## {one.name}\n",
        f"**{one.title}.** Answers: *{question.text}* ([methods](../../{question.page}))\n",
        f"{plain(one.caption)}\n",
        "| column | unit | meaning |\n|---|---|---|",
        *(f"| `{c.name}` | {c.unit} | {c.meaning.replace('|', PIPE)} |" for c in one.columns),
    ]
    for figure in one.figures:
        lines += ["", f"Figure `{figure.name}`: {plain(figure.printed_caption)}"]
    return "\n".join(lines)


def listing() -> str:
    """The page of all tables and figures by question; those not made by default are in italics."""
    rows = ["| question | tables | figures |", "|---|---|---|"]
    for question, answers in groupby(exhibits(), key=lambda one: one.question):
        here = list(answers)
        tables = (
            f"[{_names([one])}]({room_of(one.module).replace('_', '-')}.md#{one.name})"
            for one in here
        )
        asked = f"{question.text} ([methods](../../{question.page}))"
        figures = _names([figure for one in here for figure in one.figures])
        rows.append(f"| {asked} | {', '.join(tables)} | {figures} |")
    return "\n".join([NOTICE, "", LISTING, *rows, ""])


def _names(items: Sequence[Exhibit] | Sequence[Figure]) -> str:
    return ", ".join(f"`{one.name}`" if one.default else f"*{one.name}*" for one in items)


def generated() -> Iterator[tuple[Path, str]]:
    """Every generated file of a checkout: its relative path, and the content it should have."""
    yield Path("workflow/timefair/exhibits") / INDEX, index()
    for one in extensions().values():
        if one.exhibits and one.package.startswith(FOLDER):
            yield Path("workflow", *one.package.split("."), INDEX), index(one.package)
    for name, text in reference().items():
        yield Path("docs/reference/tables") / name, text
    yield Path("docs/reference/tables/README.md"), listing()


def main() -> int:
    for path, text in generated():
        file = CHECKOUT / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
