"""Classic test functions with known optima, in any dimension.

| | function | bounds | optimal value | reference |
|---|---|---|---|---|
| 1 | Ackley | -32.768 to 32.768 | 0 | Ackley 1987 |
| 2 | Rastrigin | -5.12 to 5.12 | 0 | Rastrigin 1974 |
| 3 | Griewank | -600 to 600 | 0 | Griewank 1981 |
| 4 | Rosenbrock | -5 to 10 | 0 | Rosenbrock 1960 |
| 5 | Levy | -10 to 10 | 0 | Levy and Montalvo 1985 |
| 6 | Schwefel | -500 to 500 | 0 | Schwefel 1981 |
| 7 | Styblinski-Tang | -5 to 5 | -39.16616570377 D | Styblinski and Tang 1990 |
| 8 | Michalewicz, m = 10 | 0 to pi | -1.801303 (D = 2), -9.660152 (D = 10) | Michalewicz 1992 |
| 9 | Zakharov | -5 to 10 | 0 | Rahnamayan et al. 2007 |
| 10 | Dixon-Price | -10 to 10 | 0 | Dixon and Price 1989 |
| 11 | Salomon | -100 to 100 | 0 | Salomon 1996 |
| 12 | Trid | -D^2 to D^2 | -D (D + 4) (D - 1) / 6 | Neumaier 2006 |

The formulas and bounds are those of S. Surjanovic and D. Bingham, *Virtual Library of Simulation
Experiments: Test Functions and Datasets*, 2013, except for Salomon's function.

Instance 1 is the function as published. The other instances move the optimum. The new optimum is
uniform in the inner 80 % of the bounds, drawn with numpy's
``default_rng([1960, function, D, instance])``. Schwefel and Michalewicz cannot be moved, because
they have better values outside their bounds. Their instances reverse a random half of the axes, and
the value outside the bounds is infinite. The optimum of Michalewicz has no closed form. As the
function is separable, timefair computes the optimum for each variable.

The functions are written in numpy. At D = 10, an evaluation takes 3 to 17 times as long as a bare
call of ``bbob`` f8 through cocoex.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Problem, ProblemName, Suite, at_least, numbered

Vector = NDArray[np.float64]  # Shape ``(dimension,)``
Value = Callable[[Vector], float]

INNER = 0.8  # share of the bounds within which the optimum of a moved function is drawn
STEEPNESS = 20  # twice the m of Michalewicz
SEED = 1960


def ackley(z: Vector) -> float:
    """20 - 20 exp(a) + e - exp(b), by expm1: near the optimum the exponentials cancel."""
    squares, cosines = np.mean(z * z), np.mean(np.cos(2 * np.pi * z))
    return float(-20 * np.expm1(-0.2 * np.sqrt(squares)) - np.e * np.expm1(cosines - 1))


def rastrigin(z: Vector) -> float:
    return float(np.sum(z * z + 20 * np.sin(np.pi * z) ** 2))


def griewank(z: Vector) -> float:
    roots = np.sqrt(np.arange(1, len(z) + 1))
    return float(np.sum(z * z) / 4000 + 1 - np.prod(np.cos(z / roots)))


def rosenbrock(z: Vector) -> float:
    return float(np.sum(100 * (z[1:] - z[:-1] ** 2) ** 2 + (z[:-1] - 1) ** 2))


def _levy(z: Vector) -> float:
    u = (z - 1) / 4
    first, last = np.sin(np.pi * u[0]) ** 2, u[-1] ** 2 * (1 + np.sin(2 * np.pi * u[-1]) ** 2)
    return float(first + np.sum(u[:-1] ** 2 * (1 + 10 * np.sin(np.pi * u[:-1] + 1) ** 2)) + last)


def _schwefel(z: Vector) -> float:
    return float(np.sum(_SCHWEFEL_MOST - z * np.sin(np.sqrt(np.abs(z)))))


def _styblinski_tang(z: Vector) -> float:
    return float(np.sum(z**4 - 16 * z**2 + 5 * z) / 2)


def _michalewicz(z: Vector) -> float:
    return float(-np.sum(_bumps(z, np.arange(1, len(z) + 1))))


def _zakharov(z: Vector) -> float:
    weighted = np.sum(np.arange(1, len(z) + 1) * z) / 2
    return float(np.sum(z * z) + weighted**2 + weighted**4)


def _dixon_price(z: Vector) -> float:
    numbers = np.arange(2, len(z) + 1)
    return float((z[0] - 1) ** 2 + np.sum(numbers * (2 * z[1:] ** 2 - z[:-1]) ** 2))


def _salomon(z: Vector) -> float:
    radius = np.sqrt(np.sum(z * z))
    return float(2 * np.sin(np.pi * radius) ** 2 + radius / 10)


def _trid(z: Vector) -> float:
    return float(np.sum((z - 1) ** 2) - np.sum(z[1:] * z[:-1]))


# --- Optima -------------------------------------------------------------------------------------

SCHWEFEL_BEST = 420.968746227503
_SCHWEFEL_MOST = SCHWEFEL_BEST * np.sin(np.sqrt(SCHWEFEL_BEST))
_STYBLINSKI_TANG_BEST = -2.903534027771177  # a root of 4 z^3 - 32 z + 5


def _bumps(z: Vector, numbers: NDArray[np.int_]) -> Vector:
    """The terms of Michalewicz for variables with given numbers, from 1."""
    terms: Vector = np.sin(z) * np.sin(numbers * z * z / np.pi) ** STEEPNESS
    return terms


def _michalewicz_best(dimension: int) -> Vector:
    """The best value of each variable, by bisection of the derivative of the term's logarithm.

    It decreases within a bump, an interval between zeros of the inner sine. The highest bump is one
    of the three around pi / 2, where the outer sine is largest.
    """
    numbers = np.arange(1, dimension + 1)[:, np.newaxis]
    bumps = np.clip(numbers // 4 + np.array([-1, 0, 1]), 0, numbers - 1)
    low, high = np.pi * np.sqrt(bumps / numbers), np.pi * np.sqrt((bumps + 1) / numbers)
    for _ in range(60):
        z = (low + high) / 2
        inner = numbers * z * z / np.pi
        rises = 1 / np.tan(z) + STEEPNESS / np.tan(inner) * 2 * numbers * z / np.pi > 0
        low, high = np.where(rises, z, low), np.where(rises, high, z)
    z = (low + high) / 2
    best = np.argmax(_bumps(z, numbers), axis=1)
    return np.asarray(z[np.arange(dimension), best], dtype=float)


def _dixon_price_best(dimension: int) -> Vector:
    powers = 2.0 ** np.arange(1, dimension + 1)
    return np.asarray(2 ** -((powers - 2) / powers), dtype=float)


def _trid_best(dimension: int) -> Vector:
    numbers = np.arange(1, dimension + 1)
    return np.asarray(numbers * (dimension + 1 - numbers), dtype=float)


class Function(NamedTuple):
    """A function as published: its values, its bounds and its optimum by dimension."""

    value: Value
    bounds: Callable[[int], tuple[float, float] | tuple[Vector, Vector]]
    optimum: Callable[[int], Vector]
    can_be_moved: bool = True


def within(lower: float, upper: float) -> Callable[[int], tuple[float, float]]:
    return lambda dimension: (lower, upper)


def everywhere(best: float) -> Callable[[int], Vector]:
    return lambda dimension: np.full(dimension, best)


FUNCTIONS = (
    Function(ackley, within(-32.768, 32.768), everywhere(0)),
    Function(rastrigin, within(-5.12, 5.12), everywhere(0)),
    Function(griewank, within(-600, 600), everywhere(0)),
    Function(rosenbrock, within(-5, 10), everywhere(1)),
    Function(_levy, within(-10, 10), everywhere(1)),
    Function(_schwefel, within(-500, 500), everywhere(SCHWEFEL_BEST), can_be_moved=False),
    Function(_styblinski_tang, within(-5, 5), everywhere(_STYBLINSKI_TANG_BEST)),
    Function(_michalewicz, within(0, np.pi), _michalewicz_best, can_be_moved=False),
    Function(_zakharov, within(-5, 10), everywhere(0)),
    Function(_dixon_price, within(-10, 10), _dixon_price_best),
    Function(_salomon, within(-100, 100), everywhere(0)),
    Function(_trid, lambda dimension: (-(dimension**2), dimension**2), _trid_best),
)


class Classic(Suite):
    name = "classic"
    functions = range(1, len(FUNCTIONS) + 1)
    dimensions = at_least(2)
    names: Mapping[int, str] = numbered(
        1,
        *("Ackley", "Rastrigin", "Griewank", "Rosenbrock", "Levy", "Schwefel"),
        *("Styblinski-Tang", "Michalewicz", "Zakharov", "Dixon-Price", "Salomon", "Trid"),
    )
    declared: Sequence[Function] = FUNCTIONS
    seed: int = SEED

    def make(self, name: ProblemName) -> Problem:
        function = self.declared[name.function - 1]
        bounds = function.bounds(name.dimension)
        lower, upper = (np.zeros(name.dimension) + bound for bound in bounds)
        best = function.optimum(name.dimension)
        rng = np.random.default_rng([self.seed, name.function, name.dimension, name.instance])
        change = _moved if function.can_be_moved else _reversed
        drawn = rng if name.instance > 1 else None
        evaluate = change(function.value, lower, upper, best, drawn)
        return Problem(name, evaluate, lower, upper, f_opt=function.value(best))


def _moved(
    value: Value, lower: Vector, upper: Vector, best: Vector, rng: np.random.Generator | None
) -> Value:
    """The function with its optimum at another point; without `rng`, as published."""
    shift = np.zeros(len(best))
    if rng is not None:
        share = (1 - INNER) / 2 + INNER * rng.random(len(best))
        shift = lower + share * (upper - lower) - best
    return lambda x: value(x - shift)


def _reversed(
    value: Value, lower: Vector, upper: Vector, best: Vector, rng: np.random.Generator | None
) -> Value:
    """The function with some axes reversed, infinite outside the bounds."""
    sign = np.ones(len(best)) if rng is None else rng.choice([-1.0, 1.0], len(best))
    offset = (1 - sign) * (lower + upper) / 2

    def evaluate(x: Vector) -> float:
        z = sign * x + offset
        if np.any(x < lower) or np.any(x > upper):
            return np.inf
        return value(z)

    return evaluate


CLASSIC = Classic()
"""Ackley, Griewank, Rosenbrock, Schwefel and 8 more functions."""
