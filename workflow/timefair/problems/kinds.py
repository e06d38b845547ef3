"""What problems have beyond one exact value of a point: one interface, `Kind`, and its classes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

GRID = 5e-13  # distance of neighbouring normalized values


def normalized(vectors: ArrayLike, ideal: ArrayLike, nadir: ArrayLike) -> NDArray[np.float64]:
    """Normalize finite vectors, shape ``(n, 2)``, as COCO does: the ideal point is (0, 0), the
    nadir point (1, 1). A value below the ideal one is a rounding error and becomes 0. A vector with
    one ideal value is an extreme of the front, so its other value is at least 1.

    >>> normalized([[3.0, 5.0], [1.0, 6.0]], ideal=[1.0, 4.0], nadir=[5.0, 8.0]).tolist()
    [[0.5, 0.25], [0.0, 1.0]]
    """
    low, high = np.asarray(ideal, dtype=np.float64), np.asarray(nadir, dtype=np.float64)
    steps = np.floor((np.asarray(vectors, dtype=np.float64) - low) / (high - low) / GRID + 0.5)
    found = np.maximum(steps * GRID, 0.0)
    for one, other in ((0, 1), (1, 0)):
        at_the_ideal = (found[:, one] == 0) & (found[:, other] < 1)
        found[at_the_ideal, other] = 1.0
    return np.asarray(found, dtype=np.float64)


def after_each(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The indicator after each of some normalized vectors, shape ``(n,)``; it never falls.

    >>> after_each(np.array([[2.0, 0.5], [0.5, 0.5], [0.6, 0.6], [0.0, 0.9]])).tolist()
    [-1.0, 0.25, 0.25, 0.3]
    """
    front: list[tuple[float, float]] = []
    areas = np.cumsum([_added(front, *vector) for vector in vectors.tolist()])
    beyond = np.maximum(vectors - 1.0, 0.0)
    distance = np.minimum.accumulate(np.hypot(beyond[:, 0], beyond[:, 1]))
    return np.where(distance > 0, -distance, areas.reshape(distance.shape))


def _added(front: list[tuple[float, float]], first: float, second: float) -> float:
    """The area of the unit square that a vector adds to that which a front dominates; the front, a
    staircase from the left to the right, gets the vector.
    """
    begin = end = bisect_left(front, (first,))
    before = bisect_right(front, (first, inf))
    if first > 1 or second > 1 or (before and second >= front[before - 1][1]):
        return 0.0
    above = front[begin - 1][1] if begin else 1.0
    left, added = first, 0.0
    while end < len(front) and front[end][1] >= second:
        added += (front[end][0] - left) * (above - second)
        left, above = front[end]
        end += 1
    right = front[end][0] if end < len(front) else 1.0
    front[begin:end] = [(first, second)]
    return added + (right - left) * (above - second)


Task = Literal["one objective", "two objectives", "constraints"]
"""What an algorithm has to be able to do."""

Keep = Literal["nondominated", "feasible", "improving", "changing"]
"""Rules by which a run records vectors of its evaluations (`measure.evaluation.objective`)."""

Vectors = NDArray[np.float64]  # numbers of evaluations, shape ``(n, numbers)``


@dataclass(frozen=True)
class Native:
    """A problem's evaluation as a C function ``f(handle, const double *x, double *y)``."""

    function: int  # address
    handle: int  # address


