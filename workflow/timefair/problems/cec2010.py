"""The functions of the CEC'2010 competition on large-scale optimization, with other random data.

K. Tang, X. Li, P. N. Suganthan, Z. Yang, T. Weise, *Benchmark Functions for the CEC'2010 Special
Session and Competition on Large-Scale Global Optimization*, 2010. The formulas are those of the
report, in any dimension D and with groups of any size m.

| functions | formula | basic functions | D |
|---|---|---|---|
| 1-3 | separable | elliptic, Rastrigin, Ackley | 2 or more |
| 4-8 | 1e6 x one group of m + the rest | the three rotated; Schwefel 1.2, Rosenbrock | above m |
| 9-13 | D/2m groups of m + the other half | the same | a multiple of 2m |
| 14-18 | D/m groups of m | the same | a multiple of m |
| 19-20 | all variables together | Schwefel 1.2, Rosenbrock | 2 or more |

The variables that are not in groups (the rest, the other half) form a separable function. It is the
same basic function without rotation, or a sphere if the basic function is Schwefel 1.2 or
Rosenbrock. The bounds are those of the report: -5 and 5 for Rastrigin, -32 and 32 for Ackley, and
-100 and 100 for the others. The value at the optimum is exactly 0. Outside the bounds, the same
formula is used.

The report has data only for 1000 variables in groups of 50, and has no instances. timefair
therefore draws the optimum, the order of the variables and the rotation with numpy's
``default_rng([2010, function, D, m, instance])``, with m = 0 in functions 1-3, 19 and 20. The
optimum is uniform within the bounds, and the order is uniform. All groups have the same rotation,
which is uniform among orthogonal matrices. The competition drew its optimum from a normal
distribution truncated at the bounds. Results can therefore be compared with those of the
competition qualitatively, but not number by number.

Parameters
----------
group_size
    The number of variables in a group, m. Default: 50 if there are 100 variables or more, as in the
    report; otherwise half of the variables, but at least 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Allowed, Ints, Number, Problem, ProblemName, Suite, at_least
from timefair.problems.compiled import InGroups
from timefair.problems.kinds import Native


class Basic(IntEnum):
    """The basic functions of section 2 of the report, by their places in `compiled.LARGE`."""

    SPHERE, ELLIPTIC, RASTRIGIN, ACKLEY, SCHWEFEL, ROSENBROCK = range(6)


SEPARABLE = (Basic.ELLIPTIC, Basic.RASTRIGIN, Basic.ACKLEY)  # but for a rotation
NONSEPARABLE = (Basic.SCHWEFEL, Basic.ROSENBROCK)
FIVE = (*SEPARABLE, *NONSEPARABLE)
MAIN = dict(enumerate((*SEPARABLE, *FIVE, *FIVE, *FIVE, *NONSEPARABLE), start=1))
"""The basic function that a function is named after."""
BOUND = dict(zip(FIVE, (100.0, 5.0, 32.0, 100.0, 100.0), strict=True))
"""Half the width of the search region, whose middle is 0."""

ONE_GROUP = range(4, 9)
HALF_IN_GROUPS = range(9, 14)
ALL_IN_GROUPS = range(14, 19)
GROUPED = range(4, 19)
FACTOR = 1e6  # factor of the only group in `ONE_GROUP`


@dataclass(frozen=True)
class Data:
    optimum: NDArray[np.float64]  # of Rosenbrock's function: the shift of the report plus 1
    order: NDArray[np.intp]  # of the variables: group after group, then the others
    rotation: NDArray[np.float64] | None = None  # orthogonal, shape (group_size, group_size)


def draw(function: int, dimension: int, group_size: int, instance: int) -> Data:
    rng = np.random.default_rng([2010, function, dimension, group_size, instance])
    main = MAIN[function]
    optimum = rng.uniform(-BOUND[main], BOUND[main], dimension)
    if function not in GROUPED:
        return Data(optimum, np.arange(dimension))
    order = rng.permutation(dimension)
    return Data(optimum, order, _rotation(group_size, rng) if main in SEPARABLE else None)


def _rotation(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw an orthogonal matrix uniformly, including determinants of -1 (Stewart 1980)."""
    q, r = np.linalg.qr(rng.standard_normal((size, size)))
    return np.ascontiguousarray(q * np.sign(np.diag(r)))


def evaluation(function: int, group_size: int, data: Data) -> InGroups:
    main = MAIN[function]
    alone = main if function not in GROUPED or main in SEPARABLE else Basic.SPHERE
    return InGroups(
        main,
        alone,
        groups=groups(function, len(data.optimum), group_size),
        group_size=group_size,
        factor=FACTOR if function in ONE_GROUP else 1.0,
        optimum=data.optimum,
        order=data.order,
        rotation=data.rotation,
    )


def groups(function: int, dimension: int, group_size: int) -> int:
    if function in ONE_GROUP:
        return 1
    if function in HALF_IN_GROUPS:
        return dimension // (2 * group_size)
    return dimension // group_size if function in ALL_IN_GROUPS else 0


class Cec2010(Suite):
    name = "cec2010"
    functions = range(1, 21)
    dimensions = at_least(2)

    group_size: int | None = None
    parameters: ClassVar[Allowed] = {"group_size": Number(2, whole=True)}
    groups: Mapping[str, range] = {
        "separable": range(1, 4),
        "one group of m": ONE_GROUP,
        "D/2m groups": HALF_IN_GROUPS,
        "D/m groups": ALL_IN_GROUPS,
        "nonseparable": range(19, 21),
    }

    def faults(self, functions: Ints, dimensions: Ints, instances: Ints) -> list[str]:
        found = super().faults(functions, dimensions, instances)
        return found + list(self._misfits(functions, [d for d in dimensions if d >= 2]))

    def _misfits(self, functions: list[int], dimensions: list[int]) -> Iterator[str]:
        """Dimensions that the groups of a function cannot fill."""
        for function, dimension in product(functions, dimensions):
            size = self._group_size(function, dimension)
            if function in ONE_GROUP and dimension <= size:
                right = f"more than {size} variables, its group"
            elif function in HALF_IN_GROUPS and dimension % (2 * size):
                right = f"a multiple of {2 * size}, twice its group size"
            elif function in ALL_IN_GROUPS and dimension % size:
                right = f"a multiple of {size}, its group size"
            else:
                continue
            yield f"dimensions: {dimension} does not fit cec2010 f{function}, which takes {right}"

    def _group_size(self, function: int, dimension: int) -> int:
        if function not in GROUPED:
            return 0
        return self.group_size or (50 if dimension >= 100 else max(dimension // 2, 2))

    def make(self, name: ProblemName) -> Problem:
        function, dimension = name.function, name.dimension
        size = self._group_size(function, dimension)
        evaluate = evaluation(function, size, draw(function, dimension, size, name.instance))
        bound = np.full(dimension, BOUND[MAIN[function]])
        native = Native(*evaluate.c_function)
        return Problem(name, evaluate, -bound, bound, 0.0, native=native, keep=(evaluate,))


CEC2010 = Cec2010()
"""The functions of the CEC'2010 large-scale competition."""
