"""What the adapters of libraries share: names and parameters, start points, bounds, budgets.

An adapter is a module of an extension with one `Adapter`: the names of the algorithms, their
parameters with defaults, and ``solve``, one launch. Nothing else has to be written for a library.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import math
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.algorithm import (
    CONTINUOUS,
    Algorithm,
    ConstrainedObjective,
    Library,
    Objective,
)
from timefair.basics.errors import suggest
from timefair.problems.kinds import Task
from timefair.problems.problem import Number, Truth, Variables, Word, wrong_parameters

BOTH: frozenset[Task] = frozenset({"one objective", "constraints"})
"""The tasks of an algorithm that takes one objective, with constraints or without."""
CONSTRAINTS: frozenset[Task] = frozenset({"constraints"})
TWO_OBJECTIVES: frozenset[Task] = frozenset({"two objectives"})

Rng = np.random.Generator
Given = Mapping[str, Any]  # the user's parameters of a launch
Evaluate = Callable[[NDArray[np.float64]], float]
Names = Sequence[str] | Callable[[], Collection[str]]


@dataclass(eq=False, kw_only=True)
class Adapter(Library):
    """A library of algorithms, with these fields besides those of `Library`.

    - `module`: The module to import; by default the one of the library's name.
    - `names`: The names of the algorithms, or a function that asks the library for them.
    - `parameters`: ``parameters(name)`` returns the parameters that a user may set, each with its
      default, with ``int`` or ``float`` if the library chooses a number, or with its values. If
      the default is a truth value or a number, the user's value has to be one, too. The library
      checks all other values.
    - `solve`: ``solve(objective, rng, *, name, parameters)`` is one launch; `parameters` are the
      user's. What it raises in a short trial is the fault of the parameters.
    - `examples`: By default the first name.
    - `whole`: Algorithms that take integer variables, too; None for all.
    - `late`: Modules that the library imports while an algorithm runs, some after more evaluations
      than a trial launch has. They are imported before the runs.
    - `prepare`: ``prepare(name)``: what else is done once before the clock starts.
    - `missing`: ``missing(name)``: what one algorithm needs and is not installed; may be empty.
    - `trial_evaluations`: Evaluations of the trial: a number, or a function of name and parameters.
    - `install`: Arguments of ``pip install`` for it.
    """

    names: Names
    parameters: Callable[[str], Mapping[str, object]]
    solve: Callable[..., object]
    module: str = ""
    whole: Collection[str] | None = ()
    late: Sequence[str] = ()
    prepare: Callable[[str], object] = lambda name: None
    missing: Callable[[str], str] = lambda name: ""
    trial_evaluations: int | Callable[[str, Mapping[str, Any]], int] = 5
    optional: bool = True
    install: str = "'timefair[extras]'"

    def __post_init__(self) -> None:
        self.module = self.module or self.name
        self.examples = self.examples or (() if callable(self.names) else self.names[:1])
        self.modules = (self.module, *self.late)

    def every(self) -> Collection[str]:
        """The names of its algorithms; without a package that has to be asked, the examples."""
        if not callable(self.names):
            return self.names
        return self.examples if self._is_absent() else self.names()

    def available(self) -> dict[str, str]:
        return {name: self._lacks(name) for name in self.every()}

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        if name not in self.every() and not (callable(self.names) and self._is_absent()):
            return [f"{self.name} has no algorithm {name!r}{suggest(name, self.every())}"]
        place = f"{self.name}:{name}"
        if lacks := self._lacks(name):
            return [f"{place} cannot be used here: it {lacks}"]
        allowed = {key: _allowed(default) for key, default in self.parameters(name).items()}
        return wrong_parameters(place, allowed, parameters) or self._refusal(name, parameters)

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        takes_whole = self.whole is None or name in self.whole
        return CONTINUOUS | {"integer"} if takes_whole else CONTINUOUS

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        defaults = self.parameters(name) if parameters else {}
        values = {key: _like(value, defaults[key]) for key, value in parameters.items()}
        launch = partial(_launch, self.solve, name=name, parameters=values)
        return Algorithm(launch, partial(self._prepare, name))

    def source_files(self, name: str) -> list[Path]:
        return [Path(__file__), Path(inspect.getfile(self.solve))]

    def objectives(self, name: str) -> int:
        return 2 if self.tasks(name, {}) == TWO_OBJECTIVES else 1

    def _prepare(self, name: str) -> None:
        importlib.import_module(self.module)
        for module in self.late:
            if importlib.util.find_spec(module.partition(".")[0]):
                importlib.import_module(module)
        self.prepare(name)

    def _is_absent(self) -> bool:
        return self.optional and not importlib.util.find_spec(self.module)

    def _lacks(self, name: str) -> str:
        if self._is_absent():
            return f"needs the package {self.distributions[0]}: pip install {self.install}"
        return self.missing(name)

    def _refusal(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        """The error of the library for invalid values, found by a short launch."""
        of = self.trial_evaluations
        most = of(name, parameters) if callable(of) else of
        objective = Sphere(most, self.objectives(name))
        try:
            self.load(name, parameters).solve(objective, np.random.default_rng(0))
        except Enough:
            return []
        except Exception as error:
            told = str(error).rpartition("what:")[2]  # pygmo begins with a place in its code
            reason = " ".join(told.split()) or type(error).__name__
            return [f"{self.name}:{name} refuses its parameters: {reason}"]
        return []


def defaults_of(function: Callable[..., object], *, without: Sequence[str]) -> dict[str, object]:
    """The arguments that the adapter does not set, `without` them, and whose default a YAML file
    can have: truth values, numbers, texts and None.
    """
    return {
        key: argument.default
        for key, argument in inspect.signature(function).parameters.items()
        if key not in without and isinstance(argument.default, bool | int | float | str | None)
    }


def _allowed(default: object) -> Number | Word | Truth | None:
    """The values that may replace a default; None: any."""
    if isinstance(default, Number | Word):
        return default
    if isinstance(default, type):
        default = default(True)
    if isinstance(default, bool):
        return Truth()
    if not isinstance(default, int | float):
        return None
    whole = isinstance(default, int)
    return Number(-math.inf if default < 0 else min(default, 1) if whole else 0, whole=whole)


def _like(value: object, default: object) -> object:
    """A whole number as a float if the default is one: some libraries check the type."""
    is_float = default is float or isinstance(default, float)
    return float(value) if is_float and isinstance(value, int) else value


def _launch(solve: Callable[..., object], *arguments: Any, **keywords: Any) -> object:
    """Launch without warnings, because warnings take time and fill the log."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return solve(*arguments, **keywords)


