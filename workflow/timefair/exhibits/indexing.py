"""Generates files from the declarations: the index, reference pages, lists.

`python -m timefair.exhibits.indexing` writes all of them into a checkout; a test shows which of
them are out of date.
"""

from __future__ import annotations

import json
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import timefair.exhibits
from timefair.exhibits import INDEX, ROOMS
from timefair.exhibits.exhibit import Column, Exhibit, Figure, declared, plain
from timefair.exhibits.questions import Question

CHECKOUT = Path(__file__).parents[3]
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
    questions, rooms = list(Question), list(ROOMS)
    return sorted(
        declared().values(),
        key=lambda one: (
            questions.index(one.question),
            rooms.index(one.module.partition(".")[0]),
            one.module,
        ),
    )


def index() -> str:
    """The content of ``index.json``."""
    entries = {
        one.name: {
            "title": one.title,
            "module": one.module,
            "default": one.default,
            "complete": one.complete,
            "asked": one.asked,
            "figures": {
                figure.name: {
                    "title": figure.title,
                    "renderer": figure.chart.renderer,
                    "default": figure.default,
                    "panels": figure.chart.panels,
                    "needs": figure.needs,
                }
                for figure in one.figures
            },
        }
        for one in exhibits()
    }
    return json.dumps(entries, indent=1) + "\n"


def reference() -> dict[str, str]:
    """The reference pages of tables, columns and figures, one per folder, by file name."""
    pages = {}
    everything = exhibits()
    for room in ROOMS:
        here = [one for one in everything if one.module.partition(".")[0] == room]
        title = room.replace("_", " ").capitalize()
        sections = "\n\n".join(_section(one) for one in here)
        pages[f"{room.replace('_', '-')}.md"] = (
            f"{NOTICE}\n\n# {title}: tables and figures\n\n{sections}\n"
        )
    return pages


def _section(one: Exhibit) -> str:
    question = one.question
    lines = [
        f"## {one.name}",
        "",
        f"**{one.title}.** Answers: *{question.text}* ([methods](../../{question.page}))",
        "",
        plain(one.caption),
        "",
        "| column | unit | meaning |",
        "|---|---|---|",
        *(_row(column) for column in one.columns),
    ]
    for figure in one.figures:
        lines += ["", f"Figure `{figure.name}`: {plain(figure.printed_caption)}"]
    return "\n".join(lines)


def _row(column: Column) -> str:
    meaning = column.meaning.replace("|", "\\|")
    return f"| `{column.name}` | {column.unit} | {meaning} |"


def listing() -> str:
    """The page of all tables and figures by question; those not made by default are in italics."""
    everything = exhibits()
    rows = ["| question | tables | figures |", "|---|---|---|"]
    for question in Question:
        here = [one for one in everything if one.question is question]
        figures = [figure for one in here for figure in one.figures]
        rows.append(
            f"| {question.text} ([methods](../../{question.page})) "
            f"| {', '.join(map(_link, here))} | {_names(figures)} |"
        )
    return "\n".join([NOTICE, "", LISTING, *rows, ""])


def _link(one: Exhibit) -> str:
    room = one.module.partition(".")[0].replace("_", "-")
    return f"[{_names([one])}]({room}.md#{one.name})"


def _names(items: Sequence[Exhibit] | Sequence[Figure]) -> str:
    return ", ".join(f"`{one.name}`" if one.default else f"*{one.name}*" for one in items)


def generated() -> Iterator[tuple[Path, str]]:
    """Every generated file of a checkout: its relative path, and the content that it
    should have.
    """
    yield Path("workflow/timefair/exhibits") / INDEX, index()
    for name, text in reference().items():
        yield Path("docs/reference/tables") / name, text
    yield Path("docs/reference/tables/README.md"), listing()


def main() -> int:
    """Write every generated file of this checkout."""
    for path, text in generated():
        file = CHECKOUT / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
