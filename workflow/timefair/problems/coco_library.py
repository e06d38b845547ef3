"""COCO's C functions, as the library inside cocoex exports them.

They give the optimum of a problem of any suite, evaluate without the conversions of the Python
wrapper, and have the counters of the noise.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Native, ProblemName

NOISE_PLACES = 10_000
"""Number of positions at which the noise of a run can begin."""

_SIGNATURES = {
    "coco_suite": (ctypes.c_void_p, [ctypes.c_char_p] * 3),
    "coco_suite_get_problem_by_function_dimension_instance": (
        ctypes.c_void_p,
        [ctypes.c_void_p, *[ctypes.c_size_t] * 3],
    ),
    "coco_problem_get_best_value": (ctypes.c_double, [ctypes.c_void_p]),
    "coco_evaluate_function": (None, [ctypes.c_void_p] * 3),
    "coco_reset_seeds": (None, []),
    "increase_random_seed": (None, []),
    "increase_random_n_seed": (None, []),
}


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


@dataclass(frozen=True)
class CProblem:
    """A problem of COCO by its address; it stays open as long as the process."""

    handle: int

    @classmethod
    def open(cls, name: ProblemName, options: tuple[str, str]) -> CProblem:
        """From its suite, opened for these instances and with this filter.

        COCO ends the process at some names that it does not have.
        """
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
        """The value of the optimum, without noise."""
        return float(library().coco_problem_get_best_value(self.handle))

    @property
    def native(self) -> Native:
        """Its evaluation in C, which checks neither the shape nor that integers are whole."""
        address = ctypes.cast(library().coco_evaluate_function, ctypes.c_void_p).value
        assert address is not None
        return Native(address, self.handle)

    def evaluate(self, x: NDArray[np.float64]) -> float:
        """The value at an array of doubles of the right shape."""
        y = np.empty(1)
        library().coco_evaluate_function(self.handle, x.ctypes.data, y.ctypes.data)
        return float(y[0])


def reset_noise() -> None:
    """Restart the noise of all problems of this process at its first position."""
    library().coco_reset_seeds()


def place_noise(seed: int) -> None:
    """Restart the noise of all problems of this process at positions drawn from a run's seed.

    COCO draws each value of noise by the next number of a counter, one counter for normal and
    one for uniform noise, which the whole process shares and which can only be counted up.
    """
    coco = library()
    coco.coco_reset_seeds()
    own = np.random.SeedSequence(seed, spawn_key=(0,))  # no stream of a launch
    uniform, normal = np.random.default_rng(own).integers(NOISE_PLACES, size=2)
    for _ in range(uniform):
        coco.increase_random_seed()
    for _ in range(normal):
        coco.increase_random_n_seed()
