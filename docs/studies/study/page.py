"""The page: the prose of the template with the results in it."""

from __future__ import annotations

import re
from pathlib import Path

from study import results
from timefair.basics.errors import InputError

FOLDER = Path(__file__).resolve().parents[1]
TEMPLATE = FOLDER / f"{results.NAME}.md.template"
PAGE = f"{results.NAME}.md"

_PLACE = re.compile(r"\{\{([^{}]*)\}\}")
_UNWRITTEN = re.compile(r"<!-- write: (.*?) -->", flags=re.S)
HEAD = "<!-- Made by docs/studies/make_study.py: change the prose in {template} -->\n\n"


def write(folder: Path) -> list[str]:
    """Write the page from the results in a folder; one line for each paragraph still to write."""
    text = TEMPLATE.read_text(encoding="utf-8")
    (folder / PAGE).write_text(made(text, results.read(folder)), encoding="utf-8")
    return [f"to write: {' '.join(found.split())}" for found in _UNWRITTEN.findall(text)]


def made(template: str, found: results.Results) -> str:
    """The page.

    Raises
    ------
    InputError
        One line for each name in the template that the results do not have.
    """
    values = found["values"]
    unknown = sorted(names(template) - values.keys())
    if unknown:
        raise InputError(
            *(f"{TEMPLATE.name}: {{{{{name}}}}}: is not in {results.FILE}" for name in unknown)
        )
    head = HEAD.format(template=TEMPLATE.name)
    return head + _PLACE.sub(lambda place: values[place[1]], template)


def names(template: str) -> set[str]:
    """The results that a template quotes."""
    return set(_PLACE.findall(template))
