"""The suites of COCO with two objectives, through the package cocoex.

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

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Problem, ProblemName
from timefair.problems.coco import SMALL, Coco
from timefair.problems.coco_library import CProblem, options
from timefair.problems.kinds import Kind, TwoObjectives

INSTANCES = range(1, 16)  # instances for which COCO has reference values

TARGETS = (*(10 ** (-k / 10) for k in range(51)), 0.0, *(-(10 ** (k / 5 - 5)) for k in range(6)))
"""The 58 targets of COCO: 1 to 1e-5, 0, and -1e-5 to -1e-4."""

_PARTS = re.compile(r"bbob_f0*(\d+)_i0*(\d+)_d0*(\d+)")
_REFERENCES = re.compile(rb"\0bbob-biobj_f(\d+)_i(\d+)_d(\d+) ([-+.0-9eE]+)(?=\0)")


@dataclass
class CocoBiobj(Coco):
    """A suite of two objectives: its name in COCO, its functions and its dimensions."""

    name: str
    functions: range
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
            native=CProblem.open(name, options(name)).native,
            kind=TwoObjectives(ideal, nadir),
        )


def _ideal(stacked: str) -> NDArray[np.float64]:
    """The ideal point of a problem. COCO's name of the problem contains its two functions."""
    parts = [tuple(map(int, part)) for part in _PARTS.findall(stacked)]
    if len(parts) != 2:
        raise RuntimeError(f"cocoex named a problem of two functions {stacked!r}")
    return np.array([_optimum(*part) for part in parts])


def _optimum(function: int, instance: int, dimension: int) -> float:
    name = ProblemName("bbob", function, dimension, instance)
    return CProblem.open(name, options(name)).best_value


@cache
def reference_values() -> dict[tuple[int, int, int], float]:
    """COCO's reference values of the indicator, by (function, instance, dimension), for both
    suites.

    The library inside cocoex has a table of texts, and no function that returns them.
    """
    import cocoex

    table = _REFERENCES.findall(Path(cocoex.interface.__file__).read_bytes())
    if not table:
        raise RuntimeError("cocoex has no reference values of bbob-biobj")
    return {(int(f), int(i), int(d)): float(value) for f, i, d, value in table}


BBOB_BIOBJ = CocoBiobj("bbob-biobj", range(1, 56))
"""Two objectives: 55 pairs of functions of `bbob`."""
BBOB_BIOBJ_EXT = CocoBiobj("bbob-biobj-ext", range(1, 93))
"""Two objectives: the 55 pairs of `bbob-biobj` and 37 more."""
