"""The user's own problem: ``module:function`` or ``path/to/file.py:function``.

The function is ``f(x) -> float`` for an array of shape ``(dimension,)``. If it has arguments named
``function`` and ``instance``, it gets the numbers in the campaign, from 1. Without such an
argument, the only number is 1. The following settings come from the campaign's
``problems.parameters``, or else from attributes of the function; all other parameters are keyword
arguments of it:

``lower``, ``upper``
    The bounds, required: a number for all variables, or a list with one number per variable.
``f_opt``
    The optimal value, if it is known.
``integer``
    Which variables take whole numbers: ``true`` for all, or a list of ``true`` and ``false``. With
    bounds 0 and 1 they are binary.

As attributes, ``lower``, ``upper`` and ``f_opt`` may also be functions
``(function, dimension, instance) -> value``. A function with noise should draw it from numpy's or
Python's global generator: both are seeded for each launch. It may have an attribute ``noise_free``,
a function of the same arguments that gives the value without noise. timefair calls it after a run,
outside the run's clock, for the best measured points and for the points that the algorithm
recommends. The optimum ``f_opt`` is that of the function without noise. If ``noise_free`` raises,
or takes longer than 600 s for one of these two sets of points, the run has the status ``raised``.
If its value is NaN or infinite, a run has this status for a measured point, and timefair drops a
recommended point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.basics import user_code
from timefair.problems.base import Problem, ProblemName, Suite, Variables, at_least, refusing
from timefair.problems.kinds import Kind, NoisyByUser

SETTINGS = ("lower", "upper", "f_opt", "integer")
NUMBERED = ("function", "instance")
"""Arguments of the function that are numbers of the campaign."""
NOISE_FREE = "noise_free"
"""The attribute with the function that gives values without noise."""
REFUSED = {
    "constraints": "add a penalty for violated constraints to the value",
    **dict.fromkeys(("maximize", "maximise"), "timefair minimizes: return the negative value"),
}
"""Attributes that other tools read: without effect, they would give wrong results."""


class OwnProblem(Suite):
    """A suite made from one function of the user; InputError if the function does not exist."""

    functions = at_least(1)
    dimensions = at_least(1)

    def __init__(self, name: str, parameters: Mapping[str, object] | None = None) -> None:
        self.name = name
        self.distributions: Sequence[str] = user_code.packages(name)
        self._function = user_code.load_function(name)
        self._signature = user_code.signature_of(self._function)
        noise_free = getattr(self._function, NOISE_FREE, None)
        self.kind: type[Kind] = Kind if noise_free is None else NoisyByUser
        given = parameters or {}
        self._settings = self._settings_with(given)
        self._keywords = {key: value for key, value in given.items() if key not in SETTINGS}
        self.variables: Variables = "continuous" if parameters is None else self._variables()

    def parameter_faults(self, parameters: Mapping[str, object]) -> list[str]:
        settings = self._settings_with(parameters)
        lines = [line for key in SETTINGS for line in _setting_faults(key, settings, self.name)]
        noise_free = getattr(self._function, NOISE_FREE, None)
        if noise_free is not None and not callable(noise_free):
            lines.append(f"{NOISE_FREE!r} of {self.name} is a function, not {noise_free!r}")
        lines += [
            f"{key!r} of {self.name} is not read: {instead}"
            for key, instead in REFUSED.items()
            if getattr(self._function, key, None)
        ]
        keywords = [key for key in parameters if key not in SETTINGS]
        lines += [f"{key!r} is set by the campaign" for key in keywords if key in NUMBERED]
        if self._signature is not None:
            free = [key for key in keywords if key not in NUMBERED]
            lines += user_code.parameter_faults(
                self.name, self._signature, free, "f(x)", given=NUMBERED
            )
        return lines

    def configured(self, parameters: Mapping[str, object]) -> OwnProblem:
        return OwnProblem(self.name, parameters)

    def faults(
        self, functions: list[int], dimensions: list[int], instances: list[int]
    ) -> list[str]:
        lines = []
        for argument, numbers in zip(NUMBERED, (functions, instances), strict=True):
            if not self._has(argument):
                lines += [
                    f"{argument}s: {number} is not in {self.name}, which has 1 alone: its function "
                    f"has no argument {argument!r}"
                    for number in numbers
                    if number != 1
                ]
        for dimension in dimensions:
            try:
                self._space(functions[0], dimension, instances[0])
            except (TypeError, ValueError) as error:
                lines.append(f"dimensions: {dimension} does not suit {self.name}: {error}")
        return lines

    def knows_optimum(self, function: int, dimension: int, instance: int) -> bool:
        return not isnan(self._f_opt(function, dimension, instance))

    def make(self, name: ProblemName) -> Problem:
        function, dimension, instance = name.function, name.dimension, name.instance
        lower, upper, integer = self._space(function, dimension, instance)
        evaluate = self._evaluation(self._function, function, instance)
        if integer.any():
            evaluate = refusing(evaluate, name, lower, upper, integer)
        f_opt = self._f_opt(function, dimension, instance)
        noise_free = getattr(self._function, NOISE_FREE, None)
        kind = Kind()
        if noise_free is not None:
            kind = NoisyByUser(self._evaluation(noise_free, function, instance))
        return Problem(name, evaluate, lower, upper, f_opt, integer, kind=kind)

    def source_files(self) -> list[Path]:
        return user_code.source_files(self.name)

    def _settings_with(self, parameters: Mapping[str, object]) -> dict[str, Any]:
        """The settings of the campaign, or else the attributes; None counts as not set."""
        values = {key: parameters.get(key, getattr(self._function, key, None)) for key in SETTINGS}
        return {key: value for key, value in values.items() if value is not None}

    def _has(self, argument: str) -> bool:
        return self._signature is not None and argument in self._signature.parameters

    def _variables(self) -> Variables:
        integer = np.asarray(self._settings.get("integer", False))
        if not integer.all():
            return "mixed" if integer.any() else "continuous"
        lower, upper = (self._settings[key] for key in ("lower", "upper"))
        fixed = not callable(lower) and not callable(upper)
        return "binary" if fixed and not np.any(lower) and np.all(np.equal(upper, 1)) else "integer"

    def _space(
        self, function: int, dimension: int, instance: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Bounds, and which variables are integer; ValueError if they do not fit together."""
        numbers = (function, dimension, instance)
        lower, upper = (
            _spread(key, _value(self._settings[key], *numbers), dimension).astype(float)
            for key in ("lower", "upper")
        )
        integer = _spread("integer", self._settings.get("integer", False), dimension).astype(bool)
        if not np.all(np.isfinite(lower) & np.isfinite(upper) & (lower < upper)):
            raise ValueError("'lower' is not below 'upper' everywhere, both finite")
        bounds = np.concatenate([lower[integer], upper[integer]])
        if np.any(bounds != np.rint(bounds)):
            raise ValueError("bounds of integer variables are whole numbers")
        return lower, upper, integer

    def _f_opt(self, function: int, dimension: int, instance: int) -> float:
        value = _value(self._settings.get("f_opt"), function, dimension, instance)
        return nan if value is None else float(value)

    def _evaluation(
        self, call: Any, function: int, instance: int
    ) -> Callable[[NDArray[np.float64]], float]:
        numbers = {"function": function, "instance": instance}
        keywords = self._keywords | {key: numbers[key] for key in NUMBERED if self._has(key)}

        def evaluate(x: NDArray[np.float64]) -> float:
            value = call(x.copy(), **keywords)  # a copy: the algorithm owns the array
            try:
                return float(value)
            except (TypeError, ValueError):
                raise TypeError(f"{self.name} returned {_described(value)}") from None

        return evaluate


