"""The lists of suites and libraries, from their declarations: ``python registry_pages.py --fix``.

A suite or library declares beside its code what the documentation says of it: attributes, one
sentence in the docstring below the object, and as the reference the paragraphs after it, which hold
for the objects that follow in the module, too, or the docstring of the module. Each list stands
between two marks, ``<!-- NAME -->`` and ``<!-- /NAME -->``.
"""

import ast
import inspect
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from timefair.algorithms import registry as libraries
from timefair.algorithms.adapter import Adapter
from timefair.algorithms.base import Library
from timefair.problems import registry as suites
from timefair.problems.base import LARGEST, Suite

ROOT = Path(__file__).parents[2]
PACKAGE = Path(inspect.getfile(libraries)).parents[1]
MOST_NAMES = 40
"""Libraries with more algorithms refer to `timefair algorithms`."""


class Declaration(NamedTuple):
    """Where a suite or library is declared, the sentence below it, and its reference."""

    module: ModuleType
    sentence: str
    reference: str


@cache
def declarations() -> dict[int, Declaration]:
    found = {}
    modules = [m for name, m in sorted(sys.modules.items()) if name.startswith("timefair.")]
    for module in modules:
        path = getattr(module, "__file__", None) or ""
        if not path.endswith(".py"):
            continue
        body = ast.parse(Path(path).read_text(encoding="utf-8")).body
        reference = inspect.getdoc(module) or ""
        for node, below in zip(body, [*body[1:], None], strict=True):
            for name in _assigned(node):
                if isinstance(value := getattr(module, name, None), Suite | Library):
                    sentence, _, own = _text(below).partition("\n\n")
                    reference = own.strip() or reference
                    found[id(value)] = Declaration(module, sentence, reference)
    return found


