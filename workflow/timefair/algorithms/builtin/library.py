"""The library ``timefair``: the algorithms of this package, by their names in a campaign.

Each algorithm is a module of this package. Its parameters are the keyword-only arguments of its
``solve``, or of its ``load``, which binds them itself. The module's ``faults`` gives one line per
invalid value.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import get_args

from timefair.algorithms.base import CONTINUOUS, Algorithm, Available, Library
from timefair.basics.errors import suggest
from timefair.problems.base import Variables
from timefair.problems.kinds import Task
from timefair.problems.parameters import unknown, wrong_values

MODULES = {
    "ABC": "bee_colony",
    "CRO": "coral_reefs",
    "2-opt": "two_opt",
    "DE": "differential_evolution",
    "JADE": "jade",
    "OX-GA": "order_genetic",
    "OnePlusOneEA": "one_plus_one_ea",
    "PSO": "particle_swarm",
    "RLS": "randomized_local_search",
    "jDE": "jde",
    "jDElscop": "jdelscop",
    "mQSO": "multiswarm",
    "portfolio": "portfolio",
    "random-permutations": "orders",
    "random-search": "random_search",
}
"""Module or package of each algorithm, in the same folder as this file."""
KINDS: Mapping[str, frozenset[Variables]] = {
    "2-opt": frozenset({"permutation"}),
    "OX-GA": frozenset({"permutation"}),
    "OnePlusOneEA": frozenset({"binary"}),
    "RLS": frozenset({"binary"}),
    "random-permutations": frozenset({"permutation"}),
    "random-search": CONTINUOUS | {"integer"},
}
"""The kinds of variables of each algorithm that is not for continuous ones alone."""
_PACKAGE = "timefair.algorithms.builtin."


class Timefair(Library):
    """The library ``timefair``."""

    name = "timefair"
    distributions: Sequence[str] = ("timefair", "numpy")
    examples: Sequence[str] = ("DE", "random-search")
    special: Mapping[str, frozenset[Task]] = MappingProxyType(
        {"random-search": frozenset(get_args(Task))}
    )
    batched: Collection[str] = frozenset(MODULES) - {
        *("2-opt", "ABC", "OX-GA", "OnePlusOneEA", "RLS", "random-permutations")
    }
    compiled: Collection[str] | None = ("DE",)

    def available(self) -> list[Available]:
        return [Available(name) for name in MODULES]

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        if name not in MODULES:
            return [f"timefair has no algorithm {name!r}{suggest(name, MODULES)}"]
        module = _module(name)
        function = getattr(module, "load", None) or module.solve
        arguments = inspect.signature(function).parameters.values()
        known = {a.name: a for a in arguments if a.kind is a.KEYWORD_ONLY}
        lines = [unknown(key, f"timefair:{name}", known) for key in parameters if key not in known]
        lines += [
            f"timefair:{name} needs a value of its parameter {key!r}"
            for key, a in known.items()
            if a.default is a.empty and key not in parameters
        ]
        optional = {key for key, a in known.items() if a.default is None}
        given = {k: v for k, v in parameters.items() if v is not None or k not in optional}
        lines += wrong_values(f"timefair:{name}", getattr(module, "ALLOWED", {}), given)
        if not lines and hasattr(module, "faults"):
            lines = module.faults(**parameters)
        return lines

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        if name == "portfolio":
            kinds: frozenset[Variables] = _module(name).variables(**parameters)
            return kinds
        return KINDS.get(name, CONTINUOUS)

    def members(
        self, name: str, parameters: Mapping[str, object]
    ) -> list[tuple[str, Mapping[str, object]]]:
        if name != "portfolio":
            return []
        found: list[tuple[str, Mapping[str, object]]] = _module(name).specifications(
            parameters.get("members")
        )
        return found

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        module = _module(name)
        if hasattr(module, "load"):
            loaded: Algorithm = module.load(**parameters)
            return loaded
        solve = partial(module.solve, **parameters)
        prepare = getattr(module, "prepare", None)
        return Algorithm(solve, prepare) if prepare else Algorithm(solve)

    def source_files(self, name: str) -> list[Path]:
        base = Path(__file__).with_name(MODULES[name])
        files = sorted(base.iterdir()) if base.is_dir() else [base.with_suffix(".py")]
        used = [v for v in vars(_module(name)).values() if isinstance(v, ModuleType)]
        files += [Path(m.__file__) for m in used if m.__file__ and m.__name__.startswith(_PACKAGE)]
        return [Path(__file__), *(f for f in dict.fromkeys(files) if f.suffix in (".py", ".pyx"))]


TIMEFAIR = Timefair()
"""DE, algorithms of the quantiles paper, baselines, portfolios."""


def _module(name: str) -> ModuleType:
    return importlib.import_module(_PACKAGE + MODULES[name])