def _described(value: object) -> str:
    """A value that is not one number, and what to return instead."""
    if (shape := getattr(value, "shape", None)) is None:
        return f"{value!r:.60}, not a number"
    advice = "; return value.item()" if getattr(value, "size", 0) == 1 else ""
    return f"an array of shape {shape}, not a number{advice}"


def _setting_faults(key: str, settings: Mapping[str, Any], name: str) -> Iterator[str]:
    if key not in settings:
        if key in ("lower", "upper"):
            yield f"{key!r} is missing: give it here or as an attribute of {name}"
        return
    value = settings[key]
    if key == "integer":
        flags = value if isinstance(value, list | tuple) else [value]
        if not flags or not all(isinstance(flag, bool) for flag in flags):
            yield f"{key!r} is true, false or a list of them, not {value!r}"
    elif callable(value):
        return
    elif key == "f_opt":
        if not _is_number(value):
            yield f"{key!r} is a number, not {value!r}"
    elif not all(_is_number(bound) for bound in (value if _is_list(value) else [value])):
        yield f"{key!r} is a number or a list of numbers, not {value!r}"


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple | np.ndarray) and len(value) > 0


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return number and isfinite(value)


def _value(setting: Any, function: int, dimension: int, instance: int) -> Any:
    return setting(function, dimension, instance) if callable(setting) else setting


def _spread(key: str, value: Any, dimension: int) -> NDArray[Any]:
    """One value per variable, from one value for all or a list."""
    values = np.asarray(value)
    if values.ndim == 0:
        return np.full(dimension, values)
    if values.shape != (dimension,):
        raise ValueError(f"{key!r} has {values.size} values")
    return values
