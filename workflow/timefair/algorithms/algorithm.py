"""The interface of an algorithm and of a library of algorithms, and launches that can pause."""

from __future__ import annotations

import math
import random
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from timefair.problems.kinds import Task
from timefair.problems.problem import Variables


class Objective(Protocol):
    """The function that an algorithm minimizes, with its bounds and the rest of the budget.

    It counts, times and records every evaluation and ends the run, so an algorithm needs no
    stopping rule. An algorithm may read the budget.

    It may also have ``c_function``: the addresses ``(function, objective)`` of ``int
    function(void *objective, const double *x, double *y)``, which evaluates without the
    interpreter, and writes `shown` numbers to `y`. The caller holds the GIL. If it returns -1, a
    Python exception is set, and the caller has to return to the interpreter at once.
    """

    dimension: int
    lower: NDArray[np.float64]  # shape ``(dimension,)``; a new array each time
    upper: NDArray[np.float64]
    integer: NDArray[np.bool_]  # which variables take only whole numbers
    shown: int  # how many values the algorithm gets for a point: 1, or 2 with two objectives
    noisy: bool  # whether values are noisy, and the points that the algorithm recommends recorded
    cores: int  # on which the points of a batch are evaluated, at least 1
    changes: int  # how often the problem has changed since the run began
    evaluations: int  # of the run so far, over all launches
    evaluations_left: int | None  # the rest of that budget; None without one

    @property
    def progress(self) -> float:
        """Share of the launch's budget that is used, from 0 to 1: the larger of time and
        evaluations. For parameters that follow t / Max_iter.
        """

    def __call__(self, x: Any, /) -> float:
        """The value at `x`, array-like of shape ``(dimension,)``; ValueError for another shape.

        If `shown` is not 1, it is an array of shape ``(shown,)``.
        """

    def recommend(self, x: Any, /) -> None:
        """Name the point that the launch would return if it were stopped now, shape
        ``(dimension,)``. It costs no evaluation, and is recorded only on noisy problems.
        """

    def batch(self, points: Any, /) -> NDArray[np.float64]:
        """The values at `points`, array-like of shape ``(k, dimension)``, in their order: shape
        ``(k,)``, or ``(k, shown)`` if `shown` is not 1.

        Each point counts as one evaluation. With several cores, the points are evaluated on all of
        them; the time of each is when it and those before it were ready.
        """


class ConstrainedObjective(Objective, Protocol):
    """The objective of a problem with inequality constraints, without a ``c_function``.

    ``objective(x)``, also of an infeasible point, and ``objective.constraints(x)`` each count as
    one evaluation.
    """

    number_of_constraints: int  # m
    start: NDArray[np.float64] | None  # the starting point that the suite gives, or None
    constraint_evaluations: int  # how many of the `evaluations` were of the constraints

    def constraints(self, x: Any, /) -> NDArray[np.float64]:
        """The constraints at `x`, shape ``(m,)``; `x` is feasible if all are at most 0."""


CONTINUOUS: frozenset[Variables] = frozenset({"continuous"})
"""The kinds of variables that most algorithms take."""

ONE_OBJECTIVE: frozenset[Task] = frozenset({"one objective"})
"""The tasks that most algorithms are for."""

Implementation = Literal["compiled", "Python with numpy", "your Python", "program"]
"""What most of the code of an algorithm's own steps is; Python may call compiled code."""

