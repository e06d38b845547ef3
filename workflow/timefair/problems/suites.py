"""Finds a suite by its name in a campaign, and runs that have found less than its optimum.

The suites are found in the modules of this package and of extensions. Importing this module
imports none of the libraries behind them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from timefair import problems
from timefair.basics import modules, user_code
from timefair.basics.errors import InputError, suggest
from timefair.basics.extension import packages
from timefair.basics.optimum import is_below
from timefair.problems.kinds import Kind
from timefair.problems.own import OwnProblem
from timefair.problems.problem import ProblemName, Suite

SUITES = modules.declared(
    Suite,  # type: ignore[type-abstract]
    problems,
    *packages("suites"),
    without=("suites", "names"),
)
"""Every suite that a module of this package or of an extension declares, by name."""


def find(suite: str, parameters: Mapping[str, object]) -> Suite:
    """Find the suite of a name, or the user's own problem, and configure it. `InputError`, one line
    per fault, which begins with ``suite`` or ``parameters``.
    """
    try:
        found = SUITES[suite] if suite in SUITES else _own(suite)
    except InputError as error:
        raise InputError(*(f"suite: {fault}" for fault in error.faults)) from None
    faults = found.parameter_faults(parameters)
    if faults:
        raise InputError(*(f"parameters: {fault}" for fault in faults))
    return found.configured(parameters)


def _own(suite: str) -> Suite:
    place, colon, _ = suite.rpartition(":")
    if not colon or not (user_code.is_file(place) or user_code.module_exists(place)):
        raise InputError(
            f"{suite!r} is unknown{suggest(suite, SUITES)}; known: {', '.join(SUITES)} "
            "and module:function of your own"
        )
    return OwnProblem(suite)


COLUMNS = (  # columns of a run that `refutation` reads
    "suite", "function", "dimension", "instance", "algorithm", "run", "f_opt", "best_f",
    "noise_free_f",
)  # fmt: skip


@dataclass(frozen=True, order=True)
class Refutation(ProblemName):
    """A run with a value f below the optimum of its problem; of a noisy run, f without noise."""

    f: float
    algorithm: str
    run: int
    f_opt: float

    def __str__(self) -> str:
        return (
            f"{super().__str__()}: run {self.run} of {self.algorithm} has found "
            f"f = {self.f!r}, below f_opt = {self.f_opt!r}"
        )

    @property
    def problem(self) -> ProblemName:
        return ProblemName(self.suite, self.function, self.dimension, self.instance)


def refutation(run: Mapping[str, Any]) -> Refutation | None:
    """What a run, with `COLUMNS`, refutes; None if its best value is not below the optimum."""
    suite = SUITES.get(run["suite"])
    f_opt, best, noise_free = (
        np.nan if run[name] is None else float(run[name])
        for name in ("f_opt", "best_f", "noise_free_f")
    )
    f = (suite.kind if suite else Kind).refuting(best, noise_free)
    if not is_below(f, f_opt):
        return None
    names = {name: run[name] for name in COLUMNS[:6]}
    return Refutation(**names, f=f, f_opt=f_opt)


def least(found: Iterable[Refutation | None]) -> list[Refutation]:
    """The one with the least value of each problem, in the order of the problems."""
    of_problems: dict[ProblemName, Refutation] = {}
    for one in sorted(filter(None, found)):
        of_problems.setdefault(one.problem, one)
    return list(of_problems.values())
