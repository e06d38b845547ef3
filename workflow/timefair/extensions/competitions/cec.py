"""The CEC competitions: large scale of 2010 with other data; 2014 to 2022 as programmed.

Tang et al. 2010; Liang et al. 2013 (for 2014); Awad et al. 2016 (2017); Yue et al. 2019 (2020);
Mohamed et al. 2020 (2021); Kumar et al. 2021 (2022). docs/reference/suites.md has their titles, and
where the organizers' programs differ from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from importlib.util import find_spec
from itertools import product
from math import ceil
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.problems import pointwise
from timefair.problems.kinds import Native
from timefair.problems.pointwise import Basic, Composed, InGroups
from timefair.problems.problem import (
    Allowed,
    Ints,
    Number,
    Problem,
    ProblemName,
    Suite,
    Word,
    at_least,
)

BOUND = 100.0


class Part(NamedTuple):
    """A component of a composition; its value is ``factor * f / divisor + bias``.

    - `f`: A basic function, or those of groups of variables, with the shares of the groups; None:
      the variables that are left.
    """

    f: tuple[tuple[Basic, float | None], ...]
    factor: float = 1.0
    divisor: float = 1.0
    spread: float = 1.0
    bias: float = 0.0
    rotated: bool = True

    def groups(self, dimension: int) -> list[tuple[Basic, int]]:
        sizes = [ceil((share or 0.0) * dimension) for _, share in self.f]
        left = dimension - sum(sizes)
        pairs = zip(self.f, sizes, strict=True)
        return [(basic, left if share is None else size) for (basic, share), size in pairs]


Formulas = dict[int, tuple[Part, ...]]


def declared(table: str) -> tuple[dict[int, str], dict[str, range], Formulas]:
    """The names, groups and formulas of functions, from 1: ``name: formula``, in lines or with |
    between them, below the line of their group. Without a name, it is that of the group, with a
    number.

    A formula is a basic function, a hybrid, ``zakharov .2, rosenbrock .4, rastrigin``, or a
    composition, ``rosenbrock 10 *1e4 /1e10 +0; f17 20``, of a spread, factor, divisor and bias; by
    default, factors and divisors are 1, biases 0, 100, .... A ``plain`` part is not rotated.
    """
    names: dict[int, str] = {}
    groups: dict[str, range] = {}
    formulas: Formulas = {}
    for line in table.replace(";\n", ";").replace(" | ", "\n").strip().splitlines():
        name, colon, formula = line.partition(":")
        number = len(names) + 1
        if not colon:
            group, first = name, number
            continue
        names[number] = name or f"{group} {number + 1 - first}"
        groups[group] = range(first, number + 1)
        parts = enumerate(formula.split(";"))
        formulas[number] = tuple(_part(text, 100.0 * place, formulas) for place, text in parts)
    return names, groups, formulas


def _part(text: str, bias: float, known: Formulas) -> Part:
    def basic(name: str) -> Basic:
        found: Basic = getattr(pointwise, name.upper())
        return found

    if "," in text:
        pairs = [each.split() for each in text.split(",")]
        return Part(tuple((basic(of), float(*share) if share else None) for of, *share in pairs))
    name, *words = text.split()
    given = {"*": 1.0, "/": 1.0, "": 1.0, "+": bias}
    for word in set(words) - {"plain"}:
        number = word.lstrip("*/+")
        given[word.removesuffix(number)] = float(number)
    f = known[int(name[1:])][0].f if name[1:].isdigit() else ((basic(name), None),)
    factor, divisor, spread, bias = given.values()
    return Part(f, factor, divisor, spread, bias, "plain" not in words)


class Cec(Suite):
    """The functions of a year; `transformations` says which of the bias, shift and rotation apply.

    - `undefined`: The functions that the program refuses, by dimension.
    - `at_optimum`: The value at the optimum of each function, from 1.
    - `table`: As for `declared`.
    - `files`: The number of a function in the names of the data files, if it is another one.
    """

    instances = (1,)
    distributions: Sequence[str] = ("opfunu",)
    transformations = "bias-shift-rot"

    def __init__(
        self,
        year: int,
        dimensions: Sequence[int],
        undefined: Mapping[int, Sequence[int]],
        at_optimum: Sequence[float],
        table: str,
        files: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        self.name, self.year, self.dimensions = f"cec{year}", year, dimensions
        self.undefined, self.at_optimum, self.files = undefined, at_optimum, files
        self.names, self.groups, self.formulas = declared(table)
        self.functions = range(1, len(self.names) + 1)

    @property
    def folder(self) -> Path | None:
        """The data in the package opfunu, which need not be imported for it; None if missing."""
        spec = find_spec("opfunu")
        places = spec.submodule_search_locations if spec is not None else None
        return Path(places[0], "cec_based", f"data_{self.year}") if places else None

    def source_files(self) -> list[Path]:
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

    def data(self, function: int, n: int, count: int) -> tuple[NDArray[Any], Any]:
        """Shifts, and the rotation of each component, None without one."""
        number = self.files.get(function, function)
        shifts = self._read(f"shift_data_{number}.txt", (count, n))
        turned = self._read(f"M_{number}_D{n}.txt", (count * n, n)).reshape(count, n, n)
        return (
            shifts if "shift" in self.transformations else np.zeros_like(shifts),
            turned if "rot" in self.transformations else [None] * count,
        )

    def make(self, name: ProblemName) -> Problem:
        function, n = name.function, name.dimension
        parts = self.formulas[function]
        bias = float(self.at_optimum[function - 1]) if "bias" in self.transformations else 0.0
        if "shift" not in self.transformations:
            parts = tuple(part._replace(bias=0.0) for part in parts)  # as in the program
        count = len(parts)
        shifts, rotations = self.data(function, n, count)
        orders: Any = [None] * count
        if any(len(part.f) > 1 for part in parts):
            file = f"shuffle_data_{self.files.get(function, function)}_D{n}.txt"
            orders = self._read(file, (1, count * n)).reshape(count, n).astype(np.intp) - 1
        components = [
            (
                *(part.groups(n), shift, turned if part.rotated else None),
                *(order if len(part.f) > 1 else None, *part[1:5]),
            )
            for part, shift, turned, order in zip(parts, shifts, rotations, orders, strict=True)
        ]
        evaluate = Composed(components, bias)
        bound = np.full(n, BOUND)
        native = Native(*evaluate.c_function)
        return Problem(name, evaluate, -bound, bound, bias, native=native, keep=(evaluate,))


CEC2014 = Cec(
    2014,
    (2, 10, 20, 30, 50, 100),
    {2: (*range(17, 23), 29, 30)},
    range(100, 3001, 100),
    """
