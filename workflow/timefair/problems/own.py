"""The user's own problem: ``module:function`` or ``path/to/file.py:function``.

`SETTINGS` come from ``problems.parameters``, or else from attributes of the function, of which all
but flags, tolerance and hypervolume may be functions ``(function, dimension, instance) -> value``;
other parameters are keyword arguments of it. With constraints or two objectives, it may return more
than f (docs/guide/constraints.md, docs/guide/two-objectives.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.basics import user_code
from timefair.basics.errors import described
from timefair.problems.kinds import Constraints, Kind, NoisyByUser, TwoByUser
from timefair.problems.problem import (
    Ints,
    Problem,
    ProblemName,
    Suite,
    Variables,
    at_least,
    permutations,
    refusing,
)

TOLERANCE = "equality_tolerance"
ORDER = "permutation"
POINTS = ("ideal", "nadir")
AREA = "hypervolume"


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return number and isfinite(value)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _all(valid: Callable[[Any], bool], value: Any) -> bool:
    return (
        isinstance(value, list | tuple | np.ndarray) and len(value) > 0 and all(map(valid, value))
    )


_Check = tuple[Callable[[Any], bool], str]
_BOUND: _Check = (lambda v: _is_number(v) or _all(_is_number, v), "a number or a list of numbers")
_FLAGS: _Check = (lambda v: _is_flag(v) or _all(_is_flag, v), "true, false or a list of them")
_POINT: _Check = (lambda v: _all(_is_number, v) and len(v) == 2, "a list of two numbers")
SETTINGS: Mapping[str, _Check] = {
    **{"lower": _BOUND, "upper": _BOUND, "f_opt": (_is_number, "a number"), "integer": _FLAGS},
    ORDER: (_is_flag, "true or false"),
    TOLERANCE: (lambda v: _is_number(v) and v >= 0, "a number of at least 0"),
    **dict.fromkeys(POINTS, _POINT),
    AREA: (lambda v: _is_number(v) and 0 < v <= 1, "a number above 0 and at most 1"),
}
"""Which values each setting has."""
BY_NUMBERS = ("lower", "upper", "f_opt", *POINTS)  # those that may be functions
NUMBERED = ("function", "instance")  # arguments of the function that are numbers of the campaign
NOISE_FREE = "noise_free"  # the attribute with the function that gives values without noise
CONSTRAINTS = ("constraints", "equalities")
"""Attributes with the constraints, or with their number if the function returns them beside f."""
REFUSED = {  # attributes that other tools read: without effect, they would give wrong results
    **dict.fromkeys(("constraint", "inequalities", "inequality"), "name it 'constraints'"),
    "equality": "name it 'equalities'",
    **dict.fromkeys(("maximize", "maximise"), "timefair minimizes: return the negative value"),
}


class OwnProblem(Suite):
    """A suite made from one function of the user; InputError if the function does not exist."""

    functions = at_least(1)
    dimensions = at_least(1)

    def __init__(self, name: str, parameters: Mapping[str, object] | None = None) -> None:
        self.name = name
        self.distributions: Sequence[str] = user_code.packages(name)
        self._function = user_code.load_function(name)
        self._signature = user_code.signature_of(self._function)
        self._noise_free = self._attribute(NOISE_FREE)
        self._limits = {key: self._attribute(key) for key in CONSTRAINTS if self._attribute(key)}
        given = parameters or {}
        self._settings = self._settings_with(given)
        self._keywords = {key: value for key, value in given.items() if key not in SETTINGS}
        self._of_noise = [NOISE_FREE] if self._noise_free is not None else []
        self._orders = bool(self._settings.get(ORDER))
        self._two = any(key in self._settings for key in POINTS)
        self._beside = not all(map(callable, self._limits.values()))
        kinds = {TwoByUser: self._two, Constraints: self._limits, NoisyByUser: self._of_noise}
        self.kind: type[Kind] = next((kind for kind, is_of_it in kinds.items() if is_of_it), Kind)
        self.variables: Variables = "continuous" if parameters is None else self._variables()

    def parameter_faults(self, parameters: Mapping[str, object]) -> list[str]:
        settings = self._settings_with(parameters)
        lines = [*self._setting_faults(settings), *self._clashes(settings)]
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

    def faults(self, functions: Ints, dimensions: Ints, instances: Ints) -> list[str]:
        lines = [
            f"{argument}s: {number} is not in {self.name}, which has 1 alone: its function has no "
            f"argument {argument!r}"
            for argument, numbers in zip(NUMBERED, (functions, instances), strict=True)
            for number in numbers
            if number != 1 and not self._has(argument)
        ]
        for dimension in () if self._orders else dimensions:
            first = ProblemName(self.name, functions[0], dimension, instances[0])
            try:
                self._space(first)
                if self._two:
                    self._points(first)
            except (TypeError, ValueError) as error:
                lines.append(f"dimensions: {dimension} does not suit {self.name}: {error}")
                continue
            lines += self._trial_of_constraints(first)
        return lines

    def knows_optimum(self, function: int, dimension: int, instance: int) -> bool:
        return not isnan(self._f_opt(ProblemName(self.name, function, dimension, instance)))

    def make(self, name: ProblemName) -> Problem:
        evaluate: Any = self._evaluation(self._function, name)
        if self._orders:
            return permutations(name, evaluate, self._f_opt(name))
        lower, upper, integer = self._space(name)

        def whole(call: Any) -> Any:
            return refusing(call, name, lower, upper, integer) if integer.any() else call

        if self._two:
            f_opt = -float(self._settings.get(AREA, 1.0))
            kind, call = TwoByUser(*self._points(name)), self._bound(self._function, name)
            evaluate = whole(lambda x: self._numbers("objectives", call(x.copy()), 2))
            return Problem(name, evaluate, lower, upper, f_opt, integer, kind=kind)
        if self._beside:
            evaluate, written = self._both(name)
            count = sum(self._limits.get(key, 0) * k for k, key in enumerate(CONSTRAINTS, 1))
        else:
            written, count = self._written(name), 0
        problem = Problem(name, whole(evaluate), lower, upper, self._f_opt(name), integer)
        if self._of_noise:
            return replace(problem, kind=NoisyByUser(self._evaluation(self._noise_free, name)))
        if not self._limits:
            return problem

        def limits(x: NDArray[np.float64]) -> NDArray[np.float64]:
            g, h = written(x)
            tolerance = self._settings.get(TOLERANCE, 1e-4)
            return np.concatenate([g, h - tolerance, -h - tolerance])

        count = count or limits(problem.points(3)[1]).size
        return replace(problem, kind=Constraints(count, whole(limits), written=written))

    def source_files(self) -> list[Path]:
        return user_code.source_files(self.name)

    def _settings_with(self, parameters: Mapping[str, object]) -> dict[str, Any]:
        """The settings of the campaign, or else the attributes; None counts as not set."""
        values = {key: parameters.get(key, self._attribute(key)) for key in SETTINGS}
        return {key: value for key, value in values.items() if value is not None}

    def _attribute(self, key: str) -> Any:
        return getattr(self._function, key, None)

    def _setting_faults(self, settings: Mapping[str, Any]) -> Iterator[str]:
        orders = settings.get(ORDER) is True
        for key, (valid, what) in SETTINGS.items():
            value = settings.get(key)
            if orders and key in ("lower", "upper", "integer"):
                if value is not None:
                    yield f"{key!r}: a permutation of {self.name} has no such setting; remove it"
            elif value is None:
                if key in ("lower", "upper"):
                    yield f"{key!r} is missing: give it here or as an attribute of {self.name}"
            elif not valid(value) and not (key in BY_NUMBERS and callable(value)):
                yield f"{key!r} is {what}, not {value!r}"

    def _clashes(self, settings: Mapping[str, Any]) -> Iterator[str]:
        """Faults of attributes, and of those that exclude each other."""
        for key, value in self._limits.items():
            number = isinstance(value, int) and not isinstance(value, bool) and value > 0
            if not number and not callable(value):
                yield (
                    f"{key!r} of {self.name} is a function, or the number of values that the "
                    f"function returns beside f, not {value!r:.60}"
                )
        if len({callable(value) for value in self._limits.values()}) > 1:
            yield f"'constraints' and 'equalities' of {self.name} are both functions, or numbers"
        if self._limits and self._of_noise:
            yield f"{NOISE_FREE!r} of {self.name}: values with constraints have no noise"
        others = [*self._limits, *self._of_noise]
        if settings.get(ORDER) and others:
            yield f"{ORDER!r} of {self.name}: cannot have {' or '.join(map(repr, others))}"
        if any(key in settings for key in (*POINTS, AREA)):
            for key in POINTS:
                if key not in settings:
                    yield f"{key!r} is missing: two objectives need 'ideal' and 'nadir'"
            if others := [*others, *(key for key in (ORDER, "f_opt") if settings.get(key))]:
                yield f"two objectives of {self.name}: cannot have {' or '.join(map(repr, others))}"
        if self._of_noise and not callable(self._noise_free):
            yield f"{NOISE_FREE!r} of {self.name} is a function, not {self._noise_free!r}"
        for key, instead in REFUSED.items():
            if self._attribute(key):
                yield f"{key!r} of {self.name} is not read: {instead}"

    def _points(self, name: ProblemName) -> list[NDArray[np.float64]]:
        """The ideal and the nadir point; ValueError if they do not fit together."""
        points = [self._array(key, name, 2).astype(float) for key in POINTS]
        if not (np.isfinite(points).all() and np.all(points[0] < points[1])):
            raise ValueError("'ideal' is not below 'nadir' in both objectives, all finite")
        return points

    def _written(self, name: ProblemName) -> Any:
        """Inequalities and equalities by functions of their own."""
        calls = {key: self._bound(call, name) for key, call in self._limits.items()}

        def evaluate(x: NDArray[np.float64]) -> list[NDArray[np.float64]]:
            found = {key: self._numbers(key, call(x.copy())) for key, call in calls.items()}
            return [found.get(key, np.empty(0)) for key in CONSTRAINTS]

        return evaluate

    def _both(self, name: ProblemName) -> tuple[Any, Any]:
        """The value and the constraints of a function that returns both: one call gives each of
        them once; TypeError if it returns anything else.
        """
        call = self._bound(self._function, name)
        known: dict[tuple[str, bytes], Any] = {}
        counts = [int(self._limits.get(key, 0)) for key in CONSTRAINTS]

        def part(wanted: str, x: NDArray[np.float64]) -> Any:
            point = x.tobytes()
            if (wanted, point) not in known:
                found = call(x.copy())
                if not isinstance(found, tuple | list) or len(found) != 2:
                    told = f"{self.name} returned {found!r:.60}, not f and its constraints"
                    raise TypeError(told)
                values = self._numbers("constraints", found[1], sum(counts))
                known.clear()
                known["value", point] = self._number(found[0])
                known["written", point] = np.split(values, counts[:1])
            return known.pop((wanted, point))

        return partial(part, "value"), partial(part, "written")

    def _numbers(self, key: str, values: Any, count: int = 0) -> NDArray[np.float64]:
        try:
            found = np.atleast_1d(np.asarray(values, dtype=np.float64))
        except (TypeError, ValueError):
            found = np.empty((0, 0))
        if values is None or found.ndim != 1 or not found.size:
            raise TypeError(
                f"{key!r} of {self.name} returned {values!r:.60}, not a list of numbers"
            )
        if count and found.size != count:
            raise TypeError(f"{self.name} returned {found.size} {key}, not {count}")
        return found

    def _trial_of_constraints(self, name: ProblemName) -> Iterator[str]:
        if not self._limits or self._beside:
            return
        try:
            problem = self.make(name)
            assert problem.constraints is not None
            nan = np.isnan(problem.constraints.evaluate(problem.points(3)[1])).any()
            said = "are NaN at the middle of the bounds" if nan else ""
        except Exception as error:
            said = f"failed at the middle of the bounds: {described(error)}"
        if said:
            yield f"dimensions: {name.dimension} does not suit {self.name}: its constraints {said}"

    def _has(self, argument: str) -> bool:
        return self._signature is not None and argument in self._signature.parameters

    def _variables(self) -> Variables:
        if self._orders:
            return "permutation"
        integer = np.asarray(self._settings.get("integer", False))
        if not integer.all():
            return "mixed" if integer.any() else "continuous"
        lower, upper = (self._settings[key] for key in ("lower", "upper"))
        fixed = not callable(lower) and not callable(upper)
        return "binary" if fixed and not np.any(lower) and np.all(np.equal(upper, 1)) else "integer"

    def _space(
        self, name: ProblemName
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Bounds, and which variables are integer; ValueError if they do not fit together."""
        lower, upper, integer = (
            self._array(key, name, name.dimension).astype(kind)
            for key, kind in (("lower", float), ("upper", float), ("integer", bool))
        )
        if not np.all(np.isfinite(lower) & np.isfinite(upper) & (lower < upper)):
            raise ValueError("'lower' is not below 'upper' everywhere, both finite")
        bounds = np.concatenate([lower[integer], upper[integer]])
        if np.any(bounds != np.rint(bounds)):
            raise ValueError("bounds of integer variables are whole numbers")
        return lower, upper, integer

    def _f_opt(self, name: ProblemName) -> float:
        value = self._value("f_opt", name)
        return nan if value is None else float(value)

    def _value(self, key: str, name: ProblemName) -> Any:
        setting = self._settings.get(key)
        numbers = name.function, name.dimension, name.instance
        return setting(*numbers) if callable(setting) else setting

    def _array(self, key: str, name: ProblemName, size: int) -> NDArray[Any]:
        value = self._value(key, name)
        values = np.asarray(False if value is None else value)  # None: no integer variables
        if values.ndim and values.shape != (size,):
            raise ValueError(f"{key!r} has {values.size} values")
        return np.broadcast_to(values, (size,))

    def _bound(self, call: Any, name: ProblemName) -> Callable[..., Any]:
        numbers = {key: getattr(name, key) for key in NUMBERED if self._has(key)}
        return partial(call, **self._keywords | numbers)

    def _evaluation(self, call: Any, name: ProblemName) -> Callable[[NDArray[np.float64]], float]:
        bound = self._bound(call, name)
        # a copy: the algorithm owns the array
        return lambda x: self._number(bound(x.copy()))

    def _number(self, value: Any) -> float:
        try:
            return float(value)
        except (TypeError, ValueError):
            shape = getattr(value, "shape", None)
            what = f"{value!r:.60}" if shape is None else f"an array of shape {shape}"
            raise TypeError(f"{self.name} returned {what}, not a number") from None
