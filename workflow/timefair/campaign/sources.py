"""The relevant content of a source file: its code without comments and docstrings, and its imports.

Parsing all files of the package takes a second, and every start of Snakemake needs it. Therefore
the results are stored in the user's cache, by the content of the file, the version of Python and
the code of this module.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from timefair.basics.cache import cache_folder

PACKAGE = Path(__file__).parents[1]


class Source(NamedTuple):
    """The relevant content of a source file.

    Attributes
    ----------
    digest
        SHA-256, in hex, of its code.
    imports
        Modules of the package that it imports anywhere, as dotted names.
    """

    digest: str
    imports: frozenset[str]


@cache
def source(path: Path) -> Source:
    """Parse a file, unless the result is in the cache; once per process."""
    return present_source(path)


def present_source(path: Path) -> Source:
    """The same for the present file. The file may have changed since this process began."""
    content = path.read_bytes()
    if path.suffix != ".py":
        return Source(hashlib.sha256(content).hexdigest(), frozenset())
    name = hashlib.sha256(_parser() + content).hexdigest()
    mark = cache_folder() / "sources" / f"{name}.json"
    try:
        digest, imports = json.loads(mark.read_text(encoding="utf-8"))
        return Source(digest, frozenset(imports))
    except (OSError, ValueError, TypeError):
        found = _parsed(content)
        _remember(mark, found)
        return found


@cache
def _parser() -> bytes:
    """Everything besides the content of a file that determines the result of parsing it."""
    return hashlib.sha256(sys.version.encode() + Path(__file__).read_bytes()).digest()


def _parsed(content: bytes) -> Source:
    try:
        tree = ast.parse(content)
    except SyntaxError:  # for another Python than this one
        return Source(hashlib.sha256(content).hexdigest(), frozenset())
    imports = _without_texts(tree)
    return Source(hashlib.sha256(ast.dump(tree).encode()).hexdigest(), imports)


def _remember(mark: Path, found: Source) -> None:
    part = mark.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):  # without a cache, the file is parsed again
        mark.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps([found.digest, sorted(found.imports)]), encoding="utf-8")
        part.replace(mark)


def _without_texts(tree: ast.Module) -> frozenset[str]:
    """Drop docstrings and descriptions from a tree.

    Returns
    -------
    frozenset of str
        Modules of the package that are imported, wherever in the tree, as dotted names.
    """
    names: set[str] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [item for item in body if not _is_text(item)]  # type: ignore[attr-defined]
        if isinstance(node, ast.Call):
            node.keywords = [keyword for keyword in node.keywords if not _is_description(keyword)]
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(name for name in names if name.split(".")[0] == PACKAGE.name)


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_description(keyword: ast.keyword) -> bool:
    return keyword.arg == "description" and isinstance(keyword.value, ast.Constant)
