"""The interface of a problem and of a suite."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from timefair.basics.optimum import precision

Variables = Literal["continuous", "integer", "mixed", "binary"]
"""Kinds of variables of a problem: numbers, whole numbers, some of each, or 0 and 1."""

ROUNDED: frozenset[Variables] = frozenset({"integer", "mixed"})
"""Kinds of variables that an algorithm for continuous variables also supports if its points are
rounded.
"""

LARGEST = 2**31 - 1
"""The largest number of an instance or dimension, which is a C integer in the libraries of the
suites.
"""


Task = Literal["one objective", "two objectives", "constraints"]
"""Tasks of the problems of a suite: one objective, two objectives, or one with constraints."""

Keep = Literal["nondominated", "feasible", "improving", "changing"]
"""Which vectors of a run are recorded; `Outputs` describes the rules."""


def at_least(least: int) -> range:
    """The whole numbers from `least` to `LARGEST`."""
    return range(least, LARGEST + 1)


def takes(kinds: frozenset[Variables], variables: Variables) -> bool:
    """Whether an algorithm that supports some kinds of variables supports those of a problem.

    Binary variables are integer variables. Mixed variables need ``mixed``, or both ``continuous``
    and ``integer``.

    >>> takes(frozenset({"continuous", "integer"}), "mixed")
    True
    >>> takes(frozenset({"continuous"}), "binary")
    False
    """
    if variables == "binary":
        return bool(kinds & {"binary", "integer"})
    if variables == "mixed":
        return "mixed" in kinds or kinds >= {"continuous", "integer"}
    return variables in kinds


@dataclass(frozen=True)
class ProblemName:
    """The key of a problem: (suite, function, dimension, instance)."""

    suite: str
    function: int
    dimension: int
    instance: int

    def __str__(self) -> str:
        return f"{self.suite} f{self.function} D={self.dimension} instance {self.instance}"


@dataclass(frozen=True)
class Native:
    """A problem's evaluation as a C function ``f(handle, const double *x, double *y)``."""

    function: int  # address
    handle: int  # address


@dataclass(frozen=True)
class Constraints:
    """The inequality constraints of a problem.

    Attributes
    ----------
    count
        The number of constraints m, at least 1.
    evaluate
        ``evaluate(x) -> g`` for an array `x` of shape ``(dimension,)``; `g` has shape ``(m,)``.
        A point is feasible if every number of `g` is at most 0. NaN makes it infeasible.
    native
        The same evaluation without the interpreter, if the suite has one; it writes m numbers.
    indicator
        The value of a point in the record. False: f if the point is feasible, else inf. True:
        ``max(f, f_opt)`` plus the violation, for every point.
    """

    count: int
    evaluate: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    native: Native | None = None
    indicator: bool = False

    @property
    def outputs(self) -> Outputs:
        """The outputs of evaluations that a run with these constraints records."""
        return Outputs(("f", "violation", "constraint_evaluations"), "feasible", 1)

    def violation(self, x: NDArray[np.float64]) -> float:
        """The sum of the positive values of `g`; 0 if `x` is feasible, NaN if any value is NaN."""
        g = self.evaluate(x)
        # Add one after the other, like COCO and the objective, so that the sum has the same bits.
        return sum((float(each) for each in g if not each <= 0), 0.0)


@dataclass(frozen=True)
class Outputs:
    """The numbers that one evaluation gives, if there are several: a vector.

    Attributes
    ----------
    names
        Names of the numbers.
    keep
        Which vectors of a run are recorded, over all its launches. Vectors with a number that is
        not finite are never recorded.

        - ``nondominated``: both numbers are objectives. A vector is kept that no earlier one of the
          run weakly dominates, thinned as `records.thinning.VectorThinning` describes.
        - ``feasible``: the first two numbers are f and the violation of the constraints, 0 where
          they are satisfied. A vector is kept if f is the least of a feasible one so far, or if the
          violation is the least so far, or ``max(f, f_opt)`` plus the violation.
        - ``improving``: the first number is measured, with noise, and the second one is the value
          without noise. A vector is kept if either of them is the least of its kind so far.
        - ``changing``: the first number is the value, and the second one is the number of the
          environment that it was evaluated in (`Changes`). A vector is kept if its environment is
          another than that of the last kept one, or if its value is the least of its environment.
    shown
        Number of values that an algorithm gets for a point, the first ones of the vector: with 1 it
        gets a float, else an array of shape ``(shown,)``.
    quality
        ``quality(vectors) -> values``: from the kept vectors of a run, shape ``(n, numbers)``, the
        value that the run has reached after each of them, shape ``(n,)``; `inf` if it has not
        reached any. It is called after the run, outside its clock. The events of the run are the
        points where the least value so far decreases. With None, the events are the improvements
        of `Problem.value` (``feasible``) or of the first number (``improving``), which are known
        during the run.
    normalize
        With ``nondominated``: ``normalize(vectors) -> vectors`` of the same shape ``(n, 2)``; the
        ideal point becomes (0, 0) and the nadir point (1, 1). None if these points are unknown.
    widths
        With ``nondominated``: the unit of each objective for the thinning, shape ``(2,)``.
    later
        With ``improving``: whether an evaluation gives only the first number. The second one is
        then computed after the run by `Problem.noise_free`, for the points of kept vectors.
    """

    names: tuple[str, ...]
    keep: Keep
    shown: int
    quality: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    normalize: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    widths: tuple[float, float] = (1.0, 1.0)
    later: bool = False


