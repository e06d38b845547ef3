"""Classic test functions: the suites ``classic`` and ``f1-f23``; and ``permutations``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.problems.problem import (
    Problem,
    ProblemName,
    Suite,
    Variables,
    at_least,
    numbered,
    permutations,
)

Vector = NDArray[np.float64]  # Shape ``(dimension,)``
Value = Callable[[Vector], Any]  # a number

INNER = 0.8  # share of the bounds within which the optimum of a moved function is drawn
STEEPNESS = 20  # twice the m of Michalewicz


def _numbers(z: Vector, first: int = 1) -> NDArray[np.int_]:
    return np.arange(first, len(z) + 1)


def _ackley(z: Vector) -> Any:
    """20 - 20 exp(a) + e - exp(b), by expm1: near the optimum the exponentials cancel."""
    squares, cosines = np.mean(z * z), np.mean(np.cos(2 * np.pi * z))
    return -20 * np.expm1(-0.2 * np.sqrt(squares)) - np.e * np.expm1(cosines - 1)


def _rastrigin(z: Vector) -> Any:
    return np.sum(z * z + 20 * np.sin(np.pi * z) ** 2)


def _griewank(z: Vector) -> Any:
    return np.sum(z * z) / 4000 + 1 - np.prod(np.cos(z / np.sqrt(_numbers(z))))


def _rosenbrock(z: Vector) -> Any:
    return np.sum(100 * (z[1:] - z[:-1] ** 2) ** 2 + (z[:-1] - 1) ** 2)


def _levy(z: Vector) -> Any:
    u = (z - 1) / 4
    first, last = np.sin(np.pi * u[0]) ** 2, u[-1] ** 2 * (1 + np.sin(2 * np.pi * u[-1]) ** 2)
    return first + np.sum(u[:-1] ** 2 * (1 + 10 * np.sin(np.pi * u[:-1] + 1) ** 2)) + last


def _zakharov(z: Vector) -> Any:
    weighted = np.sum(_numbers(z) * z) / 2
    return np.sum(z * z) + weighted**2 + weighted**4


def _salomon(z: Vector) -> Any:
    radius = np.sqrt(np.sum(z * z))
    return 2 * np.sin(np.pi * radius) ** 2 + radius / 10


# --- Optima -------------------------------------------------------------------------------------

SCHWEFEL_BEST = 420.968746227503
_SCHWEFEL_MOST = SCHWEFEL_BEST * np.sin(np.sqrt(SCHWEFEL_BEST))
_STYBLINSKI_TANG_BEST = -2.903534027771177  # a root of 4 z^3 - 32 z + 5


def _bumps(z: Vector, numbers: NDArray[np.int_]) -> Vector:
    """The terms of Michalewicz for variables with given numbers, from 1."""
    terms: Vector = np.sin(z) * np.sin(numbers * z * z / np.pi) ** STEEPNESS
    return terms


def _michalewicz_best(dimension: int) -> Vector:
    """The best value of each variable, by bisection of the derivative of the term's logarithm. It
    decreases within a bump, an interval between zeros of the inner sine. The highest bump is one of
    the three around pi / 2, where the outer sine is largest.
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


Place = float | Sequence[float] | Callable[[int], Any]
"""A number for every variable, one for each of them, or a function of the dimension."""


class Function(NamedTuple):
    """A function as published: its values, its bounds and its optimum."""

    name: str
    value: Value
    lower: Place
    upper: Place
    best: Place
    can_be_moved: bool = True


def _placed(place: Place, dimension: int) -> Vector:
    return np.zeros(dimension) + (place(dimension) if callable(place) else place)


FUNCTIONS = (
    Function("Ackley", _ackley, -32.768, 32.768, 0),
    Function("Rastrigin", _rastrigin, -5.12, 5.12, 0),
    Function("Griewank", _griewank, -600, 600, 0),
    Function("Rosenbrock", _rosenbrock, -5, 10, 1),
    Function("Levy", _levy, -10, 10, 1),
    Function(
        "Schwefel",
        lambda z: np.sum(_SCHWEFEL_MOST - z * np.sin(np.sqrt(np.abs(z)))),
        *(-500, 500, SCHWEFEL_BEST, False),
    ),
    Function(
        "Styblinski-Tang",
        lambda z: np.sum(z**4 - 16 * z**2 + 5 * z) / 2,
        *(-5, 5, _STYBLINSKI_TANG_BEST),
    ),
    Function(
        "Michalewicz",
        lambda z: -np.sum(_bumps(z, _numbers(z))),
        *(0, np.pi, _michalewicz_best, False),
    ),
    Function("Zakharov", _zakharov, -5, 10, 0),
    Function(
        "Dixon-Price",
        lambda z: (z[0] - 1) ** 2 + np.sum(_numbers(z, 2) * (2 * z[1:] ** 2 - z[:-1]) ** 2),
        *(-10, 10, _dixon_price_best),
    ),
    Function("Salomon", _salomon, -100, 100, 0),
    Function(
        "Trid",
        lambda z: np.sum((z - 1) ** 2) - np.sum(z[1:] * z[:-1]),
        *(lambda n: -(n**2), lambda n: n**2, lambda n: np.arange(1, n + 1) * np.arange(n, 0, -1)),
    ),
)


