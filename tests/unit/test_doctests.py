"""Every example in a docstring of the package, and in the documentation, runs."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import timefair

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(timefair.__path__, "timefair.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize(
    "page", sorted((Path(__file__).parents[2] / "docs").glob("**/*.md")), ids=lambda page: page.name
)
def test_examples_of_the_documentation(page):
    assert doctest.testfile(str(page), module_relative=False).failed == 0
