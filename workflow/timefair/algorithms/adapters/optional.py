"""The common part of adapters of optional libraries: installation, names and parameters.

An adapter is a module with one `Extra`: the names of the algorithms, their parameters with
defaults, and ``solve``, one launch. Its package is one of the project's ``extras``.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from inspect import Signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Algorithm, Available, Library, Objective
from timefair.algorithms.trial import Enough, Sphere
from timefair.basics.errors import suggest
from timefair.problems.kinds import Task


@dataclass
class Extra(Library):
    """A library that is not among the required packages.

    Attributes
    ----------
    name
        The part before the colon of ``library:name`` in a campaign.
    distributions
        The packages whose versions affect the algorithms. The first one is the package to install.
    module
        The module to import.
    names
        The names of the algorithms.
    parameters
        ``parameters(name)`` returns the parameters that a user may set, each with its default, or
        with ``int`` or ``float`` if the library chooses a number. If the default is a truth value
        or a number, the user's value has to be one, too. The library checks all other values.
    solve
        ``solve(objective, rng, *, name, parameters)`` is one launch; `parameters` are the user's.
    examples
        Some of the names, for the documentation; by default the first one.
    special
        The tasks of each algorithm that is not only for one objective, by its name.
    batched
        Names of the algorithms that ask for batches if they have several cores.
    late
        Modules that the library imports while an algorithm runs, some after more evaluations than a
        trial launch has. They are imported before the runs.
    trial_evaluations
        Evaluations of the launch that shows whether the library accepts the user's values.
    """

    name: str
    distributions: Sequence[str]
    module: str
    names: Sequence[str]
    parameters: Callable[[str], Mapping[str, object]]
    solve: Callable[..., object]
    examples: Sequence[str] = ()
    late: Sequence[str] = ()
    trial_evaluations: int = 5
    special: Mapping[str, frozenset[Task]] = field(default_factory=dict)
    batched: Collection[str] = ()
    optional: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        self.examples = self.examples or self.names[:1]
        self.modules = (self.module,)

    def available(self) -> list[Available]:
        return [Available(name, self._missing()) for name in self.names]

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        if name not in self.names:
            return [f"{self.name} has no algorithm {name!r}{suggest(name, self.names)}"]
        place = f"{self.name}:{name}"
        if missing := self._missing():
            return [f"{place} cannot be used here: it {missing}"]
        defaults = self.parameters(name)
        lines = []
        for key, value in parameters.items():
            if key not in defaults:
                help_ = suggest(key, defaults) or f"; it has: {', '.join(defaults) or 'none'}"
                lines.append(f"{key!r} is not a parameter of {place}{help_}")
            elif wanted := _wanted(value, defaults[key]):
                lines.append(f"{key!r} of {place} is {wanted}, not {value!r}")
        return lines or self._refusal(name, parameters)

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        defaults = self.parameters(name)
        values = {key: _like(value, defaults[key]) for key, value in parameters.items()}
        return Algorithm(
            partial(_launch, self.solve, name=name, parameters=values),
            self._import,
        )

    def source_files(self, name: str) -> list[Path]:
        return [Path(__file__), Path(inspect.getfile(self.solve))]

    def objectives(self, name: str) -> int:
        """How many objectives an algorithm is for."""
        return 2 if self.tasks(name, {}) == TWO_OBJECTIVES else 1

    def _import(self) -> None:
        for module in (self.module, *self.late):
            importlib.import_module(module)

    def _missing(self) -> str:
        if importlib.util.find_spec(self.module):
            return ""
        return f"needs the package {self.distributions[0]}: pip install 'timefair[extras]'"

    def _refusal(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        """The error of the library for invalid values, found by a short launch."""
        algorithm = self.load(name, parameters)
        objective = Sphere(self.trial_evaluations, self.objectives(name))
        try:
            algorithm.solve(objective, np.random.default_rng(0))
        except Enough:
            return []
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            return [f"{self.name}:{name} refuses its parameters: {reason}"]
        return []


TWO_OBJECTIVES: frozenset[Task] = frozenset({"two objectives"})


def defaults_of(signature: Signature, *, without: Sequence[str]) -> dict[str, object]:
    """Collect the arguments whose default a YAML file can have.

    Parameters
    ----------
    signature
        Signature of a constructor or function.
    without
        Arguments that the adapter sets.

    Returns
    -------
    dict
        The defaults by name: truth values, numbers, texts and None.
    """
    return {
        key: argument.default
        for key, argument in signature.parameters.items()
        if key not in without and isinstance(argument.default, bool | int | float | str | None)
    }


Evaluate = Callable[[NDArray[np.float64]], float]


def moved_inside(objective: Objective) -> Evaluate:
    """Wrap an objective so that points outside the bounds are moved onto them."""
    lower, upper = objective.lower, objective.upper
    return lambda x: objective(np.clip(x, lower, upper))


class ErrorTrap:
    """An objective that keeps its exception, for libraries that would swallow it.

    Parameters
    ----------
    evaluate
        The objective.
    stop
        Called after an exception, to make the library return. For a library without such a call,
        the adapter can check `error` instead. The value of that evaluation is inf.

    Attributes
    ----------
    error
        The exception; None as long as there was none. `reraise` raises it.
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


def _wanted(value: object, default: object) -> str:
    """What a value that replaces a default should be; empty if it is valid."""
    if isinstance(default, type):
        default = default(True)
    if isinstance(default, bool):
        return "" if isinstance(value, bool) else "true or false"
    if not isinstance(default, int | float):
        return ""
    whole = isinstance(default, int)
    least = -np.inf if default < 0 else min(default, 1) if whole else 0
    right_type = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if right_type and value >= least:  # type: ignore[operator]
        return ""
    kind = "a whole number" if whole else "a number"
    return kind if least == -np.inf else f"{kind} from {least}"


def _like(value: object, default: object) -> object:
    """Convert a whole number to float if the default is a float, because some libraries check the
    type.
    """
    is_float = default is float or isinstance(default, float)
    return float(value) if is_float and isinstance(value, int) else value


def _launch(solve: Callable[..., object], *arguments: Any, **keywords: Any) -> object:
    """Launch without warnings, because warnings take time and fill the log."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return solve(*arguments, **keywords)
