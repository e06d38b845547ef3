"""Converts IOHprofiler's values to precisions: distances to the optimum."""

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
"""IOHprofiler's names of suites."""

UNNAMED = ("", "None", "No suite", "unknown_suite", "Real", "Integer")
"""Names that IOHprofiler writes for a function without a suite, or of an unspecific one."""

UNKNOWN = "unknown_suite"

BBOB = (
    "Sphere Ellipsoid Rastrigin BuecheRastrigin LinearSlope AttractiveSector StepEllipsoid "
    "Rosenbrock RosenbrockRotated EllipsoidRotated Discus BentCigar SharpRidge DifferentPowers "
    "RastriginRotated Weierstrass Schaffers10 Schaffers1000 GriewankRosenbrock Schwefel "
    "Gallagher101 Gallagher21 Katsuura LunacekBiRastrigin"
).lower().split()  # fmt: skip
"""Names of the functions of ``bbob``, in lower case, letters and digits only."""

BEYOND = 1e-6
"""Relative tolerance for values beyond the optimum, for rounding."""


@dataclass(frozen=True)
class IohFunction:
    """A function as an index file describes it; None for what the file does not have.

    `is_stated`: the user states whether values are maximized.
    """

    suite: str | None
    number: int
    name: str | None
    dimension: int
    maximized: bool
    is_stated: bool = False


class OtherFunctionError(Exception):
    """The data are of another function than the suite's function of the same number."""


class OtherInstanceError(Exception):
    """The run is on another instance than the suite's instance of the same number."""


Precisions = Callable[[IohLog, int], tuple[float | None, NDArray[np.float64]]]
"""From a run and its instance to the optimum, if it is known, and the precisions, shape (lines,).

Raises OtherFunctionError or OtherInstanceError if the run is on another problem than the suite's.
"""


def suite_and_precisions(
    function: IohFunction, place: Path, cautions: Cautions
) -> tuple[str, Precisions] | None:
    """The suite of a function, and the conversion of its values to precisions.

    Parameters
    ----------
    function : IohFunction
        The function.
    place : Path
        The index file, in messages.
    cautions : Cautions
        Receives what was inferred.

    Returns
    -------
    (str, Precisions) or None
        None, with a caution, if the optimum is not known.

    Raises
    ------
    InputError
        If values of a suite that is minimized are maximized, or ``pbo`` lacks the function.
    """
    suite = _suite(function, place, cautions)
    if not function.maximized:
        return suite, Minimized(suite, place, function.is_stated)
    if suite not in SUITES:
        cautions.add(place, "values are maximized; they are read with the other sign")
        return suite, _negated
    if suite != PseudoBoolean.name:
        raise InputError(f"{place}: values are maximized, but those of {suite} are minimized")
    faults = PseudoBoolean().faults([function.number], [function.dimension], [1])
    if faults:
        raise InputError(f"{place}: {faults[0]}")
    if not PseudoBoolean().knows_optimum(function.number, function.dimension, 1):
        cautions.add(place, "the optimum is not known; its runs are skipped")
        return None
    return suite, _Maximized(function, place)


def _suite(function: IohFunction, place: Path, cautions: Cautions) -> str:
    named = function.suite or ""
    if named not in UNNAMED:
        suite = NAMES.get(named, named)
        if suite not in SUITES and not function.maximized:
            cautions.add("", f"{suite}: values are read as distances to the optimum")
        return suite
    if function.maximized and _is_pseudo_boolean(function):
        return PseudoBoolean.name
    name = _plain(function.name)
    if not function.maximized and BBOB[function.number - 1 : function.number] == [name]:
        cautions.add(place, "no name of the suite; bbob is used, from the name of the function")
        return "bbob"
    if not function.maximized:
        cautions.add(place, "no name of the suite; values are read as distances to the optimum")
    return UNKNOWN


def _negated(run: IohLog, instance: int) -> tuple[None, NDArray[np.float64]]:
    """Maximized values with the other sign; the optimum is not known."""
    return None, -np.array(run.values, dtype=np.float64)


def _plain(name: str | None) -> str:
    return re.sub(r"[^a-z0-9]", "", (name or "").lower())


def _is_pseudo_boolean(function: IohFunction) -> bool:
    if function.number not in PseudoBoolean.functions or importlib.util.find_spec("ioh") is None:
        return False
    import ioh

    return _plain(ioh.ProblemClass.PBO.problems[function.number]) == _plain(function.name)


@dataclass(frozen=True)
class Minimized:
    """Values of minimized functions: IOHprofiler logs distances to the optimum."""

    suite: str
    place: Path
    is_stated: bool

    def __call__(self, run: IohLog, instance: int) -> tuple[float, NDArray[np.float64]]:
        precision = np.array(run.values, dtype=np.float64)
        f_opt = run.shown[1] - run.shown[0] if run.shown else 0.0
        least = np.nanmin(precision, initial=np.inf)
        if least < -BEYOND:
            raise InputError(f"{self.place}: value {least:g} is not a distance to the optimum")
        if self.suite == "bbob" and run.shown is not None and f_opt == 0:
            raise InputError(
                f"{self.place}: values of f (such as {run.shown[0]:g}), expected distances to the "
                "optimum"
            )
        return f_opt if np.isfinite(f_opt) else 0.0, np.maximum(precision, 0.0)


@dataclass(frozen=True)
class _Maximized:
    """Values of pseudo-Boolean functions, converted to distances in the units of the instance."""

    function: IohFunction
    place: Path

    def __call__(self, run: IohLog, instance: int) -> tuple[float, NDArray[np.float64]]:
        number, dimension = self.function.number, self.function.dimension
        if faults := PseudoBoolean().faults([number], [dimension], [instance]):
            raise InputError(f"{self.place}: {faults[0]}")
        largest, largest_here = (_largest(number, dimension, i) for i in (1, instance))
        # An instance scales and shifts the values of all functions alike: OneMax gives the scale.
        stretch = _largest(ONE_MAX, 2, instance) - _largest(ONE_MAX, 1, instance)
        precision = stretch * (largest - np.array(run.values, dtype=np.float64))
        finite = precision[np.isfinite(precision)]
        if finite.size and finite.min() < -BEYOND * max(1.0, abs(largest_here)):
            raise OtherFunctionError(f"values exceed the optimum of f{number} of pbo")
        if run.shown is not None:
            ours = largest_here - stretch * (largest - run.shown[0])
            if not np.isclose(run.shown[1], ours, rtol=BEYOND, atol=BEYOND):
                raise OtherInstanceError
        return -largest_here, np.maximum(precision, 0.0)


@cache
def _largest(number: int, dimension: int, instance: int) -> float:
    return -PseudoBoolean().problem(number, dimension, instance).f_opt
