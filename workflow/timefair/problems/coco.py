"""The single-objective suites of COCO (Hansen et al. 2021), through the package cocoex.

The optimum is the one that COCO uses, and it is exact.

``bbob-boxed``: the bounds are strict. The value outside the bounds is infinite.

``bbob-mixint``: the variables are in five groups of equal size. Those of the first four groups have
2, 4, 8 and 16 values, and those of the fifth group are continuous. COCO rounds the value of an
integer variable. timefair does not: a value that is not a whole number, or that is outside the
bounds, ends the run with the status ``raised``.

``bbob-noisy``: an algorithm gets measured values, which are f with noise. Like COCO's logger,
timefair records the measured value and the value without noise of each evaluation that improves one
of the two; see `docs/guide/noise.md`. This costs the algorithm no evaluation. The optimum is that
of f without noise. A measured value is never below it: all models of noise add 1.01e-8. Cauchy
noise (f103, f106, ..., f130) mostly adds 10 or 1000 more. COCO adds a penalty to measured values
outside the bounds, but not to values without noise. The noise of a run begins at a position in
COCO's sequence that the seed of the run determines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Problem, ProblemName, Suite, Variables, numbered, refusing
from timefair.problems.coco_library import CProblem, options, place_noise
from timefair.problems.compiled import NoisyPair
from timefair.problems.kinds import Kind, Native, Noisy


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
            return self._with_both_values(problem, in_c.noisy_pair(name.dimension))
        lower, upper, integer = problem.lower, problem.upper, problem.integer
        if integer.any():
            return replace(
                problem, evaluate=refusing(problem.evaluate, name, lower, upper, integer)
            )
        return (
            replace(problem, native=in_c.native)
            if same_bits(problem, in_c.evaluate, problem.evaluate)
            else problem
        )

    def _with_both_values(self, problem: Problem, pair: NoisyPair) -> Problem:
        def noise_free(x: NDArray[np.float64]) -> float:
            return float(pair(x)[1])

        return replace(
            problem,
            evaluate=pair,
            native=Native(*pair.c_function),
            kind=Noisy(noise_free),
            keep=(*problem.keep, pair),
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
    """Whether an evaluation in C gives the same values as the Python wrapper."""
    rng = np.random.default_rng(0)
    points = rng.uniform(problem.lower, problem.upper, size=(5, problem.dimension))
    return all(np.array_equal(in_c(x), wrapper(x)) for x in points)


SMALL = (2, 3, 5, 10, 20, 40)
NAMES = numbered(
    1,
    *("sphere", "ellipsoid", "Rastrigin", "Büche-Rastrigin", "linear slope"),
    *("attractive sector", "step ellipsoid", "Rosenbrock", "rot. Rosenbrock"),
    *("rot. ellipsoid", "discus", "bent cigar", "sharp ridge", "different powers"),
    *("rot. Rastrigin", "Weierstrass", "Schaffer F7", "Schaffer F7 ill-c."),
    *("Griewank-Ros.", "Schwefel", "Gallagher 101", "Gallagher 21", "Katsuura"),
    "Lunacek",
)
GROUPS = {
    "separable": range(1, 6),
    "moderate": range(6, 10),
    "ill-conditioned": range(10, 15),
    "multimodal": range(15, 20),
    "weak structure": range(20, 25),
}
"""Of Hansen et al. 2009; the group ``multimodal`` has an adequate global structure."""
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
