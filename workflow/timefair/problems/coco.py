"""The noiseless `bbob` suite of COCO (Hansen et al. 2021), through cocoex.

cocoex ends the interpreter or reads stray memory on some wrong input (an unknown function, a
dimension above 40, an array of a wrong shape given to a BareProblem). So every key is validated
before cocoex sees it, and nothing is evaluated through a BareProblem: it only tells the optimum.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from timefair.problems.base import Native, Problem, ProblemName, Variables

MAX_INSTANCE = 2**31 - 1


class Bbob:
    """24 functions in 2, 3, 5, 10, 20 and 40 dimensions; every positive instance exists."""

    name = "bbob"
    distributions: Sequence[str] = ("coco-experiment",)
    variables: Variables = "continuous"

    functions = range(1, 25)
    dimensions = (2, 3, 5, 10, 20, 40)

    def faults(
        self, functions: list[int], dimensions: list[int], instances: list[int]
    ) -> list[str]:
        found = [
            f"functions: {f} is not in bbob, which has 1 to 24"
            for f in functions
            if f not in self.functions
        ]
        found += [
            f"dimensions: {d} is not in bbob, which has 2, 3, 5, 10, 20 and 40"
            for d in dimensions
            if d not in self.dimensions
        ]
        found += [
            f"instances: {i} is not in bbob, whose instances are whole numbers from 1"
            for i in instances
            if not 1 <= i <= MAX_INSTANCE
        ]
        return found

    def problem(self, function: int, dimension: int, instance: int) -> Problem:
        faults = self.faults([function], [dimension], [instance])
        if faults:
            raise ValueError("; ".join(faults))
        import cocoex

        # Filtered to one problem: building a suite builds every problem in it.
        suite = cocoex.Suite(
            "bbob",
            f"instances: {instance}",
            f"dimensions: {dimension} function_indices: {function}",
        )
        coco = suite.get_problem(0)
        named = (coco.id_function, coco.dimension, coco.id_instance)
        if named != (function, dimension, instance):
            raise RuntimeError(f"cocoex gave problem {named} for {function, dimension, instance}")
        problem = Problem(
            name=ProblemName("bbob", function, dimension, instance),
            evaluate=coco,
            lower=np.array(coco.lower_bounds, dtype=float),
            upper=np.array(coco.upper_bounds, dtype=float),
            f_opt=float(cocoex.BareProblem("bbob", function, dimension, instance).best_value()),
            keep=(suite, coco),
        )
        return _with_native(problem)


def _with_native(problem: Problem) -> Problem:
    """Add COCO's C evaluation where this build of cocoex exports it and gives the same bits.

    `coco_evaluate_function` is the function that cocoex's Python wrapper calls; the wrapper's
    conversions take most of the time of a cheap evaluation.
    """
    import cocoex

    try:
        coco = ctypes.CDLL(cocoex.interface.__file__)
        new_suite = coco.coco_suite
        get_problem = coco.coco_suite_get_problem_by_function_dimension_instance
        evaluate = coco.coco_evaluate_function
    except (OSError, AttributeError):
        return problem
    new_suite.restype = get_problem.restype = ctypes.c_void_p
    new_suite.argtypes = [ctypes.c_char_p] * 3
    get_problem.argtypes = [ctypes.c_void_p, *[ctypes.c_size_t] * 3]
    name = problem.name
    suite = new_suite(
        b"bbob",
        f"instances: {name.instance}".encode(),
        f"dimensions: {name.dimension} function_indices: {name.function}".encode(),
    )
    handle = get_problem(suite, name.function, name.dimension, name.instance)
    if not handle:
        return problem
    evaluate.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    evaluate.restype = None
    rng = np.random.default_rng(0)
    y = np.empty(1)
    for _ in range(5):
        x = rng.uniform(problem.lower, problem.upper)
        evaluate(handle, x.ctypes.data, y.ctypes.data)
        if y[0] != problem.evaluate(x):
            return problem
    address = ctypes.cast(evaluate, ctypes.c_void_p).value
    assert address is not None
    return Problem(
        name=name,
        evaluate=problem.evaluate,
        lower=problem.lower,
        upper=problem.upper,
        f_opt=problem.f_opt,
        native=Native(address, handle),
        keep=(*problem.keep, coco),
    )
