"""The interface of a problem and of a suite."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import no_parameter
from timefair.basics.optimum import precision
from timefair.basics.sections import format_ranges
from timefair.basics.words import listed
from timefair.problems.kinds import Changes, Constraints, Kind, Native, Noisy, Task


@dataclass(frozen=True)
class Number:
    """The finite numbers from `least` to `most`; only whole ones, or without `least`."""

    least: float
    most: float = math.inf
    whole: bool = False
    above: bool = False

    def has(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int if self.whole else (int, float)):
            return False
        inside = self.least <= value <= self.most and value < math.inf
        return inside and not (self.above and value == self.least)

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        if self.above:
            return f"{kind} above {self.least}, up to {self.most}"
        if self.most < math.inf:
            return f"{kind} from {self.least} to {self.most}"
        return kind if self.least == -math.inf else f"{kind} of at least {self.least}"


@dataclass(frozen=True)
class Word:
    words: tuple[str, ...]

    def has(self, value: object) -> bool:
        return value in self.words

    def __str__(self) -> str:
        return " or ".join(map(repr, self.words))


@dataclass(frozen=True)
class Truth:
    def has(self, value: object) -> bool:
        return isinstance(value, bool)

    def __str__(self) -> str:
        return "true or false"


SHARE = Number(0, 1)

Allowed = Mapping[str, Number | Word | Truth | None]
"""The parameters that there are, and the values of each; None: any."""


def wrong_parameters(owner: str, allowed: Allowed, parameters: Mapping[str, object]) -> list[str]:
    """One line per parameter that does not exist or has another value than those allowed."""
    lines = []
    for key, value in parameters.items():
        if key not in allowed:
            lines.append(no_parameter(key, owner, allowed))
        elif (wanted := allowed[key]) is not None and not wanted.has(value):
            lines.append(f"{key!r} of {owner} is {wanted}, not {value!r}")
    return lines


Variables = Literal["continuous", "integer", "mixed", "binary", "permutation"]
"""Numbers, whole numbers, some of each, 0 and 1, or an order of the numbers from 0 to D - 1."""

ROUNDED: frozenset[Variables] = frozenset({"integer", "mixed"})
"""Kinds of variables that an algorithm for continuous ones supports if its points are rounded."""

Ints: TypeAlias = list[int]  # numbers of functions, dimensions or instances

LARGEST = 2**31 - 1
"""The largest number of an instance or dimension, which is a C integer in libraries of suites."""


def at_least(least: int) -> range:
    return range(least, LARGEST + 1)


def takes(kinds: frozenset[Variables], variables: Variables) -> bool:
    """Whether an algorithm that supports some kinds of variables supports those of a problem.
    Binary variables are integer ones; mixed ones need ``mixed``, or ``continuous`` and ``integer``.

    >>> takes(frozenset({"continuous", "integer"}), "mixed")
    True
    >>> takes(frozenset({"continuous"}), "binary")
    False
    """
    if variables == "binary":
        return bool(kinds & {"binary", "integer"})
    if variables == "mixed":
        return "mixed" in kinds or kinds >= {"continuous", "integer"}
    return variables in kinds


@dataclass(frozen=True, order=True)
class ProblemName:
    suite: str
    function: int
    dimension: int
    instance: int

    def __str__(self) -> str:
        return f"{self.suite} f{self.function} D={self.dimension} instance {self.instance}"


@dataclass(frozen=True)
class Problem:
    """A function to be minimized, with its bounds and its optimum; arrays of shape
    ``(dimension,)``.
    - `evaluate`: ``evaluate(x) -> float``; a wrong shape raises ValueError; NaN or inf in `x` gives
      NaN or inf. An integer variable that is not a whole number within its bounds raises
      ValueError.
    - `f_opt`: The optimal value, to which precisions are distances (`basics.optimum.precision`), or
      the best known one. NaN if it is unknown: the precision in a record is then f itself.
    - `integer`, `permutation`: Which variables take only whole numbers, by default none; whether a
      point has each of 0 to dimension - 1 once.
    - `native`: The same evaluation without the interpreter, if there is one, with the same bits.
    - `kind`: What it has beyond one exact value of a point. With constraints, `evaluate` and
      `native` give only f.
    - `reseed`: ``reseed(seed)`` restarts the noise for a run of that seed. None if the values are
      exact, or draw from numpy's or Python's global generator.
    - `start`: The feasible starting point that the suite gives, or None.
    - `keep`: Objects that have to exist as long as the problem.
    """

    name: ProblemName
    evaluate: Callable[[NDArray[np.float64]], Any]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    f_opt: float
    integer: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    permutation: bool = False
    native: Native | None = None
    kind: Kind = field(default_factory=Kind)
    reseed: Callable[[int], object] | None = None
    start: NDArray[np.float64] | None = None
    keep: Sequence[object] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.integer.size:
            object.__setattr__(self, "integer", np.zeros(self.dimension, dtype=bool))

    @property
    def dimension(self) -> int:
        return self.name.dimension

    @property
    def outputs(self) -> Kind | None:
        return self.kind if self.kind.keep else None

    @property
    def constraints(self) -> Constraints | None:
        return self.kind if isinstance(self.kind, Constraints) else None

    @property
    def changes(self) -> Changes | None:
        return self.kind if isinstance(self.kind, Changes) else None

    @property
    def noise_free(self) -> Callable[[NDArray[np.float64]], float] | None:
        """The value without noise; None if there is no noise, or this value is unknown."""
        return self.kind.noise_free if isinstance(self.kind, Noisy) else None

    def value(self, x: NDArray[np.float64]) -> float:
        return self.kind.value(float(self.evaluate(x)), x, self.f_opt)

    @property
    def numbers(self) -> int:
        return 1 if self.kind.later else max(len(self.kind.names), 1)

    @property
    def kept(self) -> int:
        """Length of a vector during the run: all its numbers, or the first one and the point."""
        return 1 + self.dimension if self.kind.later else self.numbers

    @property
    def shown(self) -> int:
        return self.kind.shown

    def precision(self, value: float) -> float:
        """The distance of a value to the optimum; the value itself if none is known."""
        return value if np.isnan(self.f_opt) else precision(value, self.f_opt)

    def points(self, count: int) -> NDArray[np.float64]:
        """Points for a trial of the evaluation, on the diagonal of the bounds, shape ``(count,
        dimension)``; integer variables are rounded down, permutations are shifts of the natural
        order.
        """
        if self.permutation:
            return np.array(
                [np.roll(self.lower + np.arange(self.dimension), k) for k in range(count)]
            )
        points = np.linspace(self.lower, self.upper, count)
        points[:, self.integer] = np.floor(points[:, self.integer])
        return points


class Suite(ABC):
    """A family of problems. Campaigns name it as ``problems.suite``.

    A suite is an instance of a subclass at the top level of a module of this package, where the
    registry finds it. All methods but `make` work without the library behind the suite.
    - `functions`, `instances`, `dimensions`: Their numbers, a list or a range; `at_least` gives one
      without end.
    - `own_dimensions`: The dimension of each function in a campaign without `dimensions`, or empty.
    - `fixed`: The dimension of each function that has only one.
    - `variables`: Their kind; `variables_of` may say another one for a function.
    - `kind`: What the problems have beyond one exact value of a point.
    - `environments`: How many environments a problem goes through in a run; 1: it does not change.
    - `published_needs`: The setting with which a campaign has the precisions of published data, or
      empty.
    - `distributions`: The packages whose versions affect the values; the first is to be installed.
    - `parameters`: The values that each of ``problems.parameters`` may have, an attribute of the
      same name, with its default.
    - `names`, `groups`: Short names of functions by number, and their numbers by the name of the
      group, which are only shown.
    - `targets`: The default target precisions; empty for the usual ones.
    """

    name: str
    functions: range
    dimensions: Sequence[int]
    instances: Sequence[int] = at_least(1)
    own_dimensions: Mapping[int, int] = MappingProxyType({})
    fixed: Mapping[int, int] = MappingProxyType({})
    variables: Variables = "continuous"
    kind: type[Kind] = Kind
    environments: int = 1
    published_needs: str = ""
    distributions: Sequence[str] = ()
    parameters: ClassVar[Allowed] = MappingProxyType({})
    names: Mapping[int, str] = MappingProxyType({})
    groups: Mapping[str, range] = MappingProxyType({})
    targets: tuple[float, ...] = ()

    @property
    def task(self) -> Task:
        return self.kind.task

    def parameter_faults(self, parameters: Mapping[str, object]) -> list[str]:
        """Check the parameters; one line per fault. A line begins with the offending word."""
        return wrong_parameters(self.name, self.parameters, parameters)

    def configured(self, parameters: Mapping[str, object]) -> Self:
        """The suite with parameters that have no faults, as its attributes."""
        changed = copy.copy(self)
        for key, value in parameters.items():
            setattr(changed, key, value)
        return changed

    def faults(self, functions: Ints, dimensions: Ints, instances: Ints) -> list[str]:
        """Check keys of problems; one line per key that the suite does not have, and what would be
        right. A suite in which some combinations are missing extends this method.
        """
        return [
            *self._misses("functions", functions, self.functions),
            *self._misses("dimensions", dimensions, self.dimensions),
            *self._misses("instances", instances, self.instances),
            *(
                f"dimensions: {dimension} does not fit {self.name} f{function} "
                f"({self.names[function]}), which has {self.fixed[function]} variables"
                for function, dimension in product(functions, dimensions)
                if dimension in self.dimensions and self.fixed.get(function, dimension) != dimension
            ),
        ]

    def variables_of(self, function: int) -> Variables:
        return self.variables

    def knows_optimum(self, function: int, dimension: int, instance: int) -> bool:
        return True

    def problem(self, function: int, dimension: int, instance: int) -> Problem:
        """Make one problem, for this process or a fork of it; `ValueError` if there is none."""
        if faults := self.faults([function], [dimension], [instance]):
            raise ValueError("; ".join(faults))
        return self.make(ProblemName(self.name, function, dimension, instance))

    @abstractmethod
    def make(self, name: ProblemName) -> Problem:
        """Make the problem of a name that has no faults."""

    def source_files(self) -> list[Path]:
        """The user's code behind the suite, for a digest; empty for a suite of this package."""
        return []

    def _misses(self, key: str, numbers: list[int], known: Sequence[int]) -> Iterator[str]:
        for number in numbers:
            if number not in known:
                yield f"{key}: {number} is not in {self.name}, {_what_is_known(key, known)}"


