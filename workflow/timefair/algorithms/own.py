"""The user's own algorithms: ``module:function`` or ``path/to/file.py:function``.

The function is ``solve(objective, rng, **parameters)``: one launch, see `base.Objective` for what
it may ask of the objective. Two attributes of the function say more about it:

``solve.variables = ("binary",)``
    The kinds of variables that it takes; continuous ones without it.
``solve.prepare = warm_up``
    Something to compile or to load first: it is called once without arguments before any clock
    starts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast, get_args

from timefair.algorithms.base import CONTINUOUS, Algorithm, Available, Library
from timefair.basics import user_code
from timefair.basics.errors import InputError
from timefair.problems.base import Variables


class Own(Library):
    """The user's own functions."""

    name = "own"
    distributions: Sequence[str] = ()

    def available(self) -> list[Available]:
        return []

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        try:
            function = user_code.load_function(name)
            _variables(name, function)
        except InputError as error:
            return list(error.faults)
        signature = user_code.signature_of(function)
        if signature is None:
            return []
        return user_code.parameter_faults(name, signature, parameters, "solve(objective, rng)")

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        return _variables(name, user_code.load_function(name))

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        function = user_code.load_function(name)
        prepare = getattr(function, "prepare", None)
        solve = partial(function, **parameters)
        return Algorithm(solve, prepare) if callable(prepare) else Algorithm(solve)

    def source_files(self, name: str) -> list[Path]:
        """This adapter, the module that was named, and the function's file if it is another."""
        return [Path(__file__), *user_code.source_files(name)]

    def packages(self, name: str) -> list[str]:
        """The installed distributions that the named module belongs to; none for loose files."""
        return user_code.packages(name)


def _variables(name: str, function: Callable[..., object]) -> frozenset[Variables]:
    said = getattr(function, "variables", CONTINUOUS)
    known = get_args(Variables)
    kinds = (said,) if isinstance(said, str) else said
    if not isinstance(kinds, Sequence | set | frozenset) or not set(kinds) <= set(known):
        raise InputError(f"{name}.variables is {said!r}: name some of {', '.join(known)}")
    return frozenset(cast(Sequence[Variables], kinds))
