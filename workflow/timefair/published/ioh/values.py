"""What IOHprofiler's values are: distances to an optimum, or values of which one is known."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.problems.pbo import ONE_MAX, PseudoBoolean
from timefair.problems.registry import SUITES
from timefair.published.cautions import Cautions
from timefair.published.ioh.logs import IohLog

NAMES = {"BBOB": "bbob", "SBOX": "bbob-boxed", "PBO": "pbo"}
"""What IOHprofiler calls suites."""

UNNAMED = ("", "None", "No suite", "unknown_suite", "Real", "Integer")
"""What it writes where a function was not taken from a suite, or from one of any functions."""

UNKNOWN = "unknown_suite"

BBOB = (
    "Sphere Ellipsoid Rastrigin BuecheRastrigin LinearSlope AttractiveSector StepEllipsoid "
    "Rosenbrock RosenbrockRotated EllipsoidRotated Discus BentCigar SharpRidge DifferentPowers "
    "RastriginRotated Weierstrass Schaffers10 Schaffers1000 GriewankRosenbrock Schwefel "
    "Gallagher101 Gallagher21 Katsuura LunacekBiRastrigin"
).lower().split()  # fmt: skip
"""The names of the functions of ``bbob``, in lower case, without signs."""

BEYOND = 1e-6
"""How far, relatively, a value may lie beyond the optimum: what rounding leaves."""


@dataclass(frozen=True)
class IohFunction:
    """A function as index files describe it; None where they do not."""

    suite: str | None
    number: int
    name: str | None
    dimension: int
    maximized: bool


class OtherFunctionError(Exception):
    """Data are of another function than the suite's of that number."""


class OtherInstanceError(Exception):
    """A run is on another instance than the suite's of that number."""


Precisions = Callable[[IohLog, int], tuple[float, NDArray[np.float64]]]
"""The optimum, and the distances of a run's values to it, shape (lines,), on an instance.

OtherFunctionError or OtherInstanceError if the run is not on the problem of those numbers."""


def suite_and_precisions(
    function: IohFunction, place: Path, cautions: Cautions
) -> tuple[str, Precisions] | None:
    """The suite of a function, and what makes precisions of its values.

    None, with a caution, if nobody knows the optimum; InputError if values are maximized, and it is
    no pseudo-Boolean function.
    """
    suite = _suite(function, place, cautions)
    if not function.maximized:
        return suite, _Minimized(suite, place)
    if suite != PseudoBoolean.name:
        raise InputError(f"{place}: its values are maximized, and are no precisions")
    faults = PseudoBoolean().faults([function.number], [function.dimension], [1])
    if faults:
        raise InputError(f"{place}: {faults[0]}")
    if not PseudoBoolean().knows_optimum(function.number, function.dimension, 1):
        cautions.add(place, "nobody knows the optimum; its runs are left out")
        return None
    return suite, _Maximized(function, place)


def _suite(function: IohFunction, place: Path, cautions: Cautions) -> str:
    named = function.suite or ""
    if named not in UNNAMED:
        suite = NAMES.get(named, named)
        if suite not in SUITES:
            cautions.add("", f"{suite}: values are taken as distances to the optimum")
        return suite
    if function.maximized and _is_pseudo_boolean(function):
        return PseudoBoolean.name
    name = _plain(function.name)
    if not function.maximized and BBOB[function.number - 1 : function.number] == [name]:
        cautions.add(place, "does not name its suite; by the name of its function it is of bbob")
        return "bbob"
    cautions.add(place, "does not name its suite; values are taken as distances to the optimum")
    return UNKNOWN


def _plain(name: str | None) -> str:
    return re.sub(r"[^a-z0-9]", "", (name or "").lower())


def _is_pseudo_boolean(function: IohFunction) -> bool:
    if function.number not in PseudoBoolean.functions or importlib.util.find_spec("ioh") is None:
        return False
    import ioh

    return _plain(ioh.ProblemClass.PBO.problems[function.number]) == _plain(function.name)


@dataclass(frozen=True)
class _Minimized:
    """IOHprofiler's values of functions that are minimized are the distances."""

    suite: str
    place: Path

    def __call__(self, run: IohLog, instance: int) -> tuple[float, NDArray[np.float64]]:
        precision = np.array(run.values, dtype=np.float64)
        f_opt = run.shown[1] - run.shown[0] if run.shown else 0.0
        least = np.nanmin(precision, initial=np.inf)
        if least < -BEYOND:
            raise InputError(f"{self.place}: a value of {least:g} is no distance to an optimum")
        if self.suite == "bbob" and run.shown is not None and f_opt == 0:
            raise InputError(
                f"{self.place}: values of f (such as {run.shown[0]:g}), not their distances to the "
                "optimum"
            )
        return f_opt if np.isfinite(f_opt) else 0.0, precision


@dataclass(frozen=True)
class _Maximized:
    """Distances of pseudo-Boolean values, in the units of the instance, as records have them."""

    function: IohFunction
    place: Path

    def __call__(self, run: IohLog, instance: int) -> tuple[float, NDArray[np.float64]]:
        number, dimension = self.function.number, self.function.dimension
        if faults := PseudoBoolean().faults([number], [dimension], [instance]):
            raise InputError(f"{self.place}: {faults[0]}")
        largest, largest_here = (_largest(number, dimension, i) for i in (1, instance))
        # An instance stretches and shifts the values of all functions alike: seen on OneMax.
        stretch = _largest(ONE_MAX, 2, instance) - _largest(ONE_MAX, 1, instance)
        precision = stretch * (largest - np.array(run.values, dtype=np.float64))
        finite = precision[np.isfinite(precision)]
        if finite.size and finite.min() < -BEYOND * max(1.0, abs(largest_here)):
            raise OtherFunctionError(f"values are larger than the optimum of f{number} of pbo")
        if run.shown is not None:
            ours = largest_here - stretch * (largest - run.shown[0])
            if not np.isclose(run.shown[1], ours, rtol=BEYOND, atol=BEYOND):
                raise OtherInstanceError
        return -largest_here, precision


@cache
def _largest(number: int, dimension: int, instance: int) -> float:
    return -PseudoBoolean().problem(number, dimension, instance).f_opt
