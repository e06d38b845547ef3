"""Helpers for adapters: the constraints of an objective, and the starting point of its suite."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import ConstrainedObjective, Objective
from timefair.problems.kinds import Task

BOTH: frozenset[Task] = frozenset({"one objective", "constraints"})
"""The tasks of an algorithm that takes one objective, with constraints or without."""
CONSTRAINTS: frozenset[Task] = frozenset({"constraints"})
"""The tasks of an algorithm that needs constraints."""


def has_constraints(objective: Objective) -> TypeGuard[ConstrainedObjective]:
    """Whether an objective has constraints."""
    return hasattr(objective, "constraints")


def given_start(objective: Objective) -> NDArray[np.float64] | None:
    """The suite's starting point in the first launch of a run; None in later launches, or if there
    is none.
    """
    return getattr(objective, "start", None) if objective.evaluations == 0 else None


def starting_point(objective: Objective, rng: np.random.Generator) -> NDArray[np.float64]:
    """A point to start a launch from, within the bounds, shape ``(dimension,)``.

    If the suite gives a point, the first launch of a run starts there. Each later one starts at a
    sum of that point and two uniform numbers from -0.5 to 0.5 per variable, as COCO proposes; it
    may be infeasible. Without such a point, it is drawn uniformly within the bounds.
    """
    lower, upper = objective.lower, objective.upper
    start: NDArray[np.float64] | None = getattr(objective, "start", None)
    if start is None:
        return rng.uniform(lower, upper)
    if objective.evaluations:
        start = start + rng.uniform(-0.5, 0.5, (2, objective.dimension)).sum(axis=0)
    return np.clip(start, lower, upper)
