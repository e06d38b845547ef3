"""Finds a suite by its name in a campaign.

| `suite` | what |
|---|---|
| ``bbob`` | 24 functions without noise |
| ``bbob-biobj`` | Two objectives: 55 pairs of functions of `bbob` |
| ``bbob-biobj-ext`` | Two objectives: the 55 pairs of `bbob-biobj` and 37 more |
| ``bbob-boxed`` | The functions of `bbob`, infinite outside the bounds |
| ``bbob-constrained`` | 54 functions with 1 to more than 100 constraints |
| ``bbob-largescale`` | The functions of `bbob` in high dimensions |
| ``bbob-mixint`` | Variables with 2, 4, 8 and 16 values, and continuous ones |
| ``bbob-noisy`` | 30 functions with Gaussian, uniform and Cauchy noise |
| ``cec2010`` | The functions of the CEC'2010 large-scale competition |
| ``cec2014`` | The functions of the CEC2014 competition, as distributed |
| ``cec2017`` | The functions of the CEC2017 competition, as distributed |
| ``cec2020`` | The functions of the CEC2020 competition, as distributed |
| ``cec2021`` | The functions of the CEC2021 competition, as distributed |
| ``cec2022`` | The functions of the CEC2022 competition, as distributed |
| ``classic`` | Ackley, Griewank, Rosenbrock, Schwefel and 8 more functions |
| ``engineering`` | 26 engineering designs with inequality and equality constraints |
| ``f1-f23`` | F1 to F23 of Yao, Liu and Lin (1999) |
| ``ma-bbob`` | 30 affine combinations of the functions of `bbob` |
| ``moving`` | Peaks that move after seconds or evaluations of the run |
| ``pbo`` | The 25 pseudo-Boolean functions of IOHprofiler |
| ``permutations`` | Tours, assignments and flow shops with known optima |
| ``module:function``, ``path/to/file.py:function`` | A function of the user's |

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
