"""The interface of an algorithm, and of a library of algorithms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Variables


class Objective(Protocol):
    """The function that an algorithm minimizes, with its bounds and the rest of the budget.

    It counts, times and records every evaluation and ends the run, so an algorithm needs no
    stopping rule. It may look at the budget.

    In a timed run it also has ``c_function``, the addresses ``(function, objective)`` of
    ``int function(void *objective, const double *x, double *y)``: an evaluation that does not go
    through the interpreter. The caller holds the GIL. At -1 a Python exception is set, and the
    caller has to return to the interpreter at once. Trial launches do not have the attribute.
    """

    @property
    def dimension(self) -> int: ...
    @property
    def lower(self) -> NDArray[np.float64]:
        """Lower bounds, shape ``(dimension,)``: a new array at each call."""

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
        """The rest of the budget of evaluations; None without such a budget."""

    def __call__(self, x: Any, /) -> float:
        """The value at `x`, array-like of shape ``(dimension,)``; ValueError for another shape."""

    def batch(self, points: Any, /) -> NDArray[np.float64]:
        """The values at `points`, array-like of shape ``(k, dimension)``, in their order.

        Each point counts as one evaluation, as k calls would. If the campaign gives the algorithm
        several cores (``threads``), the points are evaluated on all of them.
        """


CONTINUOUS: frozenset[Variables] = frozenset({"continuous"})
"""The kinds of variables that most algorithms take."""

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
        Called once, before the clock starts: compilation, tables, and anything else that a user of
        the algorithm pays once and not at every run.
    """

    solve: Solve
    prepare: Callable[[], object] = field(default=lambda: None)


@dataclass(frozen=True)
class Available:
    """One line of `timefair algorithms`."""

    name: str
    missing: str = ""
    """Why it cannot be used here; empty when it can."""


class Library(ABC):
    """A source of algorithms, the part before the colon of ``library:name``.

    A library is an instance of a subclass at the level of a module of `adapters`: the registry
    finds it there. Importing that module must not import the library itself.

    Attributes
    ----------
    name
        What a campaign writes before the colon.
    distributions
        The packages whose versions decide what the algorithms do, installed or not. The first one
        is the package to install.
    examples
        Some names of algorithms, for the documentation.
    optional
        Whether the package is among the extras, and not a dependency of timefair.
    modules
        What every algorithm of the library imports. Processes that measure share these imports.
    unneeded
        Top-level modules that `modules` import for plots or tests and work without. A process that
        measures does not import them.
    """

    name: str
    distributions: Sequence[str]
    examples: Sequence[str] = ()
    optional: bool = False
    modules: Sequence[str] = ()
    unneeded: Sequence[str] = ()

    @abstractmethod
    def available(self) -> list[Available]:
        """List every algorithm of the library, usable here or not."""

    @abstractmethod
    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        """Check a name and its parameters; one line per fault, with what would be right.

        Called before anything runs. A line begins with the offending word: the caller puts the
        key of the campaign in front.
        """

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        """The kinds of variables that an algorithm takes. Called where `faults` found none."""
        return CONTINUOUS

    def members(
        self, name: str, parameters: Mapping[str, object]
    ) -> Sequence[tuple[str, Mapping[str, object]]]:
        """The algorithms that an algorithm is made of: `use` and parameters of each.

        Called before `faults`: what is not written as it should be is no member.
        """
        return ()

    @abstractmethod
    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        """Import what is needed and bind the parameters. Called where `faults` found none."""

    @abstractmethod
    def source_files(self, name: str) -> list[Path]:
        """The files of this package, or of the user, behind an algorithm, for a code digest."""
