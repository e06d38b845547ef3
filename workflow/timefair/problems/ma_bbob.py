"""Affine combinations of the 24 functions of bbob (MA-BBOB), through the package ioh.

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

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Ints, Problem, ProblemName, Suite, refusing

BOUND = 5.0
THRESHOLD = 0.85
COMPONENTS, INSTANCES, SEED = 24, 100, 2023


class ManyAffine(Suite):
    name = "ma-bbob"
    functions = range(1, 31)
    dimensions = range(2, 101)
    distributions: Sequence[str] = ("ioh",)

    def faults(self, functions: Ints, dimensions: Ints, instances: Ints) -> list[str]:
        if importlib.util.find_spec("ioh") is None:
            return ["suite: ma-bbob needs the package ioh"]
        return super().faults(functions, dimensions, instances)

    def make(self, name: ProblemName) -> Problem:
        combined = _combined(name)
        upper = np.full(name.dimension, BOUND)

        def evaluate(x: NDArray[np.float64]) -> float:
            return float(combined(x))

        none = np.zeros(name.dimension, dtype=bool)
        refused = refusing(evaluate, name, -upper, upper, none)
        return Problem(name, refused, -upper, upper, float(combined.optimum.y))


MA_BBOB = ManyAffine()
"""30 affine combinations of the functions of `bbob`."""


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