unimodal
elliptic: elliptic | bent cigar: bent_cigar | discus: discus
multimodal
Rosenbrock: rosenbrock | Ackley: ackley | Weierstrass: weierstrass | Griewank: griewank
Rastrigin: rastrigin plain | rotated Rastrigin: rastrigin | Schwefel: schwefel plain
rotated Schwefel: schwefel | Katsuura: katsuura | HappyCat: happycat | HGBat: hgbat
Griewank-Rosenbrock: griewank_rosenbrock | Schaffer F6: schaffer_f6
hybrid
: schwefel .3, rastrigin .3, elliptic
: bent_cigar .3, hgbat .3, rastrigin
: griewank .2, weierstrass .2, rosenbrock .3, schaffer_f6
: hgbat .2, discus .2, griewank_rosenbrock .3, rastrigin
: schaffer_f6 .1, hgbat .2, rosenbrock .2, schwefel .2, elliptic
: katsuura .1, happycat .2, griewank_rosenbrock .2, schwefel .2, ackley
composition
: rosenbrock 10 *1e4 /1e4; elliptic 20 *1e4 /1e10; bent_cigar 30 *1e4 /1e30;
  discus 40 *1e4 /1e10; elliptic 50 *1e4 /1e10 plain
: schwefel 20 plain; rastrigin 20; hgbat 20
: schwefel 10 *1e3 /4e3; rastrigin 30 *1e3 /1e3; elliptic 50 *1e3 /1e10
: schwefel 10 *1e3 /4e3; happycat 10 *1e3 /1e3; elliptic 10 *1e3 /1e10;
  weierstrass 10 *1e3 /400; griewank 10 *1e3 /100
: hgbat 10 *1e4 /1e3; rastrigin 10 *1e4 /1e3; schwefel 10 *1e4 /4e3;
  weierstrass 20 *1e4 /400; elliptic 20 *1e4 /1e10
: griewank_rosenbrock 10 *1e4 /4e3; happycat 20 *1e4 /1e3; schwefel 30 *1e4 /4e3;
  schaffer_f6 40 *1e4 /2e7; elliptic 50 *1e4 /1e10
: f17 10; f18 30; f19 50
: f20 10; f21 30; f22 50
""",
)
"""The functions of the CEC2014 competition, as distributed."""

CEC2017 = Cec(
    2017,
    (2, 10, 30, 50, 100),
    {2: (*range(11, 21), 29, 30)},
    range(100, 3001, 100),
    """