MOST_NUMBERS = 8  # more numbers are written as ranges in a message


def _what_is_known(key: str, known: Sequence[int]) -> str:
    if known == (1,):
        return "which has only instance 1"
    if not isinstance(known, range):
        many = len(known) > MOST_NUMBERS
        named = format_ranges(known).split(",") if many else [str(number) for number in known]
        return f"which has {listed(named)}"
    if known[-1] == LARGEST:
        return f"whose {key} are whole numbers from {known[0]}"
    return f"which has {known[0]} to {known[-1]}"


def refusing(
    evaluate: Callable[[NDArray[np.float64]], float],
    name: ProblemName,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    integer: NDArray[np.bool_],
) -> Callable[[NDArray[np.float64]], float]:
    """Wrap an evaluation: ValueError if an integer variable is not a whole number in its bounds."""
    shape, places = integer.shape, np.flatnonzero(integer)
    least, most = lower[places], upper[places]

    def evaluate_whole(x: NDArray[np.float64]) -> float:
        if x.shape != shape:
            raise ValueError(f"{name} takes an array of shape {shape}, not {x.shape}")
        values = x[places]
        right = (values == np.rint(values)) & (values >= least) & (values <= most)
        if not right.all():
            k = int(np.argmin(right))
            bits = (least[k], most[k]) == (0, 1)
            takes = "0 or 1" if bits else f"whole numbers from {least[k]:g} to {most[k]:g}"
            raise ValueError(f"variable {places[k]} of {name} is {values[k]:g}: it takes {takes}")
        return evaluate(x)

    return evaluate_whole


def permutations(
    name: ProblemName, evaluate: Callable[[NDArray[np.float64]], float], f_opt: float
) -> Problem:
    """A problem whose points are orders of 0 to dimension - 1; ValueError at any other point."""
    natural = np.arange(name.dimension, dtype=np.float64)

    def evaluate_order(x: NDArray[np.float64]) -> float:
        if x.shape != natural.shape or not np.array_equal(np.sort(x), natural):
            raise ValueError(
                f"{name} takes each of the numbers 0 to {name.dimension - 1} once, "
                f"not {x.tolist()!r:.60}"
            )
        return evaluate(x)

    lower, upper = 0 * natural, np.full(name.dimension, natural[-1])
    whole = np.ones(name.dimension, dtype=bool)
    return Problem(name, evaluate_order, lower, upper, f_opt, whole, permutation=True)


def numbered(*names: str) -> dict[int, str]:
    return dict(enumerate(names, start=1))
