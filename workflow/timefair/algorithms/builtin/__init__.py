"""Algorithms of this package: baselines, and algorithms that no library implements as published.

An algorithm is a function of a module, ``solve(objective, rng, *, ...)``: one launch. Its
keyword-only arguments are the parameters, with their defaults and, by ``Annotated``, their allowed
values. A module may have ``faults(**parameters) -> list[str]``: what else is wrong with allowed
values; one line each, which begins with the key.

To add an algorithm, add the function and a line in `FUNCTIONS`, and in `KINDS` if it is not
for continuous variables alone.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from timefair.algorithms.algorithm import CONTINUOUS, Algorithm, Library
from timefair.basics import user_code
from timefair.basics.errors import suggest
from timefair.problems.kinds import Task
from timefair.problems.problem import SHARE, Number, Truth, Variables, wrong_parameters

Count = Annotated[int, Number(1, whole=True)]
Share = Annotated[float, SHARE]


ABOVE_0 = Number(0, 1, above=True)

FUNCTIONS = {
    **{"ABC": "population.bee_colony", "CRO": "population.coral_reefs", "2-opt": "simple.two_opt"},
    **{"DE": "differential_evolution.solve", "JADE": "population.jade", "OX-GA": "simple.genetic"},
    **{"OnePlusOneEA": "simple.one_plus_one", "PSO": "population.particle_swarm"},
    **{"RLS": "simple.local_search", "jDE": "population.jde", "jDElscop": "population.jdelscop"},
    **{"mQSO": "population.multiswarm", "portfolio": "portfolio.load"},
    **{"random-permutations": "simple.random_orders", "random-search": "simple.random_search"},
}
"""Module of each algorithm, and its function there."""
KINDS: Mapping[str, frozenset[Variables]] = {
    **dict.fromkeys(("2-opt", "OX-GA", "random-permutations"), frozenset({"permutation"})),
    **dict.fromkeys(("OnePlusOneEA", "RLS"), frozenset({"binary"})),
    "random-search": CONTINUOUS | {"integer"},
}
"""The kinds of variables of each algorithm that is not for continuous ones alone."""
_PACKAGE = "timefair.algorithms.builtin."


class Timefair(Library):
    def available(self) -> dict[str, str]:
        return dict.fromkeys(FUNCTIONS, "")

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        if name not in FUNCTIONS:
            return [f"timefair has no algorithm {name!r}{suggest(name, FUNCTIONS)}"]
        module, function = _found(name)
        signature, owner = inspect.signature(function), f"timefair:{name}"
        call = "load()" if name == "portfolio" else "solve(objective, rng)"
        lines = user_code.parameter_faults(owner, signature, parameters, call)
        hints, known = get_type_hints(function, include_extras=True), signature.parameters
        given = {k: v for k, v in parameters.items() if k in known and v is not known[k].default}
        lines += wrong_parameters(owner, {key: _allowed(hints[key]) for key in given}, given)
        if not lines and hasattr(module, "faults"):
            lines = module.faults(**parameters)
        return lines

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        if name == "portfolio":
            return frozenset(_found(name)[0].variables(**parameters))
        return KINDS.get(name, CONTINUOUS)

    def members(
        self, name: str, parameters: Mapping[str, object]
    ) -> list[tuple[str, Mapping[str, object]]]:
        given = parameters.get("members") if name == "portfolio" else None
        return [] if given is None else list(_found(name)[0].specifications(given))

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        _, function = _found(name)
        bound = partial(function, **parameters)
        return bound() if name == "portfolio" else Algorithm(bound)

    def source_files(self, name: str) -> list[Path]:
        module, _ = _found(name)
        used = [m for m in vars(module).values() if isinstance(m, ModuleType)]
        names = [m.__name__ for m in (module, *used) if m.__name__.startswith(_PACKAGE)]
        stems = [Path(__file__).with_name(name.removeprefix(_PACKAGE)) for name in names]
        files = [stem.with_suffix(suffix) for stem in stems for suffix in (".py", ".pyx")]
        return [Path(__file__), *filter(Path.exists, files)]


TIMEFAIR = Timefair(
    name="timefair",
    distributions=("timefair", "numpy"),
    examples=("DE", "random-search"),
    special={"random-search": frozenset(get_args(Task))},
    batched=set(FUNCTIONS) - {*KINDS, "ABC"} | {"random-search"},
    compiled=("DE",),
)
"""DE, algorithms of the quantiles paper, baselines, portfolios."""


def _allowed(hint: Any) -> Any:
    """The values that the annotation of a parameter allows; None: any."""
    parts = [part for part in (hint, *get_args(hint)) if get_origin(part) is Annotated]
    return parts[0].__metadata__[0] if parts else Truth() if hint is bool else None


def _found(name: str) -> tuple[ModuleType, Callable[..., Any]]:
    place, _, function = FUNCTIONS[name].partition(".")
    module = importlib.import_module(_PACKAGE + place)
    return module, getattr(module, function)
