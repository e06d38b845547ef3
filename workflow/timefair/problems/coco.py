"""The suites of COCO (Hansen et al. 2021), through the package cocoex and the C functions in it."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from timefair.problems.kinds import Constraints, Kind, Native, Noisy, TwoObjectives
from timefair.problems.pointwise import NoisyPair
from timefair.problems.problem import (
    Allowed,
    Problem,
    ProblemName,
    Suite,
    Variables,
    Word,
    numbered,
    refusing,
)

CONSTRAINT = "coco_evaluate_constraint"
NOISE_PLACES = 10_000  # number of positions at which the noise of a run can begin

_SIGNATURES = {
    "coco_suite": (ctypes.c_void_p, [ctypes.c_char_p] * 3),
    "coco_suite_get_problem_by_function_dimension_instance": (
        ctypes.c_void_p,
        [ctypes.c_void_p, *[ctypes.c_size_t] * 3],
    ),
    "coco_problem_get_best_value": (ctypes.c_double, [ctypes.c_void_p]),
    "coco_evaluate_function": (None, [ctypes.c_void_p] * 3),
    CONSTRAINT: (None, [ctypes.c_void_p] * 3),
    "coco_reset_seeds": (None, []),
    "increase_random_seed": (None, []),
    "increase_random_n_seed": (None, []),
}


class _Layout(ctypes.Structure):
    """The first fields of COCO's ``coco_problem_s``: no function gives the noise-free value."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in (
            "evaluate_function", "evaluate_constraint", "evaluate_gradient", "recommend_solution",
            "problem_free_function",
        )),
        *((name, ctypes.c_size_t) for name in (
            "number_of_variables", "number_of_objectives", "number_of_constraints",
        )),
        ("smallest_values_of_interest", ctypes.c_void_p),
        ("largest_values_of_interest", ctypes.c_void_p),
        ("number_of_integer_variables", ctypes.c_size_t),
        ("is_noisy", ctypes.c_int),
        ("last_noise_free_values", ctypes.c_void_p),
        ("initial_solution", ctypes.c_void_p),
        ("is_opt_known", ctypes.c_int),
        ("best_value", ctypes.POINTER(ctypes.c_double)),
    )  # fmt: skip