class Classic(Suite):
    name = "classic"
    declared: Sequence[Function] = FUNCTIONS
    functions = range(1, len(declared) + 1)
    dimensions = at_least(2)
    names: Mapping[int, str] = numbered(*(function.name for function in declared))
    seed: int = 1960

    def make(self, name: ProblemName) -> Problem:
        """Instances move the optimum, or reverse axes and are infinite outside the bounds."""
        function, n = self.declared[name.function - 1], name.dimension
        value, lower, upper, best = function.value, *(_placed(end, n) for end in function[2:5])
        rng = np.random.default_rng([self.seed, name.function, n, name.instance])
        published = name.instance == 1
        shift, sign = np.zeros(n), np.ones(n)
        if function.can_be_moved and not published:
            shift = lower + ((1 - INNER) / 2 + INNER * rng.random(n)) * (upper - lower) - best
        elif not published:
            sign = rng.choice([-1.0, 1.0], n)
        offset = (1 - sign) * (lower + upper) / 2

        def reversed_(x: Vector) -> float:
            z = sign * x + offset
            return np.inf if np.any(x < lower) or np.any(x > upper) else float(value(z))

        evaluate = (lambda x: float(value(x - shift))) if function.can_be_moved else reversed_
        return Problem(name, evaluate, lower, upper, f_opt=float(value(best)))


CLASSIC = Classic()
"""Ackley, Griewank, Rosenbrock, Schwefel and 8 more functions.

Surjanovic and Bingham, *Virtual Library of Simulation Experiments*, 2013; Salomon 1996.
"""


def _beyond(z: Vector, bound: float) -> Any:
    return 100 * np.sum(np.maximum(np.abs(z) - bound, 0.0) ** 4)


def _penalized_1(z: Vector) -> Any:
    y = 1 + (z + 1) / 4
    waves = 10 * np.sin(np.pi * y) ** 2
    middle = np.sum((y[:-1] - 1) ** 2 * (1 + waves[1:]))
    return np.pi / len(z) * (waves[0] + middle + (y[-1] - 1) ** 2) + _beyond(z, 10.0)


def _penalized_2(z: Vector) -> Any:
    waves = np.sin(3 * np.pi * z) ** 2
    middle = np.sum((z[:-1] - 1) ** 2 * (1 + waves[1:]))
    last = (z[-1] - 1) ** 2 * (1 + np.sin(2 * np.pi * z[-1]) ** 2)
    return 0.1 * (waves[0] + middle + last) + _beyond(z, 5.0)


FOXHOLES = np.array([(x, y) for y, x in product((-32, -16, 0, 16, 32), repeat=2)], dtype=float)


def _foxholes(z: Vector) -> Any:
    holes = np.arange(1, 26) + np.sum((z - FOXHOLES) ** 6, axis=1)
    return 1 / (1 / 500 + np.sum(1 / holes))


KOWALIK_A = np.array(
    [0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246]
)
KOWALIK_B = 1 / np.array([0.25, 0.5, 1, 2, 4, 6, 8, 10, 12, 14, 16])


def _kowalik(z: Vector) -> Any:
    b = KOWALIK_B
    with np.errstate(divide="ignore", invalid="ignore"):
        model = z[0] * (b * b + b * z[1]) / (b * b + b * z[2] + z[3])
    value = np.sum((KOWALIK_A - model) ** 2)
    return np.inf if np.isnan(value) and np.isfinite(z).all() else value


def _camel_back(z: Vector) -> Any:
    x, y = z
    return 4 * x**2 - 2.1 * x**4 + x**6 / 3 + x * y - 4 * y**2 + 4 * y**4


def _branin(z: Vector) -> Any:
    x, y = z
    valley = y - 5.1 / (4 * np.pi**2) * x * x + 5 / np.pi * x - 6
    return valley**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10


