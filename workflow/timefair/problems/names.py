"""Names of functions, wherever a person reads their numbers. They affect no value."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError

from timefair.basics import user_code
from timefair.basics.errors import InputError
from timefair.basics.sections import FunctionNames

GIVEN = "function_names"
"""Attribute of a frame: the names that a campaign gives functions, by suite and number as text."""

Given = Mapping[str, Mapping[str, str]]


def declared(suite: str) -> dict[int, str]:
    """The names in the attribute ``names`` of the user's own function; empty for a suite.
    `InputError` if the attribute is not a mapping of numbers to names.
    """
    if ":" not in suite:
        return {}
    given = getattr(user_code.load_function(suite), "names", {})
    try:
        return TypeAdapter(FunctionNames).validate_python(given, strict=True)
    except ValidationError:
        raise InputError(
            f"problems.suite: the attribute names of {suite} should have a name for each number, "
            f"such as {{1: 'pump'}}, each one line of at most 40 characters, not {given!r}"
        ) from None


def groups(suite: str) -> Mapping[str, range]:
    from timefair.problems.suites import SUITES

    return SUITES[suite].groups if suite in SUITES else {}


def every(suite: str, given: Given | None = None) -> dict[int, str]:
    """The name of each function that has one; names that a campaign gives take precedence.

    >>> every("pbo", {"pbo": {"1": "ones"}})[1]
    'ones'
    """
    from timefair.problems.suites import SUITES

    own = (given or {}).get(suite, {})
    names = SUITES[suite].names if suite in SUITES else {}
    return {**names, **{int(number): name for number, name in own.items()}}


def title(suite: str, function: object, given: Given | None = None) -> str:
    """The number of a function with its name; ``given`` is as in the attribute `GIVEN`.

    >>> title("bbob", 8), title("module:function", "3")
    ('f8 Rosenbrock', 'f3')
    >>> title("module:function", 3, {"module:function": {"3": "pump"}})
    'f3 pump'
    """
    number = int(str(function))
    return f"f{number} {every(suite, given).get(number, '')}".rstrip()