unimodal
bent cigar: bent_cigar | different powers: different_powers | Zakharov: zakharov
multimodal
Rosenbrock: rosenbrock | Rastrigin: rastrigin | Schaffer F7: schaffer_f7
bi-Rastrigin: lunacek | non-continuous Rastrigin: rastrigin | Levy: levy_2017
Schwefel: schwefel
hybrid
: zakharov .2, rosenbrock .4, rastrigin
: elliptic .3, schwefel .3, bent_cigar
: bent_cigar .3, rosenbrock .3, lunacek
: elliptic .2, ackley .2, schaffer_f7 .2, rastrigin
: bent_cigar .2, hgbat .2, rastrigin .3, rosenbrock
: schaffer_f6 .2, hgbat .2, rosenbrock .3, schwefel
: katsuura .1, ackley .2, griewank_rosenbrock .2, schwefel .2, rastrigin
: elliptic .2, ackley .2, rastrigin .2, hgbat .2, discus
: bent_cigar .2, rastrigin .2, griewank_rosenbrock .2, weierstrass .2, schaffer_f6
: hgbat .1, katsuura .1, ackley .2, rastrigin .2, schwefel .2, schaffer_f7
composition
: rosenbrock 10; elliptic 20 *1e4 /1e10; rastrigin 30
: rastrigin 10; griewank 20 *1e3 /100; schwefel 30
: rosenbrock 10; ackley 20 *1e3 /100; schwefel 30; rastrigin 40
: ackley 10 *1e3 /100; elliptic 20 *1e4 /1e10; griewank 30 *1e3 /100; rastrigin 40
: rastrigin 10 *1e4 /1e3; happycat 20 *1e3 /1e3; ackley 30 *1e3 /100; discus 40 *1e4 /1e10;
  rosenbrock 50
: schaffer_f6 10 *1e4 /2e7; schwefel 20; griewank 20 *1e3 /100; rosenbrock 30;
  rastrigin 40 *1e4 /1e3
: hgbat 10 *1e4 /1e3; rastrigin 20 *1e4 /1e3; schwefel 30 *1e4 /4e3; bent_cigar 40 *1e4 /1e30;
  elliptic 50 *1e4 /1e10; schaffer_f6 60 *1e4 /2e7
: ackley 10 *1e3 /100; griewank 20 *1e3 /100; discus 30 *1e4 /1e10; rosenbrock 40;
  happycat 50 *1e3 /1e3; schaffer_f6 60 *1e4 /2e7
: f15 10; f16 30; f17 50
: f15 10; f18 30; f19 50
""",
)
"""The functions of the CEC2017 competition, as distributed."""

OPTIMA_2020 = (100, 1100, 700, 1900, 1700, 1600, 2100, 2200, 2400, 2500)
TABLE_2020 = """
basic
bent cigar: bent_cigar | Schwefel: schwefel | bi-Rastrigin: lunacek
Griewank-Rosenbrock: griewank_rosenbrock
hybrid
: schwefel, rastrigin .3, elliptic .4
: schaffer_f6, hgbat .2, rosenbrock .3, schwefel .3
: schaffer_f6, hgbat .2, rosenbrock .2, schwefel .2, elliptic .3
composition
: rastrigin 10; griewank 20 *1e3 /100; schwefel 30
: ackley 10 *1e3 /100; elliptic 20 *1e4 /1e10; griewank 30 *1e3 /100; rastrigin 40
: rastrigin 10 *1e4 /1e3; happycat 20 *1e3 /1e3; ackley 30 *1e3 /100; discus 40 *1e4 /1e10;
  rosenbrock 50
"""
CEC2020 = Cec(
    2020,
    (2, 5, 10, 15, 20, 30, 50, 100),
    {2: (5, 6, 7), 5: (6, 7)},
    OPTIMA_2020,
    TABLE_2020,
    {4: 7, 5: 4, 6: 16, 7: 6, 8: 22, 9: 24, 10: 25},
)
"""The functions of the CEC2020 competition, as distributed."""


TRANSFORMATIONS = "bias-shift-rot bias-shift bias-rot shift-rot bias shift rot basic"


class Transformed(Cec):
    parameters: ClassVar[Allowed] = {"transformations": Word(tuple(TRANSFORMATIONS.split()))}


CEC2021 = Transformed(2021, (2, 10, 20), {2: (5, 6, 7)}, OPTIMA_2020, TABLE_2020)
"""The functions of the CEC2021 competition, as distributed."""

CEC2022 = Cec(
    2022,
    (2, 10, 20),
    {2: (6, 7, 8)},
    (300, 400, 600, 800, 900, 1800, 2000, 2200, 2300, 2400, 2600, 2700),
    """
