"""Finds a suite by its name in a campaign.

The suites are found in the modules of this package. Importing this module imports none of the
libraries behind them.
"""

from __future__ import annotations

from collections.abc import Mapping

from timefair import problems
from timefair.basics import modules, user_code
from timefair.basics.errors import InputError, suggest
from timefair.problems.base import Suite
from timefair.problems.own import OwnProblem

SUITES = modules.declared(problems, Suite, without=("registry", "refuted", "names"))  # type: ignore[type-abstract]
"""Every suite that a module of this package declares, by name."""


def find(suite: str, parameters: Mapping[str, object]) -> Suite:
    """Find the suite of a name, or the user's own problem, and configure it.

    `InputError`, one line per fault, which begins with ``suite`` or ``parameters``.
    """
    try:
        found = SUITES[suite] if suite in SUITES else _own(suite)
    except InputError as error:
        raise InputError(*(f"suite: {fault}" for fault in error.faults)) from None
    faults = found.parameter_faults(parameters)
    if faults:
        raise InputError(*(f"parameters: {fault}" for fault in faults))
    return found.configured(parameters)


def _own(suite: str) -> Suite:
    place, colon, _ = suite.rpartition(":")
    if not colon or not (user_code.is_file(place) or user_code.module_exists(place)):
        raise InputError(
            f"{suite!r} is unknown{suggest(suite, SUITES)}; known: {', '.join(SUITES)} "
            "and module:function of your own"
        )
    return OwnProblem(suite)
