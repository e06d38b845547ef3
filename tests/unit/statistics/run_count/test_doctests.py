"""The examples in the docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

from timefair.statistics import run_count

MODULES = sorted(module.name for module in pkgutil.iter_modules(run_count.__path__))


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"{run_count.__name__}.{name}")
    assert doctest.testmod(module).failed == 0


def test_the_package_says_what_each_module_is_for():
    assert all(f"`{name}`" in run_count.__doc__ for name in MODULES)
