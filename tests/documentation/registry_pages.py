"""The lists of suites and libraries, from their declarations: ``python registry_pages.py --fix``.

A suite or library declares beside its code what the lists say of it: attributes, and one sentence
in the docstring below the object. Each list stands between two marks, ``<!-- NAME -->`` and
``<!-- /NAME -->``. The reference of each is a section of the page, written by hand.
"""

import ast
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import reference_tables
from reference_tables import ROOT, Makers, main

from timefair.algorithms import libraries as libraries
from timefair.algorithms.adapter import Adapter
from timefair.algorithms.algorithm import Library
from timefair.problems import suites
from timefair.problems.problem import LARGEST, Suite


@cache
def sentences() -> dict[int, str]:
    """The first paragraph below each suite and library, by the identity of the object."""
    found = {}
    modules = [m for name, m in sorted(sys.modules.items()) if name.startswith("timefair.")]
    for module in modules:
        path = getattr(module, "__file__", None) or ""
        if not path.endswith(".py"):
            continue
        body = ast.parse(Path(path).read_text(encoding="utf-8")).body
        for node, below in pairwise(body):
            for target in node.targets if isinstance(node, ast.Assign) else ():
                value = getattr(module, getattr(target, "id", ""), None)
                if isinstance(value, Suite | Library) and isinstance(below, ast.Expr):
                    found[id(value)] = ast.literal_eval(below.value).partition("\n\n")[0]
    return found


def sentence(entry: Suite | Library) -> str:
    """What is declared of an entry of a registry; AssertionError without a sentence below it."""
    found = sentences().get(id(entry), "")
    assert re.fullmatch(r"[A-Z0-9][^\n]*\.", found), (
        f"one sentence on one line, as a docstring below the object of {entry.name!r}"
    )
    return found


@cache
def extras() -> dict[str, str]:
    """The extra that brings each package; empty for those that timefair depends on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = {"extras": project["optional-dependencies"]["extras"], "": project["dependencies"]}
    return {
        re.split(r"[\[<>=~!; ]", entry)[0].lower(): extra
        for extra, entries in lists.items()
        for entry in entries
    }


def extra_of(entry: Suite | Library) -> str:
    """Which extra brings the package of an entry: none, or ``extras``; ``alone`` if it pins an
    older numpy, so that it is installed without its dependencies.
    """
    if not entry.distributions or entry.distributions[0] == "timefair":
        return ""
    if getattr(entry, "install", "").startswith("--no-deps"):
        return "alone"
    package = entry.distributions[0].lower()
    assert package in extras(), f"pyproject.toml: {package}, of {entry.name}, is not in extras"
    return extras()[package]


def _needs(entry: Suite | Library) -> str:
    if (extra := extra_of(entry)) == "alone":
        return f"`pip install --no-deps {entry.distributions[0]}`"
    return f"`{entry.distributions[0]}` ({extra})" if extra else ""


def library_table() -> str:
    rows = ["| library | examples | what | needs |", "|---|---|---|---|"]
    for name, library in libraries.LIBRARIES.items():
        shown = f"[`{name}`](#{name})" if isinstance(library, Adapter) else f"`{name}`"
        examples = ", ".join(f"`{name}:{example}`" for example in library.examples)
        rows.append(f"| {shown} | {examples} | {sentence(library)} | {_needs(library)} |")
    rows.append("| | `module:function`, `file.py:function` | A function of your own. | |")
    return "\n".join(("", *rows, ""))


def library_sentence() -> str:
    """The packages of the libraries, in a sentence: those that come with timefair, and extras."""
    packages: dict[str, list[str]] = {"": [], "extras": [], "alone": []}
    for library in libraries.LIBRARIES.values():
        if isinstance(library, Adapter):
            packages[extra_of(library)].append(library.distributions[0])
    return _with_extras(packages)


def integer_sentence() -> str:
    """The algorithms that take integer variables, but for external programs, which take all."""
    found = []
    for library in libraries.LIBRARIES.values():
        names = all_names(library)
        able = [name for name in names if "integer" in library.variables(name, {})]
        if able and able == names:
            found.append(f"all algorithms of `{library.name}`")
        else:
            found += [f"`{library.name}:{name}`" for name in able]
    return _wrapped(_and(found))


def all_names(library: Library) -> list[str]:
    """Also of a library that is not installed; the examples, where no extra brings the library."""
    if extra_of(library) == "alone":
        return list(library.examples)
    if isinstance(library, Adapter) and not callable(library.names):
        return [name for name in library.names if not library.missing(name)]
    return [name for name, missing in library.available().items() if not missing]


def suite_table() -> str:
    rows = [
        "| `problems.suite` | what | functions | dimensions | variables | needs |",
        "|---|---|---|---|---|---|",
    ]
    for name, suite in suites.SUITES.items():
        numbers = f"{_numbers(suite.functions)} | {_numbers(suite.dimensions)}"
        of_suite = f"{sentence(suite)} | {numbers} | {suite.variables} | {_needs(suite)}"
        rows.append(f"| `{name}` | {of_suite} |")
    rows.append("| `module:function`, `file.py:function` | A function of your own. | | | | |")
    return "\n".join(("", *rows, ""))


def suite_sentence() -> str:
    names: dict[str, list[str]] = {"": [], "extras": []}
    for name, suite in suites.SUITES.items():
        names[extra_of(suite)].append(f"`{name}`")
    return _with_extras(names)


def _with_extras(names: dict[str, list[str]]) -> str:
    return _wrapped(
        f"{_and(names[''])}. `pip install 'timefair[extras]'` adds {_and(names['extras'])}."
    )


def extras_sentence() -> str:
    entries = (*libraries.LIBRARIES.values(), *suites.SUITES.values())
    packages = {entry.distributions[0] for entry in entries if extra_of(entry) == "extras"}
    return _wrapped(_and(sorted(packages, key=str.lower)))


def _numbers(numbers: Iterable[int]) -> str:
    if not isinstance(numbers, range):
        return ", ".join(map(str, numbers))
    return f"{numbers[0]} or more" if numbers[-1] == LARGEST else f"{numbers[0]} to {numbers[-1]:,}"


def _wrapped(text: str) -> str:
    """A paragraph in lines of at most 100 characters, which break no code."""
    space = "\N{NO-BREAK SPACE}"
    text = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", space), text)
    lines = textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)
    return lines.replace(space, " ")


def _and(words: list[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


MADE: Makers = {
    "README.md": {"libraries": library_sentence, "suites": suite_sentence},
    "docs/reference/algorithms.md": {"libraries": library_table},
    "docs/reference/suites.md": {"suites": suite_table, "integer": integer_sentence},
    "docs/guide/installation.md": {"extras": extras_sentence},
}


def pages() -> Iterator[tuple[str, str]]:
    return reference_tables.pages(MADE)


if __name__ == "__main__":
    main(__file__, pages())