@cache
def library() -> ctypes.CDLL:
    """Load the library and declare its functions; RuntimeError if cocoex does not export them."""
    import cocoex

    try:
        coco = ctypes.CDLL(cocoex.interface.__file__)
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(coco, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise RuntimeError(f"cocoex does not export its C functions: {error}") from error
    return coco


def options(name: ProblemName, first: int = 1) -> tuple[str, str]:
    """COCO's words for a suite of one problem; `first`: the number of its first function."""
    only = f"dimensions: {name.dimension} function_indices: {name.function - first + 1}"
    return f"instances: {name.instance}", only


@dataclass(frozen=True)
class CProblem:
    """A problem of COCO by its address; it stays open until the process ends."""

    handle: int

    @classmethod
    def open(cls, name: ProblemName, options: tuple[str, str]) -> CProblem:
        """Take the problem from its suite, opened with `options`; COCO may end the process."""
        coco = library()
        suite = coco.coco_suite(name.suite.encode(), *(option.encode() for option in options))
        handle = coco.coco_suite_get_problem_by_function_dimension_instance(
            suite, name.function, name.dimension, name.instance
        )
        if not handle:
            raise RuntimeError(f"COCO gave no problem for {name}")
        return cls(handle)

    @property
    def best_value(self) -> float:
        return float(library().coco_problem_get_best_value(self.handle))

    def native(self, name: str = "coco_evaluate_function") -> Native:
        """The evaluation of the problem in C. It does not check the shape or integer variables."""
        address = ctypes.cast(getattr(library(), name), ctypes.c_void_p).value
        assert address is not None
        return Native(address, self.handle)

    def noisy_pair(self, dimension: int) -> NoisyPair:
        """The evaluation with the measured and the noise-free value, which COCO leaves in a field.
        The fields around it are first compared with what is known of the problem: RuntimeError if
        it is elsewhere, or the problem is not noisy.
        """
        fields = _Layout.from_address(self.handle)
        right = {
            **{"number_of_variables": dimension, "number_of_objectives": 1, "is_opt_known": 1},
            **{"number_of_constraints": 0, "number_of_integer_variables": 0, "is_noisy": 1},
        }
        same = all(getattr(fields, name) == value for name, value in right.items())
        there = same and fields.last_noise_free_values
        if not there or fields.best_value[0] != self.best_value:
            raise RuntimeError("cocoex: the noise-free value is not where version 2.8.2 has it")
        native = self.native()
        return NoisyPair(native.function, native.handle, fields.last_noise_free_values, dimension)

    def evaluate(
        self, x: NDArray[np.float64], name: str = "coco_evaluate_function", count: int = 1
    ) -> NDArray[np.float64]:
        y = np.empty(count)
        getattr(library(), name)(self.handle, x.ctypes.data, y.ctypes.data)
        return y


def place_noise(seed: int) -> None:
    """Restart the noise of all problems of this process, by two counters that only rise."""
    coco = library()
    coco.coco_reset_seeds()
    own = np.random.SeedSequence(seed, spawn_key=(0,))  # no stream of a launch
    uniform, normal = np.random.default_rng(own).integers(NOISE_PLACES, size=2)
    for _ in range(uniform):
        coco.increase_random_seed()
    for _ in range(normal):
        coco.increase_random_n_seed()


@dataclass
class Coco(Suite):
    """A suite of COCO. cocoex ends the interpreter on some wrong keys: `faults` checks all."""

    name: str
    functions: range
    dimensions: tuple[int, ...]
    variables: Variables = "continuous"
    kind: type[Kind] = Kind
    distributions: Sequence[str] = ("coco-experiment",)
    names: Mapping[int, str] = field(default_factory=dict)
    groups: Mapping[str, range] = field(default_factory=dict)

    def make(self, name: ProblemName) -> Problem:
        in_c = CProblem.open(name, options(name, self.functions[0]))
        problem = self._through_wrapper(name, in_c.best_value)
        if self.kind is Noisy:
            pair = in_c.noisy_pair(name.dimension)
            return replace(
                problem,
                evaluate=pair,
                native=Native(*pair.c_function),
                kind=Noisy(lambda x: float(pair(x)[1])),
                keep=(*problem.keep, pair),
            )
        lower, upper, integer = problem.lower, problem.upper, problem.integer
        if integer.any():
            return replace(
                problem, evaluate=refusing(problem.evaluate, name, lower, upper, integer)
            )
        return (
            replace(problem, native=in_c.native())
            if same_bits(problem, in_c.evaluate, problem.evaluate)
            else problem
        )

    def _through_wrapper(self, name: ProblemName, f_opt: float) -> Problem:
        import cocoex

        suite = cocoex.Suite(self.name, *options(name, self.functions[0]))
        coco = suite.get_problem(0)
        numbers = (name.function, name.dimension, name.instance)
        if coco.id_triple != numbers:
            raise RuntimeError(f"cocoex gave problem {coco.id_triple} for {numbers}")
        return Problem(
            name=name,
            evaluate=coco,
            lower=np.array(coco.lower_bounds, dtype=float),
            upper=np.array(coco.upper_bounds, dtype=float),
            f_opt=f_opt,
            integer=np.arange(name.dimension) < coco.number_of_integer_variables,
            reseed=place_noise if self.kind is Noisy else None,
            keep=(suite, coco),
        )


def same_bits(problem: Problem, in_c: Callable[[Any], Any], wrapper: Callable[[Any], Any]) -> bool:
    rng = np.random.default_rng(0)
    points = rng.uniform(problem.lower, problem.upper, size=(5, problem.dimension))
    return all(np.array_equal(in_c(x), np.atleast_1d(wrapper(x))) for x in points)


SMALL = (2, 3, 5, 10, 20, 40)
NAMES = numbered(
    *("sphere", "ellipsoid", "Rastrigin", "Büche-Rastrigin", "linear slope"),
    *("attractive sector", "step ellipsoid", "Rosenbrock", "rot. Rosenbrock"),
    *("rot. ellipsoid", "discus", "bent cigar", "sharp ridge", "different powers"),
    *("rot. Rastrigin", "Weierstrass", "Schaffer F7", "Schaffer F7 ill-c."),
    *("Griewank-Ros.", "Schwefel", "Gallagher 101", "Gallagher 21", "Katsuura"),
    "Lunacek",
)
GROUPS = {  # of Hansen et al. 2009; the group ``multimodal`` has an adequate global structure
    "separable": range(1, 6),
    "moderate": range(6, 10),
    "ill-conditioned": range(10, 15),
    "multimodal": range(15, 20),
    "weak structure": range(20, 25),
}
NAMED: dict[str, Any] = {"names": NAMES, "groups": GROUPS}
NOISY_GROUPS = {
    "moderate noise": range(101, 107),
    "severe noise": range(107, 122),
    "noisy multimodal": range(122, 131),
}

BBOB = Coco("bbob", range(1, 25), SMALL, **NAMED)
"""24 functions without noise."""
BBOB_BOXED = Coco("bbob-boxed", range(1, 25), SMALL, **NAMED)
"""The functions of `bbob`, infinite outside the bounds."""
BBOB_LARGESCALE = Coco("bbob-largescale", range(1, 25), (20, 40, 80, 160, 320, 640), **NAMED)
"""The functions of `bbob` in high dimensions."""
BBOB_MIXINT = Coco(
    "bbob-mixint", range(1, 25), (5, 10, 20, 40, 80, 160), variables="mixed", **NAMED
)
"""Variables with 2, 4, 8 and 16 values, and continuous ones."""
BBOB_NOISY = Coco("bbob-noisy", range(101, 131), SMALL, kind=Noisy, groups=NOISY_GROUPS)
"""30 functions with Gaussian, uniform and Cauchy noise."""


INSTANCES = range(1, 16)  # instances for which COCO has reference values

TARGETS = (*(10 ** (-k / 10) for k in range(51)), 0.0, *(-(10 ** (k / 5 - 5)) for k in range(6)))
"""The 58 targets of COCO: 1 to 1e-5, 0, and -1e-5 to -1e-4."""

_PARTS = re.compile(r"bbob_f0*(\d+)_i0*(\d+)_d0*(\d+)")
_REFERENCES = re.compile(rb"\0bbob-biobj_f(\d+)_i(\d+)_d(\d+) ([-+.0-9eE]+)(?=\0)")


@dataclass
class CocoBiobj(Coco):
    dimensions: tuple[int, ...] = SMALL
    instances: range = INSTANCES
    kind: type[Kind] = TwoObjectives
    targets: tuple[float, ...] = TARGETS

    def make(self, name: ProblemName) -> Problem:
        reference = reference_values()[name.function, name.instance, name.dimension]
        problem = self._through_wrapper(name, -reference)
        coco: Any = problem.keep[-1]
        ideal, nadir = _ideal(coco.name), np.array(coco.largest_fvalues_of_interest)
        return replace(
            problem,
            native=CProblem.open(name, options(name)).native(),
            kind=TwoObjectives(ideal, nadir),
        )


def _ideal(stacked: str) -> NDArray[np.float64]:
    """The ideal point of a problem. COCO's name of the problem contains its two functions."""
    parts = [tuple(map(int, part)) for part in _PARTS.findall(stacked)]
    if len(parts) != 2:
        raise RuntimeError(f"cocoex named a problem of two functions {stacked!r}")
    names = [ProblemName("bbob", f, dimension, instance) for f, instance, dimension in parts]
    return np.array([CProblem.open(name, options(name)).best_value for name in names])


@cache
def reference_values() -> dict[tuple[int, int, int], float]:
    """COCO's reference values of the indicator, by (function, instance, dimension), from a table of
    texts in the library inside cocoex, which has no function for them.
    """
    import cocoex

    table = _REFERENCES.findall(Path(cocoex.interface.__file__).read_bytes())
    if not table:
        raise RuntimeError("cocoex has no reference values of bbob-biobj")
    return {(int(f), int(i), int(d)): float(value) for f, i, d, value in table}


BBOB_BIOBJ = CocoBiobj("bbob-biobj", range(1, 56))
"""Two objectives: 55 pairs of functions of `bbob`.

The suites of COCO with two objectives, through the package cocoex.

An evaluation gives two objectives, each a function of ``bbob`` (Brockhoff et al. 2022). A run
records every vector that no earlier one of the run weakly dominates, over all of its launches. The
quality of the run is the hypervolume indicator of COCO of all these vectors: the area that they
dominate between the ideal and the nadir point, or, before any of them is in this region, their
distance to it with the opposite sign. It is computed after the run and is not charged to any
algorithm.

The precision is COCO's reference value of the problem minus the indicator. The reference value is
the best indicator that COCO's authors know, so a precision can be negative. Targets at and below 0
ask for such a result. The instances 11 to 15 have the reference value 1, which no set can reach.

``final_target`` does not end a run, because the quality is not known before its end.
"""
BBOB_BIOBJ_EXT = CocoBiobj("bbob-biobj-ext", range(1, 93))
"""Two objectives: the 55 pairs of `bbob-biobj` and 37 more."""


@dataclass
class CocoConstrained(Coco):
    quality: str = "feasible"
    parameters: ClassVar[Allowed] = {"quality": Word(("feasible", "indicator"))}
    kind: type[Kind] = Constraints

    @property
    def published_needs(self) -> str:  # type: ignore[override]
        return "" if self.quality == "indicator" else "problems.parameters: {quality: indicator}"

    def make(self, name: ProblemName) -> Problem:
        problem = super().make(name)
        coco: Any = problem.keep[-1]
        constraints = Constraints(
            coco.number_of_constraints, coco.constraint, indicator=self.quality == "indicator"
        )
        if problem.native is not None:
            in_c = CProblem(problem.native.handle)
            by_c = partial(in_c.evaluate, name=CONSTRAINT, count=constraints.count)
            if same_bits(problem, by_c, constraints.evaluate):
                constraints = replace(constraints, native=in_c.native(CONSTRAINT))
        start = np.array(coco.initial_solution, dtype=float)
        return replace(problem, kind=constraints, start=start)


BBOB_CONSTRAINED = CocoConstrained("bbob-constrained", range(1, 55), SMALL)
"""54 functions with 1 to more than 100 constraints."""
