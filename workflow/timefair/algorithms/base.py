"""The interface of an algorithm, and of a library that offers some.

A library joins by one module that defines a `Library` and one line in the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Variables


class Objective(Protocol):
    """What an algorithm is given to minimize.

    The same object counts, stamps and records every evaluation and ends the run; an algorithm
    needs to do nothing about budgets, though it may look at them.

    In a timed run it has besides ``c_function``, the addresses ``(function, objective)`` of
    ``int function(void *objective, const double *x, double *y)``: an evaluation that does not go
    through the interpreter. It wants the GIL; at -1 a Python exception is set and the caller has
    to return to the interpreter at once. Trial launches have no such attribute.
    """

    @property
    def dimension(self) -> int: ...
    @property
    def lower(self) -> NDArray[np.float64]:
        """Lower bounds, shape ``(dimension,)``; a fresh copy may be modified by nobody else."""

    @property
    def upper(self) -> NDArray[np.float64]: ...
    @property
    def integer(self) -> NDArray[np.bool_]:
        """Which variables take whole numbers only, shape ``(dimension,)``."""

    @property
    def evaluations(self) -> int:
        """Evaluations of the run so far, over all launches."""

    @property
    def evaluations_left(self) -> int | None:
        """What is left of the budget of evaluations; None without one."""

    def __call__(self, x: Any, /) -> float:
        """The value at `x`, array-like of shape ``(dimension,)``; ValueError for another shape."""

    def batch(self, points: Any, /) -> NDArray[np.float64]:
        """The values at `points`, array-like of shape ``(k, dimension)``, in their order.

        Each counts as one evaluation, as k calls would; where the campaign gives the algorithm
        several cores (`threads`), the points are evaluated on all of them.
        """


CONTINUOUS: frozenset[Variables] = frozenset({"continuous"})
"""What most algorithms take."""

Solve = Callable[..., object]
"""``solve(objective, rng, **parameters)``: one launch. What it returns is ignored."""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm ready to be launched: ``algorithm.solve(objective, rng)``.

    Attributes
    ----------
    solve
        ``solve(objective, rng) -> object`` with the parameters bound. It draws all its randomness
        from `rng` (and from numpy's and Python's global generators, which the measuring code seeds
        before each launch).
    prepare
        Called once, before any clock starts: compilation, tables, anything that a user of the
        algorithm pays once and not at every run.
    """

    solve: Solve
    prepare: Callable[[], object] = field(default=lambda: None)


@dataclass(frozen=True)
class Available:
    """One line of `timefair algorithms`."""

    name: str
    missing: str = ""
    """Why it cannot be used here; empty when it can."""


class Library(Protocol):
    """A source of algorithms, the part before the colon of ``library:name``."""

    name: str
    distributions: Sequence[str]
    """The packages whose versions decide what its algorithms do, installed or not."""

    @property
    def modules(self) -> Sequence[str]:
        """What each of its algorithms imports: processes that measure them share these imports."""

    @property
    def unneeded(self) -> Sequence[str]:
        """What these modules import for plots or tests and can do without. It is kept out."""

    def available(self) -> list[Available]:
        """Every algorithm that it has, usable here or not."""

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        """What is wrong with a name and its parameters, one line each, with what is right.

        Called before anything runs. The lines start with the offending word: the caller puts the
        key of the campaign in front.
        """

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        """The kinds of variables it takes. Called where `faults` found none."""

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        """Import what is needed and bind the parameters. `faults` has been asked before."""

    def source_files(self, name: str) -> list[Path]:
        """This project's or the user's code behind an algorithm, for a digest of the code."""
