"""The documentation site: ``python -m sphinx -W -c docs . docs/_site`` builds it without network.

The source folder is the root of the checkout, so that a page links to the files of the repository
as it does on a code host. The tables of `README.md` give the pages their order. The pages of the
functions of `timefair.statistics` are written before the build, from the modules that there are.
"""

from __future__ import annotations

import gc
import pkgutil
import re
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import GenericAlias

import yaml
from pygments.lexers import PythonLexer
from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
STATISTICS = "docs/reference/api/timefair.statistics"
sys.path.insert(0, str(ROOT / "workflow"))


def is_compiled(source: Path) -> bool:
    """Whether this Python can import a Cython module of the clone."""
    return any(source.with_suffix(suffix).exists() for suffix in EXTENSION_SUFFIXES)


# Of a clone that is not compiled, only the pages of Cython modules are missing.
autodoc_mock_imports = [
    ".".join(path.relative_to(ROOT / "workflow").with_suffix("").parts)
    for path in (ROOT / "workflow").rglob("*.pyx")
    if not is_compiled(path)
]

import timefair  # noqa: E402
import timefair.statistics  # noqa: E402

project = "timefair"
author = "The timefair developers"
copyright = f"2026, {author}"
version = release = timefair.__version__

extensions = [
    "myst_parser",
    "sphinx_external_toc",
    "sphinx.ext.autodoc",
    "numpydoc",
]
external_toc_path = str(DOCS / "_toc.yml")
include_patterns = ["docs/**", "config/README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
exclude_patterns = ["docs/_site", "docs/**/results", "docs/**/__pycache__"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
numpydoc_show_class_members = False
autodoc_typehints = "none"

html_theme = "furo"
html_title = "timefair"
html_copy_source = False
html_show_sourcelink = False
html_static_path: list[str] = []


def setup(app: Sphinx) -> None:
    """Colour blocks of Snakemake as the Python that they nearly are; leave out names of types."""
    app.add_lexer("snakemake", PythonLexer)
    app.connect("autodoc-skip-member", _is_name_of_a_type)
    gc.disable()  # most objects are in use to the end: to visit them takes a third of the time
    app.connect("env-updated", _collect)


def _collect(*_: object) -> None:
    """Have the garbage of the pages collected once they are read: a few hundred MB."""
    gc.collect()


def _is_name_of_a_type(app, what, name, member, skip, options):  # type: ignore[no-untyped-def]
    return True if isinstance(member, GenericAlias) else None


def _write_api_pages(folder: Path) -> None:
    """Write a page for each module and each subpackage of `timefair.statistics`, and for itself."""
    package = timefair.statistics
    prefix = f"{package.__name__}."
    pages = {package.__name__: _described(package.__name__, "=")}
    for found in pkgutil.walk_packages(package.__path__, prefix):
        page, _, inner = found.name.removeprefix(prefix).partition(".")
        if not found.name.rpartition(".")[2].startswith("_"):
            name = prefix + page
            pages[name] = pages.get(name, "") + _described(found.name, "-" if inner else "=")
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.rst"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        file = folder / f"{name}.rst"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def _described(module: str, underline: str) -> str:
    """The section of a module, with its public members."""
    return f"{module}\n{underline * len(module)}\n\n.. automodule:: {module}\n   :members:\n\n"


def _write_order(file: Path) -> None:
    """Write the order of the pages: a group for each heading of `README.md` with pages below it."""
    parts = re.split(r"^## (.+)$", (DOCS / "README.md").read_text(encoding="utf-8"), flags=re.M)
    groups = []
    for heading, text in zip(parts[1::2], parts[2::2], strict=True):
        entries: list[dict[str, object]] = []
        for row in re.findall(r"^\| \[.*$", text, flags=re.M):
            pages = [_source(link) for link in re.findall(r"\]\(([^)#]+\.md)\)", row)]
            if not pages:  # a part of a page
                continue
            first, *others = pages
            below = [{"file": page} for page in others]
            if first.startswith("docs/") and first.endswith("/README"):
                below = [{"glob": first.removesuffix("README") + "*"}]
            entries.append({"file": first} | ({"entries": below} if below else {}))
        if heading == "Reference":
            entries.append({"file": STATISTICS, "entries": [{"glob": f"{STATISTICS}.*"}]})
        if entries:
            groups.append({"caption": heading, "entries": entries})
    order = {"root": "docs/README", "subtrees": groups}
    file.write_text(yaml.safe_dump(order, sort_keys=False), encoding="utf-8")


def _source(link: str) -> str:
    """What Sphinx calls the page that `README.md` links to."""
    return str((DOCS / link).resolve().relative_to(ROOT).with_suffix(""))


_write_api_pages((ROOT / STATISTICS).parent)
_write_order(DOCS / "_toc.yml")