Solve = Callable[..., object]
"""``solve(objective, rng, **parameters)``: one launch.

If values are noisy, a point that it returns is its recommendation: an array, list or tuple of
``dimension`` finite numbers, or the attribute ``x`` of the returned object. Anything else that it
returns is ignored.
"""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm ready to be launched: ``algorithm.solve(objective, rng)``.

    - `solve`: ``solve(objective, rng) -> object`` with the parameters bound. It draws all its
      randomness from `rng` (and from the global generators, which are seeded before each launch).
    - `prepare`: Called once before the clock starts, for work that is not done in every run.
    """

    solve: Solve
    prepare: Callable[[], object] = field(default=lambda: None)


@dataclass(eq=False, kw_only=True)
class Library(ABC):
    """A source of algorithms, the part before the colon of ``library:name``.

    A library is an instance of a subclass at the top level of a module of an extension's
    ``libraries``, where the registry finds it. Importing that module must not import the library.

    - `name`: The part before the colon in a campaign.
    - `distributions`: The packages whose versions affect the algorithms, installed or not. The
      first one is the package to install.
    - `examples`: Some names of algorithms, for the documentation.
    - `optional`: Whether the package is one of the extras, and not a dependency of timefair.
    - `modules`: Modules that every algorithm imports, and processes that measure share.
    - `unneeded`: Top-level modules that `modules` import only for plots or tests, and processes
      that measure do not.
    - `special`: The tasks of each algorithm that is not only for one objective, by its name.
    - `length`: The parameter without which a launch follows the budget; empty if there is none.
    - `iterated`: The parameter that says how many iterations a launch has, and its default; None if
      launches have no number of iterations by default.
    - `batched`: Names of the algorithms that ask for batches if they have several cores.
    - `compiled`: Names of the algorithms whose own steps are compiled code; None for all.
    """

    name: str
    distributions: Sequence[str] = ()
    examples: Sequence[str] = ()
    optional: bool = False
    modules: Sequence[str] = ()
    unneeded: Sequence[str] = ()
    special: Mapping[str, frozenset[Task]] = field(default_factory=dict)
    length: str = ""
    iterated: tuple[str, int] | None = None
    batched: Collection[str] = ()
    compiled: Collection[str] | None = ()

    def available(self) -> dict[str, str]:
        """Every algorithm of the library, and what it lacks here; empty if they have no list."""
        return {}

    @abstractmethod
    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        """Check a name and its parameters; one line per fault, with what would be right.

        A line begins with the offending word, and the caller prepends the key of the campaign.
        """

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        """The kinds of variables that an algorithm without faults supports."""
        return CONTINUOUS

    def tasks(self, name: str, parameters: Mapping[str, object]) -> frozenset[Task]:
        """The tasks that an algorithm without faults is for."""
        return self.special.get(name, ONE_OBJECTIVE)

    def batches(self, name: str, parameters: Mapping[str, object]) -> bool | None:
        """Whether an algorithm without faults asks for batches if it has several cores; None if
        this is unknown.
        """
        return name in self.batched

    def implementation(self, name: str) -> Implementation:
        compiled = self.compiled is None or name in self.compiled
        return "compiled" if compiled else "Python with numpy"

    def members(
        self, name: str, parameters: Mapping[str, object]
    ) -> Sequence[tuple[str, Mapping[str, object]]]:
        """The algorithms that an algorithm is made of: `use` and parameters of each.

        Called before `faults`; members that are not written correctly are omitted.
        """
        return ()

    @abstractmethod
    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        """Import the algorithm, which has no faults, and bind the parameters."""

    @abstractmethod
    def source_files(self, name: str) -> list[Path]:
        """The files of this package, or of the user, behind an algorithm, for a code digest."""


# --- A launch that can be paused ----------------------------------------------------------------


class PausableThread:
    """A function in its own thread, which runs only while the caller waits in `go_on`.

    It calls `pause` wherever it can be paused. It keeps its state of numpy's and Python's global
    generators, from which some libraries draw.
    """

    best: float = math.inf  # what it had reached when it paused, where that is asked for

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function
        self._on, self._back = threading.Semaphore(0), threading.Semaphore(0)
        self._error: BaseException | None = None
        self.has_ended = False
        """Whether the function has returned or raised."""
        threading.Thread(target=self._live, daemon=True).start()

    def go_on(self) -> None:
        """Let the function run until it pauses or ends, if it has not; raise its exception."""
        if self.has_ended:
            return
        self._on.release()
        self._back.acquire()
        if self._error is not None:
            raise self._error

    def pause(self) -> None:
        """Wait for the next `go_on`; only the function itself may call this."""
        states = global_states()
        self._back.release()
        self._on.acquire()
        restore_global_states(states)

    def _live(self) -> None:
        self._on.acquire()
        try:
            self._function()
        except BaseException as error:
            self._error = error
        self.has_ended = True
        self._back.release()


def seed_global_generators(rng: np.random.Generator) -> None:
    np.random.seed(rng.integers(2**32, dtype=np.uint32))  # noqa: NPY002
    random.seed(int(rng.integers(2**63)))


def global_states() -> tuple[Any, Any]:
    return np.random.get_state(), random.getstate()  # noqa: NPY002


def restore_global_states(states: tuple[Any, Any]) -> None:
    np.random.set_state(states[0])  # noqa: NPY002
    random.setstate(states[1])