basic
Zakharov: zakharov | Rosenbrock: rosenbrock | Schaffer F7: schaffer_f7
Rastrigin: rastrigin | Levy: levy
hybrid
: bent_cigar .4, hgbat .4, rastrigin
: hgbat .1, katsuura .2, ackley .2, rastrigin .2, schwefel .1, schaffer_f7
: katsuura .3, happycat .2, griewank_rosenbrock .2, schwefel .1, ackley
composition
: rosenbrock 10 *1e4 /1e4 +0; elliptic 20 *1e4 /1e10 +200; bent_cigar 30 *1e4 /1e30 +300;
  discus 40 *1e4 /1e10 +100; elliptic 50 *1e4 /1e10 +400 plain
: schwefel 20 +0 plain; rastrigin 10 +200; hgbat 10 +100
: schaffer_f6 20 *1e4 /2e7 +0; schwefel 20 +200; griewank 30 *1e3 /100 +300; rosenbrock 30 +400;
  rastrigin 20 *1e4 /1e3 +200
: hgbat 10 *1e4 /1e3 +0; rastrigin 20 *1e4 /1e3 +300; schwefel 30 *1e4 /4e3 +500;
  bent_cigar 40 *1e4 /1e30 +100; elliptic 50 *1e4 /1e10 +400; schaffer_f6 60 *1e4 /2e7 +200
""",
)
"""The functions of the CEC2022 competition, as distributed."""


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


def draw(function: int, dimension: int, group_size: int, instance: int) -> SimpleNamespace:
    """The `optimum`, of Rosenbrock's function the shift of the report plus 1; the `order` of the
    variables, group after group, then the others; the orthogonal `rotation` of a group, or None.
    """
    rng = np.random.default_rng([2010, function, dimension, group_size, instance])
    main = MAIN[function]
    optimum = rng.uniform(-HALF_WIDTHS[main], HALF_WIDTHS[main], dimension)
    if function not in GROUPED:
        return SimpleNamespace(optimum=optimum, order=np.arange(dimension), rotation=None)
    order = rng.permutation(dimension)
    turned = _rotation(group_size, rng) if main in SEPARABLE else None
    return SimpleNamespace(optimum=optimum, order=order, rotation=turned)


def _rotation(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw an orthogonal matrix uniformly, including determinants of -1 (Stewart 1980)."""
    q, r = np.linalg.qr(rng.standard_normal((size, size)))
    return np.ascontiguousarray(q * np.sign(np.diag(r)))


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
        return super().faults(functions, dimensions, instances) + [
            f"dimensions: {dimension} does not fit cec2010 f{function}, which takes {right}"
            for function, dimension in product(functions, [d for d in dimensions if d >= 2])
            if (right := self._groups(function, dimension)[2])
        ]

    def _groups(self, function: int, dimension: int) -> tuple[int, int, str]:
        """Size and number of the groups, and what the function takes if the dimension is wrong."""
        if function not in GROUPED:
            return 0, 0, ""
        size = self.group_size or (50 if dimension >= 100 else max(dimension // 2, 2))
        if function in ONE_GROUP:
            return size, 1, "" if dimension > size else f"more than {size} variables, its group"
        twice = "twice " * (function in HALF_IN_GROUPS)
        multiple = 2 * size if twice else size
        right = f"a multiple of {multiple}, {twice}its group size" if dimension % multiple else ""
        return size, dimension // multiple, right

    def make(self, name: ProblemName) -> Problem:
        function, dimension, main = name.function, name.dimension, MAIN[name.function]
        size, groups, _ = self._groups(function, dimension)
        data = draw(function, dimension, size, name.instance)
        evaluate = InGroups(
            main,
            main if function not in GROUPED or main in SEPARABLE else Large.SPHERE,
            groups=groups,
            group_size=size,
            factor=FACTOR if function in ONE_GROUP else 1.0,
            **vars(data),
        )
        bound = np.full(dimension, HALF_WIDTHS[main])
        native = Native(*evaluate.c_function)
        return Problem(name, evaluate, -bound, bound, 0.0, native=native, keep=(evaluate,))


CEC2010 = Cec2010()
"""The functions of the CEC'2010 large-scale competition."""
