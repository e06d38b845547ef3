"""The package is its own map."""

import pkgutil

from timefair.statistics import run_count

MODULES = sorted(module.name for module in pkgutil.iter_modules(run_count.__path__))


def test_the_package_says_what_each_module_is_for():
    assert all(f"`{name}`" in run_count.__doc__ for name in MODULES)
