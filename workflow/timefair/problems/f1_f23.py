"""The 23 functions F1 to F23 of most papers on metaheuristics.

X. Yao, Y. Liu, G. Lin, *Evolutionary Programming Made Faster*, IEEE Transactions on Evolutionary
Computation 3(2), 1999, with the bounds and constants that are printed there.

| functions | D | bounds | optimal value |
|---|---|---|---|
| 1-4: sphere, Schwefel 2.22, 1.2, 2.21 | any | -100 to 100; f2: -10 to 10 | 0 |
| 5-7: Rosenbrock, step, quartic | any | -30 to 30; -100 to 100; -1.28 to 1.28 | 0 |
| 8: Schwefel | any | -500 to 500 | -418.9829 D |
| 9-11: Rastrigin, Ackley, Griewank | any | -5.12 to 5.12; -32 to 32; -600 to 600 | 0 |
| 12, 13: penalized | any | -50 to 50 | 0 |
| 14: Shekel's foxholes | 2 | -65.536 to 65.536 | 0.998004 |
| 15: Kowalik | 4 | -5 to 5 | 0.000307486 |
| 16: six-hump camel back | 2 | -5 to 5 | -1.031628 |
| 17: Branin | 2 | -5 to 10, 0 to 15 | 0.397887 |
| 18: Goldstein-Price | 2 | -2 to 2 | 3 |
| 19, 20: Hartman | 3, 6 | 0 to 1 | -3.862780, -3.322 |
| 21-23: Shekel, m = 5, 7, 10 | 4 | 0 to 10 | -10.1532, -10.4029, -10.5364 |

The papers use D = 30 for functions 1-13, and so does a campaign without ``dimensions``, which has
functions 14-23 in their own D. The noise of f7, which is uniform between 0 and 1, is left out.
Instance 1 is the function as published. The other instances move the optimum, or reverse axes in
functions 8, 15 and 19-23, as in ``classic``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Ints, numbered
from timefair.problems.classic import (
    SCHWEFEL_BEST,
    Classic,
    Function,
    Value,
    Vector,
    ackley,
    everywhere,
    griewank,
    rastrigin,
    rosenbrock,
    within,
)


def _sphere(z: Vector) -> float:
    return float(np.sum(z * z))


def _schwefel_2_22(z: Vector) -> float:
    return float(np.sum(np.abs(z)) + np.prod(np.abs(z)))


def _schwefel_1_2(z: Vector) -> float:
    return float(np.sum(np.cumsum(z) ** 2))


def _schwefel_2_21(z: Vector) -> float:
    return float(np.max(np.abs(z)))


def _step(z: Vector) -> float:
    return float(np.sum(np.floor(z + 0.5) ** 2))


def _quartic(z: Vector) -> float:
    return float(np.sum(np.arange(1, len(z) + 1) * z**4))


def _schwefel(z: Vector) -> float:
    return float(-np.sum(z * np.sin(np.sqrt(np.abs(z)))))


def _beyond(z: Vector, bound: float) -> float:
    """The penalty of both penalized functions."""
    return float(100 * np.sum(np.maximum(np.abs(z) - bound, 0.0) ** 4))


def _penalized_1(z: Vector) -> float:
    y = 1 + (z + 1) / 4
    waves = 10 * np.sin(np.pi * y) ** 2
    middle = np.sum((y[:-1] - 1) ** 2 * (1 + waves[1:]))
    return float(np.pi / len(z) * (waves[0] + middle + (y[-1] - 1) ** 2)) + _beyond(z, 10.0)


def _penalized_2(z: Vector) -> float:
    waves = np.sin(3 * np.pi * z) ** 2
    middle = np.sum((z[:-1] - 1) ** 2 * (1 + waves[1:]))
    last = (z[-1] - 1) ** 2 * (1 + np.sin(2 * np.pi * z[-1]) ** 2)
    return float(0.1 * (waves[0] + middle + last)) + _beyond(z, 5.0)


FOXHOLES = np.array([(x, y) for y, x in product((-32, -16, 0, 16, 32), repeat=2)], dtype=float)


def _foxholes(z: Vector) -> float:
    holes = np.arange(1, 26) + np.sum((z - FOXHOLES) ** 6, axis=1)
    return float(1 / (1 / 500 + np.sum(1 / holes)))


KOWALIK_A = np.array(
    [0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246]
)
KOWALIK_B = 1 / np.array([0.25, 0.5, 1, 2, 4, 6, 8, 10, 12, 14, 16])


def _kowalik(z: Vector) -> float:
    b = KOWALIK_B
    with np.errstate(divide="ignore", invalid="ignore"):
        model = z[0] * (b * b + b * z[1]) / (b * b + b * z[2] + z[3])
    value = float(np.sum((KOWALIK_A - model) ** 2))
    return np.inf if np.isnan(value) and np.isfinite(z).all() else value


def _camel_back(z: Vector) -> float:
    x, y = z
    return float(4 * x**2 - 2.1 * x**4 + x**6 / 3 + x * y - 4 * y**2 + 4 * y**4)


def _branin(z: Vector) -> float:
    x, y = z
    valley = y - 5.1 / (4 * np.pi**2) * x * x + 5 / np.pi * x - 6
    return float(valley**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10)


def _goldstein_price(z: Vector) -> float:
    x, y = z
    first = 19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2
    second = 18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2
    return float((1 + (x + y + 1) ** 2 * first) * (30 + (2 * x - 3 * y) ** 2 * second))


HARTMAN_C = np.array([1, 1.2, 3, 3.2])
HARTMAN = {
    3: (
        np.array([(3, 10, 30), (0.1, 10, 35)] * 2),
        np.array(
            [
                (0.3689, 0.1170, 0.2673),
                (0.4699, 0.4387, 0.7470),
                (0.1091, 0.8732, 0.5547),
                (0.03815, 0.5743, 0.8828),
            ]
        ),
    ),
    6: (
        np.array(
            [
                (10, 3, 17, 3.5, 1.7, 8),
                (0.05, 10, 17, 0.1, 8, 14),
                (3, 3.5, 1.7, 10, 17, 8),
                (17, 8, 0.05, 10, 0.1, 14),
            ]
        ),
        np.array(
            [
                (0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886),
                (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991),
                (0.2348, 0.1415, 0.3522, 0.2883, 0.3047, 0.6650),
                (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381),
            ]
        ),
    ),
}


def _hartman(z: Vector) -> float:
    widths, places = HARTMAN[len(z)]
    return float(-np.sum(HARTMAN_C * np.exp(-np.sum(widths * (z - places) ** 2, axis=1))))


SHEKEL_A: NDArray[np.float64] = np.array(
    [*((4, 4), (1, 1), (8, 8), (6, 6), (3, 7)), *((2, 9), (5, 3), (8, 1), (6, 2), (7, 3.6))]
)[:, [0, 1, 0, 1]]
SHEKEL_A[6] = (5, 5, 3, 3)
SHEKEL_C = np.array([0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5])


def _shekel(m: int) -> Value:
    def value(z: Vector) -> float:
        return float(-np.sum(1 / (np.sum((z - SHEKEL_A[:m]) ** 2, axis=1) + SHEKEL_C[:m])))

    return value


def _at(*best: float) -> Callable[[int], Vector]:
    return lambda dimension: np.array(best)


def _fixed(value: Value, lower: float, upper: float, *best: float) -> Function:
    """A function whose optimum has a place that cannot be moved."""
    return Function(value, within(lower, upper), _at(*best), can_be_moved=False)


FUNCTIONS = (
    Function(_sphere, within(-100, 100), everywhere(0)),
    Function(_schwefel_2_22, within(-10, 10), everywhere(0)),
    Function(_schwefel_1_2, within(-100, 100), everywhere(0)),
    Function(_schwefel_2_21, within(-100, 100), everywhere(0)),
    Function(rosenbrock, within(-30, 30), everywhere(1)),
    Function(_step, within(-100, 100), everywhere(0)),
    Function(_quartic, within(-1.28, 1.28), everywhere(0)),
    Function(_schwefel, within(-500, 500), everywhere(SCHWEFEL_BEST), can_be_moved=False),
    Function(rastrigin, within(-5.12, 5.12), everywhere(0)),
    Function(ackley, within(-32, 32), everywhere(0)),
    Function(griewank, within(-600, 600), everywhere(0)),
    Function(_penalized_1, within(-50, 50), everywhere(-1)),
    Function(_penalized_2, within(-50, 50), everywhere(1)),
    Function(_foxholes, within(-65.536, 65.536), _at(-31.9783365, -31.97833721)),
    _fixed(_kowalik, -5, 5, 0.1928334531, 0.1908362398, 0.1231172992, 0.1357659901),
    Function(_camel_back, within(-5, 5), _at(0.08984201653, -0.7126564014)),
    Function(
        _branin,
        lambda dimension: (np.array([-5.0, 0.0]), np.array([10.0, 15.0])),
        _at(-np.pi, 12.275),
    ),
    Function(_goldstein_price, within(-2, 2), _at(0, -1)),
    _fixed(_hartman, 0, 1, 0.1146143365, 0.5556488495, 0.8525469525),
    _fixed(
        *(_hartman, 0, 1),
        *(0.2017076198, 0.1467809498, 0.4767448549, 0.2753423896, 0.3116518743, 0.6572751627),
    ),
    _fixed(_shekel(5), 0, 10, 4.000037152, 4.000133279, 4.000037151, 4.000133277),
    _fixed(_shekel(7), 0, 10, 4.000572914, 4.000689366, 3.999489711, 3.99960616),
    _fixed(_shekel(10), 0, 10, 4.00074653, 4.000592937, 3.999663396, 3.999509799),
)
FIXED = dict(zip(range(14, 24), (2, 4, 2, 2, 2, 3, 6, 4, 4, 4), strict=True))
"""The dimension of a function that has only one."""


class F1F23(Classic):
    name = "f1-f23"
    functions = range(1, 24)
    names: Mapping[int, str] = numbered(
        1,
        *("sphere", "Schwefel 2.22", "Schwefel 1.2", "Schwefel 2.21", "Rosenbrock", "step"),
        *("quartic", "Schwefel", "Rastrigin", "Ackley", "Griewank", "penalized 1", "penalized 2"),
        *("foxholes", "Kowalik", "camel back", "Branin", "Goldstein-Price", "Hartman 3"),
        *("Hartman 6", "Shekel 5", "Shekel 7", "Shekel 10"),
    )
    groups: Mapping[str, range] = {
        "unimodal": range(1, 8),
        "multimodal": range(8, 14),
        "fixed dimension": range(14, 24),
    }
    own_dimensions: Mapping[int, int] = dict.fromkeys(range(1, 14), 30) | FIXED
    declared: Sequence[Function] = FUNCTIONS
    seed: int = 1999

    def faults(self, functions: Ints, dimensions: Ints, instances: Ints) -> list[str]:
        return super().faults(functions, dimensions, instances) + [
            f"dimensions: {dimension} does not fit {self.name} f{function}, "
            f"which has {FIXED[function]} variables"
            for function, dimension in product(functions, dimensions)
            if dimension in self.dimensions and FIXED.get(function, dimension) != dimension
        ]


F1_F23 = F1F23()
"""F1 to F23 of Yao, Liu and Lin (1999)."""