@dataclass(frozen=True)
class Kind:
    """What a problem has beyond one exact value of a point. This class: nothing.

    `Suite.kind` is one of the classes, and says what a campaign may do. `Problem.kind` is an object
    of it, and says what the value of an event is, what ends a run, and what is recorded. The core
    asks no other question about noise, changes, constraints or objectives. With `keep`, an
    evaluation gives a vector of numbers, of which a run records some, over all its launches. A new
    kind is a class here, and, if none of the rules of `Keep` fits, a keeper.
    - `task`, `said`: What an algorithm has to be able to do; what its suites have, in a sentence,
      by which exhibits name what they need (`Exhibit.needs`).
    - `unsettled`: Why the best value of a run, and thus a final target, is not known before its
      end; empty if it is known.
    - `stopping`: What a restart policy that compares values of evaluations would need; empty if
      they can be compared.
    - `apart`, `cores`: Whether a run can be ``isolation: strict``, or have several ``threads``.
    - `penalized`: Whether a penalty can turn it into a problem of one objective.
    - `signed`: Whether a precision can be 0 or negative without refuting the optimum.
    - `names`, `keep`: Names of the numbers of an evaluation, and the rule for recording them; empty
      and None if it gives one value. Vectors with a number that is not finite are never recorded.
    - `shown`: How many of the numbers an algorithm gets, the first ones: a float, or an array.
    - `rated`: Whether events follow from the recorded vectors, by `quality`, and not from single
      values.
    - `later`: Whether an evaluation gives only the first number; the second one is `noise_free` of
      the point, which is computed after the run.
    - `recommends`: Whether the points that an algorithm recommends are recorded.
    """

    task: ClassVar[Task] = "one objective"
    said: ClassVar[str] = ""
    unsettled: ClassVar[str] = ""
    stopping: ClassVar[str] = ""
    apart: ClassVar[bool] = True
    cores: ClassVar[bool] = True
    penalized: ClassVar[bool] = False
    signed: ClassVar[bool] = False
    names: ClassVar[tuple[str, ...]] = ()
    keep: ClassVar[Keep | None] = None
    shown: ClassVar[int] = 1
    rated: ClassVar[bool] = False
    later: ClassVar[bool] = False
    recommends: ClassVar[bool] = False

    def value(self, f: float, x: NDArray[np.float64], f_opt: float) -> float:
        return f

    def beside(self, x: NDArray[np.float64]) -> object:
        """What is evaluated at a point beside f, for a call before the clock."""

    def quality(self, vectors: Vectors) -> NDArray[np.float64]:
        """The value that a run has reached after each vector, shape ``(n,)``; inf: none."""
        raise NotImplementedError

    def ends_at(self, target: float) -> float:
        """The precision that ends a run, from the campaign's final target."""
        return target

    @classmethod
    def refuting(cls, best: float, noise_free: float) -> float:
        """The value that refutes an optimum if it is below; NaN: none, as without noise."""
        return best if isnan(noise_free) else noise_free


@dataclass(frozen=True)
class Noisy(Kind):
    """Noise: an evaluation gives the measured value, and `noise_free`, only called after a run. A
    vector is recorded if either value is the least of its kind so far, and so are recommended
    points.
    """

    noise_free: Callable[[NDArray[np.float64]], float]

    unsettled: ClassVar[str] = (
        "a noisy value may be below it by luck, and the value without noise is known after the run"
    )
    names: ClassVar[tuple[str, ...]] = ("measured", "noise_free")
    keep: ClassVar[Keep | None] = "improving"
    recommends: ClassVar[bool] = True

    def ends_at(self, target: float) -> float:
        return -inf

    @classmethod
    def refuting(cls, best: float, noise_free: float) -> float:
        return noise_free


class NoisyByUser(Noisy):
    """Noise of a user's function, whose values without noise are computed after the run."""

    later: ClassVar[bool] = True


@dataclass(frozen=True)
class Constraints(Kind):
    """Inequality constraints. An evaluation gives f; their values are evaluated on their own.

    A vector has f and the violation. It is recorded if f is the least of a feasible point so far,
    or the violation is the least so far, or ``max(f, f_opt)`` plus the violation.
    - `count`, `evaluate`: The number m, at least 1, and ``evaluate(x) -> g`` of shape ``(m,)``. A
      point is feasible if every number is at most 0; NaN makes it infeasible.
    - `native`: The same without the interpreter, if there is one; it writes m numbers.
    - `indicator`: Whether the value of every point in the record is ``max(f, f_opt)`` plus the
      violation; else it is f or, if infeasible, inf.
    - `written`: ``written(x) -> (g, h)``: inequalities and equalities as written; None: no h.
    """

    count: int
    evaluate: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    native: Native | None = None
    indicator: bool = False
    written: Callable[[NDArray[np.float64]], tuple[Sequence[float], Sequence[float]]] | None = None

    task: ClassVar[Task] = "constraints"
    said: ClassVar[str] = "constraints"
    apart: ClassVar[bool] = False
    cores: ClassVar[bool] = False
    penalized: ClassVar[bool] = True
    names: ClassVar[tuple[str, ...]] = ("f", "violation", "constraint_evaluations")
    keep: ClassVar[Keep | None] = "feasible"

    def violation(self, x: NDArray[np.float64]) -> float:
        """The sum of the positive constraints; 0 if `x` is feasible, NaN if any value is NaN."""
        # One after the other, like COCO and the objective, so that the sum has the same bits.
        return sum((float(each) for each in self.evaluate(x) if not each <= 0), 0.0)

    def value(self, f: float, x: NDArray[np.float64], f_opt: float) -> float:
        violation = self.violation(x)
        if violation == 0:
            return f
        return max(f, f_opt) + violation if self.indicator and not isnan(violation) else inf

    def beside(self, x: NDArray[np.float64]) -> object:
        return self.evaluate(x)


