"""The suites of the package ioh (IOHprofiler)."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Ints, Problem, ProblemName, Suite, Variables, refusing

ONE_MAX, LABS = 1, 18
TRIANGULAR, INDEPENDENT_SET, N_QUEENS, TRAPS, NK_LANDSCAPES = range(21, 26)


class _Ioh(Suite):
    distributions: Sequence[str] = ("ioh",)

    def faults(self, functions: Ints, dimensions: Ints, instances: Ints) -> list[str]:
        if importlib.util.find_spec("ioh") is None:
            return [f"suite: {self.name} needs the package ioh"]
        return super().faults(functions, dimensions, instances)


class PseudoBoolean(_Ioh):
    name = "pbo"
    functions = range(1, 26)
    dimensions = range(1, 10_001)
    variables: Variables = "binary"
    names: Mapping[int, str] = {1: "OneMax", 2: "LeadingOnes", 18: "LABS", 23: "N-queens"}

    def faults(self, functions: Ints, dimensions: Ints, instances: Ints) -> list[str]:
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
        evaluate = refusing(
            lambda x: -float(maximized(x.astype(np.int64))), name, lower, upper, integer
        )
        return Problem(name, evaluate, lower, upper, f_opt, integer)


PBO = PseudoBoolean()
"""The 25 pseudo-Boolean functions of IOHprofiler.

The pseudo-Boolean functions of IOHprofiler (Doerr et al. 2020), through the package ioh.

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


def _open(function: int, dimension: int, instance: int) -> Any:
    import ioh

    return ioh.get_problem(
        function, instance=instance, dimension=dimension, problem_class=ioh.ProblemClass.PBO
    )


def _largest(maximized: Any, name: ProblemName) -> float:
    if name.function != INDEPENDENT_SET:
        return float(maximized.optimum.y)
    # An instance scales and shifts the values of all functions in the same way, which OneMax shows.
    one, two = (_open(ONE_MAX, d, name.instance).optimum.y for d in (1, 2))
    plain = _open(name.function, name.dimension, 1).optimum.y
    return float(one + (two - one) * (plain - 1))


BOUND = 5.0
THRESHOLD = 0.85
COMPONENTS, INSTANCES, SEED = 24, 100, 2023


class ManyAffine(_Ioh):
    name = "ma-bbob"
    functions = range(1, 31)
    dimensions = range(2, 101)

    def make(self, name: ProblemName) -> Problem:
        combined = _combined(name)
        upper = np.full(name.dimension, BOUND)
        none = np.zeros(name.dimension, dtype=bool)
        refused = refusing(lambda x: float(combined(x)), name, -upper, upper, none)
        return Problem(name, refused, -upper, upper, float(combined.optimum.y))


MA_BBOB = ManyAffine()
"""30 affine combinations of the functions of `bbob`.

Affine combinations of the 24 functions of bbob (MA-BBOB), through the package ioh.

D. Vermetten, F. Ye, T. Bäck, C. Doerr, *MA-BBOB: A Problem Generator for Black-Box Optimization
Using Affine Combinations and Shifts*, 2023, arXiv:2312.11083. For function i of ``bbob``, let I_i
be the instance, o_i its optimum, S_i the scale of the paper, and w_i the weight:

- f(x) = 10^(10 (w_1 r_1 + ... + w_24 r_24) - 8)
- r_i = (log10(f_i(x - x_opt + o_i) - f_i(o_i)) + 8) / S_i

ioh raises differences below 1e-12 to 1e-12, so the optimum is at x_opt and about 1e-12. The bounds
are -5 and 5.

The 30 functions are 30 draws of the weights: 24 uniform numbers minus T, where negative ones become
0, divided by their sum. T is 0.85, or the third largest number if that is less. An instance draws
each I_i from 1 to 100, and x_opt within the bounds, uniformly. timefair draws the weights with
numpy's ``default_rng([2023, function])``, and the rest with
``default_rng([2023, function, D, instance])``. The instances that ioh makes of a number alone are
different: T is not subtracted, but numbers below 0.85 become 0 and the two largest at least 0.85,
so that the weights are nearly equal. All I_i are that number, and x_opt is between -4 and 4
(IOHexperimenter, pull request 192).
"""


def weights(function: int) -> NDArray[np.float64]:
    """The weights of the 24 functions of ``bbob``, of which at least two are positive."""
    drawn = np.random.default_rng([SEED, function]).uniform(size=COMPONENTS)
    above = np.maximum(drawn - min(THRESHOLD, np.sort(drawn)[-3]), 0.0)
    return np.asarray(above / above.sum())


def _combined(name: ProblemName) -> Any:
    import ioh

    rng = np.random.default_rng([SEED, name.function, name.dimension, name.instance])
    instances = rng.integers(1, INSTANCES, size=COMPONENTS, endpoint=True)
    x_opt = rng.uniform(-BOUND, BOUND, size=name.dimension)
    numbers = weights(name.function).tolist(), instances.tolist()
    return ioh.problem.ManyAffine(x_opt, *numbers, name.dimension)