def _goldstein_price(z: Vector) -> Any:
    x, y = z
    first = 19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2
    second = 18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2
    return (1 + (x + y + 1) ** 2 * first) * (30 + (2 * x - 3 * y) ** 2 * second)


HARTMAN_C = np.array([1, 1.2, 3, 3.2])
# fmt: off
HARTMAN = {
    3: (
        np.array([(3, 10, 30), (0.1, 10, 35)] * 2),
        np.array([
            (0.3689, 0.1170, 0.2673), (0.4699, 0.4387, 0.7470),
            (0.1091, 0.8732, 0.5547), (0.03815, 0.5743, 0.8828),
        ]),
    ),
    6: (
        np.array([
            (10, 3, 17, 3.5, 1.7, 8), (0.05, 10, 17, 0.1, 8, 14),
            (3, 3.5, 1.7, 10, 17, 8), (17, 8, 0.05, 10, 0.1, 14),
        ]),
        np.array([
            (0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886),
            (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991),
            (0.2348, 0.1415, 0.3522, 0.2883, 0.3047, 0.6650),
            (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381),
        ]),
    ),
}
# fmt: on


def _hartman(z: Vector) -> Any:
    widths, places = HARTMAN[len(z)]
    return -np.sum(HARTMAN_C * np.exp(-np.sum(widths * (z - places) ** 2, axis=1)))


SHEKEL_A: NDArray[np.float64] = np.array(
    [*((4, 4), (1, 1), (8, 8), (6, 6), (3, 7)), *((2, 9), (5, 3), (8, 1), (6, 2), (7, 3.6))]
)[:, [0, 1, 0, 1]]
SHEKEL_A[6] = (5, 5, 3, 3)
SHEKEL_C = np.array([0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5])


def _shekel(m: int) -> Value:
    a, c = SHEKEL_A[:m], SHEKEL_C[:m]
    return lambda z: -np.sum(1 / (np.sum((z - a) ** 2, axis=1) + c))


F1_F23_FUNCTIONS = (
    Function("sphere", lambda z: np.sum(z * z), -100, 100, 0),
    Function("Schwefel 2.22", lambda z: np.sum(np.abs(z)) + np.prod(np.abs(z)), -10, 10, 0),
    Function("Schwefel 1.2", lambda z: np.sum(np.cumsum(z) ** 2), -100, 100, 0),
    Function("Schwefel 2.21", lambda z: np.max(np.abs(z)), -100, 100, 0),
    Function("Rosenbrock", _rosenbrock, -30, 30, 1),
    Function("step", lambda z: np.sum(np.floor(z + 0.5) ** 2), -100, 100, 0),
    Function("quartic", lambda z: np.sum(_numbers(z) * z**4), -1.28, 1.28, 0),
    Function(
        "Schwefel",
        lambda z: -np.sum(z * np.sin(np.sqrt(np.abs(z)))),
        *(-500, 500, SCHWEFEL_BEST, False),
    ),
    Function("Rastrigin", _rastrigin, -5.12, 5.12, 0),
    Function("Ackley", _ackley, -32, 32, 0),
    Function("Griewank", _griewank, -600, 600, 0),
    Function("penalized 1", _penalized_1, -50, 50, -1),
    Function("penalized 2", _penalized_2, -50, 50, 1),
)
# fmt: off
FIXED_FUNCTIONS = (
    Function("foxholes", _foxholes, -65.536, 65.536, (-31.9783365, -31.97833721)),
    Function(
        "Kowalik", _kowalik, -5, 5, (0.1928334531, 0.1908362398, 0.1231172992, 0.1357659901), False
    ),
    Function("camel back", _camel_back, -5, 5, (0.08984201653, -0.7126564014)),
    Function("Branin", _branin, (-5, 0), (10, 15), (-np.pi, 12.275)),
    Function("Goldstein-Price", _goldstein_price, -2, 2, (0, -1)),
    Function("Hartman 3", _hartman, 0, 1, (0.1146143365, 0.5556488495, 0.8525469525), False),
    Function(
        "Hartman 6", _hartman, 0, 1,
        (0.2017076198, 0.1467809498, 0.4767448549, 0.2753423896, 0.3116518743, 0.6572751627), False
    ),
    Function(
        "Shekel 5", _shekel(5), 0, 10, (4.000037152, 4.000133279, 4.000037151, 4.000133277), False
    ),
    Function(
        "Shekel 7", _shekel(7), 0, 10, (4.000572914, 4.000689366, 3.999489711, 3.99960616), False
    ),
    Function(
        "Shekel 10", _shekel(10), 0, 10, (4.00074653, 4.000592937, 3.999663396, 3.999509799), False
    ),
)
# fmt: on
FIXED = dict(zip(range(14, 24), (2, 4, 2, 2, 2, 3, 6, 4, 4, 4), strict=True))
"""The dimension of a function that has only one."""