@dataclass(frozen=True, eq=False)
class TwoObjectives(Kind):
    """Two objectives, valued by COCO's hypervolume indicator between two points of shape ``(2,)``.
    A vector is recorded that no earlier one of the run weakly dominates, thinned as of
    `records.thinning.VectorThinning`.
    """

    ideal: NDArray[np.float64]
    nadir: NDArray[np.float64]

    task: ClassVar[Task] = "two objectives"
    said: ClassVar[str] = "two objectives"
    unsettled: ClassVar[str] = "the quality of two objectives is known after the run"
    stopping: ClassVar[str] = "one value per point"
    apart: ClassVar[bool] = False
    signed: ClassVar[bool] = True
    names: ClassVar[tuple[str, ...]] = ("f1", "f2")
    keep: ClassVar[Keep | None] = "nondominated"
    shown: ClassVar[int] = 2
    rated: ClassVar[bool] = True

    @property
    def widths(self) -> tuple[float, ...]:
        """The unit of each objective for the thinning."""
        return tuple((self.nadir - self.ideal).tolist())

    def normalize(self, vectors: Vectors) -> Vectors:
        """Vectors in the units of the indicator, the ideal point at (0, 0)."""
        return normalized(vectors, self.ideal, self.nadir)

    def quality(self, vectors: Vectors) -> NDArray[np.float64]:
        return -after_each(self.normalize(vectors))

    @classmethod
    def refuting(cls, best: float, noise_free: float) -> float:
        return nan  # the optimum is only the best known value


class TwoByUser(TwoObjectives):
    """Two objectives of a user's function. A value below the ideal one counts as it, and one at it
    need not be an extreme of the front."""

    def normalize(self, vectors: Vectors) -> Vectors:
        return np.maximum((vectors - self.ideal) / (self.nadir - self.ideal), 0.0)


@dataclass(frozen=True, eq=False)
class Changes(Kind):
    """Changes during a run: environments, numbered from 0, each for the same share of the budget.
    An evaluation gives the value and its environment, an ``int64_t`` at `address`. A vector is
    recorded if its environment is new, or its value is the least there. `least`, `middle`: in each
    environment the least value, and that at the middle of the bounds.
    """

    address: int
    least: NDArray[np.float64]
    middle: NDArray[np.float64]

    said: ClassVar[str] = "problems that change"
    unsettled: ClassVar[str] = (
        "the quality of a run on a problem that changes is known after the run"
    )
    stopping: ClassVar[str] = "values that stay as they are"
    apart: ClassVar[bool] = False
    cores: ClassVar[bool] = False
    names: ClassVar[tuple[str, ...]] = ("f", "environment")
    keep: ClassVar[Keep | None] = "changing"
    rated: ClassVar[bool] = True

    @property
    def environments(self) -> int:
        return len(self.least)

    @property
    def uninformed(self) -> NDArray[np.float64]:
        return np.maximum(self.middle - self.least, 0.0)

    def errors(self, vectors: Vectors) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The environment of each vector, and its distance to the least value there, at least 0."""
        known = np.isin(vectors[:, 1], np.arange(self.environments))
        if not known.all():
            raise ValueError(f"a vector is of the environment {vectors[~known][0, 1]:g}")
        environments = vectors[:, 1].astype(np.intp)
        return environments, np.maximum(vectors[:, 0] - self.least[environments], 0.0)

    def quality(self, vectors: Vectors) -> NDArray[np.float64]:
        """The mean over all environments of the best error so far, at first of the middle."""
        best, means = self.uninformed, np.empty(len(vectors))
        for row, (environment, error) in enumerate(zip(*self.errors(vectors), strict=True)):
            best[environment] = min(best[environment], error)
            means[row] = best.mean()
        return means


NEEDED: tuple[type[Kind], ...] = (Constraints, TwoObjectives, Changes)
"""Kinds that an exhibit can need, by their `Kind.said`."""
