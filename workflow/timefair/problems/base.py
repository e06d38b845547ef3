"""The interface of a problem and of a suite. A suite joins by one module and one registry line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Variables = Literal["continuous", "integer", "mixed", "binary"]
"""What a problem's variables are: numbers, whole numbers, some of each, or 0 and 1."""


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
    """A callable with bounds and a known optimum.

    Attributes
    ----------
    name
        Its key.
    evaluate
        ``evaluate(x) -> float`` for an array `x` of shape ``(dimension,)``; a wrong shape raises
        ValueError; NaN or inf in `x` gives NaN or inf.
    lower, upper
        Bounds, arrays of shape ``(dimension,)``, the region that algorithms are given to search.
    f_opt
        The optimal value; ``precision = max(f - f_opt, 0)``. NaN where nobody knows it: the
        precision of a record is then f itself, and tables take it from the best known value.
    integer
        Which variables take whole numbers only, shape ``(dimension,)``; by default none.
    native
        The same evaluation without the interpreter, where the suite has one. It gives the same
        bits as `evaluate`.
    keep
        What has to stay alive as long as the problem does.
    """

    name: ProblemName
    evaluate: Callable[[NDArray[np.float64]], float]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    f_opt: float
    integer: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    native: Native | None = None
    keep: Sequence[object] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.integer.size:
            object.__setattr__(self, "integer", np.zeros(self.dimension, dtype=bool))

    @property
    def dimension(self) -> int:
        return self.name.dimension


class Suite(Protocol):
    """A family of problems. `faults` works without loading the suite's library."""

    name: str
    distributions: Sequence[str]
    """The packages whose versions decide the values."""
    variables: Variables

    def faults(
        self, functions: list[int], dimensions: list[int], instances: list[int]
    ) -> list[str]:
        """One line for each key that the suite does not have, naming it and what is right."""

    def problem(self, function: int, dimension: int, instance: int) -> Problem:
        """Make one problem, ready to be evaluated in this process or in a fork of it."""
