"""The interface of a problem and of a suite."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

Variables = Literal["continuous", "integer", "mixed", "binary"]
"""What a problem's variables are: numbers, whole numbers, some of each, or 0 and 1."""

ROUNDED: frozenset[Variables] = frozenset({"integer", "mixed"})
"""What an algorithm for continuous variables also takes where its points are rounded."""

LARGEST = 2**31 - 1
"""The largest number of an instance or dimension: a C integer in the libraries of the suites."""


def at_least(least: int) -> range:
    """The whole numbers from `least` to `LARGEST`."""
    return range(least, LARGEST + 1)


def takes(kinds: frozenset[Variables], variables: Variables) -> bool:
    """Whether an algorithm that takes some kinds of variables can take those of a problem.

    Binary variables are integer variables. Mixed variables need ``mixed``, or both ``continuous``
    and ``integer``.

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


@dataclass(frozen=True)
class ProblemName:
    """The key of a problem: (suite, function, dimension, instance)."""

    suite: str
    function: int
    dimension: int
    instance: int

    def __str__(self) -> str:
        return f"{self.suite} f{self.function} D={self.dimension} instance {self.instance}"


@dataclass(frozen=True)
class Native:
    """A problem's evaluation as a C function ``f(handle, const double *x, double *y)``."""

    function: int  # address
    handle: int  # address


@dataclass(frozen=True)
class Problem:
    """A function to be minimized, with its bounds and its optimum.

    Attributes
    ----------
    name
        Its key.
    evaluate
        ``evaluate(x) -> float`` for an array `x` of shape ``(dimension,)``; a wrong shape raises
        ValueError; NaN or inf in `x` gives NaN or inf. An integer variable that is not a whole
        number within its bounds raises ValueError.
    lower, upper
        Bounds, arrays of shape ``(dimension,)``, the region that algorithms are given to search.
    f_opt
        The optimal value; ``precision = max(f - f_opt, 0)``. NaN where it is unknown: the precision
        of a record is then f itself, and tables take the best value of the campaign as optimum.
    integer
        Which variables take whole numbers only, shape ``(dimension,)``; by default none.
    native
        The same evaluation without the interpreter, where the suite has one. It gives the same
        bits as `evaluate`.
    reseed
        ``reseed(seed)`` restarts the noise of the values for a run of that seed. None if the values
        are exact, or draw from numpy's or Python's global generator.
    keep
        Objects that have to live as long as the problem.
    """

    name: ProblemName
    evaluate: Callable[[NDArray[np.float64]], float]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    f_opt: float
    integer: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    native: Native | None = None
    reseed: Callable[[int], object] | None = None
    keep: Sequence[object] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.integer.size:
            object.__setattr__(self, "integer", np.zeros(self.dimension, dtype=bool))

    @property
    def dimension(self) -> int:
        return self.name.dimension

    def points(self, count: int) -> NDArray[np.float64]:
        """Points for a trial of the evaluation, shape ``(count, dimension)``.

        They are on the diagonal of the bounds, with integer variables rounded down.
        """
        points = np.linspace(self.lower, self.upper, count)
        points[:, self.integer] = np.floor(points[:, self.integer])
        return points


class Suite(ABC):
    """A family of problems, which campaigns name as ``problems.suite``.

    A suite is an instance of a subclass at the level of a module of this package: the registry
    finds it there. All methods but `make` work without the library behind the suite.

    Attributes
    ----------
    name
        What a campaign writes.
    functions
        Numbers of the functions.
    dimensions
        Numbers of variables, a list or a range; `at_least` gives one without an upper limit.
    variables
        The kind of the variables, of all problems alike.
    distributions
        The packages whose versions decide the values, installed or not. The first one is the
        package to install.
    """

    name: str
    functions: range
    dimensions: Sequence[int]
    variables: Variables = "continuous"
    distributions: Sequence[str] = ()

    def parameter_faults(self, parameters: Mapping[str, object]) -> list[str]:
        """Check the parameters; one line per fault, which begins with the offending word."""
        return [f"{key!r} is not a parameter of {self.name}: it has none" for key in parameters]

    def configured(self, parameters: Mapping[str, object]) -> Self:
        """Return the suite with parameters that have no faults."""
        return self

    def faults(
        self, functions: list[int], dimensions: list[int], instances: list[int]
    ) -> list[str]:
        """Check keys of problems; one line per key that the suite does not have.

        A line names the key, and what would be right. A suite in which some combinations are
        missing extends this method.
        """
        return [
            *self._misses("functions", functions, self.functions),
            *self._misses("dimensions", dimensions, self.dimensions),
            *self._misses("instances", instances, at_least(1)),
        ]

    def knows_optimum(self, function: int, dimension: int, instance: int) -> bool:
        """Whether the optimum of a problem without faults is known."""
        return True

    def problem(self, function: int, dimension: int, instance: int) -> Problem:
        """Make one problem, ready to be evaluated in this process or in a fork of it.

        Raises
        ------
        ValueError
            If the suite does not have the problem.
        """
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


def _what_is_known(key: str, known: Sequence[int]) -> str:
    if not isinstance(known, range):
        *others, last = known
        return f"which has {', '.join(map(str, others))} and {last}"
    if known[-1] == LARGEST:
        return f"whose {key} are whole numbers from {known[0]}"
    return f"which has {known[0]} to {known[-1]}"
