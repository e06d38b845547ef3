"""What the functions of the suites are called, and how a suite groups them.

Figures take titles of panels and groups of functions from here. Names and groups do not decide any
value, so this module is none of the code that measures: a change of a name measures nothing again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Functions:
    """The functions of a suite.

    Attributes
    ----------
    names
        A short name for each number; a function without one is named by its number alone.
    groups
        The numbers of each group, by the name of the group; empty: the suite has no groups.
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
    "pbo": Functions({1: "OneMax", 2: "LeadingOnes", 18: "LABS", 23: "N-queens"}),
}
"""The suites whose functions have names or groups."""

_UNKNOWN = Functions()


def of_suite(suite: str) -> Functions:
    """The functions of a suite; without names and groups where none are known.

    Examples
    --------
    >>> of_suite("bbob").names[8]
    'Rosenbrock'
    >>> of_suite("module:function").names
    {}
    """
    return SUITES.get(suite, _UNKNOWN)


def title(suite: str, function: object) -> str:
    """The number of a function with its name, such as ``f8 Rosenbrock``.

    Examples
    --------
    >>> title("bbob", 8), title("module:function", "3")
    ('f8 Rosenbrock', 'f3')
    """
    number = int(str(function))
    return f"f{number} {of_suite(suite).names.get(number, '')}".rstrip()
