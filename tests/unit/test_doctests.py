"""Every example in a docstring of the package, and in the documentation, runs."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "workflow/timefair"


def with_examples(folder, *patterns):
    paths = sorted(path for pattern in patterns for path in folder.rglob(pattern))
    return [str(path.relative_to(folder)) for path in paths if ">>> " in path.read_text()]


@pytest.mark.parametrize("path", with_examples(PACKAGE, "*.py", "*.pyx"))
def test_examples(path):
    parts = Path(path).with_suffix("").parts
    name = ".".join(("timefair", *parts)).removesuffix(".__init__")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("page", with_examples(ROOT / "docs", "*.md"))
def test_examples_of_the_documentation(page):
    assert doctest.testfile(str(ROOT / "docs" / page), module_relative=False).failed == 0
