"""The constrained suite of COCO, through the package cocoex (Dufossé et al. 2022).

The 54 functions are 9 objective functions with 6 numbers of constraints each. A constraint is
satisfied if its value is at most 0. The optimum is the one that COCO uses, and it is exact. Some of
the constraints are active at the optimum. COCO gives a feasible point to start from, and so does
``objective.start``. Points outside the bounds may be evaluated.

As in COCO, an evaluation of the objective function and an evaluation of all constraints at a point
each count as one evaluation. Budgets, ``evaluations`` of a record and runtimes in evaluations are
the sum of both; ``constraint_evaluations`` of a record counts the second kind. If f may be an
improvement, timefair itself evaluates the constraints at the point, unless the algorithm has just
done so. This evaluation is not counted, but its microseconds are part of the run's time.

Parameters
----------
quality
    The value of a point in the record. ``feasible``, the default: f if the point is feasible; an
    infeasible point does not count. ``indicator``: max(f, f_opt) + sum of max(g_i, 0), the value
    that COCO's own logger writes, for infeasible points, too. Use it to compare with COCO's
    archive.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from timefair.problems.base import Problem, ProblemName
from timefair.problems.coco import SMALL, Coco, same_bits
from timefair.problems.coco_library import CProblem
from timefair.problems.kinds import Constraints, Kind
from timefair.problems.parameters import Allowed, Word


@dataclass
class CocoConstrained(Coco):
    """The suite ``bbob-constrained``; its parameter is explained above."""

    quality: str = "feasible"
    parameters: ClassVar[Allowed] = {"quality": Word(("feasible", "indicator"))}
    kind: type[Kind] = Constraints

    @property
    def published_needs(self) -> str:  # type: ignore[override]
        """The setting for the precisions of COCO's logger. Published data have these precisions."""
        return "" if self.quality == "indicator" else "problems.parameters: {quality: indicator}"

    def make(self, name: ProblemName) -> Problem:
        problem = super().make(name)
        coco: Any = problem.keep[-1]
        constraints = Constraints(
            coco.number_of_constraints, coco.constraint, indicator=self.quality == "indicator"
        )
        if problem.native is not None:
            in_c = CProblem(problem.native.handle)
            by_c = partial(in_c.evaluate_constraints, count=constraints.count)
            if same_bits(problem, by_c, constraints.evaluate):
                constraints = replace(constraints, native=in_c.native_constraints)
        start = np.array(coco.initial_solution, dtype=float)
        return replace(problem, kind=constraints, start=start)


BBOB_CONSTRAINED = CocoConstrained("bbob-constrained", range(1, 55), SMALL)
"""54 functions with 1 to more than 100 constraints."""
