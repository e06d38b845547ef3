"""What is shown of suites: names and groups of their functions, and default targets.

This affects no value, so this module does not belong to the code that measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter, ValidationError

from timefair.basics import user_code
from timefair.basics.errors import InputError
from timefair.basics.values import FunctionNames


@dataclass(frozen=True)
class Functions:
    """The functions of a suite.

    Attributes
    ----------
    names
        A short name for each number; a function without a name is shown only with its number.
    groups
        The numbers of each group, by the name of the group; empty if the suite has no groups.
    """

    names: Mapping[int, str] = field(default_factory=dict)
    groups: Mapping[str, range] = field(default_factory=dict)


def _numbered(first: int, *names: str) -> dict[int, str]:
    return dict(enumerate(names, start=first))


_BBOB = Functions(
    _numbered(
        1,
        *("sphere", "ellipsoid", "Rastrigin", "Büche-Rastrigin", "linear slope"),
        *("attractive sector", "step ellipsoid", "Rosenbrock", "rot. Rosenbrock"),
        *("rot. ellipsoid", "discus", "bent cigar", "sharp ridge", "different powers"),
        *("rot. Rastrigin", "Weierstrass", "Schaffer F7", "Schaffer F7 ill-c."),
        *("Griewank-Ros.", "Schwefel", "Gallagher 101", "Gallagher 21", "Katsuura"),
        "Lunacek",
    ),
    {
        "separable": range(1, 6),
        "moderate": range(6, 10),
        "ill-conditioned": range(10, 15),
        "multimodal": range(15, 20),
        "weak structure": range(20, 25),
    },
)
"""Of Hansen et al. 2009; the group ``multimodal`` has an adequate global structure."""

SUITES: Mapping[str, Functions] = {
    **dict.fromkeys(("bbob", "bbob-boxed", "bbob-largescale", "bbob-mixint"), _BBOB),
    "bbob-noisy": Functions(
        groups={
            "moderate noise": range(101, 107),
            "severe noise": range(107, 122),
            "noisy multimodal": range(122, 131),
        }
    ),
    "cec2010": Functions(
        groups={
            "separable": range(1, 4),
            "one group of m": range(4, 9),
            "D/2m groups": range(9, 14),
            "D/m groups": range(14, 19),
            "nonseparable": range(19, 21),
        }
    ),
    "classic": Functions(
        _numbered(
            1,
            *("Ackley", "Rastrigin", "Griewank", "Rosenbrock", "Levy", "Schwefel"),
            *("Styblinski-Tang", "Michalewicz", "Zakharov", "Dixon-Price", "Salomon", "Trid"),
        )
    ),
    "moving": Functions(
        _numbered(
            1,
            *("5 peaks", "10 peaks", "25 peaks", "50 peaks", "100 peaks"),
            *("10 peaks, shift 2", "10 peaks, shift 5"),
        )
    ),
    "pbo": Functions({1: "OneMax", 2: "LeadingOnes", 18: "LABS", 23: "N-queens"}),
}
"""The suites whose functions have names or groups."""

_UNKNOWN = Functions()

GIVEN = "function_names"
"""Attribute of a frame: the names that a campaign gives functions, by suite and number as text."""

Given = Mapping[str, Mapping[str, str]]


def of_suite(suite: str) -> Functions:
    """The functions of a suite; without names and groups if none are known.

    Examples
    --------
    >>> of_suite("bbob").names[8]
    'Rosenbrock'
    >>> of_suite("module:function").names
    {}
    """
    return SUITES.get(suite, _UNKNOWN)


def declared(suite: str) -> dict[int, str]:
    """The names that the user's own function has in its attribute ``names``.

    Empty for a suite of this package, and for a function without the attribute.

    Raises
    ------
    InputError
        If the attribute is not a mapping of numbers to names.
    """
    if ":" not in suite:
        return {}
    given = getattr(user_code.load_function(suite), "names", {})
    try:
        return TypeAdapter(FunctionNames).validate_python(given, strict=True)
    except ValidationError:
        raise InputError(
            f"the attribute names of {suite} should have a name for each number, such as "
            f"{{1: 'pump'}}, each one line of at most 40 characters, not {given!r}"
        ) from None


def every(suite: str, given: Given | None = None) -> dict[int, str]:
    """The name of each function that has one; names that a campaign gives take precedence.

    Examples
    --------
    >>> every("pbo", {"pbo": {"1": "ones"}})[1]
    'ones'
    """
    own = (given or {}).get(suite, {})
    return {**of_suite(suite).names, **{int(number): name for number, name in own.items()}}


def title(suite: str, function: object, given: Given | None = None) -> str:
    """The number of a function with its name, such as ``f8 Rosenbrock``.

    Parameters
    ----------
    suite
        The suite of the function.
    function
        Number of the function.
    given
        The names that the campaign gives, in the form of the attribute `GIVEN`. They take
        precedence over those of the suite.

    Examples
    --------
    >>> title("bbob", 8), title("module:function", "3")
    ('f8 Rosenbrock', 'f3')
    >>> title("module:function", 3, {"module:function": {"3": "pump"}})
    'f3 pump'
    """
    number = int(str(function))
    return f"f{number} {every(suite, given).get(number, '')}".rstrip()


TWO_OBJECTIVES = (
    *(10 ** (-k / 10) for k in range(51)),
    0.0,
    *(-(10 ** (k / 5 - 5)) for k in range(6)),
)
"""The 58 targets of COCO for two objectives: 1 to 1e-5, 0, and -1e-5 to -1e-4."""

OF_TWO_OBJECTIVES: Mapping[str, tuple[float, ...]] = dict.fromkeys(
    ("bbob-biobj", "bbob-biobj-ext"), TWO_OBJECTIVES
)
"""Those of the suites with two objectives, by the name of the suite."""

MOVING = (100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1)
"""Errors in a changing landscape, whose highest peak has a height of at most 70."""

USUAL: Mapping[str, tuple[float, ...]] = {**OF_TWO_OBJECTIVES, "moving": MOVING}
"""By the name of the suite."""