@dataclass(frozen=True, eq=False)
class Changes:
    """The changes of a problem while it is optimized.

    A problem that changes is a sequence of environments, numbered from 0. Each of them is the
    problem for the same share of the run, of its seconds or of its evaluations. An evaluation gives
    two numbers: the value, and the environment.

    Attributes
    ----------
    address
        Where the evaluation reads the environment that it is to be made in: the address of an
        ``int64_t``.
    least
        The least value in each environment, shape ``(environments,)``.
    middle
        The value at the middle of the bounds in each environment, likewise.
    """

    address: int
    least: NDArray[np.float64]
    middle: NDArray[np.float64]

    @property
    def environments(self) -> int:
        """How many there are."""
        return len(self.least)

    @property
    def outputs(self) -> Outputs:
        """What a run on a problem with these changes keeps of its evaluations."""
        return Outputs(("f", "environment"), "changing", 1, quality=self.mean_of_best)

    @property
    def uninformed(self) -> NDArray[np.float64]:
        """The error of the middle of the bounds in each environment, shape ``(environments,)``."""
        return np.maximum(self.middle - self.least, 0.0)

    def errors(self, vectors: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The environment of each vector, and how far its value is from the least one there.

        Parameters
        ----------
        vectors
            Values and environments, shape ``(n, 2)``.

        Returns
        -------
        environments, errors
            Shape ``(n,)``; errors are at least 0.

        Raises
        ------
        ValueError
            If there is no such environment.
        """
        known = np.isin(vectors[:, 1], np.arange(self.environments))
        if not known.all():
            raise ValueError(f"a vector is of the environment {vectors[~known][0, 1]:g}")
        environments = vectors[:, 1].astype(np.intp)
        return environments, np.maximum(vectors[:, 0] - self.least[environments], 0.0)

    def mean_of_best(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean over all environments of the best error so far, after each vector.

        The middle of the bounds counts as if it had been evaluated in every environment.

        Parameters
        ----------
        vectors
            Values and environments in the order of their evaluation, shape ``(n, 2)``.

        Returns
        -------
        ndarray, shape ``(n,)``
            The means. They never rise, and end at the mean of the best errors.

        Raises
        ------
        ValueError
            If there is no such environment.
        """
        best, means = self.uninformed, np.empty(len(vectors))
        for row, (environment, error) in enumerate(zip(*self.errors(vectors), strict=True)):
            best[environment] = min(best[environment], error)
            means[row] = best.mean()
        return means


@dataclass(frozen=True)
class Problem:
    """A function to be minimized, with its bounds and its optimum.

    Attributes
    ----------
    name
        Key of the problem.
    evaluate
        ``evaluate(x) -> float`` for an array `x` of shape ``(dimension,)``; a wrong shape raises
        ValueError; NaN or inf in `x` gives NaN or inf. An integer variable that is not a whole
        number within its bounds raises ValueError.
    lower, upper
        Bounds of the search region, arrays of shape ``(dimension,)``.
    f_opt
        The optimal value, to which precisions are distances (`basics.optimum.precision`). With two
        objectives, it is the best known value. NaN if it is unknown. The precision in a record is
        then f itself, and tables use the best value of the campaign as the optimum.
    integer
        Which variables take only whole numbers, shape ``(dimension,)``; by default none.
    native
        The same evaluation without the interpreter, if the suite has one. It gives the same bits as
        `evaluate`. With `outputs`, it writes all numbers.
    outputs
        The numbers of an evaluation, if there are several; None if there is one value.
    noise_free
        ``noise_free(x) -> float``: the value without noise, which is only used after a run. None if
        there is no noise, or if this value is unknown.
    reseed
        ``reseed(seed)`` restarts the noise of the values for a run of that seed. None if the values
        are exact, or draw from numpy's or Python's global generator.
    constraints
        The constraints of the problem; None if it has none. With constraints, `outputs` are those
        of the constraints, although `evaluate` and `native` give only f.
    start
        The starting point that the suite gives, shape ``(dimension,)``, which is feasible if there
        are constraints; None if the suite gives none.
    changes
        How it changes during a run, and then `outputs` are those of the changes; None if it stays
        as it is.
    keep
        Objects that have to exist as long as the problem.
    """

    name: ProblemName
    evaluate: Callable[[NDArray[np.float64]], Any]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    f_opt: float
    integer: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    native: Native | None = None
    outputs: Outputs | None = None
    noise_free: Callable[[NDArray[np.float64]], float] | None = None
    reseed: Callable[[int], object] | None = None
    constraints: Constraints | None = None
    start: NDArray[np.float64] | None = None
    changes: Changes | None = None
    keep: Sequence[object] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.integer.size:
            object.__setattr__(self, "integer", np.zeros(self.dimension, dtype=bool))

    @property
    def dimension(self) -> int:
        return self.name.dimension

    def value(self, x: NDArray[np.float64]) -> float:
        """The value of a point in the record: f, or the value that takes constraints
        into account.
        """
        f = float(self.evaluate(x))
        if self.constraints is None:
            return f
        violation = self.constraints.violation(x)
        if violation == 0:
            return f
        if not self.constraints.indicator or np.isnan(violation):
            return np.inf
        return max(f, self.f_opt) + violation

    @property
    def numbers(self) -> int:
        """Number of values that an evaluation gives."""
        if self.outputs is None or self.outputs.later:
            return 1
        return len(self.outputs.names)

    @property
    def kept(self) -> int:
        """Length of a vector during the run: all its numbers, or the first one and the point."""
        later = self.outputs is not None and self.outputs.later
        return 1 + self.dimension if later else self.numbers

    @property
    def shown(self) -> int:
        """Number of values that an algorithm gets."""
        return self.outputs.shown if self.outputs else 1

    def seen(self, found: Any) -> Any:
        """The part of the result `found` of `evaluate` that an algorithm gets."""
        if self.shown == 1:
            return float(np.ravel(found)[0])
        return np.array(found, dtype=np.float64)[: self.shown]

    def precision(self, value: float) -> float:
        """The distance of a value to the optimum; the value itself if none is known."""
        return value if np.isnan(self.f_opt) else precision(value, self.f_opt)

    def points(self, count: int) -> NDArray[np.float64]:
        """Points for a trial of the evaluation, shape ``(count, dimension)``.

        They are on the diagonal of the bounds, with integer variables rounded down.
        """
        points = np.linspace(self.lower, self.upper, count)
        points[:, self.integer] = np.floor(points[:, self.integer])
        return points


class Suite(ABC):
    """A family of problems. Campaigns name it as ``problems.suite``.

    A suite is an instance of a subclass at the top level of a module of this package, where the
    registry finds it. All methods but `make` work without the library behind the suite.

    Attributes
    ----------
    name
        Name of the suite in campaigns.
    functions
        Numbers of the functions.
    dimensions
        Numbers of variables, a list or a range; `at_least` gives one without an upper limit.
    variables
        The kind of the variables, the same for all problems.
    task
        The task of the problems.
    noisy
        Whether values have noise, and values without noise are known (`Problem.noise_free`).
    environments
        How many environments a problem goes through during a run; 1: it does not change.
    published_needs
        The setting that a campaign with published data of the suite needs to have the same kind of
        precisions; empty if no setting is needed.
    distributions
        The packages whose versions affect the values, installed or not. The first one is the
        package to install.
    """

    name: str
    functions: range
    dimensions: Sequence[int]
    variables: Variables = "continuous"
    task: Task = "one objective"
    noisy: bool = False
    environments: int = 1
    published_needs: str = ""
    distributions: Sequence[str] = ()

    @property
    def changing(self) -> bool:
        """Whether its problems change during a run, and then have `Problem.changes`."""
        return self.environments > 1

    def parameter_faults(self, parameters: Mapping[str, object]) -> list[str]:
        """Check the parameters; one line per fault. A line begins with the offending word."""
        return [f"{key!r} is not a parameter of {self.name}: it has none" for key in parameters]

    def configured(self, parameters: Mapping[str, object]) -> Self:
        """Return the suite with parameters that have no faults."""
        return self

    def faults(
        self, functions: list[int], dimensions: list[int], instances: list[int]
    ) -> list[str]:
        """Check keys of problems; one line per key that the suite does not have.

        A line names the key, and what would be right. A suite in which some combinations are
        missing extends this method.
        """
        return [
            *self._misses("functions", functions, self.functions),
            *self._misses("dimensions", dimensions, self.dimensions),
            *self._misses("instances", instances, at_least(1)),
        ]

    def knows_optimum(self, function: int, dimension: int, instance: int) -> bool:
        """Whether the optimum of a problem without faults is known."""
        return True

    def problem(self, function: int, dimension: int, instance: int) -> Problem:
        """Make one problem. It can be evaluated in this process or in a fork of this process.

        Raises
        ------
        ValueError
            If the suite does not have the problem.
        """
        if faults := self.faults([function], [dimension], [instance]):
            raise ValueError("; ".join(faults))
        return self.make(ProblemName(self.name, function, dimension, instance))

    @abstractmethod
    def make(self, name: ProblemName) -> Problem:
        """Make the problem of a name that has no faults."""

    def source_files(self) -> list[Path]:
        """The user's code behind the suite, for a digest; empty for a suite of this package."""
        return []

    def _misses(self, key: str, numbers: list[int], known: Sequence[int]) -> Iterator[str]:
        for number in numbers:
            if number not in known:
                yield f"{key}: {number} is not in {self.name}, {_what_is_known(key, known)}"


def _what_is_known(key: str, known: Sequence[int]) -> str:
    if not isinstance(known, range):
        *others, last = known
        return f"which has {', '.join(map(str, others))} and {last}"
    if known[-1] == LARGEST:
        return f"whose {key} are whole numbers from {known[0]}"
    return f"which has {known[0]} to {known[-1]}"