class F1F23(Classic):
    name = "f1-f23"
    declared: Sequence[Function] = (*F1_F23_FUNCTIONS, *FIXED_FUNCTIONS)
    functions = range(1, 24)
    names: Mapping[int, str] = numbered(*(function.name for function in declared))
    groups: Mapping[str, range] = {
        "unimodal": range(1, 8),
        "multimodal": range(8, 14),
        "fixed dimension": range(14, 24),
    }
    own_dimensions: Mapping[int, int] = dict.fromkeys(range(1, 14), 30) | FIXED
    fixed = FIXED
    seed: int = 1999


F1_F23 = F1F23()
"""F1 to F23 of Yao, Liu and Lin (1999).

*Evolutionary Programming Made Faster*, IEEE Transactions on Evolutionary Computation 3(2).
"""


PERMUTATIONS_SEED = 41
Order = NDArray[Any]
Made = tuple[Callable[[Order], float], float]  # a function of a permutation, and its least value


def _tour(distance: Vector, best: Order) -> Made:
    def length(x: Order) -> float:
        order = x.astype(np.intp)
        return float(distance[order, np.roll(order, -1)].sum())

    return length, length(best)


def _circle(n: int, rng: np.random.Generator) -> Made:
    angle = rng.uniform(0, 2 * np.pi, n)
    place = 100 * np.exp(1j * angle)
    return _tour(np.abs(place[:, None] - place), np.argsort(angle))


def _planted(n: int, rng: np.random.Generator) -> Made:
    tour = rng.permutation(n)
    slack = np.triu(rng.integers(1, 100, (n, n)), 1).astype(float)
    slack += slack.T
    slack[tour, np.roll(tour, -1)] = slack[np.roll(tour, -1), tour] = 0
    u = rng.integers(1, 100, n).astype(float)
    distance = u[:, None] + u + slack
    return _tour(distance, tour)


def _assignment(n: int, rng: np.random.Generator) -> Made:
    x, y = np.divmod(np.arange(n), ceil(sqrt(n)))
    distance = (np.abs(x[:, None] - x) + np.abs(y[:, None] - y)).astype(float)
    pairs = np.triu_indices(n, 1)
    flows = np.sort(rng.integers(0, 100, len(pairs[0])))[::-1].astype(float)
    near_first = np.lexsort((rng.random(len(flows)), distance[pairs]))
    flow, hidden = np.zeros((n, n)), rng.permutation(n)
    flow[pairs[0][near_first], pairs[1][near_first]] = flows
    flow = (flow + flow.T)[np.ix_(hidden, hidden)]  # facility i belongs at the place hidden[i]

    def cost(x: Order) -> float:
        place = x.astype(np.intp)
        return float(np.vdot(flow, distance[np.ix_(place, place)]))

    return cost, cost(hidden)


def _flow_shop(n: int, rng: np.random.Generator) -> Made:
    first, second = rng.integers(1, 100, (2, n)).astype(float)
    early = first < second
    rule = np.lexsort((np.where(early, first, -second), ~early))

    def makespan(x: Order) -> float:
        order = x.astype(np.intp)
        # The second machine is busy without a pause from some job on.
        begun, rest = np.cumsum(first[order]), np.cumsum(second[order][::-1])[::-1]
        return float(np.max(begun + rest))

    return makespan, makespan(rule)


MAKERS = (_circle, _planted, _assignment, _flow_shop)


class Permutations(Suite):
    name = "permutations"
    functions = range(1, len(MAKERS) + 1)
    dimensions: Sequence[int] = range(4, 1001)
    variables: Variables = "permutation"
    names: Mapping[int, str] = numbered("TSP circle", "TSP planted", "QAP", "flow shop")

    def make(self, name: ProblemName) -> Problem:
        rng = np.random.default_rng(
            [PERMUTATIONS_SEED, name.function, name.dimension, name.instance]
        )
        evaluate, least = MAKERS[name.function - 1](name.dimension, rng)
        return permutations(name, lambda x: 100 * (evaluate(x) / least), 100.0)


PERMUTATIONS = Permutations()
"""Tours, assignments and flow shops with known optima."""
