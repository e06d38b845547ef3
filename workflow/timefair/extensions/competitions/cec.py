"""The suites of the CEC competitions of 2010 and 2014 to 2022."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from importlib.util import find_spec
from itertools import product
from math import ceil
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.problems import compiled as cec
from timefair.problems.base import (
    Allowed,
    Ints,
    Number,
    Problem,
    ProblemName,
    Suite,
    Word,
    at_least,
    numbered,
)
from timefair.problems.compiled import Basic, Composed, InGroups
from timefair.problems.kinds import Native

BOUND = 100.0


class Hybrid(NamedTuple):
    """Basic functions of groups of variables; the group `rest` has the variables that are left."""

    basics: tuple[Basic, ...]
    shares: tuple[float, ...]
    rest: int = -1

    def groups(self, dimension: int) -> list[tuple[Basic, int]]:
        sizes = [ceil(share * dimension) for share in self.shares]
        sizes[self.rest] += dimension - sum(sizes)
        return list(zip(self.basics, sizes, strict=True))


class Part(NamedTuple):
    """A component of a composition; its value is ``factor * f / divisor + bias``."""

    f: Basic | Hybrid
    spread: float
    bias: float
    divisor: float = 1.0
    factor: float = 1.0
    rotated: bool = True


Formula = Basic | Hybrid | tuple[Part, ...]


def composed(*parts: tuple[Any, ...], biases: Sequence[float] = ()) -> tuple[Part, ...]:
    """A composition of (f, spread, divisor, factor, rotated); by default, biases are 0, 100, ..."""
    each = biases or [100 * k for k in range(len(parts))]
    return tuple(
        Part(f, spread, bias, *more) for (f, spread, *more), bias in zip(parts, each, strict=True)
    )


def divided(**names: Sequence[str] | int) -> tuple[dict[int, str], dict[str, range]]:
    """Short names of functions, from 1, and their groups; of a group with a number of functions,
    they are its own name with a number.
    """
    found, groups = [], {}
    for group, of in names.items():
        each = [f"{group} {k}" for k in range(1, of + 1)] if isinstance(of, int) else of
        groups[group] = range(len(found) + 1, len(found) + len(each) + 1)
        found += each
    return numbered(1, *found), groups


class Cec(Suite):
    year: int
    instances = (1,)
    formulas: Mapping[int, Formula]
    at_optimum: Mapping[int, float]  # the value at the optimum
    undefined: Mapping[int, frozenset[int]]  # the functions that the program refuses, by dimension
    files: Mapping[int, int] = {}
    """The number of a function in the names of the data files, if it is another one."""
    displaced: Mapping[int, float] = {}  # the rotated coordinates of the optimum, if they are not 0
    distributions: Sequence[str] = ("opfunu",)

    @cached_property
    def folder(self) -> Path | None:
        """The data in the package opfunu, which need not be imported for it; None if missing."""
        spec = find_spec("opfunu")
        places = spec.submodule_search_locations if spec is not None else None
        return Path(places[0], "cec_based", f"data_{self.year}") if places else None

    def source_files(self) -> list[Path]:
        """The organizers' data, whose digest is part of the keys and the records."""
        return [] if self.folder is None else sorted(self.folder.glob("*.txt"))

    def faults(self, functions: Ints, dimensions: Ints, instances: Ints) -> list[str]:
        if self.folder is None or not self.folder.is_dir():
            return [
                f"suite: {self.name} needs the data files of the package opfunu: "
                "pip install 'timefair[cec]'"
            ]
        found = super().faults(functions, dimensions, instances)
        for function, dimension in product(functions, dimensions):
            if function in self.undefined.get(dimension, ()):
                others = [d for d in self.dimensions if function not in self.undefined.get(d, ())]
                found.append(
                    f"dimensions: {dimension} is not defined for {self.name} f{function}, "
                    f"which has {', '.join(map(str, others))}"
                )
        return found

    def _read(self, file: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """The first numbers of a file of the organizers; a row may be longer than is needed."""
        assert self.folder is not None
        rows, columns = (1, *shape)[-2:]
        with (self.folder / file).open() as lines:
            read = np.loadtxt(lines, ndmin=2, max_rows=rows, usecols=range(columns))
        return np.ascontiguousarray(read.reshape(shape))

    def _bias(self, function: int) -> float:
        return self.at_optimum[function]

    def _parts(self, function: int) -> Sequence[Part]:
        formula = self.formulas[function]
        return (Part(formula, 1.0, 0.0),) if isinstance(formula, Basic | Hybrid) else formula

    def _data(self, function: int, n: int, count: int) -> tuple[NDArray[Any], Any]:
        """Shifts, and the rotation of each component, None without one."""
        number = self.files.get(function, function)
        shifts = self._read(f"shift_data_{number}.txt", (count, n))
        return shifts, self._read(f"M_{number}_D{n}.txt", (count * n, n)).reshape(count, n, n)

    def make(self, name: ProblemName) -> Problem:
        function, n = name.function, name.dimension
        parts, bias = self._parts(function), self._bias(function)
        count = len(parts)
        shifts, rotations = self._data(function, n, count)
        if any(isinstance(part.f, Hybrid) for part in parts):
            file = f"shuffle_data_{self.files.get(function, function)}_D{n}.txt"
            orders = self._read(file, (1, count * n)).reshape(count, n).astype(np.intp) - 1
        components = [
            (
                part.f.groups(n) if isinstance(part.f, Hybrid) else [(part.f, n)],
                shifts[k],
                rotations[k] if part.rotated else None,
                orders[k] if isinstance(part.f, Hybrid) else None,
                part.factor,
                part.divisor,
                part.spread,
                part.bias,
            )
            for k, part in enumerate(parts)
        ]
        evaluate = Composed(components, bias)
        bound = np.full(n, BOUND)
        native = Native(*evaluate.c_function)
        return Problem(name, evaluate, -bound, bound, bias, native=native, keep=(evaluate,))

    def optimum(self, function: int, dimension: int) -> NDArray[np.float64]:
        """Where the program has its least value, shape ``(dimension,)``."""
        shifts, rotations = self._data(function, dimension, 1)
        if function not in self.displaced:
            return np.asarray(shifts[0])
        z = np.full(dimension, self.displaced[function])
        return np.asarray(shifts[0] + np.linalg.solve(rotations[0], z))


HYBRIDS_2014 = (
    Hybrid((cec.SCHWEFEL, cec.RASTRIGIN, cec.ELLIPTIC), (0.3, 0.3, 0.4)),
    Hybrid((cec.BENT_CIGAR, cec.HGBAT, cec.RASTRIGIN), (0.3, 0.3, 0.4)),
    Hybrid((cec.GRIEWANK, cec.WEIERSTRASS, cec.ROSENBROCK, cec.SCHAFFER_F6), (0.2, 0.2, 0.3, 0.3)),
    Hybrid((cec.HGBAT, cec.DISCUS, cec.GRIEWANK_ROSENBROCK, cec.RASTRIGIN), (0.2, 0.2, 0.3, 0.3)),
    Hybrid(
        (cec.SCHAFFER_F6, cec.HGBAT, cec.ROSENBROCK, cec.SCHWEFEL, cec.ELLIPTIC),
        (0.1, 0.2, 0.2, 0.2, 0.3),
    ),
    Hybrid(
        (cec.KATSUURA, cec.HAPPYCAT, cec.GRIEWANK_ROSENBROCK, cec.SCHWEFEL, cec.ACKLEY),
        (0.1, 0.2, 0.2, 0.2, 0.3),
    ),
)
BASIC_2014 = (
    *(cec.ELLIPTIC, cec.BENT_CIGAR, cec.DISCUS, cec.ROSENBROCK),
    *(cec.ACKLEY, cec.WEIERSTRASS, cec.GRIEWANK),
    *((Part(cec.RASTRIGIN, 1, 0, rotated=False),), cec.RASTRIGIN),
    *((Part(cec.SCHWEFEL, 1, 0, rotated=False),), cec.SCHWEFEL),
    *(cec.KATSUURA, cec.HAPPYCAT, cec.HGBAT, cec.GRIEWANK_ROSENBROCK, cec.SCHAFFER_F6),
)
# fmt: off
COMPOSITIONS_2014 = (
    composed(
        (cec.ROSENBROCK, 10, 1e4, 1e4), (cec.ELLIPTIC, 20, 1e10, 1e4),
        (cec.BENT_CIGAR, 30, 1e30, 1e4), (cec.DISCUS, 40, 1e10, 1e4),
        (cec.ELLIPTIC, 50, 1e10, 1e4, False)
    ),
    composed((cec.SCHWEFEL, 20, 1, 1, False), (cec.RASTRIGIN, 20), (cec.HGBAT, 20)),
    composed(
        (cec.SCHWEFEL, 10, 4e3, 1e3), (cec.RASTRIGIN, 30, 1e3, 1e3), (cec.ELLIPTIC, 50, 1e10, 1e3)
    ),
    composed(
        (cec.SCHWEFEL, 10, 4e3, 1e3), (cec.HAPPYCAT, 10, 1e3, 1e3), (cec.ELLIPTIC, 10, 1e10, 1e3),
        (cec.WEIERSTRASS, 10, 400, 1e3), (cec.GRIEWANK, 10, 100, 1e3)
    ),
    composed(
        (cec.HGBAT, 10, 1e3, 1e4), (cec.RASTRIGIN, 10, 1e3, 1e4), (cec.SCHWEFEL, 10, 4e3, 1e4),
        (cec.WEIERSTRASS, 20, 400, 1e4), (cec.ELLIPTIC, 20, 1e10, 1e4)
    ),
    composed(
        (cec.GRIEWANK_ROSENBROCK, 10, 4e3, 1e4), (cec.HAPPYCAT, 20, 1e3, 1e4),
        (cec.SCHWEFEL, 30, 4e3, 1e4), (cec.SCHAFFER_F6, 40, 2e7, 1e4),
        (cec.ELLIPTIC, 50, 1e10, 1e4)
    ),
    composed((HYBRIDS_2014[0], 10), (HYBRIDS_2014[1], 30), (HYBRIDS_2014[2], 50)),
    composed((HYBRIDS_2014[3], 10), (HYBRIDS_2014[4], 30), (HYBRIDS_2014[5], 50)),
)
# fmt: on


class Cec2014(Cec):
    name = "cec2014"
    year = 2014
    functions = range(1, 31)
    dimensions = (2, 10, 20, 30, 50, 100)
    undefined: Mapping[int, frozenset[int]] = {2: frozenset((*range(17, 23), 29, 30))}
    names, groups = divided(
        unimodal=("elliptic", "bent cigar", "discus"),
        multimodal=(
            *("Rosenbrock", "Ackley", "Weierstrass", "Griewank", "Rastrigin", "rotated Rastrigin"),
            *("Schwefel", "rotated Schwefel", "Katsuura", "HappyCat", "HGBat"),
            *("Griewank-Rosenbrock", "Schaffer F6"),
        ),
        hybrid=6,
        composition=8,
    )
    at_optimum: Mapping[int, float] = {k: 100.0 * k for k in functions}
    formulas: Mapping[int, Formula] = dict(
        enumerate((*BASIC_2014, *HYBRIDS_2014, *COMPOSITIONS_2014), start=1)
    )


CEC2014 = Cec2014()
"""The functions of the CEC2014 competition, as distributed.

The functions of the CEC2014 competition, equal to the organizers' program.

J. J. Liang, B. Y. Qu, P. N. Suganthan, *Problem Definitions and Evaluation Criteria for the CEC
2014 Special Session and Competition on Single Objective Real-Parameter Numerical Optimization*,
2013. Functions 1-3 are unimodal, 4-16 multimodal, 17-22 hybrids, 23-30 compositions. D is 10, 20,
30, 50 or 100, and 2 for all functions but 17-22, 29 and 30. The bounds are -100 and 100.

Data and instance are as in ``cec2017``. f8 and f10 and the fifth part of f23 and the first of f24
are not rotated. f_opt is 100 times the number of the function.
"""


BASIC_2017 = (
    *(cec.BENT_CIGAR, cec.DIFFERENT_POWERS, cec.ZAKHAROV, cec.ROSENBROCK, cec.RASTRIGIN),
    *(cec.SCHAFFER_F7, cec.LUNACEK, cec.RASTRIGIN, cec.LEVY_2017, cec.SCHWEFEL),
)
FIFTHS = (0.2,) * 5
HYBRID_5 = Hybrid((cec.BENT_CIGAR, cec.HGBAT, cec.RASTRIGIN, cec.ROSENBROCK), (0.2, 0.2, 0.3, 0.3))
HYBRID_6 = Hybrid((cec.SCHAFFER_F6, cec.HGBAT, cec.ROSENBROCK, cec.SCHWEFEL), (0.2, 0.2, 0.3, 0.3))
HYBRID_7 = Hybrid(
    (cec.KATSUURA, cec.ACKLEY, cec.GRIEWANK_ROSENBROCK, cec.SCHWEFEL, cec.RASTRIGIN),
    (0.1, 0.2, 0.2, 0.2, 0.3),
)
HYBRID_8 = Hybrid((cec.ELLIPTIC, cec.ACKLEY, cec.RASTRIGIN, cec.HGBAT, cec.DISCUS), FIFTHS)
HYBRID_9 = Hybrid(
    (cec.BENT_CIGAR, cec.RASTRIGIN, cec.GRIEWANK_ROSENBROCK, cec.WEIERSTRASS, cec.SCHAFFER_F6),
    FIFTHS,
)


class Cec2017(Cec):
    name = "cec2017"
    year = 2017
    functions = range(1, 31)
    dimensions = (2, 10, 30, 50, 100)
    undefined: Mapping[int, frozenset[int]] = {2: frozenset((*range(11, 21), 29, 30))}
    names, groups = divided(
        unimodal=("bent cigar", "different powers", "Zakharov"),
        multimodal=(
            *("Rosenbrock", "Rastrigin", "Schaffer F7", "bi-Rastrigin"),
            *("non-continuous Rastrigin", "Levy", "Schwefel"),
        ),
        hybrid=10,
        composition=10,
    )
    at_optimum: Mapping[int, float] = {k: 100.0 * k for k in functions}
    displaced: Mapping[int, float] = {9: 1.0}
    # fmt: off
    formulas: Mapping[int, Formula] = {
        **dict(enumerate(BASIC_2017, start=1)),
        11: Hybrid((cec.ZAKHAROV, cec.ROSENBROCK, cec.RASTRIGIN), (0.2, 0.4, 0.4)),
        12: Hybrid((cec.ELLIPTIC, cec.SCHWEFEL, cec.BENT_CIGAR), (0.3, 0.3, 0.4)),
        13: Hybrid((cec.BENT_CIGAR, cec.ROSENBROCK, cec.LUNACEK), (0.3, 0.3, 0.4)),
        14: Hybrid(
            (cec.ELLIPTIC, cec.ACKLEY, cec.SCHAFFER_F7, cec.RASTRIGIN), (0.2, 0.2, 0.2, 0.4)
        ),
        15: HYBRID_5,
        16: HYBRID_6,
        17: HYBRID_7,
        18: HYBRID_8,
        19: HYBRID_9,
        20: Hybrid(
            (cec.HGBAT, cec.KATSUURA, cec.ACKLEY, cec.RASTRIGIN, cec.SCHWEFEL, cec.SCHAFFER_F7),
            (0.1, 0.1, 0.2, 0.2, 0.2, 0.2),
        ),
        21: composed((cec.ROSENBROCK, 10), (cec.ELLIPTIC, 20, 1e10, 1e4), (cec.RASTRIGIN, 30)),
        22: composed((cec.RASTRIGIN, 10), (cec.GRIEWANK, 20, 100, 1e3), (cec.SCHWEFEL, 30)),
        23: composed(
            (cec.ROSENBROCK, 10), (cec.ACKLEY, 20, 100, 1e3), (cec.SCHWEFEL, 30),
            (cec.RASTRIGIN, 40)
        ),
        24: composed(
            (cec.ACKLEY, 10, 100, 1e3), (cec.ELLIPTIC, 20, 1e10, 1e4),
            (cec.GRIEWANK, 30, 100, 1e3), (cec.RASTRIGIN, 40)
        ),
        25: composed(
            (cec.RASTRIGIN, 10, 1e3, 1e4), (cec.HAPPYCAT, 20, 1e3, 1e3),
            (cec.ACKLEY, 30, 100, 1e3), (cec.DISCUS, 40, 1e10, 1e4), (cec.ROSENBROCK, 50)
        ),
        26: composed(
            (cec.SCHAFFER_F6, 10, 2e7, 1e4), (cec.SCHWEFEL, 20), (cec.GRIEWANK, 20, 100, 1e3),
            (cec.ROSENBROCK, 30), (cec.RASTRIGIN, 40, 1e3, 1e4)
        ),
        27: composed(
            (cec.HGBAT, 10, 1e3, 1e4), (cec.RASTRIGIN, 20, 1e3, 1e4), (cec.SCHWEFEL, 30, 4e3, 1e4),
            (cec.BENT_CIGAR, 40, 1e30, 1e4), (cec.ELLIPTIC, 50, 1e10, 1e4),
            (cec.SCHAFFER_F6, 60, 2e7, 1e4)
        ),
        28: composed(
            (cec.ACKLEY, 10, 100, 1e3), (cec.GRIEWANK, 20, 100, 1e3), (cec.DISCUS, 30, 1e10, 1e4),
            (cec.ROSENBROCK, 40), (cec.HAPPYCAT, 50, 1e3, 1e3), (cec.SCHAFFER_F6, 60, 2e7, 1e4)
        ),
        29: composed((HYBRID_5, 10), (HYBRID_6, 30), (HYBRID_7, 50)),
        30: composed((HYBRID_5, 10), (HYBRID_8, 30), (HYBRID_9, 50)),
    }
    # fmt: on


CEC2017 = Cec2017()
"""The functions of the CEC2017 competition, as distributed.

The functions of the CEC2017 competition, equal to the organizers' program.

N. H. Awad, M. Z. Ali, J. J. Liang, B. Y. Qu, P. N. Suganthan, *Problem Definitions and Evaluation
Criteria for the CEC 2017 Special Session and Competition on Single Objective Bound Constrained
Real-Parameter Numerical Optimization*, 2016. Functions 1-10 are basic functions, 11-20 hybrids,
21-30 compositions. D is 10, 30, 50 or 100, and 2 for functions 1-10 and 21-28. The bounds are
-100 and 100. The organizers removed f2 from the competition: ``functions: 1,3-30``.

The organizers' shifts, rotations and orders of the variables are read from the package opfunu,
which is not imported: ``pip install 'timefair[cec]'``. There is one instance. Values are equal to
those of the program within 1e-12, relatively, where it differs from the report, too:

- f6 (Schaffer's F7) is not rotated.
- f8 (non-continuous Rastrigin) has no steps: it is Rastrigin's function.
- The minimum of f9 (Levy) is 900 where the shifted and rotated variables are 1; at the shift, the
  value is between 900.7 and 909.6.
- In f14 and f20, Schaffer's F7 reads the first variables instead of those of its group, and those
  of its group have no effect.
- f2 is compiled as C++. As C, the program takes the absolute value of whole numbers.

f_opt is 100 times the number of the function, which is the minimum of the program.
"""


class Cec2020(Cec):
    name = "cec2020"
    year = 2020
    functions = range(1, 11)
    dimensions: tuple[int, ...] = (2, 5, 10, 15, 20, 30, 50, 100)
    undefined: Mapping[int, frozenset[int]] = {2: frozenset((5, 6, 7)), 5: frozenset((6, 7))}
    files: Mapping[int, int] = {4: 7, 5: 4, 6: 16, 7: 6, 8: 22, 9: 24, 10: 25}
    names, groups = divided(
        basic=("bent cigar", "Schwefel", "bi-Rastrigin", "Griewank-Rosenbrock"),
        hybrid=3,
        composition=3,
    )
    at_optimum: Mapping[int, float] = dict(
        enumerate((100, 1100, 700, 1900, 1700, 1600, 2100, 2200, 2400, 2500), start=1)
    )
    formulas: Mapping[int, Formula] = {
        1: cec.BENT_CIGAR,
        2: cec.SCHWEFEL,
        3: cec.LUNACEK,
        4: cec.GRIEWANK_ROSENBROCK,
        5: Hybrid((cec.SCHWEFEL, cec.RASTRIGIN, cec.ELLIPTIC), (0.3, 0.3, 0.4), rest=0),
        6: Hybrid(
            (cec.SCHAFFER_F6, cec.HGBAT, cec.ROSENBROCK, cec.SCHWEFEL), (0.2, 0.2, 0.3, 0.3), rest=0
        ),
        7: Hybrid(
            (cec.SCHAFFER_F6, cec.HGBAT, cec.ROSENBROCK, cec.SCHWEFEL, cec.ELLIPTIC),
            (0.1, 0.2, 0.2, 0.2, 0.3),
            rest=0,
        ),
        8: CEC2017.formulas[22],
        9: CEC2017.formulas[24],
        10: CEC2017.formulas[25],
    }


CEC2020 = Cec2020()
"""The functions of the CEC2020 competition, as distributed.

The functions of the CEC2020 and CEC2021 competitions, equal to the organizers' program.

C. T. Yue, K. V. Price, P. N. Suganthan, J. J. Liang, M. Z. Ali, B. Y. Qu, N. H. Awad, P. P. Biswas,
*Problem Definitions and Evaluation Criteria for the CEC 2020 Special Session and Competition on
Single Objective Bound Constrained Numerical Optimization*, 2019, and A. W. Mohamed, A. A. Hadi,
A. K. Mohamed, P. Agrawal, A. Kumar, P. N. Suganthan, the same for 2021, 2020. Functions 1-4 are
basic functions, 5-7 hybrids, 8-10 compositions. D is 5, 10, 15, 20, 30, 50 or 100, in ``cec2021``
10 or 20; all but 5-7 exist in D = 2, too. The competition has neither f6 nor f7 in D = 5 (the
program divides by 0 in f7). The bounds are -100 and 100. Data and instance are as in ``cec2017``.

``cec2021`` has the functions of ``cec2020`` with rounded data and 8 choices of transformations.
Two versions of the program for 2020 are in circulation. Both suites follow the later one. The
earlier one neither shifts nor rotates f4, and has groups of other sizes in f6 in D = 15.

Parameters
----------
transformations
    Of ``cec2021``: which of the bias of f, the shift and the rotation are applied, as the
    organizers name it: ``bias-shift-rot``, the default, ``bias-shift``, ``bias-rot``,
    ``shift-rot``, ``bias``, ``shift``, ``rot`` or ``basic`` for none of them.
"""


class Cec2021(Cec2020):
    name = "cec2021"
    year = 2021
    dimensions = (2, 10, 20)
    undefined: Mapping[int, frozenset[int]] = {2: frozenset((5, 6, 7))}
    files: Mapping[int, int] = {}
    transformations: str = "bias-shift-rot"
    parameters: ClassVar[Allowed] = {
        "transformations": Word(
            (
                *("bias-shift-rot", "bias-shift", "bias-rot", "shift-rot"),
                *("bias", "shift", "rot", "basic"),
            )
        )
    }

    def _bias(self, function: int) -> float:
        return self.at_optimum[function] if "bias" in self.transformations else 0.0

    def _parts(self, function: int) -> Sequence[Part]:
        parts = super()._parts(function)
        if "shift" in self.transformations:
            return parts
        return [part._replace(bias=0.0) for part in parts]  # as in the program

    def _data(self, function: int, n: int, count: int) -> tuple[NDArray[Any], Any]:
        shifts, rotations = super()._data(function, n, count)
        return (
            shifts if "shift" in self.transformations else np.zeros_like(shifts),
            rotations if "rot" in self.transformations else [None] * count,
        )


CEC2021 = Cec2021()
"""The functions of the CEC2021 competition, as distributed."""


class Cec2022(Cec):
    name = "cec2022"
    year = 2022
    functions = range(1, 13)
    dimensions = (2, 10, 20)
    undefined: Mapping[int, frozenset[int]] = {2: frozenset((6, 7, 8))}
    names, groups = divided(
        basic=("Zakharov", "Rosenbrock", "Schaffer F7", "Rastrigin", "Levy"),
        hybrid=3,
        composition=4,
    )
    at_optimum: Mapping[int, float] = dict(
        enumerate((300, 400, 600, 800, 900, 1800, 2000, 2200, 2300, 2400, 2600, 2700), start=1)
    )
    # fmt: off
    formulas: Mapping[int, Formula] = {
        1: cec.ZAKHAROV,
        2: cec.ROSENBROCK,
        3: cec.SCHAFFER_F7,
        4: cec.RASTRIGIN,
        5: cec.LEVY,
        6: Hybrid((cec.BENT_CIGAR, cec.HGBAT, cec.RASTRIGIN), (0.4, 0.4, 0.2)),
        7: Hybrid(
            (cec.HGBAT, cec.KATSUURA, cec.ACKLEY, cec.RASTRIGIN, cec.SCHWEFEL, cec.SCHAFFER_F7),
            (0.1, 0.2, 0.2, 0.2, 0.1, 0.2),
        ),
        8: Hybrid(
            (cec.KATSUURA, cec.HAPPYCAT, cec.GRIEWANK_ROSENBROCK, cec.SCHWEFEL, cec.ACKLEY),
            (0.3, 0.2, 0.2, 0.1, 0.2),
        ),
        9: composed(
            (cec.ROSENBROCK, 10, 1e4, 1e4), (cec.ELLIPTIC, 20, 1e10, 1e4),
            (cec.BENT_CIGAR, 30, 1e30, 1e4), (cec.DISCUS, 40, 1e10, 1e4),
            (cec.ELLIPTIC, 50, 1e10, 1e4, False), biases=(0, 200, 300, 100, 400)
        ),
        10: composed(
            (cec.SCHWEFEL, 20, 1, 1, False), (cec.RASTRIGIN, 10), (cec.HGBAT, 10),
            biases=(0, 200, 100)
        ),
        11: composed(
            (cec.SCHAFFER_F6, 20, 2e7, 1e4), (cec.SCHWEFEL, 20), (cec.GRIEWANK, 30, 100, 1e3),
            (cec.ROSENBROCK, 30), (cec.RASTRIGIN, 20, 1e3, 1e4), biases=(0, 200, 300, 400, 200)
        ),
        12: composed(
            (cec.HGBAT, 10, 1e3, 1e4), (cec.RASTRIGIN, 20, 1e3, 1e4), (cec.SCHWEFEL, 30, 4e3, 1e4),
            (cec.BENT_CIGAR, 40, 1e30, 1e4), (cec.ELLIPTIC, 50, 1e10, 1e4),
            (cec.SCHAFFER_F6, 60, 2e7, 1e4), biases=(0, 300, 500, 100, 400, 200)
        ),
    }
    # fmt: on


CEC2022 = Cec2022()
"""The functions of the CEC2022 competition, as distributed.

The functions of the CEC2022 competition, equal to the organizers' program.

A. Kumar, K. V. Price, A. W. Mohamed, A. A. Hadi, P. N. Suganthan, *Problem Definitions and
Evaluation Criteria for the CEC 2022 Special Session and Competition on Single Objective Bound
Constrained Numerical Optimization*, 2021. Functions 1-5 are basic functions, 6-8 hybrids, 9-12
compositions. D is 2, 10 or 20; 6-8 do not exist in D = 2. The bounds are -100 and 100.

The organizers' shifts, rotations and orders of the variables are read from the package opfunu,
which is not imported: ``pip install 'timefair[cec]'``. There is one instance. Values are equal to
those of the program within 1e-12, relatively, where it differs from the report, too:

- f3 (Schaffer's F7) is not rotated.
- f4 (non-continuous Rastrigin) has no steps: it is Rastrigin's function.
- In f7, Schaffer's F7 reads the first variables instead of those of its group. The last fifth of
  the variables in the order of the groups has no effect.
- In f10, Schwefel's function is not rotated.

The optimum is the shift, and its value is the one of the report in every function.
"""


class Large(IntEnum):
    """The basic functions of the large-scale competition, by their places in `compiled.LARGE`."""

    SPHERE, ELLIPTIC, RASTRIGIN, ACKLEY, SCHWEFEL, ROSENBROCK = range(6)


SEPARABLE = (Large.ELLIPTIC, Large.RASTRIGIN, Large.ACKLEY)  # but for a rotation
NONSEPARABLE = (Large.SCHWEFEL, Large.ROSENBROCK)
FIVE = (*SEPARABLE, *NONSEPARABLE)
MAIN = dict(enumerate((*SEPARABLE, *FIVE, *FIVE, *FIVE, *NONSEPARABLE), start=1))
"""The basic function that a function is named after."""
HALF_WIDTHS = dict(zip(FIVE, (100.0, 5.0, 32.0, 100.0, 100.0), strict=True))
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
    optimum = rng.uniform(-HALF_WIDTHS[main], HALF_WIDTHS[main], dimension)
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
    alone = main if function not in GROUPED or main in SEPARABLE else Large.SPHERE
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
        bound = np.full(dimension, HALF_WIDTHS[MAIN[function]])
        native = Native(*evaluate.c_function)
        return Problem(name, evaluate, -bound, bound, 0.0, native=native, keep=(evaluate,))


CEC2010 = Cec2010()
"""The functions of the CEC'2010 large-scale competition.

The functions of the CEC'2010 competition on large-scale optimization, with other random data.

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
