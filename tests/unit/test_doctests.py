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
    module = importlib.import_module(name)
    if has_examples(Path(module.__file__)):
        assert doctest.testmod(module).failed == 0


def has_examples(file):
    """Whether a module may have examples; to search its objects for them takes longer."""
    return file.suffix != ".py" or doctest.DocTestParser().get_examples(file.read_text()) != []


@pytest.mark.parametrize(
    "page", sorted((Path(__file__).parents[2] / "docs").glob("**/*.md")), ids=lambda page: page.name
)
def test_examples_of_the_documentation(page):
    assert doctest.testfile(str(page), module_relative=False).failed == 0
