"""Whether the installed packages have the versions that timefair's pyproject.toml requires."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

from timefair.basics.errors import InputError

EXTRAS = ("extras", "report", "cluster", "crate")
"""Those that campaigns use."""


def check() -> None:
    """Raise `InputError` if a package has a version that timefair does not support.

    The packages of extras count if they are installed. Without metadata of timefair, such as in a
    folder of sources, nothing is known.
    """
    try:
        lines = requires("timefair") or []
    except PackageNotFoundError:
        return
    if faults := list(_faults(map(Requirement, lines))):
        raise InputError(*faults)


def _faults(requirements: Iterator[Requirement]) -> Iterator[str]:
    """One line per package that is missing or has a version out of the bounds."""
    for needed in requirements:
        applies = needed.marker.evaluate if needed.marker else (lambda environment: True)
        always = applies({"extra": ""})
        if not always and not any(applies({"extra": extra}) for extra in EXTRAS):
            continue
        try:
            found = version(needed.name)
        except PackageNotFoundError:
            if not always:
                continue
            found = "missing"
        if found == "missing" or not needed.specifier.contains(found, prereleases=True):
            wanted = f"{needed.name}{needed.specifier}"
            yield (
                f"{needed.name} is {found}, but timefair needs {needed.specifier or 'it'}; "
                f"run `{sys.executable} -m pip install '{wanted}'`; an algorithm that needs "
                "another version can have an environment of its own (algorithms.LABEL.python)"
            )
