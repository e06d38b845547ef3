"""What the CEC suites share: the organizers' data, read from opfunu, and the formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from itertools import product
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Ints, Problem, ProblemName, Suite
from timefair.problems.compiled import Basic, Composed
from timefair.problems.kinds import Native

BOUND = 100.0


class Hybrid(NamedTuple):
    """Basic functions of groups of variables; the group `rest` has the variables that are left."""

    basics: tuple[Basic, ...]
    shares: tuple[float, ...]
    rest: int = -1

    def groups(self, dimension: int) -> list[tuple[Basic, int]]:
        """Each basic function with the number of its variables."""
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


class Cec(Suite):
    """A suite of a competition in the form of its program, which has one instance."""

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
        return found + list(self._undefined(functions, dimensions))

    def _undefined(self, functions: list[int], dimensions: list[int]) -> Iterator[str]:
        for function, dimension in product(functions, dimensions):
            if function in self.undefined.get(dimension, ()):
                others = [d for d in self.dimensions if function not in self.undefined.get(d, ())]
                yield (
                    f"dimensions: {dimension} is not defined for {self.name} f{function}, "
                    f"which has {', '.join(map(str, others))}"
                )

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
