"""The suites of the package ioh (IOHprofiler)."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.problems.problem import Ints, Problem, ProblemName, Suite, Variables, refusing

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
        """Not where nobody knows it, or where the one that ioh states is wrong."""
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
"""The 25 pseudo-Boolean functions of IOHprofiler."""


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

Vermetten et al., *MA-BBOB*, 2023, arXiv:2312.11083.
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
