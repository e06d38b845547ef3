"""COCO's C functions, as the library inside cocoex exports them.

They give the optimum of a problem of any suite, evaluate without the conversions of the Python
wrapper, and control the counters of the noise.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import ProblemName
from timefair.problems.compiled import NoisyPair
from timefair.problems.kinds import Native

NOISE_PLACES = 10_000  # number of positions at which the noise of a run can begin

_SIGNATURES = {
    "coco_suite": (ctypes.c_void_p, [ctypes.c_char_p] * 3),
    "coco_suite_get_problem_by_function_dimension_instance": (
        ctypes.c_void_p,
        [ctypes.c_void_p, *[ctypes.c_size_t] * 3],
    ),
    "coco_problem_get_best_value": (ctypes.c_double, [ctypes.c_void_p]),
    "coco_evaluate_function": (None, [ctypes.c_void_p] * 3),
    "coco_evaluate_constraint": (None, [ctypes.c_void_p] * 3),
    "coco_problem_get_smallest_values_of_interest": (ctypes.c_void_p, [ctypes.c_void_p]),
    "coco_problem_get_largest_values_of_interest": (ctypes.c_void_p, [ctypes.c_void_p]),
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

    @property
    def native(self) -> Native:
        """The evaluation of the problem in C. It does not check the shape or integer variables."""
        return Native(_address("coco_evaluate_function"), self.handle)

    @property
    def native_constraints(self) -> Native:
        """The evaluation of the constraints in C. It does not check the shape."""
        return Native(_address("coco_evaluate_constraint"), self.handle)

    def noisy_pair(self, dimension: int) -> NoisyPair:
        """The evaluation with the measured and the noise-free value, which COCO leaves in a field.

        The fields around it are first compared with results of COCO's functions: RuntimeError if it
        is elsewhere, or the problem is not noisy.
        """
        coco, fields = library(), _Layout.from_address(self.handle)
        found = (
            fields.number_of_variables,
            fields.number_of_objectives,
            fields.number_of_constraints,
            fields.smallest_values_of_interest,
            fields.largest_values_of_interest,
            fields.number_of_integer_variables,
            fields.is_noisy,
            fields.is_opt_known,
        )
        lower = coco.coco_problem_get_smallest_values_of_interest(self.handle)
        upper = coco.coco_problem_get_largest_values_of_interest(self.handle)
        if found != (dimension, 1, 0, lower, upper, 0, 1, 1) or not fields.last_noise_free_values:
            raise RuntimeError("cocoex: the noise-free value is not where version 2.8.2 has it")
        if fields.best_value[0] != self.best_value:
            raise RuntimeError("cocoex: the best value is not where version 2.8.2 has it")
        native = self.native
        return NoisyPair(native.function, native.handle, fields.last_noise_free_values, dimension)

    def evaluate(self, x: NDArray[np.float64]) -> float:
        """The value at an array of doubles of the right shape."""
        y = np.empty(1)
        library().coco_evaluate_function(self.handle, x.ctypes.data, y.ctypes.data)
        return float(y[0])

    def evaluate_constraints(self, x: NDArray[np.float64], count: int) -> NDArray[np.float64]:
        """The values of its constraints, shape ``(count,)``, at such an array."""
        g = np.empty(count)
        library().coco_evaluate_constraint(self.handle, x.ctypes.data, g.ctypes.data)
        return g


def _address(name: str) -> int:
    address = ctypes.cast(getattr(library(), name), ctypes.c_void_p).value
    assert address is not None
    return address


def place_noise(seed: int) -> None:
    """Restart the noise of all problems of this process at positions drawn from a run's seed.

    COCO draws noise by a counter for normal and one for uniform noise, which can only be counted
    up.
    """
    coco = library()
    coco.coco_reset_seeds()
    own = np.random.SeedSequence(seed, spawn_key=(0,))  # no stream of a launch
    uniform, normal = np.random.default_rng(own).integers(NOISE_PLACES, size=2)
    for _ in range(uniform):
        coco.increase_random_seed()
    for _ in range(normal):
        coco.increase_random_n_seed()
