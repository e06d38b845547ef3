"""The pseudo-Boolean functions of IOHprofiler (Doerr et al. 2020), through the package ioh.

25 functions of binary variables, in any dimension; f21 and f23 need a square number of variables.
Instance 1 is the original function. The other instances permute or invert the variables, and scale
and shift the values. A variable with a value other than 0 and 1 ends the run with the status
``raised``.

ioh maximizes f and timefair minimizes, so timefair's value is ``-f``, and its optimum is the
negative of the largest f. The optimum is unknown for LABS (f18) and NK landscapes (f25). timefair
also treats it as unknown where the optimum that ioh states is wrong: for N-queens (f23) on boards
smaller than 4 x 4, and for concatenated traps (f24) in dimensions that are not a multiple of 5. On
instances above 1 of the maximum independent set (f22), ioh transforms the optimum twice; timefair
corrects this.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Ints, Problem, ProblemName, Suite, Variables, refusing

ONE_MAX, LABS = 1, 18
TRIANGULAR, INDEPENDENT_SET, N_QUEENS, TRAPS, NK_LANDSCAPES = range(21, 26)


class PseudoBoolean(Suite):
    name = "pbo"
    functions = range(1, 26)
    dimensions = range(1, 10_001)
    variables: Variables = "binary"
    distributions: Sequence[str] = ("ioh",)
    names: Mapping[int, str] = {1: "OneMax", 2: "LeadingOnes", 18: "LABS", 23: "N-queens"}

    def faults(self, functions: Ints, dimensions: Ints, instances: Ints) -> list[str]:
        if importlib.util.find_spec("ioh") is None:
            return ["suite: pbo needs the package ioh"]
        found = super().faults(functions, dimensions, instances)
        on_squares = [f for f in functions if f in (TRIANGULAR, N_QUEENS)]
        for d in [d for d in dimensions if d in self.dimensions]:
            if on_squares and isqrt(d) ** 2 != d:
                needs = f"f{on_squares[0]} of pbo needs"
                found.append(f"dimensions: {d} is not a square, which {needs}")
            elif LABS in functions and d == 1:
                found.append(f"dimensions: 1 is too small for f{LABS} of pbo")
        return found

    def knows_optimum(self, function: int, dimension: int, instance: int) -> bool:
        return not (
            function in (LABS, NK_LANDSCAPES)
            or (function == N_QUEENS and dimension in (4, 9))
            or (function == TRAPS and dimension % 5)
        )

    def make(self, name: ProblemName) -> Problem:
        function, dimension, instance = name.function, name.dimension, name.instance
        lower, upper = np.zeros(dimension), np.ones(dimension)
        integer = np.ones(dimension, dtype=bool)
        maximized = _open(function, dimension, instance)
        known = self.knows_optimum(function, dimension, instance)
        f_opt = -_largest(maximized, name) if known else np.nan
        evaluate = refusing(_negated(maximized), name, lower, upper, integer)
        return Problem(name, evaluate, lower, upper, f_opt, integer)


PBO = PseudoBoolean()
"""The 25 pseudo-Boolean functions of IOHprofiler."""


def _open(function: int, dimension: int, instance: int) -> Any:
    import ioh

    return ioh.get_problem(
        function, instance=instance, dimension=dimension, problem_class=ioh.ProblemClass.PBO
    )


def _negated(maximized: Any) -> Callable[[NDArray[np.float64]], float]:
    def evaluate(x: NDArray[np.float64]) -> float:
        return -float(maximized(x.astype(np.int64)))

    return evaluate


def _largest(maximized: Any, name: ProblemName) -> float:
    """The largest value, if it is known."""
    if name.function != INDEPENDENT_SET:
        return float(maximized.optimum.y)
    # An instance scales and shifts the values of all functions in the same way, which OneMax shows.
    one, two = (_open(ONE_MAX, d, name.instance).optimum.y for d in (1, 2))
    plain = _open(name.function, name.dimension, 1).optimum.y
    return float(one + (two - one) * (plain - 1))
