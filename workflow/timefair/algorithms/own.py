"""The user's own algorithms: ``module:function`` or ``path/to/file.py:function``.

The function is ``solve(objective, rng, **parameters)``, one launch; `base.Objective` has what it
can ask of the objective. The function may have three attributes:

``solve.variables = ("binary",)``
    The kinds of variables that it takes. Default: continuous variables.
``solve.tasks = ("two objectives",)``
    Tasks of the algorithm: ``one objective`` (the default), ``two objectives``, ``constraints``, or
    several of these. With two objectives, a point gives an array of shape ``(2,)``.
``solve.prepare = warm_up``
    A function that compiles or loads something. It is called once, without arguments, before the
    clock starts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

from timefair.algorithms.base import (
    CONTINUOUS,
    ONE_OBJECTIVE,
    Algorithm,
    Available,
    Implementation,
    Library,
)
from timefair.basics import user_code
from timefair.basics.errors import InputError, described
from timefair.problems.base import Variables
from timefair.problems.kinds import Task


class Own(Library):
    """The user's functions, as a library that a campaign does not name."""

    name = "own"
    distributions: Sequence[str] = ()

    def available(self) -> list[Available]:
        return []

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        try:
            function = user_code.load_function(name)
            _variables(name, function)
            _tasks(name, function)
        except InputError as error:
            return list(error.faults)
        signature = user_code.signature_of(function)
        if signature is None:
            return []
        return user_code.parameter_faults(name, signature, parameters, "solve(objective, rng)")

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        return _variables(name, user_code.load_function(name))

    def tasks(self, name: str, parameters: Mapping[str, object]) -> frozenset[Task]:
        return _tasks(name, user_code.load_function(name))

    def batches(self, name: str, parameters: Mapping[str, object]) -> None:
        """None: the function may call ``objective.batch``."""

    def implementation(self, name: str) -> Implementation:
        return "your Python"

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        function = user_code.load_function(name)
        prepare = getattr(function, "prepare", None)
        solve = partial(function, **parameters)
        if not callable(prepare):
            return Algorithm(solve)
        return Algorithm(solve, partial(_prepare, name, prepare))

    def source_files(self, name: str) -> list[Path]:
        """This file, the named module, and the file of the function if it is another one."""
        return [Path(__file__), *user_code.source_files(name)]

    def packages(self, name: str) -> list[str]:
        """The installed distributions of the named module; empty for a single file."""
        return user_code.packages(name)


def _prepare(name: str, prepare: Callable[[], object]) -> None:
    """Call the user's preparation, before the clock starts; `InputError` if it fails."""
    try:
        prepare()
    except (Exception, SystemExit) as error:
        raise InputError(f"{name}.prepare failed: {described(error)}") from error


def _variables(name: str, function: Callable[..., object]) -> frozenset[Variables]:
    return frozenset(cast(Sequence[Variables], _declared(name, function, "variables", CONTINUOUS)))


def _tasks(name: str, function: Callable[..., object]) -> frozenset[Task]:
    return frozenset(cast(Sequence[Task], _declared(name, function, "tasks", ONE_OBJECTIVE)))


_KNOWN = {"variables": get_args(Variables), "tasks": get_args(Task)}


def _declared(
    name: str, function: Callable[..., object], attribute: str, usual: frozenset[Any]
) -> Collection[str]:
    """The words of an attribute of the user's function; `InputError` for any other."""
    declared = getattr(function, attribute, usual)
    words = (declared,) if isinstance(declared, str) else declared
    known = _KNOWN[attribute]
    if not isinstance(words, Sequence | set | frozenset) or not set(words) <= set(known):
        raise InputError(f"{name}.{attribute} is {declared!r}: name some of {', '.join(known)}")
    return words
