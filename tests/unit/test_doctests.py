"""Every example in a docstring of the package runs."""

import doctest
import importlib
import pkgutil

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