# --- What a launch needs ------------------------------------------------------------------------


def nominal_budget(objective: Objective, per_dimension: int) -> int:
    """Evaluations of a launch that plans with them: the rest of the run's budget, at least 1, or,
    without such a budget, a number for each dimension.
    """
    left = objective.evaluations_left
    return per_dimension * objective.dimension if left is None else max(1, left)


def shares(objective: Objective, parts: int) -> Iterator[int]:
    """Iterations of a launch that fills the budget: its used share each time, from 1 to `parts`."""
    while True:
        yield max(1, math.ceil(parts * objective.progress))


def has_constraints(objective: Objective) -> TypeGuard[ConstrainedObjective]:
    return hasattr(objective, "constraints")


def given_start(objective: Objective) -> NDArray[np.float64] | None:
    """The suite's starting point, if it has one, in the first launch of a run; else None."""
    return getattr(objective, "start", None) if objective.evaluations == 0 else None


def starting_point(objective: Objective, rng: np.random.Generator) -> NDArray[np.float64]:
    """A point to start a launch from, within the bounds, shape ``(dimension,)``.

    If the suite gives a point, the first launch of a run starts there, and each later one at a sum
    of that point and two uniform numbers from -0.5 to 0.5 per variable, as COCO proposes; it may be
    infeasible. Else it is drawn uniformly within the bounds.
    """
    lower, upper = objective.lower, objective.upper
    start: NDArray[np.float64] | None = getattr(objective, "start", None)
    if start is None:
        return rng.uniform(lower, upper)
    if objective.evaluations:
        start = start + rng.uniform(-0.5, 0.5, (2, objective.dimension)).sum(axis=0)
    return np.clip(start, lower, upper)


def moved_inside(objective: Objective) -> Evaluate:
    """The value at the nearest point within the bounds with whole numbers where they have to be."""
    lower, upper, integer = objective.lower, objective.upper, objective.integer
    if not integer.any():
        return lambda x: objective(np.clip(x, lower, upper))
    return lambda x: objective(np.clip(np.where(integer, np.rint(x), x), lower, upper))


class ErrorTrap:
    """An objective that keeps its exception, for libraries that would swallow it.

    After an exception `stop` is called, to make the library return, or the adapter checks `error`.
    The value of that evaluation is inf.
    """

    def __init__(self, evaluate: Evaluate, stop: Callable[[], object] = lambda: None) -> None:
        self.error: BaseException | None = None
        self._evaluate, self._stop = evaluate, stop

    def __call__(self, x: NDArray[np.float64]) -> float:
        return float(self.call(self._evaluate, x))

    def call(self, evaluate: Callable[..., Any], x: NDArray[np.float64]) -> Any:
        """The value of another function at a point, such as the constraints; inf if it raises."""
        try:
            return evaluate(x)
        except BaseException as error:
            self.error = error
            self._stop()
            return np.inf

    def reraise(self) -> None:
        if self.error is not None:
            raise self.error


# --- Trials -------------------------------------------------------------------------------------


class Enough(BaseException):
    """Ends a trial launch."""


class Sphere:
    """The sphere on [-1, 1]^2, for a trial launch of at most `most` evaluations.

    With `shown` 2, a point gives the values of two spheres.
    """

    dimension = 2
    noisy = False
    changes = 0
    cores = 1
    evaluations_left: int | None = None

    def __init__(self, most: int = sys.maxsize, shown: int = 1) -> None:
        self.evaluations, self.shown, self._most = 0, shown, most
        self.lower, self.upper = np.full(2, -1.0), np.full(2, 1.0)
        self.integer = np.zeros(2, dtype=bool)

    @property
    def progress(self) -> float:
        return self.evaluations / self._most

    def __call__(self, x: Any, /) -> Any:
        if self.evaluations == self._most:
            raise Enough
        self.evaluations += 1
        values = [float(np.sum((np.asarray(x) - middle) ** 2)) for middle in range(self.shown)]
        return values[0] if self.shown == 1 else np.array(values)

    def recommend(self, x: Any, /) -> None:
        """Nothing is recorded."""

    def batch(self, points: Any, /) -> NDArray[np.float64]:
        return np.array([self(x) for x in points])