def _assigned(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _text(node: ast.stmt | None) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return str(node.value.value)
    return ""


def declaration(entry: Suite | Library) -> Declaration:
    """Where an entry of a registry is declared; AssertionError without a sentence below it."""
    found = declarations()[id(entry)]
    assert re.fullmatch(r"[A-Z0-9][^\n]*\.", found.sentence), (
        f"{found.module.__name__}: one sentence on one line, as a docstring below {entry.name!r}"
    )
    return found


@cache
def requirements() -> dict[str, set[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = {"": project["dependencies"], "extras": project["optional-dependencies"]["extras"]}
    return {
        extra: {re.split(r"[\[<>=~!; ]", entry)[0].lower() for entry in entries}
        for extra, entries in lists.items()
    }


def extra_of(entry: Suite | Library) -> str:
    """Which extra brings the package of an entry: none, or ``extras``; ``alone`` if it pins an
    older numpy, so that it is installed without its dependencies.

    AssertionError where pyproject.toml names the package nowhere.
    """
    if not entry.distributions or entry.distributions[0] == "timefair":
        return ""
    if getattr(entry, "install", "").startswith("--no-deps"):
        return "alone"
    package = entry.distributions[0].lower()
    found = [extra for extra, packages in requirements().items() if package in packages]
    assert found, f"pyproject.toml: {package}, the package of {entry.name}, is not in extras"
    return found[0]


def _needs(entry: Suite | Library) -> str:
    if (extra := extra_of(entry)) == "alone":
        return f"`pip install --no-deps {entry.distributions[0]}`"
    return f"`{entry.distributions[0]}` ({extra})" if extra else ""


def library_table() -> str:
    rows = ["| library | examples | what | needs |", "|---|---|---|---|"]
    for name, library in libraries.LIBRARIES.items():
        found = declaration(library)
        shown = f"[`{name}`](#{name})" if _is_adapter(found.module) else f"`{name}`"
        examples = ", ".join(f"`{name}:{example}`" for example in library.examples)
        rows.append(f"| {shown} | {examples} | {found.sentence} | {_needs(library)} |")
    rows.append("| | `module:function`, `file.py:function` | A function of your own. | |")
    return _lines(rows)


def library_reference() -> str:
    sections = []
    for name, library in libraries.LIBRARIES.items():
        found = declaration(library)
        if _is_adapter(found.module):
            sections.append(f"### `{name}`\n\n{_names(library)}\n\n{reference(found)}")
    return "\n" + "\n".join(sections) + "\n"


def library_sentence() -> str:
    """The packages of the libraries, in a sentence: those that come with timefair, and extras."""
    packages: dict[str, list[str]] = {"": [], "extras": [], "alone": []}
    for library in libraries.LIBRARIES.values():
        if _is_adapter(declaration(library).module):
            packages[extra_of(library)].append(library.distributions[0])
    return _with_extras(packages)


def _is_adapter(module: ModuleType) -> bool:
    return ".adapters." in module.__name__ or ".libraries." in module.__name__


def integer_sentence() -> str:
    """The algorithms that take integer variables, but for external programs, which take all."""
    found = []
    for library in libraries.LIBRARIES.values():
        names = _all_names(library)
        able = [name for name in names if "integer" in library.variables(name, {})]
        if able and able == names:
            found.append(f"all algorithms of `{library.name}`")
        else:
            found += [f"`{library.name}:{name}`" for name in able]
    return _and(found)


def _all_names(library: Library) -> list[str]:
    """Also of a library that is not installed; the examples, where no extra brings the library."""
    if extra_of(library) == "alone":
        return list(library.examples)
    if isinstance(library, Adapter) and not callable(library.names):
        return [name for name in library.names if not library.missing(name)]
    return [name for name, missing in library.available().items() if not missing]


def _names(library: Library) -> str:
    names = _all_names(library)
    if len(names) > MOST_NAMES or extra_of(library) == "alone":
        return f"`timefair algorithms --library {library.name}` lists its algorithms."
    listed = ", ".join(f"`{name}`" for name in names)
    return _wrapped(f"{'Names' if len(names) > 1 else 'Name'}: {listed}.")


def suite_table() -> str:
    rows = [
        "| `problems.suite` | what | functions | dimensions | variables | needs |",
        "|---|---|---|---|---|---|",
    ]
    for name, suite in suites.SUITES.items():
        cells = (
            f"`{name}`",
            declaration(suite).sentence,
            _numbers(suite.functions),
            _numbers(suite.dimensions),
            suite.variables,
            _needs(suite),
        )
        rows.append(f"| {' | '.join(cells)} |")
    rows.append("| `module:function`, `file.py:function` | A function of your own. | | | | |")
    return _lines(rows)


def suite_reference() -> str:
    """A section for all suites that have one reference."""
    alike: dict[str, list[Suite]] = {}
    for suite in suites.SUITES.values():
        alike.setdefault(declaration(suite).reference, []).append(suite)
    sections = [
        f"### {', '.join(f'`{suite.name}`' for suite in own)}\n\n{reference(declaration(own[0]))}"
        for own in alike.values()
    ]
    return "\n" + "\n".join(sections) + "\n"


def suite_sentence() -> str:
    names: dict[str, list[str]] = {"": [], "extras": []}
    for name, suite in suites.SUITES.items():
        names[extra_of(suite)].append(f"`{name}`")
    return _with_extras(names)


def _with_extras(names: dict[str, list[str]]) -> str:
    return f"{_and(names[''])}. `pip install 'timefair[extras]'` adds {_and(names['extras'])}."


def extras_sentence() -> str:
    entries = (*libraries.LIBRARIES.values(), *suites.SUITES.values())
    return _and(
        sorted({e.distributions[0] for e in entries if extra_of(e) == "extras"}, key=str.lower)
    )


def _numbers(numbers: Iterable[int]) -> str:
    if not isinstance(numbers, range):
        return ", ".join(map(str, numbers))
    return f"{numbers[0]} or more" if numbers[-1] == LARGEST else f"{numbers[0]} to {numbers[-1]:,}"


# --- Docstrings as Markdown ---------------------------------------------------------------------


def reference(found: Declaration) -> str:
    """The reference of an entry, its parameters as a list."""
    text, _, parameters = found.reference.partition("\n\nParameters\n----------\n")
    paragraphs = text.split("\n\n")
    if parameters:
        paragraphs += ["Parameters:", "\n".join(_items(parameters))]
    made = (_markdown(paragraph, found.module) for paragraph in paragraphs)
    return "\n\n".join(text if text.startswith("|") else _wrapped(text) for text in made) + "\n"


def _items(parameters: str) -> Iterator[str]:
    for block in re.findall(r"^\S.*\n(?: +.*\n?|\n)*", parameters + "\n", flags=re.M):
        term, _, meaning = block.partition("\n")
        if re.fullmatch(r"\w+(, \w+)*", term):
            term = ", ".join(f"`{word}`" for word in term.split(", "))
        yield f"- {term}: {' '.join(meaning.split())}"


def _markdown(text: str, module: ModuleType) -> str:
    """Code in single ticks, and constants of the module by their values."""

    def shown(match: re.Match[str]) -> str:
        value = getattr(module, match[1], None)
        if isinstance(value, int | float):
            return f"{value:,}" if isinstance(value, int) else f"{value:g}"
        if isinstance(value, tuple):
            return ", ".join(f"`{word}`" for word in value)
        return match[0]

    text = re.sub(r"(?<!`)`([A-Z][A-Z0-9_]+)`(?!`)", shown, text)
    return text.replace("``", "`")


def _wrapped(text: str) -> str:
    """A paragraph or a list in lines of at most 100 characters, which break no code."""
    space = "\N{NO-BREAK SPACE}"
    text = re.sub(r"`[^`]*`", lambda code: " ".join(code[0].split()).replace(" ", space), text)
    items = re.split(r"\n(?=- )", text)
    indent = "  " if text.startswith("- ") else ""
    options = {"break_long_words": False, "break_on_hyphens": False}
    filled = (textwrap.fill(item, 100, subsequent_indent=indent, **options) for item in items)
    return "\n".join(filled).replace(space, " ")


def _and(words: list[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


MADE = {
    "README.md": {"libraries": library_sentence, "suites": suite_sentence},
    "docs/reference/algorithms.md": {
        "libraries": library_table,
        "library reference": library_reference,
    },
    "docs/reference/suites.md": {
        "suites": suite_table,
        "integer": integer_sentence,
        "suite reference": suite_reference,
    },
    "docs/guide/installation.md": {"extras": extras_sentence},
}
"""The files with lists, and what makes each of them."""


def right(file: str) -> str:
    """The text of a file with its lists made again; AssertionError where a mark is missing."""
    text = (ROOT / file).read_text(encoding="utf-8")
    for mark, make in MADE[file].items():
        made = make()
        made = f"\n{made}" if made.endswith("\n") else _wrapped(made)
        found = re.search(rf"(<!-- {mark} -->)[\s\S]*?(<!-- /{mark} -->)", text)
        assert found, f"{file}: no place for {mark!r}"
        text = text[: found.end(1)] + made + text[found.start(2) :]
    return text


if __name__ == "__main__":
    for name in MADE:
        if sys.argv[1:] == ["--fix"]:
            (ROOT / name).write_text(right(name), encoding="utf-8")
        elif right(name) != (ROOT / name).read_text(encoding="utf-8"):
            sys.exit(f"{name}: python tests/documentation/registry_pages.py --fix")
